"""A part of a problem with its answer, and how other answers to changed problems compare with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from fairlead.models.errors import InternalError
from fairlead.models.levels import Level
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import as_whole, levels_of, score
from fairlead.models.shortfall import shortfall_values
from fairlead.models.usage import Amounts, more_of, remaining
from fairlead.models.validity import trusted
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import components
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.solve import solve

Number = int | Fraction


class LevelDifference(NamedTuple):
    """The most important level on which another answer differs, by how much it is worse there.

    `level` is None where none differs.
    """

    level: Level | None
    before: Number
    change: Number
    proven: bool


SAME = LevelDifference(None, 0, 0, proven=True)


@dataclass(frozen=True)
class AnsweredPart:
    """A workload in question, the part of the problem that it shares clusters with, and the answer."""

    part: Problem
    """The independent part of the problem; every workload has its affinity group for good. It is partial
    only where something gave way in it."""
    key: str
    placement: Placement
    proven: int
    """Number of levels, from the first on, that are proven and compared exactly."""
    workers: int | None
    seed: int

    @cached_property
    def values(self) -> tuple[Attained, ...]:
        """The value of every level of the part."""
        return score(self.part, self.placement)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The levels of the part, in order."""
        return levels_of(self.part)

    @cached_property
    def alone(self) -> bool:
        """Whether the part has no other workload."""
        return len(self.part.workloads) == 1

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """The candidates of the workload."""
        return self.part.candidates(self.workload)

    def replicas(self, cluster: str) -> int:
        """Return the replicas of the workload on a cluster."""
        return self._placed.get(cluster, 0)

    @cached_property
    def _placed(self) -> Mapping[str, int]:
        return self.placement.of(self.key)

    @cached_property
    def workload(self) -> Workload:
        """The workload that is asked about."""
        return self.part.workload(self.key)

    def resolve(self, changed: Problem, deadline: Deadline) -> Outcome:
        """Solve a changed problem."""
        left = deadline.remaining()
        limit = None if left == float("inf") else left
        return solve(trusted(changed), time_limit=limit, workers=self.workers, seed=self.seed)

    def compare(self, levels: Sequence[Level], other: Sequence[Attained]) -> LevelDifference:
        """Return the first level on which an answer to a changed problem, with its levels, differs.

        A level that only the changed problem has counts what a rule is short of that this one does not have:
        it is 0 here.
        """
        proven = True
        known = {level: (place, self.values[place].value) for place, level in enumerate(self.levels)}
        for level, there in zip(levels, other, strict=True):
            place, here = known.get(level, (-1, 0))
            proven = proven and place < self.proven and there.proven and _is_exact(there)
            if abs(Fraction(there.value - here)) > there.tolerance:
                return LevelDifference(level, here, as_whole(there.value - here), proven)
        return SAME._replace(proven=proven)

    def has_room(self, cluster: str) -> bool:
        """Tell whether all workloads together leave room for one replica more on a cluster."""
        more = more_of(self.workload, self.part.cluster_by_name[cluster], self._left)
        return more is None or more.replicas > 0

    @cached_property
    def _left(self) -> Amounts:
        return remaining(self.part, self.placement)

    def is_same(self, other: Sequence[Attained]) -> bool:
        """Tell whether an answer to a changed problem is proven to differ on no level that counts."""
        pairs = list(zip(self.values, other, strict=True))[: self.proven]
        return all(each.proven and _is_exact(each) and here.value == each.value for here, each in pairs)


def answered(outcome: Outcome, key: str, workers: int | None, seed: int) -> AnsweredPart:
    """Return the part of an outcome of `solve`, with a placement, to which a workload belongs."""
    if outcome.placement is None:
        raise InternalError("an outcome without placement has nothing to compare with")
    problem = _settled(outcome.problem)
    parts = components(problem) if len(problem.workloads) > 1 else (problem,)
    part = next(each for each in parts if key in each.workload_by_key)
    if any(not rule.members <= part.workload_by_key.keys() for rule in part.balances or ()):
        part = problem
    placement = Placement({each.key: outcome.placement.of(each.key) for each in part.workloads})
    if part.partial and not any(shortfall_values(part, placement).values()):
        part = replace(part, partial=False)  # what can be placed in full is placed as in any other problem
    proven = _proven(outcome, set(levels_of(part)))
    return AnsweredPart(part, key, placement, proven, workers, seed)


def _proven(outcome: Outcome, levels: set[Level]) -> int:
    """Count the levels of a part, from the first on, that are proven and compared exactly."""
    count = 0
    if outcome.status is Status.OPTIMAL and all(map(_is_exact, outcome.objectives)):
        return len(levels)
    for level, attained in zip(levels_of(outcome.problem), outcome.objectives, strict=True):
        if not (attained.proven and _is_exact(attained)):
            return count
        count += level in levels
    return count


def _is_exact(level: Attained) -> bool:
    """Tell whether a level was compared exactly, and may not be worse than best."""
    return level.resolution is None and not level.tolerance


def _settled(problem: Problem) -> Problem:
    """Return a problem in which every workload keeps the affinity group that was chosen for it."""
    if not any(workload.groups for workload in problem.workloads):
        return problem
    return replace(problem, workloads=tuple(replace(each, groups=()) for each in problem.workloads))
