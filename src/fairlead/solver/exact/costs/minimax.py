"""The greatest relative distance from a quota: minimax, as a function from box to box.

With t the least possible maximum of ``abs(x - q) / q`` over the quotas ``q = N w / W`` the optima are the x
of the box with ``ceil(q (1 - t)) <= x <= floor(q (1 + t))``. A cluster of weight 0 has no quota: its cost is
0 whatever it holds.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.costs.pieces import EVERYWHERE, Numbers, quotas
from fairlead.solver.exact.marginal import Box, exact_sum, widen
from fairlead.solver.exact.marginal_search import Units, find_threshold, least_ratio


@dataclass(frozen=True, slots=True, eq=False)
class Minimax:
    """The cost ``max(abs(x - q) / q)`` where q > 0; no sum over clusters, so it only narrows.

    Parameters
    ----------
    weights
        Weight w of each cluster, not negative.
    whole
        W: sum of all weights; positive.
    replicas
        N: what the quotas divide, at least 1; may differ from the total of a box.
    """

    weights: Numbers
    whole: int
    replicas: int

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
    units = Units(box.lower[free], box.upper[free], weights[free], step=1, offset=offset)
    return find_threshold(units, nth).marginal


def _floor_times(weights: Numbers, factor: Fraction, total: int) -> Numbers:
    """Return floor(w * factor), cut at plus and minus the total so that it fits 64 bits."""
    bound = int(weights.max()) * abs(factor.numerator) + factor.denominator
    heights = widen(weights, bound) * factor.numerator // factor.denominator
    cut: NDArray[Any] = np.minimum(np.maximum(heights, -total), total)
    return cut.astype(np.int64, copy=False)
