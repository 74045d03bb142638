"""A level as a program of pieces of which any part may be used, for the interior point method."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Flags, Floats, Whole
from fairlead.solver.batch.model import LevelModel, Prices


@dataclass(frozen=True, slots=True, eq=False)
class ContinuousProgram:
    """A level as a program of pieces; shared amounts are counted in parts of their limit.

    Costs are by level and piece, in units of the level, of pinned ones in parts of the pin: the first bit of
    a piece costs its slope, and every replica after it as much more as they grow.
    """

    row: Whole
    column: Whole
    most: Floats
    """Row, column and most replicas of every piece."""
    slopes: Floats
    growth: Floats
    base: Whole
    """Replicas by row and column where no piece is used: the least of rows, or all of one without a
    choice."""
    totals: Floats
    """Replicas that the pieces of every row have together."""
    needs: Floats
    """Request of one replica, by row and shared capacity, as a part of its limit."""
    columns: Whole
    """Column of every shared capacity."""
    room: Floats
    """Amount that pieces may use together of each capacity, then of each pinned level, as a part of it."""
    sizes: Floats
    """Limit of each capacity in its units, then of each pinned level in its steps."""

    @classmethod
    def of(cls, model: LevelModel, around: Floats | None) -> "ContinuousProgram":
        """Return the program of a model, in single units around a placement, if one is given."""
        batch, coupling = model.batch, model.batch.coupling
        left = batch.totals - batch.lower.sum(axis=1)
        free = (left > 0) & (left < (batch.upper - batch.lower).sum(axis=1))
        base = np.where(((left > 0) & ~free)[:, None], batch.upper, batch.lower)
        parts = zip(*_pieces(model, free, around), strict=True)
        row, column, most, slopes, growth = (np.concatenate(each, axis=-1) for each in parts)
        pins = np.array([pin - model.steps(base, number) for number, pin in enumerate(model.pins, 1)])
        capacity = np.maximum(1.0, coupling.limit.astype(np.float64))
        pinned = np.maximum(np.array(model.pin_units), np.abs(pins))
        parts_of = np.array([model.unit, *pinned])
        return cls(
            row,
            column,
            most.astype(np.float64),
            slopes / parts_of[:, None],
            growth / parts_of[:, None],
            base,
            np.where(free, left, 0).astype(np.float64),
            batch.needs[:, coupling.resource] / capacity,
            coupling.column,
            np.concatenate([(coupling.limit - batch.usage(base)) / capacity, pins / pinned]),
            np.concatenate([capacity, pinned]),
        )

    def replicas(self, units: Floats) -> Floats:
        """Return the replicas by row and column where so many of every piece are used."""
        return self.base + self.by_place(units)

    def prices(self, model: LevelModel, shared: Floats) -> Prices:
        """Return prices as the model counts them."""
        return Prices(*np.split(shared * model.unit / self.sizes, [len(self.columns)]))

    def by_row(self, values: Floats) -> Floats:
        """Add up values of pieces by row."""
        return _added(self.row, values, len(self.totals))

    def by_place(self, values: Floats) -> Floats:
        """Add up values of pieces by row and column."""
        rows, columns = self.base.shape
        return _added(self.row * columns + self.column, values, rows * columns).reshape(rows, columns)

    def used(self, units: Floats, costs: Floats) -> Floats:
        """Return the use of each shared limit by so many replicas, at costs on the pinned levels."""
        capacity = (self.by_place(units)[:, self.columns] * self.needs).sum(axis=0)
        return np.concatenate([capacity, costs @ units])

    def priced(self, shared: Floats, marginal: Floats) -> Floats:
        """Return the price of one replica more of every piece, at its costs on the pinned levels."""
        count = len(self.columns)
        table = np.zeros(self.base.shape)
        # What a cluster shares stands side by side.
        limited, first = np.unique(self.columns, return_index=True)
        table[:, limited] = np.add.reduceat(self.needs * shared[:count], first, axis=1)
        found: Floats = table[self.row, self.column] + shared[count:] @ marginal
        return found

    def marginal(self, units: Floats) -> Floats:
        """Return the cost of one replica more, by level and piece."""
        return self.slopes + self.growth * units

    def costs(self, units: Floats) -> Floats:
        """Return the cost of a replica on average, by level and piece."""
        return self.slopes + self.growth * units / 2


def _added(at: Whole, values: Floats, count: int) -> Floats:
    """Add up values by their position."""
    return np.bincount(at, values, count).astype(np.float64, copy=False)


def _pieces(
    model: LevelModel, free: Flags, around: Floats | None
) -> Iterator[tuple[Whole, Whole, Whole, Floats, Floats]]:
    """Yield row, column and number of replicas of pieces, and slope and growth by level, in steps."""
    curve = model.curve
    for number in range(curve.pieces):
        begin = curve.starts[number]
        end = np.where(free[:, None], curve.starts[number + 1], begin)
        cuts = []
        if around is not None:
            middle = np.floor(around).astype(np.int64)
            cuts = [np.clip(middle + away, begin, end) for away in tuning.INNER_UNITS]
        for first, last in zip((begin, *cuts), (*cuts, end), strict=True):
            row, column = np.nonzero(last > first)
            at = (row, column)
            many, before = (last - first)[at], (first - begin)[at]
            grown = [np.zeros(len(many)) if each is None else each[at] for each in curve.growth]
            growth = np.array(grown, dtype=np.float64)
            slopes = np.array([each[number][at] for each in curve.slopes]) + growth * before
            # Of several replicas the first costs what it does halfway through.
            several = many > 1
            yield row, column, many, slopes - growth / 2 * several, growth * several
