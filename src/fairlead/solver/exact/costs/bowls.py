"""Costs of bowls: what replicas cost straight, and the more the more of them stand together."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.costs.straight import EVERYWHERE, InSteps, Numbers
from fairlead.solver.exact.marginal import Box, exact_sum

MOST_SORTED = 2**12
"""Units up to which their costs are put in order; of more the last price is halved in."""


@dataclass(frozen=True, slots=True, eq=False)
class Bowls(InSteps):
    """The cost ``bend x^2 + slope x`` by cluster, in whole steps.

    Parameters
    ----------
    bend
        Not negative. All costs of what a box or a face can hold, added up, stay below 2**62.
    slope
        What the first replica costs, but for the bend.
    step
        What a step is in the unit of the level.
    """

    bend: Numbers
    slope: Numbers
    using: ClassVar[None] = None
    step: Fraction = Fraction(1)

    def narrow(self, box: Box, at: Numbers | slice = EVERYWHERE) -> Box:
        """Return all optima of the clusters at some positions, all of them used."""
        box = box.tight()
        free = box.lower < box.upper
        if not bool(free.any()):
            return box
        bend, slope = self.bend[at], self.slope[at]
        high = _last_price(box, bend, slope, free)
        below, upto = (_upto(price, bend, slope, box.lower, box.upper) for price in (high - 1, high))
        return Box(below, upto, box.total).tight()

    def steps(self, replicas: Numbers, at: Numbers | slice = EVERYWHERE) -> NDArray[Any]:
        """Return what one replica more costs on the clusters at some positions."""
        found: NDArray[Any] = (2 * replicas + 1) * self.bend[at] + self.slope[at]
        return found

    def respond(self, price: Fraction, lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
        """Return the fewest and the most replicas that are best at a price, for clusters in use."""
        return (
            _upto(math.ceil(price) - 1, self.bend, self.slope, lower, upper),
            _upto(math.floor(price), self.bend, self.slope, lower, upper),
        )

    def spent(self, replicas: NDArray[Any]) -> NDArray[Any]:
        """Return what replicas cost by cluster, in steps."""
        found: NDArray[Any] = (self.bend * replicas + self.slope) * replicas
        return found

    @property
    def start(self) -> NDArray[np.float64]:
        """About how desirable clusters are, for a first set."""
        return -(self.bend + self.slope).astype(float)


def _last_price(box: Box, bend: Numbers, slope: Numbers, free: NDArray[np.bool_]) -> int:
    """Return the least price at which enough replicas are worth it, in a tight box that is not one point."""
    wanted = box.total - exact_sum(box.lower)
    units = np.minimum(box.upper - box.lower, wanted)
    if exact_sum(units) <= MOST_SORTED:
        above = np.arange(int(units.max()))
        marginals = ((2 * (box.lower[:, None] + above) + 1) * bend[:, None] + slope[:, None])[
            above < units[:, None]
        ]
        return int(np.partition(marginals, wanted - 1)[wanted - 1])
    # At `low` too few replicas are worth their price, at `high` enough.
    low = int(((2 * box.lower + 1) * bend + slope)[free].min()) - 1
    high = int(((2 * box.upper - 1) * bend + slope)[free].max())
    while high - low > 1:
        middle = (low + high) // 2
        if exact_sum(_upto(middle, bend, slope, box.lower, box.upper)) >= box.total:
            high = middle
        else:
            low = middle
    return high


def _upto(price: int, bend: Numbers, slope: Numbers, lower: Numbers, upper: Numbers) -> Numbers:
    """Return the replicas of every cluster, within its bounds, whose last one costs at most a price."""
    # The unit x -> x + 1 costs (2 x + 1) bend + slope.
    curved = (price - slope + bend) // np.maximum(2 * bend, 1)
    replicas = np.where(bend > 0, curved, np.where(slope <= price, upper, lower))
    found: Numbers = np.minimum(np.maximum(replicas, lower), upper)
    return found
