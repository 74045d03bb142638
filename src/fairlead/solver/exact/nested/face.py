"""All placements that are best on the levels so far, where clusters may be chosen.

Without a choice they fill a box (`fairlead.solver.exact.marginal`). With one they fill a *face*: the sets of
clusters that have the greatest merit, and for every cluster in use an interval of replicas, together with the
total. At the end a tie is settled: of a face the placement with the most on the first cluster by name, then
on the second and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.marginal import Box, exact_sum, settle_ties
from fairlead.solver.exact.nested.crossing import picker_of
from fairlead.solver.exact.nested.joining import Merits
from fairlead.solver.exact.nested.limits import Limits
from fairlead.solver.exact.nested.picking import ApartError, Picked, Picker, TooLongError, entries, lowest
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
        if self.limits.crossing is None and entries(self.limits) > LARGE_TABLE:
            return PricedPicker(self.limits, self.open_to, self.required, self.needed, self.near)
        return picker_of(self.limits, self.open_to, self.required, self.needed)

    def pick_exactly(self, merits: Merits) -> Picked | None:
        """Return a best set by whole merits alone; clusters are counted where pricing them leaves a gap."""
        try:
            return self.picker.pick(merits)
        except ApartError:
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


MOST_LOOKS = 300


def settle(face: Face) -> Numbers | None:
    """Return the lexicographically greatest placement of a face; None where it holds none.

    Raises `TooLongError` where too many cases had to be told apart.
    """
    return _Settling().settle(face, 0)


class _Settling:
    """Settles one face; counts how often it looked."""

    def __init__(self) -> None:
        self._left = MOST_LOOKS

    def settle(self, face: Face, decided: int) -> Numbers | None:
        """Settle a face of which the clusters before a position are decided."""
        self._look()
        face = _without_too_large(face)
        first = self._first(face)
        if first is None:
            return None
        placed = _placed(face, first) if face.holds(first) else None
        if placed is not None and self._greatest(face, first, placed):
            return placed
        if placed is None and (only := self._at_an_end(face)) is not None:
            return only
        for at in range(decided, len(face.lower)):
            if face.open_to[at] and not (face.required[at] and face.lower[at] == face.upper[at]):
                return self._decide(face, at, first)
        return None

    def _at_an_end(self, face: Face) -> Numbers | None:
        """Return the greatest placement where all sets hold as much as the total, or more, or as little."""
        for side, held in ((-face.lower, face.lower), (face.upper, face.upper)):
            picked = face.pick(side)
            if picked is not None and exact_sum(held[picked.used]) == face.total:
                best = replace(face, merits=face.combined(side), first=None).with_first()
                return None if best is None or best.first is None else np.where(best.first, held, 0)
        return None

    def _look(self) -> None:
        """Count a case that is told apart."""
        self._left -= 1
        if self._left < 0:
            raise TooLongError

    def _first(self, face: Face) -> Flags | None:
        """Return, of the sets of the greatest merit, the one that holds the first clusters by name."""
        if face.first is not None:
            return face.first
        if not face.possible:
            return None
        best = face.with_first()
        return None if best is None else best.first

    def _greatest(self, face: Face, first: Flags, placed: Numbers) -> bool:
        """Tell whether no set allows more on a cluster than the first set does.

        More on a cluster that is not full would have to be taken from later ones, all of which hold their
        least; so only a set can give it that holds the same clusters up to there and has to hold fewer after
        it.
        """
        short = np.flatnonzero(first & (placed < face.upper))
        if not short.size:
            return True
        after = np.arange(len(first)) > short[0]
        bound = replace(
            face,
            open_to=face.open_to & (first | after),
            required=face.required | (first & ~after),
            first=None,
        )
        least = bound.pick(-face.lower)
        return least is None or exact_sum(face.lower[least.used]) >= exact_sum(face.lower[first])

    def _decide(self, face: Face, at: int, first: Flags) -> Numbers | None:
        """Try the numbers of replicas on one cluster, the largest first."""
        greatest = face.pick(np.zeros(len(face.lower), dtype=np.int64))
        if greatest is None:
            return None
        merit = face.merits[greatest.used].sum()
        full = self._all_full(face, at, first, merit)
        if full is not None:
            return full
        for count in chain(self._counts(face, at, merit), (0,)):
            self._look()
            part = _with(face, at, count)
            if part.possible and self._may_hold(part, merit):
                found = self.settle(part, at + 1)
                if found is not None:
                    return found
        return None

    def _all_full(self, face: Face, at: int, first: Flags, merit: int) -> Numbers | None:
        """Return the greatest placement if from a position on, as far as may be, the first set is full.

        No set holds clusters that come before those of the first one. So where many clusters are equally good
        the first of them are used, and all others are not.
        """
        open_at = at + np.flatnonzero(face.open_to[at:])

        def part(count: int) -> Face:
            told = np.zeros(len(first), dtype=bool)
            told[open_at[:count]] = True
            lower, open_to = np.where(told, face.upper, face.lower), face.open_to & (first | ~told)
            required = face.required | (told & first)
            return replace(face, lower=lower, open_to=open_to, required=required, first=None)

        fewest, beyond = 1, len(open_at) + 1
        while fewest + 1 < beyond:
            middle = (fewest + beyond) // 2
            self._look()
            tried = part(middle)
            if tried.possible and self._may_hold(tried, merit):
                fewest = middle
            else:
                beyond = middle
        return None if fewest == 1 else self.settle(part(fewest), int(open_at[fewest - 1]) + 1)

    def _counts(self, face: Face, at: int, merit: int) -> range:
        """Return how many replicas a cluster may hold where it is used, the most first."""
        used = face.with_cluster(at, used=True)
        used = replace(used, first=None)
        least = used.pick(-face.lower) if used.possible else None
        if least is None or face.merits[least.used].sum() < merit:
            return range(0)
        others = exact_sum(face.lower[least.used]) - int(face.lower[at])
        most = min(int(face.upper[at]), face.total - others)
        return range(most, int(face.lower[at]) - 1, -1)

    def _may_hold(self, face: Face, merit: int) -> bool:
        """Tell whether sets of the greatest merit hold the total, as far as the least and the most tell."""
        least, most = face.pick(-face.lower), face.pick(face.upper)
        if least is None or most is None or face.merits[least.used].sum() < merit:
            return False
        return exact_sum(face.lower[least.used]) <= face.total <= exact_sum(face.upper[most.used])


def _without_too_large(face: Face) -> Face:
    """Return a face without the clusters that would hold more than those that have to be used leave."""
    left = face.total - exact_sum(face.lower[face.required])
    open_to = face.open_to & (face.required | (face.lower <= left))
    return face if bool(np.array_equal(open_to, face.open_to)) else replace(face, open_to=open_to, first=None)


def _with(face: Face, at: int, count: int) -> Face:
    """Return the part of a face in which a cluster holds so many replicas."""
    if not count:
        closed = face.open_to.copy()
        closed[at] = False
        return replace(face, open_to=closed, first=None)
    lower, upper = face.lower.copy(), face.upper.copy()
    lower[at] = upper[at] = count
    return replace(face.with_cluster(at, used=True), lower=lower, upper=upper, first=None)


def _placed(face: Face, used: Flags) -> Numbers:
    """Divide the total among the clusters of a set, the first by name first."""
    box, at = face.box(used)
    placed = np.zeros(len(used), dtype=np.int64)
    placed[at] = settle_ties(box)
    return placed
