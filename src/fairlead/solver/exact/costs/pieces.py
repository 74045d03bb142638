"""Costs of pieces, straight or bent: prices, moves, tiers, distances from quotas, changes, use by itself.

A level minimises ``sum f_c(x_c)``, every f_c convex and measured from an unused cluster: ``f_c(0) = 0``. All
costs of this package tell how they narrow a box (`fairlead.solver.exact.marginal`) and what single units
cost; those among which clusters can be chosen tell what clusters hold at a price p of a replica as well: a
cluster that is used holds an x within its bounds that makes the merit ``p x - f_c(x)`` greatest, and all such
x are the whole numbers of an interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.marginal import Box, exact_sum, narrow_pieces, widen

Numbers = NDArray[np.int64]
Number = int | Fraction
EVERYWHERE = slice(None)
MOST_SORTED = 2**12
"""Bent units up to which their costs are put in order; of more the last price is halved in."""


class PriceRange(NamedTuple):
    """The prices at which replicas stand best where they are; None means without limit."""

    low: Fraction | None
    high: Fraction | None

    def within(self, low: Fraction | None, high: Fraction | None) -> "PriceRange":
        """Return the prices that lie between two others as well."""
        lows = [each for each in (self.low, low) if each is not None]
        highs = [each for each in (self.high, high) if each is not None]
        return PriceRange(max(lows, default=None), min(highs, default=None))

    def nearest(self, price: Fraction) -> Fraction:
        """Return the one that is nearest to a price."""
        above = price if self.low is None else max(price, self.low)
        return above if self.high is None else min(above, self.high)

    @property
    def middle(self) -> Fraction | None:
        """One of them, in the middle where there is one; None where there are none."""
        if self.low is not None and self.high is not None:
            return None if self.low > self.high else (self.low + self.high) / 2
        if self.low is not None:
            return self.low + 1
        return Fraction(0) if self.high is None else self.high - 1


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Costs of replicas by cluster in whole steps: a straight line for every piece of them, and a bend."""

    slopes: tuple[NDArray[Any], ...]
    """Cost of a replica of each piece in steps, by cluster, without the bend; never less than in the piece
    before."""
    breaks: tuple[Numbers, ...] = ()
    """Replicas at which the second piece begins, the third, ..."""
    bend: Numbers | None = None
    """The steps by which the cost is ``bend x^2`` more; not negative, None for nothing. Where there are any,
    all costs of what a box or a face can hold, added up, stay below 2**62."""
    using: Numbers | None = None
    """Cost in steps by cluster of its being used at all; None where no cluster costs anything by that."""
    step: Fraction = Fraction(1)
    """Size of a step in the unit of the level."""

    def narrow(self, box: Box, at: Numbers | slice = EVERYWHERE) -> Box:
        """Return all optima of the clusters at some positions, all of them used."""
        box = box.tight()
        inside = self if at is EVERYWHERE else self.of(at)
        if self.bend is None:
            ends = [box.lower, *(np.clip(each, box.lower, box.upper) for each in inside.breaks), box.upper]
            units = (end - start for start, end in pairwise(ends))
            return narrow_pieces(box, list(zip(inside.slopes, units, strict=True)))
        if not bool((box.lower < box.upper).any()):
            return box
        price = inside.last_price(box)
        below, upto = (inside.upto(most, box.lower, box.upper) for most in (price - 1, price))
        return Box(below, upto, box.total).tight()

    def of(self, at: Numbers | slice | int) -> "Pieces":
        """Return the costs of the clusters at some positions, or of some workloads where these have rows."""
        slopes, breaks = (tuple(each[at] for each in some) for some in (self.slopes, self.breaks))
        bend, using = (None if each is None else each[at] for each in (self.bend, self.using))
        return Pieces(slopes, breaks, bend, using, self.step)

    def dearer(self, price: NDArray[Any]) -> "Pieces":
        """Return the costs where every replica costs so many steps more, by cluster."""
        return replace(self, slopes=tuple(slope + price for slope in self.slopes))

    def bowed(self, bend: Numbers) -> "Pieces":
        """Return the costs with so much more of a bend, by cluster."""
        return replace(self, bend=bend if self.bend is None else self.bend + bend)

    def last_price(self, box: Box) -> int:
        """Return the least price at which enough replicas are worth it, in a tight box of several points."""
        wanted = box.total - box.least
        units = np.minimum(box.upper - box.lower, wanted)
        if exact_sum(units) <= MOST_SORTED:
            above = np.arange(int(units.max()))[:, None]
            marginals = self.steps(box.lower + above)[above < units]
            return int(np.partition(marginals, wanted - 1)[wanted - 1])
        # At `low` too few replicas are worth their price, at `high` enough.
        free = box.lower < box.upper
        low = int(self.steps(box.lower)[free].min()) - 1
        high = int(self.steps(box.upper - 1)[free].max())
        while high - low > 1:
            middle = (low + high) // 2
            if exact_sum(self.upto(middle, box.lower, box.upper)) >= box.total:
                high = middle
            else:
                low = middle
        return high

    def upto(self, price: int | Numbers, lower: Numbers, upper: Numbers) -> Numbers:
        """Return the replicas of every cluster, within its bounds, whose last one costs at most a price."""
        found = lower
        for slope, end in zip(self.slopes, (*self.breaks, upper), strict=True):
            height = np.where(slope <= price, end, lower)
            if self.bend is not None:
                # The unit x -> x + 1 costs (2 x + 1) bend + slope.
                bowed = (price - slope + self.bend) // np.maximum(2 * self.bend, 1)
                height = np.where(self.bend > 0, np.minimum(bowed, end), height)
            found = np.maximum(found, height)
        return np.minimum(found, upper)

    def steps(self, replicas: Numbers, at: Numbers | slice = EVERYWHERE) -> NDArray[Any]:
        """Return the cost of one replica more on the clusters at some positions, in steps."""
        found: NDArray[Any] = self.slopes[-1][at]
        for slope, end in zip(reversed(self.slopes[:-1]), reversed(self.breaks), strict=True):
            found = np.where(replicas < end[at], slope[at], found)
        return found if self.bend is None else found + (2 * replicas + 1) * self.bend[at]

    def marginals(self, replicas: Numbers) -> Sequence[Number]:
        """Return the cost of one replica more by cluster, in the unit of the level."""
        steps = self.steps(replicas).tolist()
        return steps if self.step == 1 else [each * self.step for each in steps]

    def respond(self, price: Fraction, lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
        """Return the fewest and the most replicas that are best at a price, for clusters in use."""
        return self.upto(math.ceil(price) - 1, lower, upper), self.upto(math.floor(price), lower, upper)

    def prices(self, placed: Numbers, box: Box, at: Numbers | slice = EVERYWHERE) -> PriceRange:
        """Return the prices at which a placement that is optimal on some clusters is so without a total."""
        filled, open_to = placed > box.lower, placed < box.upper
        last, following = self.steps(placed - 1, at)[filled], self.steps(placed, at)[open_to]
        return PriceRange(
            Fraction(int(last.max())) if last.size else None,
            Fraction(int(following.min())) if following.size else None,
        )

    def guess(
        self, price: float | NDArray[np.float64], lower: Numbers, upper: Numbers
    ) -> tuple[Numbers, NDArray[np.float64]]:
        """Return about the replicas of every cluster at a price, or at one of its own, and its merit."""
        whole = np.clip(np.floor(price), -(2.0**62), 2.0**62).astype(np.int64)
        high = self.upto(whole, lower, upper)
        return high, np.asarray(price * high - self.spent(high).astype(float), dtype=np.float64)

    def merits(self, price: Fraction, replicas: Numbers, at: Numbers) -> tuple[NDArray[Any], int]:
        """Return ``p x - f(x)`` of some clusters in whole steps, and how many steps are 1."""
        spent = self.spent(replicas)[at].astype(object)
        merits: NDArray[Any] = price.numerator * replicas[at].astype(object) - price.denominator * spent
        return merits, price.denominator

    def spent(self, replicas: NDArray[Any]) -> NDArray[Any]:
        """Return the cost of replicas by cluster in use, in steps."""
        last = self.slopes[-1]
        found: NDArray[Any] = (last if self.bend is None else self.bend * replicas + last) * replicas
        for (slope, following), end in zip(pairwise(self.slopes), self.breaks, strict=True):
            found = found - (following - slope) * np.minimum(replicas, end)
        return found if self.using is None else found + self.using

    def value(self, replicas: Numbers) -> Fraction:
        """Return the cost of a placement in steps; clusters without replicas are not used."""
        spent = np.where(replicas > 0, self.spent(replicas), 0)
        return Fraction(sum(spent.tolist()))

    @property
    def start(self) -> NDArray[np.float64]:
        """About how desirable clusters are, for a first set."""
        first = self.steps(np.zeros(len(self.slopes[0]), dtype=np.int64))
        return -(first if self.using is None else first + self.using).astype(float)


def linear(price: NDArray[Any], step: Fraction = Fraction(1)) -> Pieces:
    """Return a cost of so many steps for every replica."""
    return Pieces((price,), step=step)


def stopping(held: Numbers) -> Pieces:
    """Return the moves, less those of stopping all: what runs saves one where it is placed."""
    none = np.zeros_like(held)
    return Pieces((none - 1, none), (held,))


def using(cost: Numbers) -> Pieces:
    """Return a cost of the use of clusters, however many replicas they hold."""
    return Pieces((np.zeros_like(cost),), using=cost)


def bent(bend: Numbers, slope: Numbers, saved: Numbers | int, held: Numbers) -> Pieces:
    """Return the cost ``bend x^2 + slope x - saved min(x, held)``."""
    return Pieces((slope - saved, slope), (held,), bend) if np.any(saved) else Pieces((slope,), bend=bend)


def changing(held: Numbers, takes_part: Numbers) -> Pieces:
    """Return the squares of the changes of what takes part (1, or 0), less those of stopping all of it."""
    return Pieces((-2 * held * takes_part,), bend=takes_part)


def absolute(weights: Numbers, whole: int, replicas: int) -> Pieces:
    """Return the sum of the distances from the quotas N w / W, in steps of 1 / W; no weight means no quota.

    A unit wholly under the quota costs -W, wholly over it W. With N w = W k + rest the unit k itself costs
    ``(W (k + 1) - N w) - (N w - W k) = W - 2 rest``, which lies between the two.

    `weights`: weight w of each cluster, not negative. `whole`: W: sum of all weights; positive. `replicas`:
    N: what the quotas divide; may differ from the total of a box.
    """
    under, rest = quotas(weights, whole, replicas)
    bound = 2 * max(int(weights.max(initial=0)) * replicas, whole) * max(replicas, 1)
    unit = np.where(weights > 0, widen(np.ones_like(weights), bound) * whole, 0)
    return Pieces((-unit, unit - 2 * rest, unit), (under, under + 1), step=Fraction(1, whole))


def quotas(weights: Numbers, whole: int, replicas: int) -> tuple[Numbers, NDArray[Any]]:
    """Return floor(N w / W) and the remainder of N w by W for every cluster."""
    products = widen(weights, max(int(weights.max(initial=0)) * replicas, 2 * whole)) * replicas
    under = products // whole
    return under.astype(np.int64, copy=False), products - under * whole
