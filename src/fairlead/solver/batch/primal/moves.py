"""Moves of single replicas, listed by their cost with prices.

The gap between a placement and the bound at some prices is the sum of what its replicas cost beyond the
price of their row (their reduced cost) and of the value of what is left unused. So only replicas whose
reduced cost is small are worth looking at.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole, spelled_out
from fairlead.solver.batch.dual.relaxation import marginals
from fairlead.solver.batch.model import LevelModel, Prices, in_chunks


@dataclass(frozen=True, slots=True, eq=False)
class ReplicaMoves:
    """Replicas that could move, the cheapest first."""

    row: Whole
    source: Whole
    target: Whole
    """Row of the replica, and columns from which and to which it moves, by move."""
    cost: Floats
    """Difference in the cost of the level, in steps, by move."""
    reduced: Floats
    """Difference in cost with prices, by move."""
    pinned: Floats
    """Difference in the costs of the pinned levels, in their steps, by move and level."""

    def within(self, worth: Floats, pinned: float) -> "ReplicaMoves":
        """Return the moves that could be part of an exchange that wins something."""
        if not len(self.row):
            return self
        partner = max(0.0, float(worth.max()) - float(self.reduced[0])) + pinned
        return self.only(np.flatnonzero(self.reduced < worth[self.source] + worth[self.target] + partner))

    def only(self, kept: Whole) -> "ReplicaMoves":
        """Return some of the moves."""
        where = (self.row[kept], self.source[kept], self.target[kept])
        return ReplicaMoves(*where, self.cost[kept], self.reduced[kept], self.pinned[kept])

    def without(self, rows: list[int]) -> "ReplicaMoves":
        """Return the moves of all other rows."""
        return self.only(np.flatnonzero(~np.isin(self.row, rows)))


@dataclass(frozen=True, slots=True, eq=False)
class MoveEnds:
    """Which columns moves may leave and enter."""

    sources: NDArray[np.bool_]
    targets: NDArray[np.bool_]


def moves_of(
    model: LevelModel,
    prices: Prices,
    rows: Floats,
    replicas: Whole,
    reach: float,
    ends: MoveEnds | None = None,
) -> ReplicaMoves:
    """List the moves whose reduced cost is within reach, the cheapest first; between some columns, or all."""
    parts = in_chunks(model, lambda part: _moves_of(model, prices, rows, replicas, part, reach, ends))
    row, source, target, reduced, pinned = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(reduced, kind="stable")[: tuning.MOST_MOVES]
    row, source, target, reduced = row[order], source[order], target[order], reduced[order]
    batch = model.batch
    value = np.zeros((len(batch.clusters), batch.needs.shape[1]))
    value[batch.coupling.column, batch.coupling.resource] = prices.capacity
    dearer = np.zeros(len(row))
    for need, worth in zip(batch.needs.T, value.T, strict=True):
        dearer += need[row] * (worth[target] - worth[source])
    cost = reduced - dearer - pinned[order] @ prices.pins
    return ReplicaMoves(row, source, target, cost, reduced, pinned[order])


def _moves_of(
    model: LevelModel,
    prices: Prices,
    row_prices: Floats,
    replicas: Whole,
    rows: slice,
    reach: float,
    ends: MoveEnds | None,
) -> tuple[Whole, Whole, Whole, Floats, Floats]:
    up, down, pins = marginals(model, prices, rows, replicas[rows])
    enter, leave = up - row_prices[rows, None], row_prices[rows, None] - down
    if ends is not None:
        enter[:, ~ends.targets], leave[:, ~ends.sources] = np.inf, np.inf
    to_row, to_column = np.nonzero(enter <= reach)
    from_row, from_column = np.nonzero(leave <= reach)
    starts = np.searchsorted(to_row, np.arange(enter.shape[0] + 1))
    counts = np.diff(starts)[from_row]
    each, within = spelled_out(counts)
    entry = starts[from_row[each]] + within
    row, source, target = from_row[each], from_column[each], to_column[entry]
    reduced = leave[row, source] + enter[row, target]
    kept = np.flatnonzero((source != target) & (reduced <= reach))
    row, source, target, reduced = row[kept], source[kept], target[kept], reduced[kept]
    pinned = (
        np.array([rise[row, target] - fall[row, source] for rise, fall in pins])
        .reshape(len(pins), len(row))
        .T
    )
    return row + rows.start, source, target, reduced, pinned


@dataclass(frozen=True, slots=True, eq=False)
class Charges:
    """Limits as a table of clusters and resources, with what one unit beyond them is charged."""

    limit: Floats
    charge: Floats
    """Limit, and charge of a unit beyond it, by column and resource; infinite where there is no limit."""
    pins: Floats
    pin_charge: Floats
    """Limit in steps, and charge of a step beyond it, by pinned level."""

    @classmethod
    def of(cls, model: LevelModel, prices: Prices, factor: float) -> "Charges":
        """Charge a multiple of the prices, and more than nothing for what has no price."""
        batch = model.batch
        shape = (len(batch.clusters), batch.needs.shape[1])
        limit, charge = np.full(shape, np.inf), np.zeros(shape)
        at = (batch.coupling.column, batch.coupling.resource)
        limit[at] = batch.coupling.limit
        # What one replica more would cost on average where nothing tells a price.
        typical = model.unit / np.maximum(1.0, batch.needs.astype(np.float64).mean(axis=0))
        charge[at] = factor * np.maximum(prices.capacity, typical[batch.coupling.resource])
        pins = np.array(model.pins, dtype=np.float64)
        return cls(limit, charge, pins, factor * np.maximum(prices.pins, 1.0))


@dataclass(slots=True, eq=False)
class Tally:
    """Usage of columns and of pinned levels in plain numbers, each with its limits and charges."""

    used: list[list[float]]
    bounds: list[list[tuple[int, float, float]]]
    pinned: list[list[float]]

    @classmethod
    def of(cls, charges: Charges, usage: Floats, pinned: Floats) -> "Tally":
        """Start from the usage of a placement."""
        bounds = [
            [
                (resource, limit, charge)
                for resource, (limit, charge) in enumerate(zip(limits, dear, strict=True))
                if limit != float("inf")
            ]
            for limits, dear in zip(charges.limit.tolist(), charges.charge.tolist(), strict=True)
        ]
        pins = [
            list(each)
            for each in zip(pinned.tolist(), charges.pins.tolist(), charges.pin_charge.tolist(), strict=True)
        ]
        return cls(usage.tolist(), bounds, pins)

    def change(self, column: int, more: Sequence[float]) -> float:
        """Return the difference in charges by using more of a column, or less of it."""
        total = 0.0
        used = self.used[column]
        for resource, limit, charge in self.bounds[column]:
            over = used[resource] - limit
            after = over + more[resource]
            if over > 0 or after > 0:
                total += charge * ((after if after > 0 else 0.0) - (over if over > 0 else 0.0))
        return total

    def change_of_pins(self, more: Sequence[float]) -> float:
        """Return the difference in charges by a change of the pinned levels."""
        total = 0.0
        for (cost, pin, charge), each in zip(self.pinned, more, strict=True):
            over = cost - pin
            total += charge * (max(over + each, 0.0) - max(over, 0.0))
        return total

    def use(self, column: int, more: Sequence[float]) -> None:
        """Use more of a column, or less of it."""
        used = self.used[column]
        for resource, each in enumerate(more):
            used[resource] += each

    def use_pins(self, more: Sequence[float]) -> None:
        """Change what the pinned levels cost."""
        for pin, each in zip(self.pinned, more, strict=True):
            pin[0] += each
