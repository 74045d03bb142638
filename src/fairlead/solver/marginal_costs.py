"""Levels of one workload that measure the deviation from weights, as functions from box to box.

The quota of a cluster is its exact share q = N w / W of the weights. See `fairlead.solver.marginal` for
the theory and `fairlead.solver.marginal_search` for the search. All results are exact for every size of
weight: 64-bit integers where a bound on the intermediate numbers allows it, Python integers elsewhere.

A cluster of weight 0 has no quota. Here its cost is 0 whatever it holds; `narrow_unweighted`, applied
first, keeps replicas off it.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.models.errors import InternalError
from fairlead.solver.marginal import Box, exact_sum, narrow_pieces, widen
from fairlead.solver.marginal_search import Units, find_threshold


def narrow_webster(box: Box, weights: NDArray[np.int64]) -> Box:
    """Return all allocations of the box with the least ``sum((x - q)**2 / q)`` where q > 0.

    Expanding the square gives ``(W / N) * sum(x**2 / w) - 2 * sum(x) + N``. Where the sum over the
    clusters with a weight is fixed, only ``sum(x**2 / w)`` is left, whatever N is: the unit k costs
    ``(2 k + 1) / w``, which is Webster's divisor method.

    Raises
    ------
    InternalError
        Replicas can still pass between clusters with and without a weight; `narrow_unweighted` comes first.
    """
    box = box.tight()
    free = box.lower < box.upper
    weighed = free & (weights > 0)
    if not weighed.any():
        return box
    if not np.array_equal(weighed, free):
        raise InternalError(
            "replicas can pass between clusters with and without a weight: narrow_unweighted comes first"
        )
    return _narrow_squares(box, weights)


def narrow_change(box: Box, current: NDArray[np.int64]) -> Box:
    """Return all allocations of the box with the most even change, the least ``sum((x - current)**2)``.

    With zeros for `current` it is the most even result.
    """
    box = box.tight()
    change = Box(box.lower - current, box.upper - current, box.total - exact_sum(current))
    even = _narrow_squares(change, np.ones_like(current))
    return Box(even.lower + current, even.upper + current, box.total)


def narrow_l1(box: Box, weights: NDArray[np.int64], quota_total: int) -> Box:
    """Return all allocations of the box with the least ``sum(abs(x - q))``.

    Parameters
    ----------
    box
        What is allowed.
    weights
        Weight of each cluster, not negative.
    quota_total
        Replicas N that the quotas N w / W divide; may differ from the total of the box.
    """
    box = box.tight()
    if quota_total == 0 or not weights.any():
        return box
    # Times W: a unit wholly under the quota costs -W, wholly over it W. With N w = W k + rest the unit k
    # itself costs (W (k + 1) - N w) - (N w - W k) = W - 2 rest, which lies between the two.
    whole, rest, weight_sum = _quotas(weights, quota_total)
    unit = np.where(weights > 0, widen(np.ones_like(weights), 2 * weight_sum) * weight_sum, 0)
    under = np.clip(whole, box.lower, box.upper)
    cut = np.clip(whole + 1, box.lower, box.upper)
    return narrow_pieces(
        box,
        [(-unit, under - box.lower), (unit - 2 * rest, cut - under), (unit, box.upper - cut)],
    )


def narrow_minimax(box: Box, weights: NDArray[np.int64], quota_total: int) -> Box:
    """Return all allocations of the box with the least ``max(abs(x - q) / q)`` where q > 0.

    With t the least possible maximum these are the x of the box with
    ``ceil(q (1 - t)) <= x <= floor(q (1 + t))``.

    Parameters
    ----------
    box
        What is allowed.
    weights
        Weight of each cluster, not negative.
    quota_total
        Replicas N that the quotas N w / W divide; may differ from the total of the box.
    """
    box = box.tight()
    if quota_total == 0 or not weights.any():
        return box
    # First every cluster by itself, then all together. Widening helps against too much and too little, and
    # no box has both faults, so one search is enough.
    spread = _nearest_spread(box, weights, quota_total)
    within = _within(box, weights, quota_total, spread)
    if exact_sum(within.lower) > box.total:
        spread = Fraction(quota_total, exact_sum(weights)) - _most_lower_ratio(box, weights)
    elif exact_sum(within.upper) < box.total:
        spread = _least_upper_ratio(box, weights) - Fraction(quota_total, exact_sum(weights))
    return _within(box, weights, quota_total, spread).tight()


def _narrow_squares(box: Box, weights: NDArray[np.int64]) -> Box:
    """Return all allocations of the box with the least ``sum(x**2 / w)``; every free cluster has a weight."""
    free = np.flatnonzero(box.lower < box.upper)
    if free.size == 0:
        return box
    units = Units(box.lower[free], box.upper[free], weights[free], step=2, offset=1)
    threshold = find_threshold(units, box.total - exact_sum(box.lower))
    lower, upper = box.lower.copy(), box.upper.copy()
    lower[free], upper[free] = threshold.below, threshold.upto
    return Box(lower, upper, box.total).tight()


def _quotas(weights: NDArray[np.int64], quota_total: int) -> tuple[NDArray[np.int64], NDArray[Any], int]:
    """Return floor(N w / W) and the remainder of N w by W for every cluster, and W."""
    weight_sum = exact_sum(weights)
    bound = max(int(weights.max()) * quota_total, 2 * weight_sum)
    products = widen(weights, bound) * quota_total
    whole = products // weight_sum
    return whole.astype(np.int64, copy=False), products - whole * weight_sum, weight_sum


def _nearest_spread(box: Box, weights: NDArray[np.int64], quota_total: int) -> Fraction:
    """Return the least spread (see `_within`) that leaves every cluster an integer within its bounds."""
    whole, rest, weight_sum = _quotas(weights, quota_total)
    nearest = np.clip(whole + (2 * rest > weight_sum), box.lower, box.upper)
    down = np.flatnonzero((weights > 0) & (nearest <= whole))
    up = np.flatnonzero((weights > 0) & (nearest > whole))
    mean = Fraction(quota_total, weight_sum)
    below = mean - least_ratio(nearest[down], weights[down]) if down.size else Fraction(0)
    above = -least_ratio(-nearest[up], weights[up]) - mean if up.size else Fraction(0)
    return max(below, above)


def _within(box: Box, weights: NDArray[np.int64], quota_total: int, spread: Fraction) -> Box:
    """Return the part of the box where x / w is N / W give or take the spread, which is t N / W."""
    mean = Fraction(quota_total, exact_sum(weights))
    lower = np.maximum(box.lower, -_floor_times(weights, spread - mean, box.total))
    upper = np.minimum(box.upper, _floor_times(weights, spread + mean, box.total))
    weighed = weights > 0
    return Box(np.where(weighed, lower, box.lower), np.where(weighed, upper, box.upper), box.total)


def least_ratio(tops: NDArray[np.int64], weights: NDArray[np.int64]) -> Fraction:
    """Return the least ``tops / weights``: a float guess, which exact products confirm or replace."""
    bound = int(np.abs(tops).max()) * int(weights.max())
    exact_tops, exact_weights, guesses = widen(tops, bound), widen(weights, bound), tops / weights
    best = int(np.argmin(guesses))
    while True:
        smaller = np.flatnonzero(exact_tops * int(weights[best]) < exact_weights * int(tops[best]))
        if smaller.size == 0:
            return Fraction(int(tops[best]), int(weights[best]))
        best = int(smaller[np.argmin(guesses[smaller])])


def _most_lower_ratio(box: Box, weights: NDArray[np.int64]) -> Fraction:
    """Return the largest r for which the heights ceil(r w), cut with the bounds, do not exceed the total.

    There must be such an r. ceil(r w) counts the k with k / w < r, so r is the marginal of the first unit
    that no longer fits. Clusters without a weight stand at their lower bounds.
    """
    free = np.flatnonzero((weights > 0) & (box.lower < box.upper))
    units = Units(box.lower[free], box.upper[free], weights[free], step=1, offset=0)
    return find_threshold(units, box.total - exact_sum(box.lower) + 1).marginal


def _least_upper_ratio(box: Box, weights: NDArray[np.int64]) -> Fraction:
    """Return the smallest r for which the heights floor(r w), cut with the bounds, reach the total.

    There must be such an r. floor(r w) counts the k with (k + 1) / w <= r, so r is the marginal of the last
    unit that is needed. Clusters without a weight stand at their upper bounds.
    """
    free = np.flatnonzero((weights > 0) & (box.lower < box.upper))
    units = Units(box.lower[free], box.upper[free], weights[free], step=1, offset=1)
    return find_threshold(units, box.total - exact_sum(np.where(weights > 0, box.lower, box.upper))).marginal


def _floor_times(weights: NDArray[np.int64], factor: Fraction, total: int) -> NDArray[np.int64]:
    """Return floor(w * factor), cut at plus and minus the total so that it fits 64 bits."""
    bound = int(weights.max()) * abs(factor.numerator) + factor.denominator
    heights = widen(weights, bound) * factor.numerator // factor.denominator
    cut: NDArray[Any] = np.minimum(np.maximum(heights, -total), total)
    return cut.astype(np.int64, copy=False)
