"""Convex costs of single places in whole steps, and the pieces that they are cut into."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.solver.batch.arrays import Batch, Whole


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A convex cost for every place of a batch, in steps; all matrices are by row and column."""

    least: Whole
    """Cost at the first start; of no replicas where there is none."""
    before: Whole
    """Cost of the unit below the first start, or of every unit where there is none."""
    starts: tuple[Whole, ...] = ()
    """Replicas at which the marginal may jump, rising; none where every unit costs the same."""
    after: tuple[Whole, ...] = ()
    """Cost of the unit at every start."""
    step: Whole | None = None
    """Amount by which the marginal grows from unit to unit between two starts; None for not at all."""

    @classmethod
    def straight(cls, slope: Whole) -> "Shape":
        """Return that every replica costs the same."""
        return cls(np.zeros_like(slope), slope)

    def marginal(self, at: Whole) -> Whole:
        """Return the cost of the unit from ``at`` to ``at + 1``, by place."""
        found = self.before
        if self.step is not None:
            found = found + self.step * (at - self.starts[0] + 1)
        for start, cost in zip(self.starts, self.after, strict=True):
            grown = cost if self.step is None else cost + self.step * (at - start)
            found = np.where(at >= start, grown, found)
        return found

    def value(self, at: Whole) -> Whole:
        """Return the cost of ``at`` replicas, by place."""
        if not self.starts:
            return self.least + self.before * at
        total = self.least - self._upward(np.maximum(self.starts[0] - at, 0), self.before, -1)
        ends = (*self.starts[1:], at)
        for start, end, cost in zip(self.starts, ends, self.after, strict=True):
            total = total + self._upward(np.maximum(np.minimum(at, end) - start, 0), cost, 1)
        return total

    def _upward(self, units: Whole, cost: Whole, sign: int) -> Whole:
        """Return the cost of some units of which the first costs so much, each more or less than the last."""
        total: Whole = units * cost
        return total if self.step is None else total + sign * self.step * (units * (units - 1) // 2)

    def __add__(self, other: "Shape") -> "Shape":
        """Return both costs together; between two starts of either its marginals grow as before."""
        starts = (
            tuple(np.sort(np.stack([*self.starts, *other.starts]), axis=0)) if self.starts else other.starts
        )
        if not starts:
            return Shape(self.least + other.least, self.before + other.before)
        steps = [each.step for each in (self, other) if each.step is not None]
        return Shape(
            self.value(starts[0]) + other.value(starts[0]),
            self.marginal(starts[0] - 1) + other.marginal(starts[0] - 1),
            starts,
            tuple(self.marginal(at) + other.marginal(at) for at in starts),
            sum(steps[1:], steps[0]) if steps else None,
        )

    def of_rows(self, rows: slice | Whole) -> "Shape":
        """Return some rows."""
        return Shape(
            self.least[rows],
            self.before[rows],
            tuple(at[rows] for at in self.starts),
            tuple(cost[rows] for cost in self.after),
            None if self.step is None else self.step[rows],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The places of a batch cut into pieces, from the lower to the upper bound."""

    starts: tuple[Whole, ...]
    """First unit of each piece, by piece, row and column; one more for the end of the last piece."""
    slopes: tuple[tuple[Whole, ...], ...]
    """Cost of that unit in steps, by level, piece, row and column."""
    growth: tuple[Whole | None, ...]
    """Amount by which the cost grows from unit to unit inside every piece, by level; None where it does
    not."""
    base: tuple[Whole, ...]
    """Cost of the lower bounds, by level and row."""

    def of_rows(self, rows: slice | Whole) -> "Curve":
        """Return some rows."""
        return Curve(
            tuple(at[rows] for at in self.starts),
            tuple(tuple(piece[rows] for piece in level) for level in self.slopes),
            tuple(None if each is None else each[rows] for each in self.growth),
            tuple(each[rows] for each in self.base),
        )

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
    breaks = [np.clip(at, batch.lower, batch.upper) for shape in shapes for at in shape.starts]
    if len(shapes) > 1 and len(breaks) > 1:
        breaks = list(np.sort(np.stack(breaks), axis=0))
    starts = (batch.lower, *breaks, batch.upper)
    slopes = tuple(tuple(shape.marginal(at) for at in starts[:-1]) for shape in shapes)
    base = tuple(shape.value(batch.lower).sum(axis=1) for shape in shapes)
    return Curve(starts, slopes, tuple(shape.step for shape in shapes), base)
