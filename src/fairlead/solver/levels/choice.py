"""What a workload can choose, as faces, and what is cheapest of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.costs.pieces import Pieces
from fairlead.solver.exact.nested.choosing import without_choice
from fairlead.solver.exact.nested.face import Face, settle
from fairlead.solver.exact.nested.narrowing import narrow_all
from fairlead.solver.exact.nested.picking import ApartError, TooLongError

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """All that a workload can choose, and perhaps more.

    Parameters
    ----------
    key
        Of the workload.
    names
        All clusters, in the order of arrays.
    faces
        Placements on these.
    need
        What a replica uses, by row, if it stands on the row's cluster.
    greatest
        What the merits of the clusters in use add up to; None where that is not known.
    """

    key: str
    names: tuple[str, ...]
    faces: tuple[Face, ...]
    need: Numbers
    greatest: int | None = None

    @classmethod
    def of(
        cls, key: str, names: tuple[str, ...], inside: Sequence[str], faces: Sequence[Face], need: Numbers
    ) -> "Choice":
        """Return the choice of placements of which arrays are about some of the clusters."""
        where = {name: at for at, name in enumerate(names)}
        at = np.array([where[name] for name in inside], dtype=np.int64)
        wider = tuple(_on(len(names), at, face) for face in faces)
        greatest = None
        if len(wider) == 1:
            try:
                best = wider[0].pick(np.zeros(len(names), dtype=np.int64))
            except (ApartError, TooLongError):
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

    def within(self, lower: Numbers, upper: Numbers) -> "Choice":
        """Return what can be chosen within bounds."""
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
        except ApartError as apart:
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
