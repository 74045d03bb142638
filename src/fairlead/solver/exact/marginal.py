"""Exact allocation of one workload without a solver: boxes that one level after the other narrows.

The replicas x of one workload obey ``lower <= x <= upper`` and ``sum(x) == total``. A level minimises a
separable convex cost ``sum(f_c(x_c))``. Think of cluster c as a stack of *units*: the unit k raises x_c
from k to k + 1 and costs the *marginal* ``f_c(k + 1) - f_c(k)``, which never falls as k grows. Taking the
cheapest units is optimal (B. Fox, "Discrete optimization via marginal analysis", Management Science 13,
1966; A. Federgruen and H. Groenevelt, Operations Research 34, 1986).

More than that: let t be the marginal of the last unit taken, a_c the height of the units cheaper than t
and b_c the height of the units that cost at most t. Then x is optimal exactly if ``a <= x <= b`` and
``sum(x) == total``: the chosen units cost least if and only if every unit below t and none above t is
among them. The set of *all* optima is therefore a box with a total again, and levels in lexicographic
order are functions from box to box, applied in turn. `settle_ties` picks the answer from the last box.

The costs of levels are in `fairlead.solver.exact.costs`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.models.errors import InternalError

# Results below this stay inside a signed 64-bit integer.
INT64_LIMIT = 2**63
# More than floats are off in a sum of 2^20 numbers of 64 bits, and less than a sum is that wraps around.
WRAPPED = 2**62


@dataclass(frozen=True, eq=False)
class Box:
    """Every allocation with ``lower <= x <= upper`` and ``sum(x) == total``."""

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    """Bounds of each cluster in replicas; the clusters stand in the order of their names. Lower bounds and
    the total stay below 2**40 in size, clusters below 2**20; an upper bound that stands for "no limit" may be
    as large as 2**62."""
    total: int
    """Replicas of the workload."""
    is_tight: bool = False
    """True where it is known that every bound is attained by an allocation."""

    @cached_property
    def least(self) -> int:
        """The sum of the lower bounds."""
        return exact_sum(self.lower)

    @cached_property
    def most(self) -> int:
        """The sum of the upper bounds."""
        return exact_sum(self.upper)

    @cached_property
    def feasible(self) -> bool:
        """Whether the box holds any allocation."""
        if self.is_tight:
            return True
        if bool((self.lower > self.upper).any()):
            return False
        return self.least <= self.total <= self.most

    def tight(self) -> "Box":
        """Return the same set of allocations with every bound attained by one of them.

        Raises `InternalError` where the box is empty: the caller has to look at `feasible` first.
        """
        if self.is_tight:
            return self
        if not self.feasible:
            raise InternalError(f"no allocation of {self.total} replicas lies within the bounds")
        # No cluster can take more than what the other lower bounds leave, nor less than what the other
        # upper bounds lack.
        upper = np.minimum(self.upper, self.lower + (self.total - self.least))
        lower = np.maximum(self.lower, upper - (exact_sum(upper) - self.total))
        return Box(lower, upper, self.total, is_tight=True)


def exact_sum(values: NDArray[np.int64]) -> int:
    """Return the sum of the values, right also where 64 bits cannot hold it."""
    found = int(np.add.reduce(values))
    # What wraps around is off by 2^64 at least, and floats by far less.
    about = np.add.reduce(values, dtype=np.float64)
    return found if abs(about - found) < WRAPPED else sum(values.tolist())


def widen(values: NDArray[np.int64], bound: int) -> NDArray[Any]:
    """Return the values as they are if `bound` fits 64 bits, else as Python integers.

    `values`: what a computation starts from. `bound`: no number in that computation is larger in size.
    """
    return values if bound < INT64_LIMIT else values.astype(object)


def narrow_pieces(box: Box, pieces: Sequence[tuple[NDArray[Any], NDArray[np.int64]]]) -> Box:
    """Return all optima in a tight box for a cost that is made of straight pieces.

    `box`: a box whose bounds are tight. `pieces`: from the lower bound upward, for every cluster: the
    marginal of each unit of the piece (integers, not falling from piece to piece) and the number of units in
    it. The numbers of a cluster add up to its upper minus its lower bound.
    """
    wanted = box.total - box.least
    if wanted == 0:
        return box
    marginals = np.concatenate([marginal for marginal, _ in pieces])
    units = np.concatenate([count for _, count in pieces])
    order = np.argsort(marginals, kind="stable")
    last = marginals[order[np.searchsorted(np.cumsum(units[order]), wanted)]]
    lower, upper = box.lower.copy(), box.lower.copy()
    for marginal, count in pieces:
        lower += np.where(marginal < last, count, 0)
        upper += np.where(marginal <= last, count, 0)
    return Box(lower, upper, box.total).tight()


def settle_ties(box: Box) -> NDArray[np.int64]:
    """Return the lexicographically greatest allocation: the first by name takes as much as possible."""
    box = box.tight()
    room = box.upper - box.lower
    before = np.cumsum(room) - room
    left = box.total - box.least
    answer: NDArray[np.int64] = box.lower + np.clip(left - before, 0, room)
    return answer


# Guesses in a row on the same side before the step is doubled, so that a flat stretch is crossed quickly.
PATIENCE = 4
# Turns before halving the bracket is mixed in.
NEWTON_TURNS = 24


@dataclass(frozen=True, eq=False)
class MarginalUnits:
    """Units of some clusters of which the n-th is sought, each with ``lower < upper`` and a positive weight.

    With (2, 1) as step and offset they are the marginals of ``x**2 / w``, the divisor method of Webster and
    Sainte-Lague; with (1, 1) that of Jefferson, with (1, 0) that of Adams (M. Balinski and H. P. Young, "Fair
    Representation", 1982). Units are never listed: the work grows with the clusters, not with the replicas.

    Floats only suggest where to look. What decides are counts in exact integers: t is the marginal of the
    n-th cheapest unit exactly if fewer than n units cost less than t and at least n cost at most t.
    """

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
