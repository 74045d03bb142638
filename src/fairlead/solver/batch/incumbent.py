"""What is known of a level while it is minimised: the best placement, the bound, and the prices behind it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.dual.bound import lower_bound
from fairlead.solver.batch.model import Floats, Model, Prices
from fairlead.solver.deadline import Deadline
from fairlead.solver.search import Search

Tell = Callable[[int | None, int], None]
"""Hears the cost of the best placement and the bound, in steps, whenever one gets better."""


# For a first placement a search may take so much longer, as a part of what it took; nobody is late by that.
GRACE = 0.1


@dataclass(slots=True, eq=False)
class Known:
    """What is known of a level.

    Parameters
    ----------
    model
        The level, with the levels before it pinned.
    search
        How to search, and until when.
    best, cost
        The best placement and what it costs, in steps; None where none is known.
    bound
        What every placement costs at least, in steps.
    prices, rows
        Prices of what is shared and of the rows' totals.
    tell
        Hears of every step forward.
    hear
        Hears of every better placement.
    infeasible
        Whether it is proven that there is no placement.
    interrupted
        Whether somebody pressed Ctrl-C.
    started
        When the search began, in seconds of `time.monotonic`.
    """

    model: Model
    search: Search
    best: Whole | None
    cost: int | None
    bound: int
    prices: Prices
    rows: Floats
    tell: Tell | None = None
    hear: Callable[[Whole], object] | None = None
    infeasible: bool = False
    interrupted: bool = False
    started: float = field(default_factory=time.monotonic)

    @property
    def deadline(self) -> Deadline:
        """When to stop."""
        return self.search.deadline

    def offer(self, replicas: Whole) -> bool:
        """Take a placement if it keeps everything and is better."""
        cost = self.model.steps(replicas)
        if (self.cost is not None and cost >= self.cost) or not self.model.keeps(replicas):
            return False
        self.best, self.cost = replicas.copy(), cost
        self._told()
        if self.hear is not None:
            self.hear(self.best)
        return True

    def raise_bound(self, prices: Prices, rows: Floats) -> None:
        """Evaluate the bound at prices and keep them."""
        self.prices, self.rows = prices, rows
        self.lift(lower_bound(self.model, prices, rows))

    def lift(self, bound: int) -> None:
        """Take a bound if it is higher."""
        # Costs are multiples of the grain, so that a bound between two of them is the next one.
        bound = -(-bound // self.model.grain) * self.model.grain
        if bound > self.bound:
            self.bound = bound
            self._told()

    def _told(self) -> None:
        """Tell how far the level is."""
        if self.tell is not None:
            self.tell(self.cost, self.bound)

    @property
    def closed(self) -> bool:
        """Whether the placement is known to be the best."""
        return self.cost is not None and self.cost <= self.bound

    @property
    def due(self) -> Deadline:
        """When to stop; a little later where there is no placement yet: a late one is better than none."""
        if self.best is not None:
            return self.deadline
        return self.deadline.later(GRACE * max(0.0, min(self.deadline.at, time.monotonic()) - self.started))

    @property
    def done(self) -> bool:
        """Whether there is a placement, and nothing left to do or no time."""
        return self.best is not None and self.over

    @property
    def over(self) -> bool:
        """Whether there is nothing left to do or no time."""
        return self.closed or self.deadline.remaining() <= 0
