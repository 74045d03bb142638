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
    """The cost ``bend x^2 + slope x - saved min(x, held)`` by cluster, in whole steps.

    Parameters
    ----------
    bend
        Not negative. All costs of what a box or a face can hold, added up, stay below 2**62.
    slope
        What the first replica costs, but for the bend and what is saved.
    saved
        What each of the first replicas saves, as many as are held; not negative, None for nothing.
    held
        How many replicas save that.
    step
        What a step is in the unit of the level.
    """

    bend: Numbers
    slope: Numbers
    saved: Numbers | None = None
    held: Numbers | None = None
    using: ClassVar[None] = None
    step: Fraction = Fraction(1)

    def narrow(self, box: Box, at: Numbers | slice = EVERYWHERE) -> Box:
        """Return all optima of the clusters at some positions, all of them used."""
        box = box.tight()
        if not bool((box.lower < box.upper).any()):
            return box
        inside = self._of(at)
        high = inside.last_price(box)
        below, upto = (inside.upto(price, box.lower, box.upper) for price in (high - 1, high))
        return Box(below, upto, box.total).tight()

    def _of(self, at: Numbers | slice) -> "Bowls":
        """Return the costs of the clusters at some positions."""
        if at is EVERYWHERE:
            return self
        saved, held = (None if each is None else each[at] for each in (self.saved, self.held))
        return Bowls(self.bend[at], self.slope[at], saved, held)

    def steps(self, replicas: Numbers, at: Numbers | slice = EVERYWHERE) -> NDArray[Any]:
        """Return what one replica more costs on the clusters at some positions."""
        found: NDArray[Any] = (2 * replicas + 1) * self.bend[at] + self.slope[at]
        if self.saved is None or self.held is None:
            return found
        return found - np.where(replicas < self.held[at], self.saved[at], 0)

    def respond(self, price: Fraction, lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
        """Return the fewest and the most replicas that are best at a price, for clusters in use."""
        return (
            self.upto(math.ceil(price) - 1, lower, upper),
            self.upto(math.floor(price), lower, upper),
        )

    def spent(self, replicas: NDArray[Any]) -> NDArray[Any]:
        """Return what replicas cost by cluster, in steps."""
        found: NDArray[Any] = (self.bend * replicas + self.slope) * replicas
        if self.saved is None or self.held is None:
            return found
        found -= self.saved * np.minimum(replicas, self.held)
        return found

    @property
    def start(self) -> NDArray[np.float64]:
        """About how desirable clusters are, for a first set."""
        return -(self.bend + self.slope).astype(float)

    def last_price(self, box: Box) -> int:
        """Return the least price at which enough replicas are worth it, in a tight box of several points."""
        wanted = box.total - exact_sum(box.lower)
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
        found = self._unsaved(price, lower, upper)
        if self.saved is None or self.held is None:
            return found
        # Those that save come first; beyond them a replica costs what it costs without.
        saving: Numbers = np.minimum(self._unsaved(price + self.saved, lower, upper), self.held)
        return np.maximum(found, saving)

    def _unsaved(self, price: int | Numbers, lower: Numbers, upper: Numbers) -> Numbers:
        """Return the same where nothing is saved."""
        # The unit x -> x + 1 costs (2 x + 1) bend + slope.
        curved = (price - self.slope + self.bend) // np.maximum(2 * self.bend, 1)
        replicas = np.where(self.bend > 0, curved, np.where(self.slope <= price, upper, lower))
        found: Numbers = np.minimum(np.maximum(replicas, lower), upper)
        return found
