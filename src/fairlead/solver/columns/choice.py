"""Choices of workloads, as faces, and the cheapest of them; of many workloads at once in arrays.

Every cluster brings a merit if it is used. Inside a group the best k clusters are the first k by merit; over
groups the best numbers follow one group after the other. It is what `fairlead.solver.exact.nested.best_set`
does for one workload and for groups within groups.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.costs.pieces import Pieces
from fairlead.solver.exact.nested.best_set import NoPriceError, TooLongError
from fairlead.solver.exact.nested.direct import without_choice
from fairlead.solver.exact.nested.face import Face
from fairlead.solver.exact.nested.narrowed_face import narrow_all
from fairlead.solver.exact.nested.ties import settle

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceSet:
    """Choices of one workload, and perhaps more.

    Parameters
    ----------
    key
        Of the workload.
    names
        All clusters, in the order of arrays.
    faces
        Placements on these.
    need
        Units that a replica uses, by row, if it stands on the row's cluster.
    greatest
        Sum of the merits of the clusters in use; None where that is not known.
    """

    key: str
    names: tuple[str, ...]
    faces: tuple[Face, ...]
    need: Numbers
    greatest: int | None = None

    @classmethod
    def of(
        cls, key: str, names: tuple[str, ...], inside: Sequence[str], faces: Sequence[Face], need: Numbers
    ) -> "ChoiceSet":
        """Return the choice of placements of which arrays are about some of the clusters."""
        where = {name: at for at, name in enumerate(names)}
        at = np.array([where[name] for name in inside], dtype=np.int64)
        wider = tuple(_on(len(names), at, face) for face in faces)
        greatest = None
        if len(wider) == 1:
            try:
                best = wider[0].pick(np.zeros(len(names), dtype=np.int64))
            except (NoPriceError, TooLongError):
                best = None
            greatest = None if best is None else int(wider[0].merits[best.used].sum())
        return cls(key, names, wider, need, greatest)

    @property
    def total(self) -> int:
        """How many replicas are placed."""
        return max((face.total for face in self.faces), default=0)

    def counts(self, placed: Mapping[str, int]) -> Numbers:
        """Return a placement as an array."""
        return np.array([placed.get(name, 0) for name in self.names], dtype=np.int64)

    def within(self, lower: Numbers, upper: Numbers) -> "ChoiceSet":
        """Return the choices within bounds."""
        inside = (_within(face, lower, upper) for face in self.faces)
        return replace(self, faces=tuple(each for each in inside if each is not None))

    @property
    def least(self) -> Numbers:
        """How many replicas have to be chosen at least, by cluster."""
        ends = [np.where(face.required, face.lower, 0) for face in self.faces]
        found: Numbers = np.min(ends, axis=0) if ends else np.zeros(len(self.names), dtype=np.int64)
        return found

    @property
    def most(self) -> Numbers:
        """How many replicas can be chosen at most, by cluster."""
        ends = [np.where(face.open_to, face.upper, 0) for face in self.faces]
        found: Numbers = np.max(ends, axis=0) if ends else np.zeros(len(self.names), dtype=np.int64)
        return found

    @property
    def smallest(self) -> Numbers:
        """How many replicas can be chosen at least where any are, by cluster; 0 where none can be."""
        none = self.total + 1
        ends = [np.where(face.open_to, np.maximum(face.lower, 1), none) for face in self.faces]
        found: Numbers = np.min([*ends, np.full(len(self.names), none)], axis=0)
        return np.where(found == none, 0, found)

    def cheapest(self, cost: Pieces) -> tuple[Numbers, Fraction] | None:
        """Return a placement that costs least, and what that is in steps; None where there is none.

        Raises
        ------
        TooLongError
            It takes too long to tell.
        """
        relaxed = without_choice(self.faces[0], cost) if len(self.faces) == 1 else None
        try:
            best = narrow_all(self.faces, cost) if relaxed is None else [relaxed]
            counts = next((each for each in map(settle, best) if each is not None), None)
        except NoPriceError as apart:
            raise TooLongError from apart
        if counts is None and best:
            raise TooLongError
        return None if counts is None else (counts, cost.value(counts))


def _on(clusters: int, at: Numbers, face: Face) -> Face:
    """Return a face on so many clusters, those at some positions of which it is about; no other is open."""

    def wide(some: NDArray[Any], other: Any) -> NDArray[Any]:
        found = np.full(clusters, other, dtype=some.dtype)
        found[at] = some
        return found

    limits = tuple(replace(each, group=wide(each.group, each.group[0])) for each in face.limits.wider)
    return replace(
        face,
        limits=replace(face.limits, wider=limits),
        lower=wide(face.lower, 1),
        upper=wide(face.upper, 0),
        open_to=wide(face.open_to, False),
        required=wide(face.required, False),
        merits=wide(face.merits, 0),
        first=None,
    )


def _within(face: Face, least: Numbers, most: Numbers) -> Face | None:
    """Return the placements of a face within bounds; None where it sees that there are none."""
    upper = np.minimum(face.upper, most)
    lower, required = np.maximum(face.lower, least), face.required | (least > 0)
    open_to = face.open_to & (upper >= lower)
    if bool(np.any(required & ~open_to)):
        return None
    return replace(face, lower=lower, upper=upper, open_to=open_to, required=required, first=None)


Flags = NDArray[np.bool_]

NONE = -(2**61)
"""Less than half of this stands for "no such set"."""
FEW = 8
"""Workloads on so many clusters at most are looked at apart: what all of them need grows with the square."""


@dataclass(frozen=True, slots=True, eq=False)
class AllowedSets:
    """Sets of clusters that workloads may use; workloads are rows.

    Parameters
    ----------
    open_to, required
        By row and cluster.
    group
        By row and cluster; of clusters that are not open a number beyond all others.
    least, most
        By row: fewest and most groups, and fewest and most clusters.
    needed
        By row and group, whether some cluster of it has to be used.
    """

    open_to: Flags
    required: Flags
    group: Numbers
    least: Numbers
    most: Numbers
    needed: Flags

    @classmethod
    def of(cls, faces: Sequence[Face]) -> "AllowedSets":
        """Return the sets of some faces of at most one partition each."""
        open_to = np.array([face.open_to for face in faces])
        groups = [face.limits.wider[0].groups if face.limits.wider else 1 for face in faces]
        group, needed = np.full(open_to.shape, max(groups)), np.zeros((len(faces), max(groups)), dtype=bool)
        least, most = np.ones((len(faces), 2), dtype=np.int64), np.ones((len(faces), 2), dtype=np.int64)
        for row, face in enumerate(faces):
            limits = face.limits
            group[row, face.open_to] = limits.wider[0].group[face.open_to] if limits.wider else 0
            for wide, asked in zip(limits.wider, face.needed, strict=True):
                needed[row, : wide.groups] = asked
                least[row, 0], most[row, 0] = wide.least, wide.groups if wide.most is None else wide.most
            least[row, 1] = limits.least
            most[row, 1] = face.open_to.sum() if limits.most is None else limits.most
        required = np.array([face.required for face in faces])
        return cls(open_to, required, group, least, most, needed)

    def rows(self, at: Numbers | Flags) -> "AllowedSets":
        """Return the sets of some workloads."""
        return AllowedSets(*(getattr(self, each.name)[at] for each in fields(self)))

    def best(self, merits: Numbers) -> tuple[Flags, Numbers]:
        """Return the set of the greatest merit of every workload, and its merit; far below 0 without any."""
        count, clusters = merits.shape
        groups, rows = self.needed.shape[1], np.arange(count)[:, None]
        order = np.lexsort((-merits, ~self.required, self.group))
        sums = np.zeros((count, clusters + 1), dtype=np.int64)
        np.cumsum(np.where(self.open_to, merits, 0)[rows, order], axis=1, out=sums[:, 1:])
        inside = self.group[:, None, :] == np.arange(groups)[:, None]
        sizes, held = inside.sum(axis=2), (inside & self.required[:, None, :]).sum(axis=2)
        start = np.cumsum(sizes, axis=1) - sizes
        numbers = np.arange(int(self.most[:, 1].max()) + 1)
        ends = np.minimum(start[:, :, None] + numbers, clusters)
        table = sums[rows[:, :, None], ends] - sums[rows, start][:, :, None]
        possible = (numbers >= np.maximum(held, 1)[:, :, None]) & (numbers <= sizes[:, :, None])
        taken, value = np.zeros((count, groups), dtype=np.int64), np.zeros(count, dtype=np.int64)
        few = self.most[:, 1] <= FEW
        for some in (np.flatnonzero(few), np.flatnonzero(~few)):
            if some.size:
                inside = np.where(possible, table, NONE)[some, :, : int(self.most[some, 1].max()) + 1]
                taken[some], value[some] = self.rows(some).numbers(inside, held[some] > 0)
        sorted_group = np.minimum(self.group[rows, order], groups - 1)
        first = np.arange(clusters) - start[rows, sorted_group] < taken[rows, sorted_group]
        used = np.zeros(merits.shape, dtype=bool)
        used[rows, order] = first
        return used & self.open_to, value

    def numbers(self, table: Numbers, held: Flags) -> tuple[Numbers, Numbers]:
        """Return how many clusters of every group the best sets use, and their merit.

        Parameters
        ----------
        table
            By row, group, and number of clusters: what the best so many bring.
        held
            By row and group, whether one of its clusters is required.
        """
        count, groups, width = table.shape
        numbers, needed = np.arange(width), self.needed | held
        # Workloads whose clusters are in fewer groups need not be asked about the others.
        asked = np.flatnonzero((table > NONE // 2).any(axis=(0, 2)) | needed.any(axis=0))
        last = int(asked.max(initial=0)) + 1
        most = min(last, int(self.most[:, 0].max()))
        best = np.full((count, most + 1, width), NONE)
        # The number before so many more; there is no number below 0.
        before = numbers[:, None] - numbers
        ways: list[Numbers] = []
        for group in range(last):
            if not group:
                ways.append(np.broadcast_to(numbers, (count, most, width)))
                best[:, 1], best[:, 0, 0] = table[:, 0], np.where(needed[:, 0], NONE, 0)
                continue
            options = np.where(before >= 0, best[:, :-1][:, :, before], NONE) + table[:, group, None, None]
            way = options.argmax(axis=3)
            value = np.take_along_axis(options, way[..., None], axis=3)[..., 0]
            best[needed[:, group]] = NONE
            more = value > best[:, 1:]
            best[:, 1:] = np.maximum(np.where(more, value, best[:, 1:]), NONE)
            ways.append(np.where(more, way, 0))
        counted = np.arange(most + 1)[:, None]
        allowed = (counted >= self.least[:, :1, None]) & (counted <= self.most[:, :1, None])
        allowed = allowed & (numbers >= self.least[:, 1:, None]) & (numbers <= self.most[:, 1:, None])
        final = np.where(allowed, best, NONE).reshape(count, -1)
        at, rows = final.argmax(axis=1), np.arange(count)
        value = final[rows, at]
        # Where there is no set, ways lead nowhere.
        used, left = np.where(value > NONE // 2, np.divmod(at, width), 0)
        taken = np.zeros((count, groups), dtype=np.int64)
        for group in reversed(range(last)):
            here = np.where(used > 0, ways[group][rows, np.maximum(used, 1) - 1, left], 0)
            taken[:, group] = here
            used, left = used - (here > 0), left - here
        return taken, value
