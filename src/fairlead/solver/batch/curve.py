"""Costs cut into pieces: what each unit at each place costs on every level that counts at the moment."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.solver.batch.arrays import Batch, Whole
from fairlead.solver.batch.costs import Shape


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The places of a batch cut into pieces, from the lower to the upper bound.

    Parameters
    ----------
    starts
        First unit of each piece, by piece, row and column; one more for the end of the last piece.
    slopes
        Cost of that unit in steps, by level, piece, row and column.
    growth
        By what the cost grows from unit to unit inside every piece, by level; None where it does not.
    base
        Cost of the lower bounds, by level and row.
    """

    starts: tuple[Whole, ...]
    slopes: tuple[tuple[Whole, ...], ...]
    growth: tuple[Whole | None, ...]
    base: tuple[Whole, ...]

    @property
    def pieces(self) -> int:
        """How many pieces a place has."""
        return len(self.starts) - 1

    @property
    def grows(self) -> bool:
        """Whether costs grow from unit to unit inside a piece, on any level."""
        return any(growth is not None for growth in self.growth)


def curve_of(batch: Batch, shapes: Sequence[Shape]) -> Curve:
    """Cut the costs of some levels into common pieces."""
    breaks = [np.clip(at, batch.lower, batch.upper) for shape in shapes for at in shape.breaks]
    if len(shapes) > 1 and len(breaks) > 1:
        breaks = list(np.sort(np.stack(breaks), axis=0))
    starts = (batch.lower, *breaks, batch.upper)
    slopes = tuple(tuple(shape.marginal(at) for at in starts[:-1]) for shape in shapes)
    base = tuple(shape.value(batch.lower).sum(axis=1) for shape in shapes)
    return Curve(starts, slopes, tuple(shape.step for shape in shapes), base)
