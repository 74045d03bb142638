"""Bounds in whole numbers: the least cost of every placement, told by prices.

Prices may come from anywhere, from floats as well: rounded to whole parts of a step they are as good as any
others, and everything after the rounding is exact. Where a product of price and need is rounded, it is
rounded down, which can only lower the bound.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.batch.arrays import Floats, Whole, total_of
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.model import LevelModel, Prices, chunks
from fairlead.solver.exact.marginal import widen

# Bits of a price behind the point, at most, and of a product.
FINE_BITS = 30
PRODUCT_BITS = 61
# A price of a step or a unit is cut to this many bits.
PRICE_BITS = 52
# Prices of which so much is left, but for a whole one, were rounded and not cut.
SAME = 0.999


WholePrice = tuple[int, int]
"""A price in parts of a step: a whole number, and how many of its bits stand behind the point."""


@dataclass(frozen=True, slots=True, eq=False)
class WholePrices:
    """Prices of a unit by coupling row, of a step by pinned level, and of rows' totals in whole steps."""

    capacity: tuple[WholePrice, ...]
    pins: tuple[WholePrice, ...]
    rows: Whole


def whole_prices(model: LevelModel, prices: Prices, rows: Floats) -> WholePrices:
    """Round prices to whole parts of a step, as fine as products with them allow."""
    needs, coupling = model.batch.needs, model.batch.coupling
    most = int(model.batch.totals.max(initial=1)) + 1
    greatest = [most * int(need) for need in needs.max(axis=0, initial=1)]
    asked = zip(prices.capacity.tolist(), coupling.resource.tolist(), strict=True)
    capacity = tuple(_whole(price, greatest[resource]) for price, resource in asked)
    pins = []
    for number, price in enumerate(prices.pins.tolist(), 1):
        costs = (*model.curve.slopes[number], model.curve.base[number])
        sizes = (max(int(each.max(initial=0)), -int(each.min(initial=0))) for each in costs)
        pins.append(_whole(price, max(1, *sizes)))
    return WholePrices(capacity, tuple(pins), _whole_rows(rows))


