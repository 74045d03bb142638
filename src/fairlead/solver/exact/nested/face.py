"""All placements that are best on the levels so far, where clusters may be chosen.

Without a choice they fill a box (`fairlead.solver.exact.marginal`). With one they fill a *face*: the sets of
clusters that have the greatest merit, and for every cluster in use an interval of replicas, together with the
total. Groups in use may have intervals as well, as those of `fairlead.solver.exact.laminar`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.laminar import Depth, LaminarBox
from fairlead.solver.exact.marginal import Box
from fairlead.solver.exact.nested.best_set import (
    NoPriceError,
    PickedSet,
    Picker,
    entries,
    lowest,
)
from fairlead.solver.exact.nested.crossing_groups import picker_of
from fairlead.solver.exact.nested.joined_tables import Merits
from fairlead.solver.exact.nested.limits import GroupLimits
from fairlead.solver.exact.nested.priced import PricedPicker, SetHint

MOST_SUM = 2**60
"""Merits that are smaller all together are 64-bit integers."""
LARGE_TABLE = 100
"""Entries of a table beyond which clusters are not counted beside groups, but priced."""

MOST_COUNTED = 2 * 10**7
"""Steps up to which they are counted all the same, where pricing leaves a gap."""

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Face:
    """Sets of clusters and what each cluster may hold."""

    limits: GroupLimits
    """How many groups and clusters may be used."""
    lower: Numbers
    upper: Numbers
    """Fewest (at least 1) and most replicas of a cluster in use."""
    total: int
    """Replicas that the clusters hold together."""
    open_to: Flags
    required: Flags
    """Clusters that may be used and clusters that have to be."""
    needed: Sequence[Flags]
    """Groups of which some cluster has to be used, by partition."""
    merits: Merits
    """Whole numbers: among all sets that keep the limits only those of the greatest merit count. Where groups
    have sums, groups in use have merits too, after those of clusters (`GroupLimits.nodes`)."""
    sums: Sequence[tuple[Numbers, Numbers]] = ()
    """Fewest and most replicas of a group in use, by partition; empty where no group has any of its own."""
    first: Flags | None = None
    """Set that holds the first clusters by name among the best; None where it was not looked for."""
    near: SetHint = field(default_factory=SetHint)
    """Shared by a face and its parts, of which the best sets are alike."""

    @cached_property
    def picker(self) -> Picker | PricedPicker:
        """Picks sets of this face's clusters."""
        if self.limits.crossing is None and entries(self.limits) > LARGE_TABLE:
            return PricedPicker(self.limits, self.open_to, self.required, self.needed, self.near)
        return picker_of(self.limits, self.open_to, self.required, self.needed)

    def pick_exactly(self, merits: Merits) -> PickedSet | None:
        """Return a best set by whole merits alone; clusters are counted where pricing them leaves a gap."""
        try:
            return self.picker.pick(merits)
        except NoPriceError:
            groups = self.limits.wider[-1].groups
            if groups * entries(self.limits) ** 2 > MOST_COUNTED:
                raise
        return picker_of(self.limits, self.open_to, self.required, self.needed).pick(merits)

    def with_first(self) -> "Face | None":
        """Return the part that holds all best sets, with the first of them; None where there is none."""
        kept, told = self.open_to, self.open_to
        if isinstance(self.picker, PricedPicker):
            picked = self.pick_exactly(self.merits)
            if picked is None:
                return None
            if picked.price is not None:
                kept, told = self._undecided(picked.price)
        shift = int(told.sum())
        part = self if kept is self.open_to else replace(self, open_to=kept, first=None)
        try:
            first = part.pick_exactly(self.merits.astype(object) * (1 << shift) + self._all(bits(told)))
        except NoPriceError as apart:
            raise NoPriceError(apart.few, apart.many, apart.known, apart.bound >> shift) from None
        return None if first is None else replace(part, first=first.used)

    def _undecided(self, price: Fraction) -> tuple[Flags, Flags]:
        """Return the clusters of best sets at a price of a cluster, and those that tell such sets apart.

        In a group in use all clusters are used that bring more than they cost: where one of them is, all are.
        Those that bring as much may be used, and where there are neither, one of those that bring most.
        """
        whole, limit = price.numerator // price.denominator, self.limits.wider[-1]
        *_, merits = self.limits.split(self.merits)
        more = self.open_to & (merits > whole)
        equal = self.open_to & (merits == whole) & (price.denominator == 1)
        at = np.flatnonzero(self.open_to)
        most = np.full(limit.groups, lowest(merits), dtype=merits.dtype)
        np.maximum.at(most, limit.group[at], merits[at])
        bare = np.bincount(limit.group[more | equal | self.required], minlength=limit.groups) == 0
        maybe = equal | (self.open_to & bare[limit.group] & (merits == most[limit.group]))
        told = maybe & ~self.required
        together = np.flatnonzero(more & ~self.required)
        told[together[np.unique(limit.group[together], return_index=True)[1]]] = True
        return more | maybe | self.required, told

    @property
    def relaxed(self) -> "Face":
        """Face with the bounds of all clusters, whether they are used or not."""
        lower, upper = np.where(self.required, self.lower, 0), np.where(self.open_to, self.upper, 0)
        return replace(self, lower=lower, upper=upper)

    @property
    def is_box(self) -> bool:
        """Whether any clusters may be used, each from one replica on."""
        free = self.settled and not self.limits.bind and not np.any(~self.required & (self.lower > 1))
        return free and all(
            bool(np.all(needed | (lower == 0)))
            for needed, (lower, _) in zip(self.needed, self.sums, strict=False)
        )

    @property
    def settled(self) -> bool:
        """Whether no level so far tells one set from another."""
        return not self.merits.any()

    def merit(self, used: Flags) -> int:
        """Return the merit of a set by the levels so far."""
        return int(self.merits[self.nodes(used)].sum())

    def nodes(self, used: Flags) -> Flags:
        """Return which merits count for a set."""
        return self.limits.nodes(used) if self.sums else used

    def _all(self, merits: Merits) -> Merits:
        """Return merits of clusters, or of groups as well, as long as those of the face."""
        return np.concatenate([merits, np.zeros(len(self.merits) - len(merits), dtype=merits.dtype)])

    @property
    def most_held(self) -> Numbers:
        """Replicas that each cluster can add, in which the best set holds no less than any other can.

        Where levels tell sets apart, a best one need not use those first that have the most room.
        """
        return self.gains(-1) if self.sums and self.settled else self.upper

    def gains(self, depth: int = 0) -> Numbers:
        """Return the replicas that clusters add to those before them, up to the most of their groups.

        In a group those with the most room come first, but for those that have to be used. Only groups from
        a depth on are looked at.
        """
        found = np.where(self.open_to, np.minimum(self.upper, self.total), 0)
        for limit, (_, most) in [*zip(self.limits.wider, self.sums, strict=True)][depth:][::-1]:
            order = np.lexsort((-found, ~self.required, limit.group))
            sums, group = np.cumsum(found[order]), limit.group[order]
            before = (sums - found[order])[np.searchsorted(group, group)]
            full = np.minimum(sums - before, most[group])
            found[order] = np.where(np.diff(group, prepend=-1) > 0, full, np.diff(full, prepend=0))
        return found

    def combined(self, merits: Merits) -> Merits:
        """Return merits that count after those of the face, put together with them as whole numbers."""
        counted = np.ones(len(self.merits), dtype=bool)
        counted[: len(self.lower)] = self.open_to
        merits = np.where(counted, self._all(merits), 0)
        if self.settled:
            return merits
        factor = 2 * int(np.abs(merits.astype(object)).sum()) + 1
        combined: Merits = self.merits.astype(object) * factor + merits
        small = int(np.abs(combined).sum()) < MOST_SUM
        return combined.astype(np.int64) if small else combined

    def box(self, used: Flags) -> tuple[Box, Numbers]:
        """Return the box of the clusters of a set, and their positions."""
        at = np.flatnonzero(used)
        return Box(self.lower[at], self.upper[at], self.total), at

    def holds(self, used: Flags) -> bool:
        """Tell whether the clusters of a set can hold the total."""
        return self.box(used)[0].feasible and (not self.sums or self.division(used) is not None)

    def division(self, used: Flags) -> tuple[LaminarBox, Numbers] | None:
        """Return the box of a set and its groups, and the positions of its clusters side by side.

        None where they cannot hold the total.
        """
        at = np.flatnonzero(used)
        at = at[np.lexsort([each.group[at] for each in reversed(self.limits.wider)])]
        whole, starts = np.array([self.total], dtype=np.int64), [np.zeros(1, dtype=np.int64)]
        groups = [np.zeros(1, dtype=np.int64)]
        for each in self.limits.wider:
            inside = each.group[at]
            starts.append(np.flatnonzero(np.diff(inside, prepend=-1)))
            groups.append(inside[starts[-1]])
        bounds = [(whole, whole)]
        bounds += [(low[each], high[each]) for (low, high), each in zip(self.sums, groups[1:], strict=True)]
        bounds.append((self.lower[at], np.minimum(self.upper[at], self.total)))
        starts.append(np.arange(len(at)))
        first = [np.searchsorted(inner, outer) for outer, inner in pairwise(starts)]
        box = LaminarBox(
            tuple(
                Depth(low, high, inner) for (low, high), inner in zip(bounds, [*first, at[:0]], strict=True)
            )
        )
        cut = box.cut()
        return None if cut is None else (cut, at)

    def with_group(self, depth: int, group: int, *, used: bool) -> "Face":
        """Return the part in which some cluster of a group is used, or none is."""
        inside = self.limits.wider[depth].group == group
        if not used:
            return replace(self, open_to=self.open_to & ~inside, first=None)
        needed = [each.copy() for each in self.needed]
        needed[depth][group] = True
        return replace(self, needed=needed, first=None)

    def with_cluster(self, at: int, *, used: bool) -> "Face":
        """Return the part in which a cluster is used, or is not."""
        required, open_to = self.required.copy(), self.open_to.copy()
        required[at], open_to[at] = required[at] or used, open_to[at] and used
        return replace(self, required=required, open_to=open_to, first=None)

    def on(self, count: int) -> "Face":
        """Return the sets that use so many clusters."""
        return replace(self, limits=replace(self.limits, least=count, most=count), first=None)

    @cached_property
    def possible(self) -> bool:
        """Whether everything that has to be used may be used."""
        return not bool(np.any(self.required & ~self.open_to)) and all(
            bool(np.all(np.bincount(limit.group[self.open_to], minlength=limit.groups)[needed] > 0))
            for limit, needed in zip(self.limits.wider, self.needed, strict=True)
        )

    def pick(self, merits: Merits) -> PickedSet | None:
        """Return the best set by the merits of the face and then by others."""
        return self.picker.pick(self.combined(merits)) if self.possible else None

    def extremes(self) -> Iterator[Flags]:
        """Yield the best sets that hold most and least, or good ones where these are not found."""
        for side in (self.upper, -self.lower, *((self.gains(),) if self.sums else ())):
            try:
                picked = self.pick(side)
            except NoPriceError as apart:
                picked = apart.known
            if picked is not None:
                yield picked.used


def bits(open_to: Flags) -> NDArray[Any]:
    """Return powers of 2: of all sets, the one that holds the first clusters by name has the most."""
    positions = np.flatnonzero(open_to).tolist()
    powers = np.zeros(len(open_to), dtype=object)
    for exponent, at in enumerate(reversed(positions)):
        powers[at] = 1 << exponent
    return powers
