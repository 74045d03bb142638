"""How many groups a workload may use and which sets are told apart, where groups nest: one tree of clusters.

Constraints that cannot bind are left out. What is left is a chain of partitions, each finer than the one
before: clusters within zones within regions. Sets of which the replicas are bounded, and groups that are
measured, stand in the chain as well. The finest partition may be the clusters themselves.

Groups that cross, as zones do where clusters are in several of them, are told by kinds of clusters: those
that are in the same groups are one group of the only partition.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.models.rules import Spread
from fairlead.solver.exact.nested.joined_tables import Flags, Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
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
class CrossingGroups:
    """How many groups may be used, of groups that need not nest."""

    groups: Flags
    """True by kind of clusters and group, where they are in it."""
    constraint: Numbers
    """Number of the constraint that counts it, by group."""
    ends: tuple[tuple[int, int | None], ...]
    """Fewest and most groups, by constraint; None where the most cannot bind."""

    def used(self, kinds: Numbers) -> list[int]:
        """Return how many groups some kinds of clusters use, by constraint."""
        constraint = self.constraint[self.groups[kinds].any(axis=0)]
        return [int(each) for each in np.bincount(constraint, minlength=len(self.ends))]

    @cached_property
    def parts(self) -> tuple[Numbers, ...]:
        """Kinds of clusters that groups connect."""
        parts: list[tuple[Flags, list[int]]] = []
        for kind, inside in enumerate(self.groups):
            near = [part for part in parts if bool(np.any(part[0] & inside))]
            groups = np.any([inside, *(part[0] for part in near)], axis=0)
            parts = [part for part in parts if not any(part is each for each in near)]
            parts.append((groups, [*(each for _, kinds in near for each in kinds), kind]))
        return tuple(np.array(sorted(kinds)) for _, kinds in parts)


@dataclass(frozen=True, eq=False)
class GroupLimits:
    """All limits on numbers of groups of one workload."""

    wider: tuple[Partition, ...]
    """Partitions of the clusters, the coarsest first; every one is finer than the one before."""
    least: int
    most: int | None
    """Fewest and most clusters; `most` is None where there is no limit."""
    crossing: CrossingGroups | None = None
    """Limits on groups that do not nest; then the only partition is that of kinds of clusters. None: all
    nest."""

    @property
    def bind(self) -> bool:
        """Whether any set of clusters breaks a limit."""
        crossing = self.crossing is not None
        return crossing or self.least > 1 or self.most is not None or any(each.binds for each in self.wider)

    def keeps(self, used: Flags) -> bool:
        """Tell whether a set keeps all limits."""
        counts = [
            *(int(np.unique(each.group[used]).size) for each in self.wider),
            int(np.count_nonzero(used)),
        ]
        ends = [*((each.least, each.most) for each in self.wider), (self.least, self.most)]
        if self.crossing is not None:
            counts += self.crossing.used(self.wider[-1].group[used])
            ends += self.crossing.ends
        return all(
            least <= count and (most is None or count <= most)
            for count, (least, most) in zip(counts, ends, strict=True)
        )

    @cached_property
    def around(self) -> tuple[Numbers, ...]:
        """Group of the coarser partition around each group, by partition; 0 in the coarsest."""
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

    def depth_of(self, partition: Partition) -> int:
        """Return the depth of a partition that is in the chain."""
        alike = (n for n, each in enumerate(self.wider) if each.groups == partition.groups)
        return next(alike, len(self.wider))

    def nodes(self, used: Flags) -> Flags:
        """Return which clusters, and which groups after them, depth by depth, a set of clusters uses."""
        return np.concatenate(
            [used, *(np.bincount(each.group[used], minlength=each.groups) > 0 for each in self.wider)]
        )

    def split(self, merits: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return the merits of groups by depth, none where all are of clusters; those of clusters last."""
        clusters = len(self.wider[0].group) if self.wider else len(merits)
        if len(merits) == clusters:
            return (merits,)
        ends = np.cumsum([clusters, *(each.groups for each in self.wider)])
        first, *groups = np.split(merits, ends[:-1])
        return (*groups, first)


def limits_of(
    rules: Iterable[Spread],
    names: Sequence[str],
    partitions: Iterable[Partition] = (),
    sets: Iterable[Collection[str]] = (),
) -> GroupLimits | None:
    """Return the limits that spread constraints set to the clusters that can hold replicas.

    `rules`: the constraints of a workload of at least one replica. `names`: clusters that can hold replicas;
    at least one. `partitions`: more partitions that have to be in the chain. `sets`: sets of these clusters
    that have to be groups of some partition.

    None where nothing can keep the constraints, or where groups do not nest and others are asked for.
    """
    rules, partitions, sets = list(rules), list(partitions), list(sets)
    where = {name: at for at, name in enumerate(names)}
    chain = _chain([*partitions, *(_limit(rule, where) for rule in rules)], len(partitions))
    if chain is None:
        return None if partitions or sets else _crossing(rules, where)
    if any(each.least > each.groups or (each.most is not None and each.least > each.most) for each in chain):
        return None
    if chain and chain[-1].groups == len(names):
        finest = chain.pop()
        least, most = finest.least, finest.most
    else:
        least, most = 1, None
    wider = _with_sets(chain, [np.array([where[name] for name in each]) for each in sets], len(names))
    return None if wider is None else GroupLimits(tuple(wider), least, most)


