"""A problem of which every level has to be best: workloads that stand alone, and those that compete."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fairlead.models.errors import UsageError
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.score import better
from fairlead.solver.answers.answer import PartAnswer, Placed, components, covers, stand_alone, together
from fairlead.solver.arguments import Method
from fairlead.solver.conflicts.scarcity import is_scarce
from fairlead.solver.levels.targets import is_searched
from fairlead.solver.running.search import Search, Workplace

SHARE_STRICT = 0.9
"""Part of the time left that may be used before levels are loosened that need not be best."""
SHARE_LATER = 0.15
"""Part of the time left for what comes after balance, where balance is searched thereafter."""
A_PLACE = 4e-6
"""Seconds a place (workloads times clusters) that are worth a search of any: it takes longer to begin."""


@dataclass(frozen=True, slots=True)
class StrictQuestion:
    """Question in which no level is loose, and how it is to be solved."""

    problem: Problem
    alone: Placed
    """Best replicas by cluster of workloads that have all that is shared for themselves, by key, as far as
    known."""
    method: Method
    where: Workplace

    def answered(self, search: Search) -> tuple[PartAnswer, Sequence[Problem]]:
        """Return the answer, and the parts that have no placement where that is told apart."""
        problem, alone = self.problem, self.alone
        if (answer := stand_alone(problem, alone)) is not None:
            return answer, ()
        if not search.deadline.remaining() and not covers(alone, problem):
            return answer_at_once(problem, search), ()
        if self.method == "exact":
            raise UsageError("the exact allocation does not apply to this problem; use method='auto'")
        if not problem.partial and is_scarce(problem):
            return PartAnswer(problem, Status.INFEASIBLE, None, (), "exact"), ()
        if search.deadline.remaining() <= A_PLACE * len(problem.workloads) * len(problem.clusters):
            return answer_at_once(problem, search), ()
        # What is asked of those that compete is imported here: most problems of a few workloads have none.
        from fairlead.solver.floor import kept
        from fairlead.solver.parts.dispatch import solve_parts

        answers = solve_parts(components(problem), alone, search, self.where)
        failing = [answer.part for answer in answers if answer.status is Status.INFEASIBLE]
        if not failing:
            answers = [kept(answer) if answer.placement is None else answer for answer in answers]
        return together(problem, answers), failing


def answer_strictly(
    problem: Problem, asked: StrictQuestion, search: Search
) -> tuple[PartAnswer, Sequence[Problem]]:
    """Solve a problem with no level loose, in the time that is not kept for levels that are.

    Where balance is searched thereafter it may change all that comes after it: such levels get little time at
    first, and more only where there is no placement yet, or what was found needs no search for balance.
    """
    if asked.problem is problem:
        return asked.answered(search)
    share = search.part(SHARE_STRICT, quietly=False)
    if not is_searched(problem):
        return asked.answered(share)
    found, failing = asked.answered(replace(share, later=search.deadline.part(SHARE_LATER)))
    if not share.deadline.remaining() or not _is_worth_more(problem, found, asked.alone):
        return found, failing
    more, failing = asked.answered(share)
    best = better(asked.problem, more.placement, found.placement)
    return (more if best is more.placement else found), failing


def _is_worth_more(problem: Problem, found: PartAnswer, alone: Placed) -> bool:
    """Tell whether what was found with little time for levels after balance should get more of it."""
    if found.status is not Status.FEASIBLE:
        return found.status is Status.UNKNOWN
    from fairlead.solver.loosening.tolerances import will_do

    return will_do(problem, found, alone)


def answer_at_once(problem: Problem, search: Search) -> PartAnswer:
    """Return the answer where time is over before any search."""
    from fairlead.solver.floor import at_once

    return at_once(problem, search)
