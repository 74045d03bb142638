"""What a search over a batch ends with: a checked placement, its levels, and ties settled."""

from collections.abc import Sequence

from fairlead.encoders.registry import encode
from fairlead.models.check import check
from fairlead.models.errors import InternalError
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.solver.answers.attainment import LexicographicResult, Note, attained
from fairlead.solver.batch import tuning
from fairlead.solver.levels.ties import Settled, settle
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.effort import Effort


def concluded(
    problem: Problem, placement: Placement, notes: Sequence[Note], deadline: Deadline, seed: int
) -> LexicographicResult:
    """Return what was found, ties settled where every level is proven.

    Levels without a note are as they are, and not proven. InternalError where the placement breaks a rule: a
    bug.
    """
    broken = check(problem, placement)
    if broken:
        raise InternalError(f"the placement of a batch breaks a rule: {broken[0]}")
    levels = attained(problem, placement, notes)
    if not all(level.proven for level in levels):
        return LexicographicResult(Status.FEASIBLE, placement, levels)
    loose = any(level.tolerance for level in levels)
    if loose or len(problem.workloads) * len(problem.clusters) > tuning.MOST_SETTLED:
        return LexicographicResult(Status.OPTIMAL, placement, levels)
    tied = _settled(problem, placement, deadline, seed)
    if tuple(level.value for level in score(problem, tied.placement)) != tuple(
        level.value for level in levels
    ):
        raise InternalError("settling ties has changed a level")
    return LexicographicResult(Status.OPTIMAL, tied.placement, levels, tied.certain)


def _settled(problem: Problem, placement: Placement, deadline: Deadline, seed: int) -> Settled:
    """Return, of all placements that are as good on every level, the one that comes first."""
    encoding = encode(problem, centres=placement, in_time=lambda: deadline.remaining() > 0)
    if encoding is None:
        return Settled(placement, certain=False)
    for level, cost in encoding.levels.items():
        if not cost.exact:
            return Settled(placement, certain=False)
        encoding.pin(level, cost.steps(placement))
    return settle(encoding, placement, Effort(deadline, 1, seed))