def _chain(limits: Sequence[Partition | None], kept: int) -> list[Partition] | None:
    """Return the first so many limits, and others that bind, as a chain; None where they do not nest."""
    if any(each is None for each in limits):
        return None
    found = [each for number, each in enumerate(limits) if each is not None and (number < kept or each.binds)]
    chain: list[Partition] = []
    for limit in sorted(found, key=lambda each: each.groups):
        if chain and not _finer(limit, chain[-1]):
            return None
        if chain and chain[-1].groups == limit.groups:
            chain[-1] = _merged(chain[-1], limit)
        else:
            chain.append(limit)
    return chain


def partition(groups: Iterable[Collection[str]], names: Sequence[str]) -> Partition | None:
    """Return groups of clusters as a partition; None where they do not hold each cluster once."""
    limit = _limit(
        Spread("", {str(n): frozenset(each) for n, each in enumerate(groups)}),
        {n: at for at, n in enumerate(names)},
    )
    return None if limit is None or -1 in limit.group else limit


def _with_sets(
    chain: Sequence[Partition], sets: Iterable[Numbers], clusters: int
) -> Sequence[Partition] | None:
    """Return a chain with groups for some sets of clusters, by position; None where these overlap."""
    left = sorted((each for each in sets if len(each) > 1), key=len, reverse=True)
    found: list[Partition] = []
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
            found.append(Partition(outer, int(outer.max()) + 1, 1, None))
        if limit is not None:
            found.append(limit)
            outer = limit.group
    return found


def _crossing(rules: Iterable[Spread], where: Mapping[str, int]) -> GroupLimits | None:
    """Return constraints on groups that do not nest; None where nothing can keep them."""
    clusters = Partition(np.arange(len(where)), len(where), 1, None)
    columns: list[Flags] = []
    constraint: list[int] = []
    ends: list[tuple[int, int | None]] = []
    for rule in rules:
        sets, limit = _inside(rule, where), _limit(rule, where)
        most = _most(rule, len(sets))
        if rule.minimum > len(sets) or (most is not None and rule.minimum > most):
            return None
        if limit is not None and limit.binds and limit.groups == len(where):
            clusters = _merged(clusters, limit)
        elif limit is None or limit.binds:
            columns += (np.isin(np.arange(len(where)), each) for each in sets)
            constraint += [len(ends)] * len(sets)
            ends.append((rule.minimum, most))
    groups, kind = np.unique(np.array(columns, dtype=bool).T, axis=0, return_inverse=True)
    kinds = Partition(kind.reshape(-1).astype(np.int64), len(groups), 1, None)
    crossing = CrossingGroups(groups, np.array(constraint), tuple(ends))
    return GroupLimits((kinds,), clusters.least, clusters.most, crossing)


def _limit(rule: Spread, where: Mapping[str, int]) -> Partition | None:
    """Return one constraint; None where it matters that a cluster is in no group or in several."""
    sets, group = _inside(rule, where), [-1] * len(where)
    for number, inside in enumerate(sets):
        for at in inside:
            group[at] = number
    apart = group.count(-1)
    limit = Partition(
        np.array(group, dtype=np.int64), len(sets), max(rule.minimum, 1), _most(rule, len(sets))
    )
    if apart or sum(map(len, sets)) > len(group) - apart:
        return None if limit.binds or (apart and rule.minimum) else limit
    return limit


def _inside(rule: Spread, where: Mapping[str, int]) -> list[list[int]]:
    """Return the clusters of every group that has any, by position."""
    found = ([where[name] for name in members if name in where] for members in rule.groups.values())
    return [each for each in found if each]


def _most(rule: Spread, groups: int) -> int | None:
    """Return the most groups that may be used; None where there are no more of them anyway."""
    return None if rule.maximum is None or rule.maximum >= groups else rule.maximum


def _merged(one: Partition, other: Partition) -> Partition:
    most = [each.most for each in (one, other) if each.most is not None]
    return Partition(one.group, one.groups, max(one.least, other.least), min(most, default=None))


def _finer(fine: Partition, coarse: Partition) -> bool:
    """Tell whether every group of one partition lies within a group of the other."""
    around = np.zeros(fine.groups, dtype=np.int64)
    around[fine.group] = coarse.group
    return bool(np.array_equal(around[fine.group], coarse.group))
