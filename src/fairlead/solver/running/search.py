"""How a search is to be run: until when, with how many threads, who is told; and one run of CP-SAT."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from fairlead.models.errors import UsageError
from fairlead.models.result import Progress
from fairlead.models.words import shown
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.machines import Machines, ThisProcess, cores

MOST_SEED = 2**31 - 1
"""The largest random seed of CP-SAT."""


@dataclass(frozen=True, slots=True)
class Search:
    """How answers are to be searched."""

    deadline: Deadline = field(default_factory=Deadline)
    """When the answer is due."""
    workers: int | None = None
    """Threads; None means one for every core that this process may use."""
    seed: int = 0
    """Random seed."""
    progress: Callable[[Progress], None] | None = None
    """Called when the placement or a bound gets better; None where nobody wants to know."""
    formula: bool = True
    """False where only CP-SAT may answer."""
    machines: Machines | None = None
    """Where neighbourhoods of a placement are searched; None means in threads of this process."""
    ties: bool = True
    """False where any of the best placements will do, so that no time is spent on choosing among them."""
    urgent: Deadline | None = None
    """When the levels about what has to move are due, which come before what other time is kept for; None
    means with the answer."""
    later: Deadline | None = None
    """When levels after balance are due, where balance is searched for thereafter; None means with the
    answer."""

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"{shown(self.workers)} workers; allowed is a whole number of at least 1")
        if not 0 <= self.seed <= MOST_SEED:
            raise UsageError(f"seed {shown(self.seed)}; allowed is a whole number from 0 to {MOST_SEED}")

    @property
    def threads(self) -> int:
        """How many threads a search may use."""
        return self.workers or cores()

    @property
    def side_by_side(self) -> Machines:
        """Where small independent searches run side by side."""
        return self.machines or ThisProcess(self.threads)

    def until(self, deadline: Deadline) -> "Search":
        """Return a search that ends at another time."""
        return replace(self, deadline=deadline)

    def part(self, share: float, *, quietly: bool = True) -> "Search":
        """Return a search that has a share of the time that is left, and tells nobody unless asked to."""
        progress = None if quietly else self.progress
        urgent = self.urgent and self.urgent.part(share)
        return replace(self, deadline=self.deadline.part(share), progress=progress, urgent=urgent)

    def urgently(self, share: float) -> "Search":
        """Return a search of the levels about what has to move: a share of the time until these are due."""
        return self.until(self.urgent or self.deadline).part(share, quietly=False)


class Verdict(StrEnum):
    """What the solver says; INFEASIBLE is proven."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a run may be."""

    deadline: Deadline
    """When the run ends at the latest."""
    workers: int = 1
    """Threads; one is deterministic, 0 means one for every core."""
    seed: int = 0
    work: float = math.inf
    """Most work, in CP-SAT's deterministic measure (roughly seconds); infinite where there is no limit."""
    linearization: int = 1
    """How much of the model the linear program holds: 1 as usual, 2 for all of it."""
    thorough: bool = False
    """True where values are tried out, and those left out that others dominate, before the search: that is
    worth while in models that are not settled at once."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a run found."""

    verdict: Verdict
    values: tuple[int, ...] | None = None
    """Values of the variables that were asked for; None where there is no solution."""
    bound: int | None = None
    """No solution costs less; None where nothing is known or nothing is minimised."""
