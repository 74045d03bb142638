"""Relaxation at prices of what is shared: every workload by itself, and the least that all must cost.

Take a price for every coupling row (capacity of a cluster, and the pins of levels that are settled) and one
for every workload's total. Then each unit of each place stands for itself: it is taken where its cost and
prices together are below 0. The sum is a bound whatever the prices (J. P. Evans and H. Everett, 1963), and in
whole numbers it is exact.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.batch.arrays import Floats, Whole, filled_up
from fairlead.solver.batch.model import LevelModel, Prices, in_chunks, place_prices
from fairlead.solver.batch.shapes import Curve


@dataclass(frozen=True, slots=True, eq=False)
class LagrangianOptimum:
    """The optimum of all rows at some prices, as far as it was searched for."""

    value: float
    """Cost with prices, in steps (a float, never part of a claim)."""
    rows: Floats
    """Price of each row's total."""
    replicas: Whole
    """A division of every row that is cheapest at the prices."""
    usage: Floats
    pinned: Floats
    """Requests by coupling row, and cost by pinned level, of that division."""


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedPrices:
    """Prices of what is shared and of the rows' totals, and the bound there, in steps, as a float.

    Replicas are a placement that is not whole and as cheap as the bound; None where no linear program was
    solved.
    """

    prices: Prices
    rows: Floats
    value: float
    replicas: Floats | None = None


def relax(
    model: LevelModel, prices: Prices, guess: Floats | None = None, precision: float = 2.0**-40
) -> LagrangianOptimum:
    """Divide every row at prices.

    The search for the prices of the rows' totals starts from a guess, if there is one, and ends with a
    precision that is a part of the dearest unit.
    """
    batch = model.batch
    found = np.empty(len(batch.keys))
    replicas = np.empty_like(batch.lower)
    value, pinned = 0.0, np.zeros(len(model.pins))

    def divide(rows: slice) -> list[float]:
        part = PricedRows.of(model, prices, rows)
        found[rows], replicas[rows] = part.divide(
            batch.totals[rows], None if guess is None else guess[rows], precision
        )
        return part.costs(replicas[rows])

    for costs in in_chunks(model, divide):
        value += costs[0]
        pinned += costs[1:]
    usage = batch.usage(replicas).astype(np.float64)
    value += float(prices.capacity @ (usage - batch.coupling.limit))
    value += sum(
        price * (used - pin) for price, used, pin in zip(prices.pins, pinned, model.pins, strict=True)
    )
    return LagrangianOptimum(float(value), found, replicas, usage, pinned)


def marginals(
    model: LevelModel, prices: Prices, rows: slice, replicas: Whole
) -> tuple[Floats, Floats, list[tuple[Floats, Floats]]]:
    """Return the cost of one replica more and the saving of one less, by place.

    With prices: the cost of one more (infinite where the place is full) and of the last one (minus infinity
    where there is none to take). Without prices: the same for every pinned level.
    """
    part = PricedRows.of(model, prices, rows)
    up, down = np.full(replicas.shape, np.inf), np.full(replicas.shape, -np.inf)
    pins = [(np.zeros(replicas.shape), np.zeros(replicas.shape)) for _ in model.pins]
    for number, dear in enumerate(part.dear):
        start, end = part.curve.starts[number], part.curve.starts[number + 1]
        rising = (start <= replicas) & (replicas < end)
        falling = (start < replicas) & (replicas <= end)
        grown = 0.0 if part.growth is None else part.growth * (replicas - start)
        lost = 0.0 if part.growth is None else part.growth * (replicas - 1 - start)
        up, down = np.where(rising, dear + grown, up), np.where(falling, dear + lost, down)
        for (rise, fall), slopes, growth in zip(
            pins, part.curve.slopes[1:], part.curve.growth[1:], strict=True
        ):
            more = 0 if growth is None else growth * (replicas - start)
            less = 0 if growth is None else growth * (replicas - 1 - start)
            rise[rising] = (slopes[number] + more)[rising]
            fall[falling] = (slopes[number] + less)[falling]
    return up, down, pins


def within(
    model: LevelModel, prices: Prices, rows: Whole, row_prices: Floats, reach: float
) -> tuple[Whole, Whole]:
    """Return the fewest and most replicas of some rows whose cost is within reach of the rows' prices."""
    part = PricedRows.of(model, prices, rows)
    return part.upto(row_prices[:, None] - reach), part.upto(row_prices[:, None] + reach)


