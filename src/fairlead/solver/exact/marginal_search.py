"""The n-th cheapest unit where the marginals of each cluster form an arithmetic progression.

The unit k of a cluster with weight w costs ``(step * k + offset) / w``. With (2, 1) these are the
marginals of ``x**2 / w``, the divisor method of Webster and Sainte-Lague; with (1, 1) that of Jefferson,
with (1, 0) that of Adams (M. Balinski and H. P. Young, "Fair Representation", 1982). Units are never
listed: the work grows with the number of clusters, not with the replicas.

Floats only suggest where to look. What decides are counts in exact integers: t is the marginal of the
n-th cheapest unit exactly if fewer than n units cost less than t and at least n cost at most t.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.marginal import exact_sum, widen

# Guesses in a row on the same side before the step is doubled, so that a flat stretch is crossed quickly.
PATIENCE = 4
# Turns before halving the bracket is mixed in.
NEWTON_TURNS = 24


@dataclass(frozen=True, eq=False)
class MarginalUnits:
    """The units of some clusters, each with ``lower < upper`` and a positive weight."""

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    """The units of a cluster are the k with ``lower <= k < upper``."""
    weights: NDArray[np.int64]
    """Positive weight of each cluster."""
    step: int
    offset: int
    """Unit k of a cluster with weight w costs ``(step * k + offset) / w``; ``0 <= offset <= step`` and ``step
    >= 1``."""

    @cached_property
    def heaviest(self) -> int:
        """The greatest weight."""
        return int(self.weights.max())

    def upto(self, marginal: Fraction) -> NDArray[np.int64]:
        """Return the height of each cluster when it takes the units that cost at most `marginal`."""
        # (step k + offset) / w <= p / q  iff  k + 1 <= (w p + (step - offset) q) / (step q)
        return self._height(marginal, (self.step - self.offset) * marginal.denominator)

    def below(self, marginal: Fraction) -> NDArray[np.int64]:
        """Return the height of each cluster when it takes the units that cost less than `marginal`."""
        # The same with "<"; between integers that is "<=" after taking one away.
        return self._height(marginal, (self.step - self.offset) * marginal.denominator - 1)

    def _height(self, marginal: Fraction, shift: int) -> NDArray[np.int64]:
        slope, divisor = marginal.numerator, self.step * marginal.denominator
        bound = self.heaviest * abs(slope) + abs(shift) + divisor
        heights = (widen(self.weights, bound) * slope + shift) // divisor
        clipped: NDArray[Any] = np.minimum(np.maximum(heights, self.lower), self.upper)
        return clipped.astype(np.int64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class Threshold:
    """The marginal of the n-th cheapest unit."""

    marginal: Fraction
    """The value itself."""
    below: NDArray[np.int64]
    upto: NDArray[np.int64]
    """Heights of the clusters with all units that cost less, and with all that cost at most as much."""


def find_threshold(units: MarginalUnits, nth: int) -> Threshold:
    """Return the threshold at the n-th cheapest unit, counted from 1.

    `units`: at least `nth` units. `nth`: which one, ``1 <= nth <= sum(upper - lower)``.
    """
    target = nth + exact_sum(units.lower)
    under, over = _search_grid(units, target)
    window = np.flatnonzero(over > under)
    rank = target - exact_sum(under) - 1
    tops = units.step * under[window] + units.offset
    quotients = tops / units.weights[window]
    chosen = window[np.argpartition(quotients, rank)[rank]]
    threshold = _threshold(units, int(under[chosen]), int(units.weights[chosen]))
    # The certificate in exact integers: equal or nearly equal quotients may come out of the float
    # division in any order.
    if exact_sum(threshold.below) < target <= exact_sum(threshold.upto):
        return threshold
    # Two different quotients differ by 1 / w**2 or more, w the largest weight. Times w**2 they differ by 1
    # or more, and so do their floors; equal ones have equal floors.
    fine = units.heaviest**2
    keys = tops.astype(object) * fine // units.weights[window].astype(object)
    chosen = window[np.argsort(keys)[rank]]
    return _threshold(units, int(under[chosen]), int(units.weights[chosen]))


def _threshold(units: MarginalUnits, unit: int, weight: int) -> Threshold:
    marginal = Fraction(units.step * unit + units.offset, weight)
    return Threshold(marginal, units.below(marginal), units.upto(marginal))


def _search_grid(units: MarginalUnits, target: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return heights just under `target` and heights that reach it, at most one unit apart in every cluster.

    The grid is the progression of the largest weight, ``(step * i + offset) / heaviest`` for every
    integer i. It is at least as fine as that of any other cluster, so between two neighbours of the grid
    no cluster has more than one unit. What is left is to find the first i whose heights reach the target:
    Newton's method on the counts, kept inside a shrinking bracket.
    """
    heaviest, lightest = units.heaviest, int(units.weights.min())
    # Everything costs more than the grid at `low`, and nothing more than at `high`.
    low = heaviest * min(0, int(units.lower.min())) // lightest - 1
    high = -(-heaviest * max(0, int(units.upper.max())) // lightest)
    under, over = units.lower, units.upper
    guess = max(low + 1, min(target * heaviest // exact_sum(units.weights), high - 1))
    turn = streak = 0
    while high - low > 1:
        heights = units.upto(Fraction(units.step * guess + units.offset, heaviest))
        missing = target - exact_sum(heights)
        if missing > 0:
            low, under, streak = guess, heights, max(streak, 0) + 1
        else:
            high, over, streak = guess, heights, min(streak, 0) - 1
        turn += 1
        guess += _newton_step(units, heights, missing) << max(0, abs(streak) - PATIENCE)
        # Newton needs few turns as a rule; halving the bracket every second time bounds them in any case.
        if not low < guess < high or (turn > NEWTON_TURNS and turn % 2):
            guess = (low + high) // 2
    return under, over


def _newton_step(units: MarginalUnits, heights: NDArray[np.int64], missing: int) -> int:
    """Return by how many steps of the grid to go up (or down, below 0) to gain the missing units."""
    growing = (heights > units.lower) & (heights < units.upper)
    per_step = exact_sum(units.weights[growing]) / units.heaviest
    stride = int(missing / per_step) if per_step else missing
    return stride or (1 if missing > 0 else -1)


def least_ratio(tops: NDArray[np.int64], weights: NDArray[np.int64]) -> Fraction:
    """Return the least ``tops / weights``: a guess in floats, which exact products confirm or replace."""
    bound = int(np.abs(tops).max()) * int(weights.max())
    exact_tops, exact_weights, guesses = widen(tops, bound), widen(weights, bound), tops / weights
    best = int(np.argmin(guesses))
    while True:
        smaller = np.flatnonzero(exact_tops * int(weights[best]) < exact_weights * int(tops[best]))
        if smaller.size == 0:
            return Fraction(int(tops[best]), int(weights[best]))
        best = int(smaller[np.argmin(guesses[smaller])])
