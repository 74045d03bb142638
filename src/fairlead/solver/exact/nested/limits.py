"""How many groups a workload may use, where groups nest: clusters within zones within regions.

Constraints that cannot bind are left out; what is left is a chain of partitions, each finer than the one
before. The finest may be the clusters themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """All limits on numbers of groups of one workload."""

    wider: tuple[Limit, ...]
    """Partitions of the clusters, the coarsest first; every one is finer than the one before."""
    least: int
    most: int | None
    """Fewest and most clusters; `most` is None where there is no limit."""

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
        None where the groups of constraints that bind do not nest, or where nothing can keep them.
    """
    where = {name: at for at, name in enumerate(names)}
    found: list[Limit] = []
    for rule in rules:
        limit = _limit(rule, where)
        if limit is None:
            return None
        if limit.binds:
            found.append(limit)
    chain: list[Limit] = []
    for limit in sorted(found, key=lambda each: each.groups):
        if chain and not _finer(limit, chain[-1]):
            return None
        if chain and chain[-1].groups == limit.groups:
            chain[-1] = _merged(chain[-1], limit)
        else:
            chain.append(limit)
    if any(each.least > each.groups or (each.most is not None and each.least > each.most) for each in chain):
        return None
    if chain and chain[-1].groups == len(names):
        return Limits(tuple(chain[:-1]), chain[-1].least, chain[-1].most)
    return Limits(tuple(chain), 1, None)


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
