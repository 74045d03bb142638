"""Workloads that are no boxes, placed one after the other into what is left: a start for all together."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Weights
from fairlead.models.rules.quota import Allowance
from fairlead.models.workload import Workload
from fairlead.solver.boxes import Available, box_of, has_box
from fairlead.solver.deadline import Deadline
from fairlead.solver.dispensers import reference
from fairlead.solver.exact import allocate
from fairlead.solver.lexicographic import minimise_levels
from fairlead.solver.rows import among

# Seconds that CP-SAT gets for one workload, and the part of the time that is left.
LONGEST_RUN = 2.0
SHARE_OF_TIME = 0.1


@dataclass(frozen=True, slots=True)
class OneByOne:
    """Places workloads alone, until a deadline."""

    part: Problem
    deadline: Deadline
    seed: int

    def place(self, odd: Collection[Workload], limits: Available | None = None) -> Placement:
        """Place some workloads, the most urgent and the largest first; one that finds no room holds nothing.

        Parameters
        ----------
        odd
            The workloads.
        limits
            What they may use together; None means all that there is.
        """
        room = self.part.limits if limits is None else {spot: max(0, each) for spot, each in limits.items()}
        return reference.place(among(self.part, odd, room), self._otherwise)

    def _otherwise(
        self, workload: Workload, _problem: Problem, available: Available, _quotas: Sequence[Allowance]
    ) -> Mapping[str, int]:
        """Place one workload that is neither a box nor a simple choice of groups."""
        limits = {spot: max(0, amount) for spot, amount in available.items()}
        alone = among(self.part, (workload,), limits)
        until = self.deadline.part(SHARE_OF_TIME, LONGEST_RUN)
        result = minimise_levels(alone, None, until, 1, self.seed)
        return {} if result.placement is None else result.placement.of(workload.key)


def without_tiers(workload: Workload) -> Workload:
    """Return a workload whose weights are those of all its clusters together, whatever tiers hold."""
    rules = (replace(rule, tiers=()) if isinstance(rule, Weights) else rule for rule in workload.rules)
    return replace(workload, rules=tuple(rules))


def in_tiers(workload: Workload, part: Problem) -> Mapping[str, int]:
    """Place a workload with overflow tiers as if it were alone; nothing where that is not simple."""
    if not has_box(workload):
        return {}
    return allocate(workload, part, box_of(workload, part, part.limits)) or {}
