"""The levels of a batch as convex costs of single places, in whole steps, for all places at once.

A level has so many steps to its unit. Costs that are no whole number of steps are rounded so that none is
overestimated: a cost is exact at its anchor, up to less than one step, and rounded down from there outward.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, Self

import numpy as np

from fairlead.solver.batch.arrays import Batch, Floats, Whole


class Shape(Protocol):
    """A convex cost for every place of a batch, in steps.

    Between two breaks the marginal grows by the same amount from unit to unit.
    """

    @property
    def breaks(self) -> tuple[Whole, ...]:
        """Replicas at which the marginal may jump, by place; any number of matrices."""
        ...

    @property
    def step(self) -> Whole | None:
        """By what the marginal grows from unit to unit, by place; None for not at all."""
        ...

    def marginal(self, at: Whole) -> Whole:
        """Return the cost of the unit from ``at`` to ``at + 1``, by place."""
        ...

    def value(self, at: Whole) -> Whole:
        """Return the cost of ``at`` replicas, by place."""
        ...

    def mapped(self, change: "Change", *others: Any) -> Self:
        """Return the shape with every matrix changed, together with those of others of its kind."""
        ...


class Change(Protocol):
    """What is done to a matrix of a shape, with the same ones of other shapes."""

    def __call__(self, matrix: Whole, *others: Whole, position: bool = False) -> Whole:
        """Return the changed matrix of costs; of positions of replicas where that is said."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Every replica costs the same: ``slope * x``."""

    slope: Whole
    breaks: tuple[Whole, ...] = ()
    step: Whole | None = None

    def marginal(self, at: Whole) -> Whole:  # noqa: ARG002 - the same everywhere
        """Return the cost of a unit."""
        return self.slope

    def value(self, at: Whole) -> Whole:
        """Return the cost of replicas."""
        total: Whole = self.slope * at
        return total

    def mapped(self, change: Change, *others: Self) -> Self:
        """Return the shape with every matrix changed."""
        return type(self)(
            change(self.slope, *(each.slope for each in others)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Bent:
    """Two slopes and one step between them: ``-unit`` up to the anchor, then ``middle`` once, then ``unit``.

    With ``middle`` equal to the slope on one side there is a single bend.
    """

    anchor: Whole
    least: Whole
    left: Whole
    middle: Whole
    right: Whole
    step: Whole | None = None

    @property
    def breaks(self) -> tuple[Whole, ...]:
        """Return where the slope changes."""
        return (self.anchor, self.anchor + 1)

    def marginal(self, at: Whole) -> Whole:
        """Return the cost of a unit."""
        beyond = np.where(at == self.anchor, self.middle, self.right)
        return np.where(at < self.anchor, self.left, beyond)

    def value(self, at: Whole) -> Whole:
        """Return the cost of replicas."""
        beyond = at - self.anchor
        down = np.minimum(beyond, 0) * self.left
        up = np.minimum(np.maximum(beyond, 0), 1) * self.middle + np.maximum(beyond - 1, 0) * self.right
        total: Whole = self.least + down + up
        return total

    def mapped(self, change: Change, *others: Self) -> Self:
        """Return the shape with every matrix changed."""
        return type(self)(
            change(self.anchor, *(each.anchor for each in others), position=True),
            change(self.least, *(each.least for each in others)),
            change(self.left, *(each.left for each in others)),
            change(self.middle, *(each.middle for each in others)),
            change(self.right, *(each.right for each in others)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Squared:
    """Marginals that grow by ``step`` from unit to unit, on either side of the anchor."""

    anchor: Whole
    least: Whole
    before: Whole
    after: Whole
    step: Whole

    @property
    def breaks(self) -> tuple[Whole, ...]:
        """Return where rounding changes sides."""
        return (self.anchor,)

    def marginal(self, at: Whole) -> Whole:
        """Return the cost of a unit; that of the anchor is `after`, that of the unit below it `before`."""
        beyond = at - self.anchor
        grown = self.step * np.where(beyond < 0, beyond + 1, beyond)
        return np.where(beyond < 0, self.before, self.after) + grown

    def value(self, at: Whole) -> Whole:
        """Return the cost of replicas."""
        beyond = at - self.anchor
        up, down = np.maximum(beyond, 0), np.maximum(-beyond, 0)
        rising = up * self.after + self.step * (up * (up - 1) // 2)
        total: Whole = self.least + rising - down * self.before + self.step * (down * (down - 1) // 2)
        return total

    def mapped(self, change: Change, *others: Self) -> Self:
        """Return the shape with every matrix changed."""
        return type(self)(
            change(self.anchor, *(each.anchor for each in others), position=True),
            change(self.least, *(each.least for each in others)),
            change(self.before, *(each.before for each in others)),
            change(self.after, *(each.after for each in others)),
            change(self.step, *(each.step for each in others)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Summed:
    """Two costs together."""

    first: Shape
    second: Bent

    @property
    def breaks(self) -> tuple[Whole, ...]:
        """Return where either marginal may jump, in order."""
        return tuple(np.sort(np.stack([*self.first.breaks, *self.second.breaks]), axis=0))

    @property
    def step(self) -> Whole | None:
        """Return by what the marginal grows from unit to unit."""
        return self.first.step

    def marginal(self, at: Whole) -> Whole:
        """Return the cost of a unit."""
        total: Whole = self.first.marginal(at) + self.second.marginal(at)
        return total

    def value(self, at: Whole) -> Whole:
        """Return the cost of replicas."""
        total: Whole = self.first.value(at) + self.second.value(at)
        return total

    def mapped(self, change: Change, *others: Self) -> Self:
        """Return the shape with every matrix changed."""
        return type(self)(
            self.first.mapped(change, *(each.first for each in others)),
            self.second.mapped(change, *(each.second for each in others)),
        )


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

    def of_rows(self, rows: slice | Whole) -> "Curve":
        """Return some rows."""
        return Curve(
            tuple(at[rows] for at in self.starts),
            tuple(tuple(piece[rows] for piece in level) for level in self.slopes),
            tuple(None if each is None else each[rows] for each in self.growth),
            tuple(each[rows] for each in self.base),
        )

    def costs(self, replicas: Whole) -> Iterator[tuple[Whole, list[Floats]]]:
        """Yield by level what the lower bounds cost, by row, and what is above them, by piece."""
        pairs = list(pairwise(self.starts))
        for base, slopes, growth in zip(self.base, self.slopes, self.growth, strict=True):
            found: list[Floats] = []
            for (start, end), slope in zip(pairs, slopes, strict=True):
                units = np.clip(replicas - start, 0, end - start)
                found.append(units * slope.astype(np.float64))
                if growth is not None:
                    found.append(growth * (units * (units - 1) / 2.0))
            yield base, found

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
