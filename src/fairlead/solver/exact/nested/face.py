"""All placements that are best on the levels so far, where clusters may be chosen.

Without a choice they fill a box (`fairlead.solver.exact.marginal`). With one they fill a *face*: the sets of
clusters that have the greatest merit, and for every cluster in use an interval of replicas, together with the
total.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.marginal import Box
from fairlead.solver.exact.nested.joining import Merits
from fairlead.solver.exact.nested.limits import Limits
from fairlead.solver.exact.nested.picking import ApartError, Picked, Picker, entries, lowest
from fairlead.solver.exact.nested.priced import Near, PricedPicker

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

    limits: Limits
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
    """By partition, groups of which some cluster has to be used."""
    merits: Merits
    """Whole numbers: among all sets that keep the limits only those of the greatest merit count."""
    first: Flags | None = None
    """Of these sets the one that holds the first clusters by name; None where it was not looked for."""
    near: Near = field(default_factory=Near)
    """Shared by a face and its parts, of which the best sets are alike."""

    @cached_property
    def picker(self) -> Picker | PricedPicker:
        """Picks sets of this face's clusters."""
        if entries(self.limits) > LARGE_TABLE:
            return PricedPicker(self.limits, self.open_to, self.required, self.needed, self.near)
        return Picker(self.limits, self.open_to, self.required, self.needed)

    def pick_exactly(self, merits: Merits) -> Picked | None:
        """Return a best set by whole merits alone; clusters are counted where pricing them leaves a gap."""
        try:
            return self.picker.pick(merits)
        except ApartError:
            groups = self.limits.wider[-1].groups
            if groups * entries(self.limits) ** 2 > MOST_COUNTED:
                raise
        return Picker(self.limits, self.open_to, self.required, self.needed).pick(merits)

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
            first = part.pick_exactly(self.merits.astype(object) * (1 << shift) + bits(told))
        except ApartError as apart:
            raise ApartError(apart.few, apart.many, apart.known, apart.bound >> shift) from None
        return None if first is None else replace(part, first=first.used)

    def _undecided(self, price: Fraction) -> tuple[Flags, Flags]:
        """Return the clusters of best sets at a price of a cluster, and those that tell such sets apart.

        In a group in use all clusters are used that bring more than they cost: where one of them is, all are.
        Those that bring as much may be used, and where there are neither, one of those that bring most.
        """
        whole, limit = price.numerator // price.denominator, self.limits.wider[-1]
        more = self.open_to & (self.merits > whole)
        equal = self.open_to & (self.merits == whole) & (price.denominator == 1)
        at = np.flatnonzero(self.open_to)
        most = np.full(limit.groups, lowest(self.merits), dtype=self.merits.dtype)
        np.maximum.at(most, limit.group[at], self.merits[at])
        bare = np.bincount(limit.group[more | equal | self.required], minlength=limit.groups) == 0
        maybe = equal | (self.open_to & bare[limit.group] & (self.merits == most[limit.group]))
        told = maybe & ~self.required
        together = np.flatnonzero(more & ~self.required)
        told[together[np.unique(limit.group[together], return_index=True)[1]]] = True
        return more | maybe | self.required, told

    @property
    def settled(self) -> bool:
        """Whether no level so far tells one set from another."""
        return not self.merits.any()

    def combined(self, merits: Merits, open_to: Flags | None = None) -> Merits:
        """Return merits that count after those of the face, put together with them as whole numbers."""
        merits = np.where(self.open_to if open_to is None else open_to, merits, 0)
        if self.settled:
            return merits
        factor = 2 * int(np.abs(merits.astype(object)).sum()) + 1
        combined: Merits = self.merits.astype(object) * factor + merits
        small = int(np.abs(combined).sum()) < MOST_SUM
        return combined.astype(np.int64) if small else combined

    def box(self, used: Flags) -> tuple[Box, Numbers]:
        """Return what the clusters of a set may hold, and their positions."""
        at = np.flatnonzero(used)
        return Box(self.lower[at], self.upper[at], self.total), at

    def holds(self, used: Flags) -> bool:
        """Tell whether the clusters of a set can hold the total."""
        return self.box(used)[0].feasible

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
        changed = (self.required if used else self.open_to).copy()
        changed[at] = used
        return (
            replace(self, required=changed, first=None)
            if used
            else replace(self, open_to=changed, first=None)
        )

    @cached_property
    def possible(self) -> bool:
        """Whether everything that has to be used may be used."""
        return not bool(np.any(self.required & ~self.open_to)) and all(
            bool(np.all(np.bincount(limit.group[self.open_to], minlength=limit.groups)[needed] > 0))
            for limit, needed in zip(self.limits.wider, self.needed, strict=True)
        )

    def pick(self, merits: Merits) -> Picked | None:
        """Return the best set by the merits of the face and then by others."""
        return self.picker.pick(self.combined(merits)) if self.possible else None


def bits(open_to: Flags) -> NDArray[Any]:
    """Return powers of 2: of all sets, the one that holds the first clusters by name has the most."""
    positions = np.flatnonzero(open_to).tolist()
    powers = np.zeros(len(open_to), dtype=object)
    for exponent, at in enumerate(reversed(positions)):
        powers[at] = 1 << exponent
    return powers
