"""What a level costs on every cluster, as far as a choice among clusters needs it: at a price of a replica.

A level minimises ``sum f_c(x_c)``, every f_c convex. At a price p of a replica a cluster that is used holds
an x within its bounds that makes ``p x - f_c(x)`` greatest, and all such x are the whole numbers of an
interval. Costs are measured from an unused cluster: ``f_c(0) = 0``.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.marginal import INT64_LIMIT, Box, exact_sum, narrow_pieces, widen
from fairlead.solver.marginal_costs import least_ratio, narrow_webster

Numbers = NDArray[np.int64]


class Prices(NamedTuple):
    """The prices at which replicas stand best where they are; None means without limit."""

    low: Fraction | None
    high: Fraction | None


@dataclass(frozen=True, slots=True, eq=False)
class Straight:
    """A cost of three straight pieces, and what the use of a cluster costs by itself.

    Parameters
    ----------
    under, cut
        Replicas at which the second and the third piece begin.
    first, second, third
        What a replica of each piece costs; never less than in the piece before.
    using
        What it costs that a cluster is used at all.
    """

    under: Numbers
    cut: Numbers
    first: NDArray[Any]
    second: NDArray[Any]
    third: NDArray[Any]
    using: Numbers

    def narrow(self, box: Box, at: Numbers) -> Box:
        """Return all optima of the clusters at some positions, all of them used."""
        box = box.tight()
        under = np.clip(self.under[at], box.lower, box.upper)
        cut = np.clip(self.cut[at], box.lower, box.upper)
        return narrow_pieces(
            box,
            [
                (self.first[at], under - box.lower),
                (self.second[at], cut - under),
                (self.third[at], box.upper - cut),
            ],
        )

    def prices(self, placed: Numbers, box: Box, at: Numbers) -> Prices:
        """Return the prices at which a placement that is optimal on some clusters is so without a total."""
        filled, open_to = placed > box.lower, placed < box.upper
        last, following = self._marginals(placed - 1, at)[filled], self._marginals(placed, at)[open_to]
        return Prices(
            Fraction(int(last.max())) if last.size else None,
            Fraction(int(following.min())) if following.size else None,
        )

    def _marginals(self, replicas: Numbers, at: Numbers) -> NDArray[Any]:
        """Return what one more replica costs."""
        later = np.where(replicas < self.cut[at], self.second[at], self.third[at])
        return np.where(replicas < self.under[at], self.first[at], later)

    def guess(self, price: float, lower: Numbers, upper: Numbers) -> tuple[Numbers, NDArray[np.float64]]:
        """Return about what every cluster holds at a price, and its merit."""
        _, high = self.respond(Fraction(price), lower, upper)
        return high, np.asarray(price * high - self._spent(high).astype(float), dtype=np.float64)

    def respond(self, price: Fraction, lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
        """Return the fewest and the most replicas that are best at a price, for clusters in use."""
        low = self._height(math.ceil(price), upper)
        high = self._height(math.floor(price) + 1, upper)
        return np.clip(low, lower, upper), np.clip(high, lower, upper)

    def _height(self, price: int, upper: Numbers) -> Numbers:
        """Return the replicas that cost less than a whole price."""
        inner = np.where(self.second < price, self.cut, np.where(self.first < price, self.under, 0))
        height: Numbers = np.where(self.third < price, upper, inner)
        return height

    def _spent(self, replicas: Numbers) -> NDArray[Any]:
        """Return what replicas cost."""
        second = np.maximum(np.minimum(replicas, self.cut) - self.under, 0)
        third = np.maximum(replicas - self.cut, 0)
        first = np.minimum(replicas, self.under)
        spent: NDArray[Any] = self.first * first + self.second * second + self.third * third + self.using
        return spent

    def merits(self, price: Fraction, replicas: Numbers, at: Numbers) -> tuple[NDArray[Any], int]:
        """Return ``p x - f(x)`` of some clusters in whole steps, and how many steps are 1."""
        spent = self._spent(replicas)[at].astype(object)
        merits: NDArray[Any] = price.numerator * replicas[at].astype(object) - price.denominator * spent
        return merits, price.denominator

    def value(self, replicas: Numbers) -> Fraction:
        """Return what a placement costs; clusters without replicas are not used."""
        spent = np.where(replicas > 0, self._spent(replicas), 0)
        return Fraction(sum(spent.tolist()))

    @property
    def start(self) -> NDArray[np.float64]:
        """About how desirable clusters are, for a first set."""
        return -self.using.astype(float)


def linear(price: Numbers) -> Straight:
    """Return a cost of so much for every replica."""
    none = np.zeros_like(price)
    return Straight(none, none, price, price, price, none)


def stopping(held: Numbers) -> Straight:
    """Return the moves: what runs and is not placed."""
    none = np.zeros_like(held)
    return Straight(held, held, none - 1, none, none, none)


def using(cost: Numbers) -> Straight:
    """Return a cost of the use of clusters, however many replicas they hold."""
    none = np.zeros_like(cost)
    return Straight(none, none, none, none, none, cost)


def absolute(weights: Numbers, whole: int, replicas: int) -> Straight:
    """Return the sum of the distances from the quotas N w / W, times W; without weight there is no quota."""
    none = np.zeros_like(weights)
    bound = 2 * max(int(weights.max(initial=0)) * replicas, whole) * max(replicas, 1)
    products = widen(weights, bound) * replicas
    under = products // whole
    rest = products - under * whole
    step = np.where(weights > 0, widen(none + 1, bound) * whole, 0)
    under = under.astype(np.int64)
    return Straight(under, under + 1, -step, step - 2 * rest, step, none)


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """The cost x^2 / w - s x; where a cluster has no weight it costs nothing.

    Up to a constant and a factor that is Webster's deviation ``sum (x - q)^2 / q`` with q = N w / W and s = 2
    N / W. Where every cluster has a weight s makes no difference, the total being fixed.

    Parameters
    ----------
    weights
        Weights, not negative.
    shift
        The number s; 0 where every cluster has a weight.
    """

    weights: Numbers
    shift: Fraction = Fraction(0)

    def narrow(self, box: Box, at: Numbers) -> Box:
        """Return all optima of the clusters at some positions, all of them used."""
        weighed = self.weights[at] > 0
        if bool(weighed.all()):
            return narrow_webster(box, self.weights[at])
        # Those without a weight take what costs the others more than nothing, and give what costs them less.
        below, upto = self.respond(Fraction(0), box.lower, box.upper, at)
        least, most = exact_sum(below), exact_sum(upto)
        if least <= box.total <= most:
            return Box(below, upto, box.total).tight()
        flat = box.lower if box.total < least else box.upper
        inner = box.total - exact_sum(flat[~weighed])
        lower, upper = flat.copy(), flat.copy()
        if bool(weighed.any()):
            found = narrow_webster(
                Box(box.lower[weighed], box.upper[weighed], inner), self.weights[at][weighed]
            )
            lower[weighed], upper[weighed] = found.lower, found.upper
        return Box(lower, upper, box.total)

    def prices(self, placed: Numbers, box: Box, at: Numbers) -> Prices:
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
        return Prices(max(lows, default=None), min(highs, default=None))

    def guess(self, price: float, lower: Numbers, upper: Numbers) -> tuple[Numbers, NDArray[np.float64]]:
        """Return about what every cluster holds at a price, and its merit."""
        shifted = price + float(self.shift)
        heights = np.floor(np.minimum(self.weights * (shifted / 2) + 0.5, 2.0**62)).astype(np.int64)
        if self.shift:
            heights = np.where(self.weights > 0, heights, upper if price > 0 else lower)
        replicas = np.clip(heights, lower, upper)
        earned = np.where(self.weights > 0, shifted, price) * replicas
        return replicas, earned - replicas.astype(float) * replicas * (self.weights > 0) / np.maximum(
            self.weights, 1
        )

    def respond(
        self, price: Fraction, lower: Numbers, upper: Numbers, at: Numbers | None = None
    ) -> tuple[Numbers, Numbers]:
        """Return the fewest and the most replicas that are best at a price, for clusters in use."""
        # (2 k + 1) / w <= p / q  iff  k + 1 <= (w p + q) / 2 q
        weights = self.weights if at is None else self.weights[at]
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
        """Return what a placement costs."""
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


Cost = Straight | Squares
