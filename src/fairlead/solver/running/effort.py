"""How much work a run of CP-SAT may be, and what it found."""

import math
from dataclasses import dataclass
from enum import StrEnum

from fairlead.solver.running.deadline import Deadline


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


@dataclass(frozen=True, slots=True)
class Finding:
    """What a run found."""

    verdict: Verdict
    values: tuple[int, ...] | None = None
    """Values of the variables that were asked for; None where there is no solution."""
    bound: int | None = None
    """No solution costs less; None where nothing is known or nothing is minimised."""