def _whole(price: float, factor: int) -> WholePrice:
    """Return a price, not below 0, as fine as a product with a factor fits 64 bits; cut where none does."""
    bits = PRODUCT_BITS - factor.bit_length() - int(max(price, 0.0)).bit_length()
    bits = max(0, min(FINE_BITS, bits))
    return max(0, min(int(price * 2.0**bits), (1 << PRODUCT_BITS) // factor)), bits


def _whole_rows(rows: Floats) -> Whole:
    """Return prices of the rows' totals in whole steps."""
    limit = 2.0**PRICE_BITS
    whole: Whole = np.rint(np.clip(np.nan_to_num(rows), -limit, limit)).astype(np.int64)
    return whole


def held(whole: WholePrices) -> Prices:
    """Return prices as whole numbers hold them."""
    sides = ([price * 2.0**-bits for price, bits in each] for each in (whole.capacity, whole.pins))
    return Prices(*(np.array(each, dtype=np.float64) for each in sides))


def are_cut(whole: WholePrices, prices: Prices) -> bool:
    """Tell whether prices were too large for whole numbers, so that much less is left of them."""
    left = held(whole)
    return bool(
        np.any(left.capacity < SAME * prices.capacity - 1.0) or np.any(left.pins < SAME * prices.pins - 1.0)
    )


def lower_bound(model: LevelModel, prices: Prices, rows: Floats) -> int:
    """Return the least cost of every placement, in steps of the level.

    Prices of the rows' totals may be any; the closest cost of a unit is tried as well.
    """
    whole = whole_prices(model, prices, rows)
    if are_cut(whole, prices):
        # What a replica is worth at dearer prices bounds nothing at those that are left.
        left = held(whole)
        whole = whole_prices(model, left, relax(model, left).rows)
    return _bound(model, whole, sharply=True)


def bound_at(model: LevelModel, whole: WholePrices, rows: Floats) -> int:
    """Return the least cost of some rows of a model at prices that were rounded for all its rows."""
    return _bound(model, replace(whole, rows=_whole_rows(rows)), sharply=True)


def _bound(model: LevelModel, whole: WholePrices, *, sharply: bool) -> int:
    """Return the bound at prices; sharply with better prices for the totals, where there are any."""
    total = sum(_of_rows(model, whole, part, sharply=sharply) for part in chunks(len(whole.rows)))
    limits = (*model.batch.coupling.limit.tolist(), *model.pins)
    for (price, bits), limit in zip((*whole.capacity, *whole.pins), limits, strict=True):
        total -= -((-price * limit) >> bits)
    return total


@dataclass(frozen=True, slots=True, eq=False)
class WholeCosts:
    """Costs of units with prices, in whole steps, for some rows; arrays by row and column unless said."""

    starts: list[Whole]
    """First unit of each piece, and the end of the last one."""
    first: list[NDArray[Any]]
    """Cost of that unit."""
    growth: NDArray[Any] | None
    """Amount by which it grows from unit to unit; None where it does not."""
    base: NDArray[Any]
    """Cost of the lower bounds by row."""


def whole_costs(model: LevelModel, whole: WholePrices, rows: slice) -> WholeCosts:
    """Return the costs of units with prices, in whole steps."""
    curve, batch = model.curve, model.batch
    extra = _place_prices(model, whole, rows)
    starts = [at[rows] for at in curve.starts]
    first = [slope[rows] + extra for slope in curve.slopes[0]]
    base = curve.base[0][rows] + (extra * batch.lower[rows]).sum(axis=1)
    growth = None if curve.growth[0] is None else curve.growth[0][rows]
    for number, (price, bits) in enumerate(whole.pins, 1):
        first = [
            each + (slope[rows] * price >> bits)
            for each, slope in zip(first, curve.slopes[number], strict=True)
        ]
        pinned = curve.base[number][rows]
        base = base + (pinned * price >> bits)
        more = curve.growth[number]
        if more is not None:
            grown = more[rows] * price >> bits
            growth = grown if growth is None else growth + grown
    return WholeCosts(starts, first, growth, base)


def _place_prices(model: LevelModel, whole: WholePrices, rows: slice) -> Whole:
    """Return the price of capacity for one replica, by row and column, rounded down."""
    batch = model.batch
    found = np.zeros((rows.stop - rows.start, len(batch.clusters)), dtype=np.int64)
    coupling = batch.coupling
    places = zip(coupling.column.tolist(), coupling.resource.tolist(), strict=True)
    for (column, resource), (price, bits) in zip(places, whole.capacity, strict=True):
        if price:
            found[:, column] += batch.needs[rows, resource] * price >> bits
    return found


def _of_rows(model: LevelModel, whole: WholePrices, rows: slice, *, sharply: bool) -> int:
    """Return the least cost of some rows with prices; sharply the better of two prices for every total."""
    costs = whole_costs(model, whole, rows)
    left = model.batch.totals[rows] - model.batch.lower[rows].sum(axis=1)
    guess = whole.rows[rows]
    best = _least(costs, guess, left)
    if sharply:
        best = np.maximum(best, _least(costs, _nearest(costs, guess), left))
    whole_rows = best + costs.base
    return total_of(whole_rows) if whole_rows.dtype == np.int64 else sum(whole_rows.tolist())


def _nearest(costs: WholeCosts, guess: Whole) -> Whole:
    """Return the cost of a unit that is nearest to each row's price."""
    best, gap = guess.copy(), np.full(len(guess), 2**62, dtype=np.int64)
    for number, first in enumerate(costs.first):
        units = costs.starts[number + 1] - costs.starts[number]
        cost = first
        if costs.growth is not None:
            steps = (guess[:, None] - first + costs.growth // 2) // np.maximum(costs.growth, 1)
            cost = first + costs.growth * np.clip(steps, 0, np.maximum(units - 1, 0))
        away = np.where(units > 0, np.abs(cost - guess[:, None]), 2**62)
        at = np.argmin(away, axis=1)
        each = np.arange(len(guess))
        closer = away[each, at] < gap
        gap, best = np.where(closer, away[each, at], gap), np.where(closer, cost[each, at], best)
    return best


def _least(costs: WholeCosts, price: Whole, left: Whole) -> NDArray[Any]:
    """Return the least cost of each row beyond its base at a price for its total."""
    highest = max((int(np.abs(first - price[:, None]).max(initial=0)) for first in costs.first), default=0)
    most = int((costs.starts[-1] - costs.starts[0]).sum(axis=1).max(initial=0))
    grown = 0 if costs.growth is None else int(costs.growth.max(initial=0)) * most
    bound = (highest + grown + int(np.abs(price).max(initial=0))) * (most + 1) * 2
    total: NDArray[Any] = widen(price, bound) * left + savings(costs, price, bound).sum(axis=1)
    return total


def savings(costs: WholeCosts, price: NDArray[Any], bound: int) -> NDArray[Any]:
    """Return, by place, what all units that cost less than a price of their row save, as a number below 0.

    No sum of a row is farther from 0 than the bound, see `widen`.
    """
    total = np.zeros(costs.starts[0].shape, dtype=np.int64)
    for number, first in enumerate(costs.first):
        units = costs.starts[number + 1] - costs.starts[number]
        off = first - price[:, None]
        if costs.growth is None:
            total = total + widen(np.minimum(off, 0), bound) * units
        else:
            growth = np.maximum(costs.growth, 1)
            # Units k with off + growth k < 0; where nothing grows it is all or none.
            grown = np.minimum(np.maximum(-(off // growth), 0), units)
            taken = np.where(costs.growth > 0, grown, np.where(off < 0, units, 0))
            wide = widen(taken, bound)
            total = total + wide * off + wide * (taken - 1) // 2 * costs.growth
    return total


def ranges(model: LevelModel, prices: Prices, rows: Floats, cost: int) -> tuple[Whole, Whole]:
    """Return the fewest and most replicas of placements that cost at most so much, in steps of the level.

    At whatever prices, one unit that is taken although it costs more than its row's price, or left although
    it costs less, adds the difference to the bound, whatever else is done.
    """
    whole = whole_prices(model, prices, rows)
    slack = max(0, min(cost - _bound(model, whole, sharply=False), 2**60))
    lower, upper = np.empty_like(model.batch.lower), np.empty_like(model.batch.upper)
    for part in chunks(len(rows)):
        costs = whole_costs(model, whole, part)
        at = whole.rows[part][:, None]
        lower[part] = _count(costs, at - slack - 1)
        upper[part] = _count(costs, at + slack)
    return lower, upper


def _count(costs: WholeCosts, price: Whole) -> Whole:
    """Return the replicas by place when all units of at most a price are taken."""
    found = costs.starts[0].copy()
    for number, first in enumerate(costs.first):
        units = costs.starts[number + 1] - costs.starts[number]
        if costs.growth is None:
            found += np.where(first <= price, units, 0)
        else:
            taken = (price - first) // np.maximum(costs.growth, 1) + 1
            whole = np.where(first <= price, units, 0)
            found += np.where(costs.growth > 0, np.clip(taken, 0, units), whole)
    return found
