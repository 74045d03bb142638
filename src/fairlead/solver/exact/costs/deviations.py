"""Costs of deviations from quotas ``q = N w / W``: Webster's squares, and the greatest relative distance.

``sum (x - q)^2 / q`` is ``(W / N) sum (x^2 / w - s x) + N`` with ``s = 2 N / W``. Where the sum over the
clusters with a weight is fixed, only ``sum x^2 / w`` is left, whatever N is: the unit k costs
``(2 k + 1) / w``, which is Webster's divisor method.

With t the least possible maximum of ``abs(x - q) / q`` the optima are the x of the box with
``ceil(q (1 - t)) <= x <= floor(q (1 + t))``. A cluster of weight 0 has no quota: it costs nothing.

All results are exact for every size of weight: 64-bit integers where a bound on the intermediate numbers
allows it, Python integers elsewhere.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.models.errors import InternalError
from fairlead.solver.exact.costs.pieces import EVERYWHERE, Number, Numbers, PriceRange, linear, quotas
from fairlead.solver.exact.marginal import (
    INT64_LIMIT,
    Box,
    MarginalUnits,
    exact_sum,
    find_threshold,
    least_ratio,
    widen,
)


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """The cost ``x^2 / w - s x``; where a cluster has no weight it costs nothing."""

    weights: Numbers
    """Weights, not negative."""
    shift: Fraction = Fraction(0)
    """The number s; 0 where replicas pass between clusters of positive weight only, as it makes no difference
    there."""
    step: Fraction = Fraction(1)
    """Size of a cost of 1 in the unit of the level."""

    def narrow(self, box: Box, at: Numbers | slice = EVERYWHERE) -> Box:
        """Return all optima of the clusters at some positions, all of them used."""
        weights = self.weights[at]
        weighed = weights > 0
        if bool(weighed.all()):
            return narrow_webster(box, weights)
        # Those without a weight take what costs the others more than nothing, and give what costs them less.
        below, upto = self.respond(Fraction(0), box.lower, box.upper, at)
        least, most = exact_sum(below), exact_sum(upto)
        if least <= box.total <= most:
            return Box(below, upto, box.total).tight()
        flat = box.lower if box.total < least else box.upper
        inner = box.total - exact_sum(flat[~weighed])
        lower, upper = flat.copy(), flat.copy()
        if bool(weighed.any()):
            found = narrow_webster(Box(box.lower[weighed], box.upper[weighed], inner), weights[weighed])
            lower[weighed], upper[weighed] = found.lower, found.upper
        return Box(lower, upper, box.total)

    def of(self, at: Numbers | slice) -> "Squares":
        """Return the costs of the clusters at some positions."""
        return Squares(self.weights[at], self.shift, self.step)

    def marginals(self, replicas: Numbers) -> Sequence[Number]:
        """Return the cost of one replica more by cluster, in the unit of the level."""
        top, bottom, shift = self.step.numerator, self.step.denominator, self.shift * self.step
        return [
            Fraction((2 * count + 1) * top, weight * bottom) - shift if weight else 0
            for count, weight in zip(replicas.tolist(), self.weights.tolist(), strict=True)
        ]

    def prices(self, placed: Numbers, box: Box, at: Numbers) -> PriceRange:
        """Return the prices at which a placement that is optimal on some clusters is so without a total."""
        weights = self.weights[at]
        filled, open_to = placed > box.lower, placed < box.upper
        lows, highs = [], []
        if bool(np.any(filled & (weights == 0))):
            lows.append(Fraction(0))
        if bool(np.any(open_to & (weights == 0))):
            highs.append(Fraction(0))
        filled, open_to = filled & (weights > 0), open_to & (weights > 0)
        if bool(filled.any()):
            lows.append(-least_ratio(1 - 2 * placed[filled], weights[filled]) - self.shift)
        if bool(open_to.any()):
            highs.append(least_ratio(2 * placed[open_to] + 1, weights[open_to]) - self.shift)
        return PriceRange(max(lows, default=None), min(highs, default=None))

    def guess(
        self, price: float | NDArray[np.float64], lower: Numbers, upper: Numbers
    ) -> tuple[Numbers, NDArray[np.float64]]:
        """Return about the replicas of every cluster at a price, or at one of its own, and its merit."""
        shifted = price + float(self.shift)
        heights = np.floor(np.clip(self.weights * (shifted / 2) + 0.5, -(2.0**62), 2.0**62)).astype(np.int64)
        if self.shift:
            heights = np.where(self.weights > 0, heights, np.where(price > 0, upper, lower))
        replicas = np.clip(heights, lower, upper)
        earned = np.where(self.weights > 0, shifted, price) * replicas
        return replicas, earned - replicas.astype(float) * replicas * (self.weights > 0) / np.maximum(
            self.weights, 1
        )

    def respond(
        self, price: Fraction, lower: Numbers, upper: Numbers, at: Numbers | slice = EVERYWHERE
    ) -> tuple[Numbers, Numbers]:
        """Return the fewest and the most replicas that are best at a price, for clusters in use."""
        # (2 k + 1) / w <= p / q  iff  k + 1 <= (w p + q) / 2 q
        weights = self.weights[at]
        shifted = price + self.shift
        divisor = 2 * shifted.denominator
        bound = int(weights.max(initial=1)) * abs(shifted.numerator) + divisor
        products = widen(weights, bound) * shifted.numerator + shifted.denominator
        high = np.minimum(np.maximum(products // divisor, lower), upper).astype(np.int64, copy=False)
        low = np.minimum(np.maximum((products - 1) // divisor, lower), upper).astype(np.int64, copy=False)
        if self.shift:
            low = np.where(weights > 0, low, upper if price > 0 else lower)
            high = np.where(weights > 0, high, lower if price < 0 else upper)
        return low, high

    def merits(self, price: Fraction, replicas: Numbers, at: Numbers) -> tuple[NDArray[Any], int]:
        """Return ``p x - f(x)`` of some clusters in whole steps, and how many steps are 1."""
        weights, placed = self.weights[at], replicas[at]
        shifted = price + self.shift
        distinct = [weight for weight in np.unique(weights).tolist() if weight]
        steps = math.lcm(shifted.denominator, price.denominator) * math.lcm(*distinct)
        earned, flat = int(shifted * steps), int(price * steps)
        largest = int(placed.max(initial=0)) + 1
        if 8 * max(abs(earned), abs(flat), steps) * largest**2 * (len(at) + 1) < INT64_LIMIT:
            spent = placed**2 * np.where(weights > 0, steps // np.maximum(weights, 1), 0)
            return np.where(weights > 0, earned, flat) * placed - spent, steps
        spent_by = {weight: steps // weight for weight in distinct}
        pairs = zip(placed.tolist(), weights.tolist(), strict=True)
        merits = [x * (earned - x * spent_by[weight]) if weight else x * flat for x, weight in pairs]
        return np.array(merits, dtype=object), steps

    def value(self, replicas: Numbers) -> Fraction:
        """Return the cost of a placement, in units of `step`."""
        held = np.flatnonzero((replicas > 0) & (self.weights > 0))
        squares: dict[int, int] = {}
        for count, weight in zip(replicas[held].tolist(), self.weights[held].tolist(), strict=True):
            squares[weight] = squares.get(weight, 0) + count * count
        common = math.lcm(*squares)
        total = Fraction(sum(square * (common // weight) for weight, square in squares.items()), common)
        return total - self.shift * exact_sum(replicas[held])

    @property
    def start(self) -> NDArray[np.float64]:
        """About how desirable clusters are, for a first set."""
        return self.weights.astype(float)


def narrow_webster(box: Box, weights: Numbers) -> Box:
    """Return all allocations of the box with the least ``sum (x - q)^2 / q`` where q > 0.

    Raises `InternalError` where replicas can still pass between clusters with and without a weight;
    `narrow_unweighted` comes first.
    """
    box = box.tight()
    free = box.lower < box.upper
    if not (weights[free] > 0).all():
        if not (weights[free] > 0).any():
            return box
        raise InternalError(
            "replicas can pass between clusters with and without a weight: narrow_unweighted comes first"
        )
    return narrow_squares(box, weights)


def narrow_unweighted(box: Box, weights: Numbers) -> Box:
    """Return all allocations of the box with the fewest replicas on clusters of weight 0.

    Such a cluster gets its lower bound, and more only where all clusters with a weight are full. So
    afterwards the sum over those is the same in the whole box, which `narrow_webster` relies on.
    """
    return linear((weights == 0).astype(np.int64)).narrow(box)


def narrow_squares(box: Box, weights: Numbers) -> Box:
    """Return all allocations of the box with the least ``sum x^2 / w``; every free cluster has a weight."""
    free = np.flatnonzero(box.lower < box.upper)
    if free.size == 0:
        return box
    units = MarginalUnits(box.lower[free], box.upper[free], weights[free], step=2, offset=1)
    threshold = find_threshold(units, box.total - box.least)
    lower, upper = box.lower.copy(), box.upper.copy()
    lower[free], upper[free] = threshold.below, threshold.upto
    return Box(lower, upper, box.total).tight()


@dataclass(frozen=True, slots=True, eq=False)
class Minimax:
    """The cost ``max(abs(x - q) / q)`` where q > 0; no sum over clusters, so it only narrows."""

    weights: Numbers
    """Weight w of each cluster, not negative."""
    whole: int
    """W: sum of all weights; positive."""
    replicas: int
    """N: what the quotas divide, at least 1; may differ from the total of a box."""

    def narrow(self, box: Box, at: Numbers | slice = EVERYWHERE) -> Box:
        """Return all optima of the clusters at some positions."""
        box, weights = box.tight(), self.weights[at]
        if not weights.any():
            return box
        # First every cluster by itself, then all together. Widening helps against too much and too little,
        # and no box has both faults, so one search is enough.
        mean = Fraction(self.replicas, self.whole)
        spread = self._nearest_spread(box, weights)
        within = _within(box, weights, mean, spread)
        if exact_sum(within.lower) > box.total:
            # ceil(r w) counts the k with k / w < r: at the largest r the first unit no longer fits.
            spread = mean - _nth_ratio(box, weights, box.total - box.least + 1, 0)
        elif exact_sum(within.upper) < box.total:
            # floor(r w) counts the k with (k + 1) / w <= r: at the least r the last unit is the one that is
            # needed, where clusters without a weight are full.
            full = exact_sum(np.where(weights > 0, box.lower, box.upper))
            spread = _nth_ratio(box, weights, box.total - full, 1) - mean
        return _within(box, weights, mean, spread).tight()

    def _nearest_spread(self, box: Box, weights: Numbers) -> Fraction:
        """Return the least spread (see `_within`) that leaves every cluster an integer within its bounds."""
        whole, rest = quotas(weights, self.whole, self.replicas)
        nearest = np.clip(whole + (2 * rest > self.whole), box.lower, box.upper)
        down = np.flatnonzero((weights > 0) & (nearest <= whole))
        up = np.flatnonzero((weights > 0) & (nearest > whole))
        mean = Fraction(self.replicas, self.whole)
        below = mean - least_ratio(nearest[down], weights[down]) if down.size else Fraction(0)
        above = -least_ratio(-nearest[up], weights[up]) - mean if up.size else Fraction(0)
        return max(below, above)


def _within(box: Box, weights: Numbers, mean: Fraction, spread: Fraction) -> Box:
    """Return the part of the box where x / w is the mean N / W give or take the spread, which is t N / W."""
    lower = np.maximum(box.lower, -_floor_times(weights, spread - mean, box.total))
    upper = np.minimum(box.upper, _floor_times(weights, spread + mean, box.total))
    weighed = weights > 0
    return Box(np.where(weighed, lower, box.lower), np.where(weighed, upper, box.upper), box.total)


def _nth_ratio(box: Box, weights: Numbers, nth: int, offset: int) -> Fraction:
    """Return the n-th least ``(k + offset) / w`` of all units k of the clusters with a weight."""
    free = np.flatnonzero((weights > 0) & (box.lower < box.upper))
    units = MarginalUnits(box.lower[free], box.upper[free], weights[free], step=1, offset=offset)
    return find_threshold(units, nth).marginal


def _floor_times(weights: Numbers, factor: Fraction, total: int) -> Numbers:
    """Return floor(w * factor), cut at plus and minus the total so that it fits 64 bits."""
    bound = int(weights.max()) * abs(factor.numerator) + factor.denominator
    heights = widen(weights, bound) * factor.numerator // factor.denominator
    cut: NDArray[Any] = np.minimum(np.maximum(heights, -total), total)
    return cut.astype(np.int64, copy=False)
