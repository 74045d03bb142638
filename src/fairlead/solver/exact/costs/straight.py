"""Costs of straight pieces: prices, moves, tiers, distances from quotas, and the use of a cluster by itself.

A level minimises ``sum f_c(x_c)``, every f_c convex and measured from an unused cluster: ``f_c(0) = 0``. All
costs of this package tell how they narrow a box (`fairlead.solver.exact.marginal`) and what single units
cost; those among which clusters can be chosen tell what clusters hold at a price p of a replica as well: a
cluster that is used holds an x within its bounds that makes the merit ``p x - f_c(x)`` greatest, and all such
x are the whole numbers of an interval.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.marginal import Box, narrow_pieces, widen

Numbers = NDArray[np.int64]
Number = int | Fraction
EVERYWHERE = slice(None)


class Prices(NamedTuple):
    """The prices at which replicas stand best where they are; None means without limit."""

    low: Fraction | None
    high: Fraction | None


class InSteps(ABC):
    """A cost of whole steps by cluster."""

    __slots__ = ()
    step: Fraction

    @abstractmethod
    def spent(self, replicas: NDArray[Any]) -> NDArray[Any]:
        """Return what replicas cost by cluster in use, in steps."""

    @abstractmethod
    def respond(self, price: Fraction, lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
        """Return the fewest and the most replicas that are best at a price, for clusters in use."""

    @abstractmethod
    def steps(self, replicas: Numbers, at: Numbers | slice = EVERYWHERE) -> NDArray[Any]:
        """Return what one replica more costs on the clusters at some positions, in steps."""

    def marginals(self, replicas: Numbers) -> Sequence[Number]:
        """Return what one replica more costs by cluster, in the unit of the level."""
        steps = self.steps(replicas).tolist()
        return steps if self.step == 1 else [each * self.step for each in steps]

    def prices(self, placed: Numbers, box: Box, at: Numbers | slice = EVERYWHERE) -> Prices:
        """Return the prices at which a placement that is optimal on some clusters is so without a total."""
        filled, open_to = placed > box.lower, placed < box.upper
        last, following = self.steps(placed - 1, at)[filled], self.steps(placed, at)[open_to]
        return Prices(
            Fraction(int(last.max())) if last.size else None,
            Fraction(int(following.min())) if following.size else None,
        )

    def guess(self, price: float, lower: Numbers, upper: Numbers) -> tuple[Numbers, NDArray[np.float64]]:
        """Return about what every cluster holds at a price, and its merit."""
        _, high = self.respond(Fraction(price), lower, upper)
        return high, np.asarray(price * high - self.spent(high).astype(float), dtype=np.float64)

    def merits(self, price: Fraction, replicas: Numbers, at: Numbers) -> tuple[NDArray[Any], int]:
        """Return ``p x - f(x)`` of some clusters in whole steps, and how many steps are 1."""
        spent = self.spent(replicas)[at].astype(object)
        merits: NDArray[Any] = price.numerator * replicas[at].astype(object) - price.denominator * spent
        return merits, price.denominator

    def value(self, replicas: Numbers) -> Fraction:
        """Return what a placement costs in steps; clusters without replicas are not used."""
        spent = np.where(replicas > 0, self.spent(replicas), 0)
        return Fraction(sum(spent.tolist()))


@dataclass(frozen=True, slots=True, eq=False)
class Straight(InSteps):
    """A cost of straight pieces by cluster, and what the use of a cluster costs by itself.

    Parameters
    ----------
    slopes
        What a replica of each piece costs, in steps; never less than in the piece before.
    breaks
        Replicas at which the second piece begins, the third, ...
    using
        What it costs that a cluster is used at all; None where no cluster costs anything by that.
    step
        What a step is in the unit of the level.
    """

    slopes: tuple[NDArray[Any], ...]
    breaks: tuple[Numbers, ...] = ()
    using: Numbers | None = None
    step: Fraction = Fraction(1)

    def narrow(self, box: Box, at: Numbers | slice = EVERYWHERE) -> Box:
        """Return all optima of the clusters at some positions, all of them used."""
        box = box.tight()
        ends = [box.lower, *(np.clip(each[at], box.lower, box.upper) for each in self.breaks), box.upper]
        units = (end - start for start, end in pairwise(ends))
        return narrow_pieces(
            box, [(slope[at], count) for slope, count in zip(self.slopes, units, strict=True)]
        )

    def steps(self, replicas: Numbers, at: Numbers | slice = EVERYWHERE) -> NDArray[Any]:
        """Return what one replica more costs on the clusters at some positions, in steps."""
        found: NDArray[Any] = self.slopes[-1][at]
        for slope, end in zip(reversed(self.slopes[:-1]), reversed(self.breaks), strict=True):
            found = np.where(replicas < end[at], slope[at], found)
        return found

    def respond(self, price: Fraction, lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
        """Return the fewest and the most replicas that are best at a price, for clusters in use."""
        low = self._height(math.ceil(price), upper)
        high = self._height(math.floor(price) + 1, upper)
        return np.clip(low, lower, upper), np.clip(high, lower, upper)

    def _height(self, price: int, upper: Numbers) -> Numbers:
        """Return the replicas that cost less than a whole price."""
        height = np.zeros_like(upper)
        for slope, end in zip(self.slopes, (*self.breaks, upper), strict=True):
            height = np.where(slope < price, end, height)
        return height

    def spent(self, replicas: NDArray[Any]) -> NDArray[Any]:
        """Return what replicas cost by cluster in use, in steps."""
        start, spent = np.zeros_like(replicas), np.zeros_like(replicas)
        for slope, end in zip(self.slopes, (*self.breaks, replicas), strict=True):
            held = np.minimum(replicas, end)
            spent = spent + slope * (held - start)
            start = held
        return spent if self.using is None else spent + self.using

    @property
    def start(self) -> NDArray[np.float64]:
        """About how desirable clusters are, for a first set."""
        return np.zeros(len(self.slopes[0])) if self.using is None else -self.using.astype(float)


def linear(price: NDArray[Any], step: Fraction = Fraction(1)) -> Straight:
    """Return a cost of so many steps for every replica."""
    return Straight((price,), step=step)


def stopping(held: Numbers) -> Straight:
    """Return the moves, less those of stopping all: what runs saves one where it is placed."""
    none = np.zeros_like(held)
    return Straight((none - 1, none), (held,))


def using(cost: Numbers) -> Straight:
    """Return a cost of the use of clusters, however many replicas they hold."""
    return Straight((np.zeros_like(cost),), using=cost)


def absolute(weights: Numbers, whole: int, replicas: int) -> Straight:
    """Return the sum of the distances from the quotas N w / W, in steps of 1 / W; no weight means no quota.

    A unit wholly under the quota costs -W, wholly over it W. With N w = W k + rest the unit k itself costs
    ``(W (k + 1) - N w) - (N w - W k) = W - 2 rest``, which lies between the two.

    Parameters
    ----------
    weights
        Weight w of each cluster, not negative.
    whole
        W: sum of all weights; positive.
    replicas
        N: what the quotas divide; may differ from the total of a box.
    """
    under, rest = quotas(weights, whole, replicas)
    bound = 2 * max(int(weights.max(initial=0)) * replicas, whole) * max(replicas, 1)
    unit = np.where(weights > 0, widen(np.ones_like(weights), bound) * whole, 0)
    return Straight((-unit, unit - 2 * rest, unit), (under, under + 1), step=Fraction(1, whole))


def quotas(weights: Numbers, whole: int, replicas: int) -> tuple[Numbers, NDArray[Any]]:
    """Return floor(N w / W) and the remainder of N w by W for every cluster."""
    products = widen(weights, max(int(weights.max(initial=0)) * replicas, 2 * whole)) * replicas
    under = products // whole
    return under.astype(np.int64, copy=False), products - under * whole
