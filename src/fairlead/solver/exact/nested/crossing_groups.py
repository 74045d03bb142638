"""The set of clusters with the greatest merit where groups do not nest.

Clusters lie in several zones, or providers across regions. Those that are in the same groups are of one kind.
A table tells what is best by the groups that are in use; one kind after the other is used or not. Groups that
no cluster connects are parts with tables of their own. How many groups a part uses is all that counts in the
end, and parts are put together as nested groups are (`fairlead.solver.exact.nested.joined_tables`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairlead.solver.exact.nested.best_set import (
    CountAxis,
    PickedSet,
    Picker,
    TooLongError,
    axis_of,
    falling,
    lowest,
)
from fairlead.solver.exact.nested.joined_tables import Flags, Merits, Numbers, join
from fairlead.solver.exact.nested.limits import CrossingGroups, GroupLimits

MOST_ENTRIES = 2**22
"""Entries up to which the tables of a part are filled, one table for each kind of clusters."""
MOST_STEPS = 2 * 10**7
"""Steps of filling tables with numbers beyond 64 bits: an entry counts four, and one more for each word."""


def picker_of(limits: GroupLimits, open_to: Flags, required: Flags, needed: Sequence[Flags]) -> Picker:
    """Return a picker of sets whose clusters are counted; see `Picker`."""
    if limits.crossing is not None:
        return CrossingPicker(limits, limits.crossing, open_to, required, needed)
    return Picker(limits, open_to, required, needed)


class CrossingPicker(Picker):
    """Picks the best set of clusters where their kinds are the finest partition; see `Picker`.

    Raises `TooLongError`: too many groups are connected to make a table of them.
    """

    def __init__(
        self,
        limits: GroupLimits,
        crossing: CrossingGroups,
        open_to: Flags,
        required: Flags,
        needed: Sequence[Flags],
    ) -> None:
        super().__init__(limits, open_to, required, needed)
        self._axes = [axis_of(least, most) for least, most in crossing.ends]
        self._clusters = axis_of(limits.least, limits.most)
        self._parts = [
            _ConnectedKinds.of(crossing, kinds, self._axes, self._clusters) for kinds in crossing.parts
        ]

    def pick(self, merits: Merits, order: Numbers | None = None) -> PickedSet | None:
        """Return a best set; None where no set keeps the limits."""
        if not len(self._open):
            return None
        merits = merits[self._open]
        order = self.by_group(falling(merits)) if order is None else order
        least = lowest(merits)
        if merits.dtype == object:
            steps = 4 + int(least).bit_length() // 64
            if any(part.entries * steps > MOST_STEPS for part in self._parts):
                raise TooLongError
        table, counts = self._leaf_tables(merits[order], least)
        tables = [_Table.of(part, table, self._needed[-1], least) for part in self._parts]
        sizes = [axis.cap + 1 for axis in (*self._axes, self._clusters)]
        together = np.full((1, 1 << (len(tables) - 1).bit_length(), *sizes), least, dtype=merits.dtype)
        together.reshape(together.shape[1], -1)[len(tables) :, 0] = 0
        for number, each in enumerate(tables):
            together[0, number] = each.by_numbers(self._axes)
        joined, way, _ = join(together, [size - 1 for size in sizes], least)
        at = self._best_entry(joined[0], least)
        if at is None:
            return None
        entries = np.array([[at]])
        for pair in reversed(way):
            entries = pair.apart(entries)
        taken = np.zeros(len(self._sizes), dtype=np.int64)
        for number, each in enumerate(tables):
            entry = np.unravel_index(int(entries[0, number]), sizes)
            for kind, own in each.used(self._axes, [int(one) for one in entry], together[0, number][entry]):
                taken[kind] = counts[kind, own]
        result = np.zeros(self._size, dtype=bool)
        result[self._open[order[self._rank < taken[self._by_leaf]]]] = True
        return PickedSet(result, joined[0].ravel()[at])


@dataclass(frozen=True, slots=True, eq=False)
class _ConnectedKinds:
    """Kinds of clusters whose groups are connected."""

    kinds: Sequence[int]
    groups: Sequence[tuple[int, ...]]
    """Groups of each kind, counted within the part."""
    numbers: Numbers
    """Number of its groups in the set, as far as they are counted, by constraint and set of groups."""
    allowed: Numbers
    """Sets of groups that may be used, side by side where they are alike in numbers."""
    starts: Numbers
    """Positions where sets of the next numbers begin."""
    width: int
    """Entries for numbers of clusters."""

    @property
    def entries(self) -> int:
        """How many entries all its tables have."""
        return len(self.kinds) * self.width * int(self.numbers.shape[1])

    @property
    def shape(self) -> tuple[int, ...]:
        """One axis of two entries for every group."""
        return (2,) * (int(self.numbers.shape[1]).bit_length() - 1)

    @classmethod
    def of(
        cls, crossing: CrossingGroups, kinds: Numbers, axes: Sequence[CountAxis], clusters: CountAxis
    ) -> "_ConnectedKinds":
        """Return the part of some kinds."""
        inside = crossing.groups[kinds]
        at = np.flatnonzero(inside.any(axis=0))
        if len(kinds) * (clusters.cap + 1) << min(len(at), 64) > MOST_ENTRIES:
            raise TooLongError
        used = np.indices((2,) * len(at)).reshape(len(at), 1 << len(at))
        counted = [used[crossing.constraint[at] == number].sum(axis=0) for number in range(len(axes))]
        # More groups than are counted are too many, or enough.
        possible = [
            ~np.array(axis.exact) | (each <= axis.cap) for axis, each in zip(axes, counted, strict=True)
        ]
        numbers = np.array([np.minimum(each, axis.cap) for axis, each in zip(axes, counted, strict=True)])
        allowed = np.flatnonzero(np.all(possible, axis=0))
        allowed = allowed[np.lexsort(numbers[::-1, allowed])]
        starts = np.flatnonzero(np.any(np.diff(numbers[:, allowed], prepend=-1), axis=0))
        groups = [tuple(np.flatnonzero(each).tolist()) for each in inside[:, at]]
        return cls(kinds.tolist(), groups, numbers, allowed, starts, clusters.cap + 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Greatest merits in a part by set of groups in use, one axis a group, and by number of clusters."""

    part: _ConnectedKinds
    options: Sequence[Sequence[tuple[int, Any]]]
    """Entries of its own table and the merit of each, by kind."""
    needed: Sequence[bool]
    """True by kind, where it has to be used."""
    least: Any
    """Merit that stands for "no such set", below all others."""
    filled: list[Merits] = field(default_factory=list)
    """Before the first kind and after each."""

    @classmethod
    def of(cls, part: _ConnectedKinds, own: Merits, needed: Flags, least: Any) -> "_Table":
        """Return the table of a part; `own`: by kind and entry, what the best of its clusters bring."""
        impossible = least if own.dtype == float else least // 2
        options = [
            [(entry, own[kind, entry]) for entry in np.flatnonzero(own[kind] > impossible).tolist()]
            for kind in part.kinds
        ]
        found = cls(part, options, needed[part.kinds].tolist(), least)
        start = np.full((*part.shape, part.width), least, dtype=own.dtype)
        start.ravel()[0] = 0
        found.filled.append(start)
        for number in range(len(part.kinds)):
            found.filled.append(found._with(number, found.filled[-1]))
        return found

    def _with(self, number: int, before: Merits) -> Merits:
        """Return the table with one kind more."""
        groups = self.part.groups[number]
        after = np.full_like(before, self.least) if self.needed[number] else before.copy()
        among = before
        for group in groups:
            among = among.max(axis=group, keepdims=True)
        inside = after[tuple(slice(1, 2) if at in groups else slice(None) for at in range(before.ndim - 1))]
        for entry, value in self.options[number]:
            target = inside[..., entry:]
            np.maximum(target, among[..., : self.part.width - entry] + value, out=target)
        return after

    def by_numbers(self, axes: Sequence[CountAxis]) -> Merits:
        """Return the greatest merits by numbers of groups and of clusters."""
        part, rows = self.part, self.filled[-1].reshape(-1, self.part.width)
        found = np.full([*(axis.cap + 1 for axis in axes), part.width], self.least, dtype=rows.dtype)
        at = tuple(part.numbers[:, part.allowed[part.starts]])
        found[at] = np.maximum.reduceat(rows[part.allowed], part.starts, axis=0)
        for depth, axis in enumerate(axes):
            if not axis.exact:
                found = np.flip(np.maximum.accumulate(np.flip(found, depth), axis=depth), depth)
        return found

    def used(self, axes: Sequence[CountAxis], entry: Sequence[int], value: Any) -> Iterator[tuple[int, int]]:
        """Yield the kinds in use behind an entry by numbers, and the entries of their own tables."""
        *numbers, clusters = entry
        part = self.part
        enough = self.filled[-1].reshape(-1, part.width)[part.allowed, clusters] == value
        for counted, number, axis in zip(part.numbers[:, part.allowed], numbers, axes, strict=True):
            enough = enough & (counted == number if axis.exact else counted >= number)
        found = int(part.allowed[int(enough.argmax())])
        state = [int(at) for at in np.unravel_index(found, part.shape)]
        for number in reversed(range(len(part.kinds))):
            before = self.filled[number]
            if not self.needed[number] and before[(*state, clusters)] == value:
                continue
            groups = part.groups[number]
            among = before[tuple(slice(None) if at in groups else each for at, each in enumerate(state))]
            own, rest = next(
                (own, rest)
                for own, brought in self.options[number]
                if own <= clusters
                for rest in np.argwhere(among[..., clusters - own] + brought == value).tolist()
            )
            for group, used in zip(groups, rest, strict=True):
                state[group] = used
            clusters -= own
            value = before[(*state, clusters)]
            yield part.kinds[number], own
