"""How many groups a workload may use, where groups nest: clusters within zones within regions.

Constraints that cannot bind are left out; what is left is a chain of partitions, each finer than the one
before. The finest may be the clusters themselves.

Groups that cross, as zones do where clusters are in several of them, are told by kinds of clusters: those
that are in the same groups are one group of the only partition.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairlead.models.rules import Spread


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """How many groups of one partition may be used."""

    group: NDArray[np.int64]
    """Number of the group of every cluster, from 0 without gaps."""
    groups: int
    least: int
    """Fewest groups that have to be used; 1 where no more are asked for."""
    most: int | None
    """Most groups that may be used; None where that cannot bind."""

    @property
    def binds(self) -> bool:
        """Whether any set of clusters breaks it."""
        return self.least > 1 or self.most is not None


@dataclass(frozen=True, eq=False)
class Crossing:
    """How many groups may be used, of groups that need not nest."""

    groups: NDArray[np.bool_]
    """By kind of clusters and group, whether they are in it."""
    constraint: NDArray[np.int64]
    """By group, the number of the constraint that counts it."""
    ends: tuple[tuple[int, int | None], ...]
    """By constraint, the fewest and the most groups; None where the most cannot bind."""

    @cached_property
    def parts(self) -> tuple[NDArray[np.int64], ...]:
        """Kinds of clusters that groups connect."""
        parts: list[tuple[NDArray[np.bool_], list[int]]] = []
        for kind, inside in enumerate(self.groups):
            near = [part for part in parts if bool(np.any(part[0] & inside))]
            groups = np.any([inside, *(part[0] for part in near)], axis=0)
            parts = [part for part in parts if not any(part is each for each in near)]
            parts.append((groups, [*(each for _, kinds in near for each in kinds), kind]))
        return tuple(np.array(sorted(kinds)) for _, kinds in parts)


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """All limits on numbers of groups of one workload."""

    wider: tuple[Limit, ...]
    """Partitions of the clusters, the coarsest first; every one is finer than the one before."""
    least: int
    most: int | None
    """Fewest and most clusters; `most` is None where there is no limit."""
    crossing: Crossing | None = None
    """What is asked of groups that do not nest; then the only partition is that of kinds of clusters."""

    @property
    def bind(self) -> bool:
        """Whether any set of clusters breaks a limit."""
        return bool(self.wider) or self.least > 1 or self.most is not None


def limits_of(rules: Iterable[Spread], names: Sequence[str]) -> Limits | None:
    """Return what spread constraints say of the clusters that can hold replicas.

    Parameters
    ----------
    rules
        The constraints of a workload of at least one replica.
    names
        Clusters that can hold replicas; at least one.

    Returns
    -------
    Limits or None
        None where nothing can keep the constraints.
    """
    rules = list(rules)
    where = {name: at for at, name in enumerate(names)}
    chain: list[Limit] = []
    for limit in sorted((_limit(rule, where) for rule in rules), key=lambda each: each.groups if each else 0):
        if limit is None or (limit.binds and chain and not _finer(limit, chain[-1])):
            return _crossing(rules, where)
        if not limit.binds:
            continue
        if chain and chain[-1].groups == limit.groups:
            chain[-1] = _merged(chain[-1], limit)
        else:
            chain.append(limit)
    if any(each.least > each.groups or (each.most is not None and each.least > each.most) for each in chain):
        return None
    if chain and chain[-1].groups == len(names):
        return Limits(tuple(chain[:-1]), chain[-1].least, chain[-1].most)
    return Limits(tuple(chain), 1, None)


def _crossing(rules: Iterable[Spread], where: Mapping[str, int]) -> Limits | None:
    """Return constraints on groups that do not nest; None where nothing can keep them."""
    least, most = 1, None
    columns: list[NDArray[np.bool_]] = []
    constraint: list[int] = []
    ends: list[tuple[int, int | None]] = []
    for rule in rules:
        inside = (sorted(where[name] for name in each if name in where) for each in rule.groups.values())
        sets = [each for each in inside if each]
        limit = rule.maximum if rule.maximum is not None and rule.maximum < len(sets) else None
        if rule.minimum > len(sets) or (limit is not None and rule.minimum > limit):
            return None
        if all(len(each) == 1 for each in sets) and len({at for (at,) in sets}) == len(sets) == len(where):
            least = max(least, rule.minimum)
            most = limit if most is None else most if limit is None else min(most, limit)
        elif rule.minimum > 0 or limit is not None:
            for each in sets:
                columns.append(np.isin(np.arange(len(where)), each))
                constraint.append(len(ends))
            ends.append((rule.minimum, limit))
    groups, kind = np.unique(np.array(columns, dtype=bool).T, axis=0, return_inverse=True)
    kinds = Limit(kind.reshape(-1).astype(np.int64), len(groups), 1, None)
    return Limits((kinds,), least, most, Crossing(groups, np.array(constraint), tuple(ends)))


def _limit(rule: Spread, where: Mapping[str, int]) -> Limit | None:
    """Return one constraint; None where it matters that a cluster is in no group or in several."""
    group = [-1] * len(where)
    count, overlap = 0, False
    for members in rule.groups.values():
        inside = [where[name] for name in members if name in where]
        for at in inside:
            overlap = overlap or group[at] >= 0
            group[at] = count
        count += bool(inside)
    least = max(rule.minimum, 1)
    most = None if rule.maximum is None or rule.maximum >= count else rule.maximum
    apart = -1 in group
    limit = Limit(np.array(group, dtype=np.int64), count, least, most)
    if overlap or apart:
        return None if limit.binds or (apart and rule.minimum) else limit
    return limit


def _merged(one: Limit, other: Limit) -> Limit:
    most = [each.most for each in (one, other) if each.most is not None]
    return Limit(one.group, one.groups, max(one.least, other.least), min(most, default=None))


def _finer(fine: Limit, coarse: Limit) -> bool:
    """Tell whether every group of one partition lies within a group of the other."""
    around = np.zeros(fine.groups, dtype=np.int64)
    around[fine.group] = coarse.group
    return bool(np.array_equal(around[fine.group], coarse.group))