@dataclass(frozen=True, slots=True, eq=False)
class PricedRows:
    """Some rows at prices."""

    curve: Curve
    """Their pieces."""
    dear: list[Floats]
    growth: Floats | None
    """Cost of the first unit of each piece, all told, and by what it grows; None where it does not."""
    units: list[Floats]
    """Units of each piece where costs grow, else none."""

    @classmethod
    def of(cls, model: LevelModel, prices: Prices, rows: slice | Whole) -> "PricedRows":
        """Look at some rows."""
        curve = model.curve.of_rows(rows)
        extra = place_prices(model, prices, rows)
        factors = [1.0, *prices.pins.tolist()]
        dear = []
        for number in range(curve.pieces):
            cost = extra + curve.slopes[0][number]
            for factor, level in zip(factors[1:], curve.slopes[1:], strict=True):
                cost += factor * level[number]
            dear.append(cost)
        growth: Floats | None = None
        for factor, each in zip(factors, curve.growth, strict=True):
            if each is not None:
                growth = factor * each if growth is None else growth + factor * each
        if growth is not None:
            growth = np.maximum(growth, 2.0**-20)
        # Only the search for a price where costs grow asks for these.
        pairs = itertools.pairwise(curve.starts if growth is not None else ())
        return cls(curve, dear, growth, [(end - start).astype(np.float64) for start, end in pairs])

    def upto(self, at: Floats) -> Whole:
        """Return the replicas by place when every unit of at most a price is taken; by row, or by place."""
        return self.curve.starts[0] + self._counted(at).astype(np.int64, copy=False)

    def _counted(self, at: Floats) -> NDArray[Any]:
        """Return how many units of at most a price there are."""
        total: NDArray[Any] = np.zeros(self.curve.starts[0].shape, np.int64 if self.growth is None else float)
        for counts in self.taken(at):
            total += counts
        return total

    def taken(self, at: Floats) -> Iterator[NDArray[Any]]:
        """Yield how many units of every piece cost at most a price; by row, or by place."""
        if self.growth is None:
            for start, end, dear in self._spans():
                yield np.where(dear <= at, end - start, 0)
            return
        for dear, units in zip(self.dear, self.units, strict=True):
            # In place: this is done dozens of times for every division, and new arrays take most of the time.
            counts = at - dear
            counts /= self.growth
            counts += 1.0
            np.maximum(counts, 0.0, out=counts)
            np.minimum(counts, units, out=counts)
            yield np.floor(counts, out=counts)

    def divide(self, totals: Whole, guess: Floats | None, precision: float) -> tuple[Floats, Whole]:
        """Return the price of each row's total, and a division at that price."""
        if self.growth is None:
            return self._divide_sorted(totals)
        cheapest, dearest = self.edges()
        cheap, dear = (
            np.where(np.isfinite(cheapest), cheapest, 0.0),
            np.where(np.isfinite(dearest), dearest, 0.0),
        )
        scale = float(np.max(dear - cheap, initial=1.0))
        low, high = cheap - 2.0**-30 * scale - 1.0, dear + 2.0**-30 * scale + 1.0
        width = scale * 2.0**-8
        wanted = (totals - self.curve.starts[0].sum(axis=1)).astype(np.float64)
        tries = 0
        while float(np.max(high - low, initial=0.0)) > precision * scale and tries < 80:
            middle = (low + high) / 2
            if guess is not None and tries < 2:
                # Near the guess on either side first: prices change little from one turn to the next.
                middle = np.clip(
                    guess + (width if tries else -width), low + 1e-9 * scale, high - 1e-9 * scale
                )
            enough = self._counted(middle[:, None]).sum(axis=1) >= wanted
            high, low = np.where(enough, middle, high), np.where(enough, low, middle)
            tries += 1
        return high, filled_up(self.upto(low[:, None]), self.upto(high[:, None]), totals)

    def _divide_sorted(self, totals: Whole) -> tuple[Floats, Whole]:
        """Do the same where all units of a piece cost as much: exactly, the cheapest pieces first."""
        units = np.concatenate([b - a for a, b in itertools.pairwise(self.curve.starts)], axis=1)
        costs = np.where(units > 0, np.concatenate(self.dear, axis=1), np.inf)
        # Which of equal costs comes first in the order changes nothing that is read from it.
        order = np.argsort(costs, axis=1)
        left = totals - self.curve.starts[0].sum(axis=1)
        taken = np.cumsum(np.take_along_axis(units, order, axis=1), axis=1)
        last = np.argmax(taken >= left[:, None], axis=1)
        rows = np.arange(len(totals))
        price = costs[rows, order[rows, last]]
        price = np.where(np.isfinite(price), price, 0.0)
        places, at = self.curve.starts[0].shape[1], price[:, None]
        under, over = self.curve.starts[0].copy(), self.curve.starts[0].copy()
        for first in range(0, units.shape[1], places):
            piece = slice(first, first + places)
            under += np.where(costs[:, piece] < at, units[:, piece], 0)
            over += np.where(costs[:, piece] <= at, units[:, piece], 0)
        return price, filled_up(under, over, totals)

    def _spans(self) -> Iterator[tuple[Whole, Whole, Floats]]:
        """Yield every piece with its first cost."""
        yield from zip(self.curve.starts[:-1], self.curve.starts[1:], self.dear, strict=True)

    def edges(self) -> tuple[Floats, Floats]:
        """Return the cost of the cheapest and of the dearest unit by row; infinite where there is none."""
        rows = len(self.curve.starts[0])
        cheapest, dearest = np.full(rows, np.inf), np.full(rows, -np.inf)
        for start, end, dear in self._spans():
            first, last = np.where(start < end, dear, np.inf), np.where(start < end, dear, -np.inf)
            if self.growth is not None:
                last = last + self.growth * np.maximum(end - start - 1, 0)
            cheapest = np.minimum(cheapest, first.min(axis=1, initial=np.inf))
            dearest = np.maximum(dearest, last.max(axis=1, initial=-np.inf))
        return cheapest, dearest

    def costs(self, replicas: Whole) -> list[float]:
        """Return the cost of a division, by level."""
        found, curve = [], self.curve
        spans = list(itertools.pairwise(curve.starts))
        for base, slopes, growth in zip(curve.base, curve.slopes, curve.growth, strict=True):
            total = float(base.sum())
            for (start, end), slope in zip(spans, slopes, strict=True):
                units = np.clip(replicas - start, 0, end - start)
                total += float((units * slope.astype(np.float64)).sum())
                if growth is not None:
                    total += float((growth * (units * (units - 1) / 2.0)).sum())
            found.append(total)
        return found
