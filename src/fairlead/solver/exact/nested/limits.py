"""How many groups a workload may use and which sets are told apart, where groups nest: one tree of clusters.

Constraints that cannot bind are left out. What is left is a chain of partitions, each finer than the one
before: clusters within zones within regions. Sets of which the replicas are bounded, and groups that are
measured, stand in the chain as well. The finest partition may be the clusters themselves.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.models.rules import Spread

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """How many groups of one partition may be used."""

    group: Numbers
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
        return any(each.binds for each in self.wider) or self.least > 1 or self.most is not None

    def keeps(self, used: Flags) -> bool:
        """Tell whether a set keeps all limits."""
        ends = [(int(np.unique(each.group[used]).size), each.least, each.most) for each in self.wider]
        ends.append((int(used.sum()), self.least, self.most))
        return all(least <= count and (most is None or count <= most) for count, least, most in ends)

    @cached_property
    def around(self) -> tuple[Numbers, ...]:
        """By partition, the group of the coarser one before that is around each group; 0 for the coarsest."""
        found = []
        for depth, each in enumerate(self.wider):
            outer = np.zeros(each.groups, dtype=np.int64)
            if depth:
                outer[each.group] = self.wider[depth - 1].group
            found.append(outer)
        return tuple(found)

    def place(self, members: Collection[int]) -> tuple[int, int]:
        """Return the depth and the number of the group that a set is; the last depth is that of clusters."""
        first = next(iter(members))
        for depth, each in enumerate(self.wider):
            group = int(each.group[first])
            if np.count_nonzero(each.group == group) == len(members):
                return depth, group
        return len(self.wider), first

    def depth_of(self, partition: Limit) -> int:
        """Return the depth of a partition that is in the chain."""
        alike = (n for n, each in enumerate(self.wider) if each.groups == partition.groups)
        return next(alike, len(self.wider))

    def nodes(self, used: Flags) -> Flags:
        """Return which clusters, and which groups after them, depth by depth, a set of clusters uses."""
        return np.concatenate(
            [used, *(np.bincount(each.group[used], minlength=each.groups) > 0 for each in self.wider)]
        )

    def split(self, merits: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return what is told of groups by depth, nothing where it is of clusters only; the clusters last."""
        clusters = len(self.wider[0].group) if self.wider else len(merits)
        if len(merits) == clusters:
            return (merits,)
        ends = np.cumsum([clusters, *(each.groups for each in self.wider)])
        first, *groups = np.split(merits, ends[:-1])
        return (*groups, first)


def limits_of(
    rules: Iterable[Spread],
    names: Sequence[str],
    partitions: Iterable[Limit] = (),
    sets: Iterable[Collection[str]] = (),
) -> Limits | None:
    """Return what spread constraints say of the clusters that can hold replicas.

    Parameters
    ----------
    rules
        The constraints of a workload of at least one replica.
    names
        Clusters that can hold replicas; at least one.
    partitions
        More partitions that have to be in the chain.
    sets
        Sets of these clusters that have to be groups of some partition.

    Returns
    -------
    Limits or None
        None where groups do not nest, or where nothing can keep the constraints that bind.
    """
    where = {name: at for at, name in enumerate(names)}
    found: list[Limit] = list(partitions)
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
        finest = chain.pop()
        least, most = finest.least, finest.most
    else:
        least, most = 1, None
    wider = _with_sets(chain, [np.array([where[name] for name in each]) for each in sets], len(names))
    return None if wider is None else Limits(tuple(wider), least, most)


def partition(groups: Iterable[Collection[str]], names: Sequence[str]) -> Limit | None:
    """Return groups of clusters as a partition; None where they do not hold each cluster once."""
    limit = _limit(
        Spread("", {str(n): frozenset(each) for n, each in enumerate(groups)}),
        {n: at for at, n in enumerate(names)},
    )
    return None if limit is None or -1 in limit.group else limit


def _with_sets(chain: Sequence[Limit], sets: Iterable[Numbers], clusters: int) -> Sequence[Limit] | None:
    """Return a chain with groups for some sets of clusters, by position; None where these overlap."""
    left = sorted((each for each in sets if len(each) > 1), key=len, reverse=True)
    found: list[Limit] = []
    outer = np.zeros(clusters, dtype=np.int64)
    for limit in (*chain, None):
        inner = np.arange(clusters) if limit is None else limit.group
        here = [each for each in left if np.any(inner[each] != inner[each[0]])]
        # One that is a group needs no other.
        sizes = np.bincount(inner)
        left = [
            each
            for each in left
            if not np.any(inner[each] != inner[each[0]]) and len(each) < sizes[inner[each[0]]]
        ]
        depth = np.zeros(clusters, dtype=np.int64)
        layers: list[Numbers] = []
        for number, each in enumerate(here, start=1):
            at = int(depth[each[0]])
            # What is around one member has to be around all, and groups further in are inside or outside.
            beside = at > 0 and np.any(layers[at - 1][each] != layers[at - 1][each[0]])
            if beside or np.any(depth[each] != at) or np.any(np.isin(np.delete(inner, each), inner[each])):
                return None
            if at == len(layers):
                layers.append(np.zeros(clusters, dtype=np.int64))
            layers[at][each] = number
            depth[each] += 1
        for layer in layers:
            _, outer = np.unique(outer * (len(here) + 1) + layer, return_inverse=True)
            found.append(Limit(outer, int(outer.max()) + 1, 1, None))
        if limit is not None:
            found.append(limit)
            outer = limit.group
    return found


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
