"""The incumbent of a level: the best placement, the bound, and the prices behind it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole
from fairlead.solver.batch.dual.bound import lower_bound
from fairlead.solver.batch.model import LevelModel, Prices
from fairlead.solver.batch.surrogate import SurrogateResult
from fairlead.solver.running.deadline import Deadline, now
from fairlead.solver.running.search import Search

OnProgress = Callable[[int | None, int], None]
"""Hears the cost of the best placement and the bound, in steps, whenever one gets better."""

# No cost is below it: what is known of a level before a bound is evaluated.
LEAST = -(2**62)


@dataclass(slots=True, eq=False)
class Incumbent:
    """Incumbent of a level, or of a surrogate by which placements for it are searched.

    Costs and bounds are in steps; the best placement and its cost are None where none is known. What serves a
    level offers it every better placement. Infeasible is proven; interrupted is by Ctrl-C; guided is what a
    guide leaves to the level after this one. Enough tells of a bound what a placement may cost to be good
    enough.
    """

    model: LevelModel
    search: Search
    best: Whole | None
    cost: int | None
    bound: int
    prices: Prices
    rows: Floats
    serves: "Incumbent | None" = None
    on_progress: OnProgress | None = None
    enough: Callable[[int], int] = int
    infeasible: bool = False
    interrupted: bool = False
    guided: SurrogateResult | None = None
    started: float = field(default_factory=now)

    @classmethod
    def of(cls, model: LevelModel, best: Whole | None, search: Search) -> "Incumbent":
        """Start with nothing but a placement, perhaps; neither limits nor rows have prices yet."""
        model = replace(model, threads=search.threads)
        cost = None if best is None else model.steps(best)
        return cls(model, search, best, cost, LEAST, Prices.none(model), np.zeros(len(model.batch.keys)))

    def surrogate(self, model: LevelModel, best: Whole | None, deadline: Deadline) -> "Incumbent":
        """Start a search by another model, whose placements are offered to this one."""
        return replace(Incumbent.of(model, best, self.search.until(deadline)), serves=self)

    def until(self, deadline: Deadline) -> "Incumbent":
        """Return the same with another deadline; what it finds is offered to this one."""
        return replace(self, search=self.search.until(deadline), serves=self)

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
        if self.serves is not None:
            self.serves.offer(self.best)
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
        if self.on_progress is not None:
            self.on_progress(self.cost, self.bound)

    @property
    def closed(self) -> bool:
        """Whether the placement is the best, or good enough beside the bound; or what it serves is."""
        if self.cost is not None and self.cost <= max(self.bound, self.enough(self.bound)):
            return True
        return self.serves is not None and self.serves.closed

    @property
    def due(self) -> Deadline:
        """When to stop; a little later where there is no placement yet: a late one is better than none."""
        if self.best is not None:
            return self.deadline
        return self.deadline.later(tuning.GRACE * max(0.0, min(self.deadline.at, now()) - self.started))

    @property
    def done(self) -> bool:
        """Whether there is a placement, and nothing left to do or no time."""
        return self.best is not None and self.over

    @property
    def over(self) -> bool:
        """Whether there is nothing left to do or no time."""
        return self.closed or self.deadline.remaining() <= 0
