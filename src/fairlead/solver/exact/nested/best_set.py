"""The set of clusters with the greatest merit, where limits on numbers of nested groups hold.

Every cluster brings a merit if it is used. Inside a group of the finest partition the best k clusters are the
first k by merit; groups are put together two at a time, each pair by the maximum over how many groups and
clusters lie on either side (max-plus convolution). So a table tells for every number of groups and of
clusters the greatest merit, and the way back through the tables finds the set that has it.

Numbers are counted exactly where there is a maximum, and as "at least so many" where there is a minimum only.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fairlead.solver.exact.nested.joined_tables import Flags, Merits, Numbers, Way, join
from fairlead.solver.exact.nested.limits import GroupLimits


@dataclass(frozen=True, slots=True, eq=False)
class PickedSet:
    """A set of clusters and the sum of its merits."""

    used: Flags
    value: Any
    price: Fraction | None = None
    """Price of a cluster in use, in units of merit, at which the set is among the best of all sizes; None
    where that is not known."""


class TooLongError(Exception):
    """The search needs more steps than it is given; CP-SAT is asked instead."""


@dataclass(eq=False)
class NoPriceError(Exception):
    """No price of a cluster makes the best set as large as wanted."""

    few: Flags
    many: Flags
    """Best sets at nearly one price, one too small and one too large."""
    known: PickedSet | None
    """The best set of the right size that was found; None where there was none."""
    bound: int
    """No set of the right size has more merit."""


@dataclass(frozen=True, slots=True)
class CountAxis:
    """One number that is counted, of groups or of clusters, up to a cap."""

    cap: int
    exact: bool
    least: int

    @property
    def allowed(self) -> slice:
        """Return the entries that keep the limit."""
        return slice(self.least if self.exact else self.cap, self.cap + 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Storey:
    """How the groups of one partition were put together."""

    joined: Way
    """Tables that were put together, step by step."""
    used: Flags
    """True by group and entry of its own table, where "at least no group" stands for the group in use."""


class Picker:
    """Picks the best set of clusters, for one merit after the other.

    Parameters
    ----------
    limits
        How many groups and clusters may be used; at least one cluster is.
    open_to
        Clusters that may be used.
    required
        Clusters that have to be used; all are open.
    needed
        By partition, groups of which some cluster has to be used.
    """

    def __init__(
        self,
        limits: GroupLimits,
        open_to: Flags,
        required: Flags,
        needed: Sequence[Flags] | None = None,
    ) -> None:
        self._limits = limits
        self._size = len(open_to)
        self._open = np.flatnonzero(open_to)
        self._required = required[self._open]
        wider = limits.wider
        count = len(self._open)
        self._leaf = wider[-1].group[self._open] if wider else np.zeros(count, dtype=np.int64)
        leaves = wider[-1].groups if wider else 1
        self._sizes = np.bincount(self._leaf, minlength=leaves)
        self._held = np.bincount(self._leaf[self._required], minlength=leaves)
        self._start = np.cumsum(self._sizes) - self._sizes
        # Clusters by their finest group, those that have to be used first.
        self._by_leaf = np.repeat(np.arange(leaves), self._sizes)
        self._rank = np.arange(count) - self._start[self._by_leaf]
        self._first = self._rank < self._held[self._by_leaf]
        self._axes = [axis_of(each.least, each.most) for each in wider]
        self._clusters = axis_of(limits.least if limits.least > 1 else 0, limits.most)
        self._children = [_children(limits, depth) for depth in range(len(wider))]
        self._needed = []
        for depth, each in enumerate(wider):
            asked = np.bincount(each.group[required], minlength=each.groups) > 0
            self._needed.append(asked if needed is None else asked | needed[depth])

    def pick(self, merits: Merits, order: Numbers | None = None) -> PickedSet | None:
        """Return a best set; None where no set keeps the limits.

        Merits are those of clusters, and may be those of groups in use after them (`GroupLimits.nodes`).
        `order`: what `by_group` returns for these merits, where it is known already.
        """
        if not len(self._open):
            return None
        *groups, single = self._limits.split(merits)
        single, least = single[self._open], lowest(merits)
        order = self.by_group(falling(single)) if order is None else order
        table, counts = self._leaf_tables(single[order], least)
        reach = [int(self._sizes.max())]
        storeys: list[_Storey] = []
        for depth in reversed(range(len(self._axes))):
            if groups:
                table = _with(groups[depth], table, least)
            table, used = self._with_unused(table, depth, least)
            table, joined, reach = join(table[self._children[depth]], [1, *reach], least)
            storeys.append(_Storey(joined, used))
            # Whatever holds these groups is in use itself, so at least one of them is.
            table[:, 0] = least if self._axes[depth].exact else table[:, 1]
        at = self._best_entry(table[0], least)
        if at is None:
            return None
        taken = self._way_back(at, storeys, counts)
        result = np.zeros(self._size, dtype=bool)
        result[self._open[order[self._rank < taken[self._by_leaf]]]] = True
        return PickedSet(result, table[0].ravel()[at])

    def by_group(self, ranked: Numbers) -> Numbers:
        """Return the open clusters, ranked by falling merit, by group instead, the required ones first."""
        order: Numbers = ranked[np.lexsort((~self._required[ranked], self._leaf[ranked]))]
        return order

    def _leaf_tables(self, merits: Merits, least: Any) -> tuple[Merits, Numbers]:
        """Return the table of every finest group in use, and how many clusters an entry stands for."""
        groups = len(self._sizes)
        sums = np.concatenate([merits[:1] * 0, np.cumsum(merits)])
        if self._clusters.exact:
            counts = np.tile(np.arange(self._clusters.cap + 1), (groups, 1))
        else:
            gained = np.bincount(self._by_leaf[(merits > 0) | self._first], minlength=groups)
            counts = np.maximum(np.arange(self._clusters.cap + 1), np.maximum(gained, 1)[:, None])
        possible = (counts >= np.maximum(self._held, 1)[:, None]) & (counts <= self._sizes[:, None])
        ends = np.where(possible, self._start[:, None] + counts, 0)
        table = np.where(possible, sums[ends] - sums[self._start][:, None], least)
        return table, counts

    def _with_unused(self, table: Merits, depth: int, least: Any) -> tuple[Merits, Flags]:
        """Return the tables with an axis in front, whether a group is used; an empty one is added.

        Returns as well where "at least none" stands for the group in use.
        """
        axis = self._axes[depth]
        entry = table.shape[1:]
        empty = np.full(table.shape, least, dtype=table.dtype)
        empty.reshape(len(table), -1)[~self._needed[depth], 0] = 0
        used = np.zeros(table.shape, dtype=bool) if axis.exact else table > empty
        wider = np.full((len(table) + 1, axis.cap + 1, *entry), least, dtype=table.dtype)
        wider[:-1, 0] = np.where(used, table, empty)
        wider[:-1, 1] = table
        wider[-1].ravel()[0] = 0
        return wider, used

    def _best_entry(self, table: Merits, least: Any) -> int | None:
        """Return the position of the best entry that keeps all limits."""
        axes = [*self._axes, self._clusters]
        allowed = np.full(table.shape, least, dtype=table.dtype)
        inside = tuple(axis.allowed for axis in axes)
        allowed[inside] = table[inside]
        at = int(np.argmax(allowed))
        value = allowed.ravel()[at]
        return at if value > (least if table.dtype == float else least // 2) else None

    def _way_back(self, at: int, storeys: Sequence[_Storey], counts: Numbers) -> Numbers:
        """Return how many clusters of each finest group an entry of the last table stands for."""
        entries, alive = np.array([at]), np.array([True])
        for depth, storey in enumerate(reversed(storeys)):
            inner = math.prod(storey.used.shape[1:])
            if not self._axes[depth].exact:
                entries = np.where(entries < inner, entries + inner, entries)
            within = entries[:, None]
            for pair in reversed(storey.joined):
                within = pair.apart(within)
            children = self._children[depth]
            groups = storey.used.shape[0]
            entry = np.zeros(groups + 1, dtype=np.int64)
            entry[children] = within
            used = np.zeros(groups + 1, dtype=bool)
            used[children] = alive[:, None]
            inside, own = entry[:-1] % inner, entry[:-1] // inner
            standing = storey.used.reshape(groups, -1)[np.arange(groups), inside]
            entries, alive = inside, used[:-1] & ((own > 0) | standing)
        return np.where(alive, counts[np.arange(len(counts)), entries], 0)


def axis_of(least: int, most: int | None) -> CountAxis:
    """Return how a number between a minimum and a maximum is counted."""
    return CountAxis(least if most is None else most, most is not None, least)


def _children(limits: GroupLimits, depth: int) -> Numbers:
    """Return the groups of a partition by the next coarser one, filled up with -1 to a power of 2."""
    fine = limits.wider[depth]
    around = np.zeros(fine.groups, dtype=np.int64)
    if depth:
        around[fine.group] = limits.wider[depth - 1].group
    parents = limits.wider[depth - 1].groups if depth else 1
    sizes = np.bincount(around, minlength=parents)
    width = 1 << int(sizes.max() - 1).bit_length()
    order = np.argsort(around, kind="stable")
    rank = np.arange(fine.groups) - (np.cumsum(sizes) - sizes)[around[order]]
    children = np.full((parents, width), -1, dtype=np.int64)
    children[around[order], rank] = order
    return children


def entries(limits: GroupLimits) -> int:
    """Return how many entries a table has that counts clusters beside groups; 0 where it need not."""
    if not limits.wider or (limits.most is None and limits.least == 1):
        return 0
    sizes = [each.least if each.most is None else each.most for each in limits.wider]
    return (1 + (limits.least if limits.most is None else limits.most)) * math.prod(
        size + 1 for size in sizes
    )


def _with(brought: Merits, table: Merits, least: Any) -> Merits:
    """Return tables of groups where the use of each brings something."""
    told = table > (least if table.dtype == float else least // 2)
    found: Merits = np.where(told, table + brought.reshape(-1, *(1 for _ in table.shape[1:])), table)
    return found


def falling(merits: Merits) -> Numbers:
    """Return the order of falling merit; of equal ones the first comes first."""
    return np.argsort(-merits, kind="stable")


def lowest(*merits: Merits) -> Any:
    """Return the merit for "no such set": lower than any sum of merits, and than any two of its kind."""
    if merits[0].dtype == float:
        return -np.inf
    if merits[0].dtype == np.int64:
        return -(2**61)
    return -4 * (sum(int(np.abs(each).sum()) for each in merits) + 1)
