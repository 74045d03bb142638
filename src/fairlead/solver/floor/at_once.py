"""The answer where time is over before any search, or a search has found nothing in its time."""

from fairlead.models.problem import Problem
from fairlead.models.score import better
from fairlead.models.variants import in_full
from fairlead.solver.answers.answer import Answer, unproven
from fairlead.solver.floor.keeping import is_small, keep_and_repair, standing_well
from fairlead.solver.floor.partial import place_greedily
from fairlead.solver.levels.targets import loose_levels
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search


def kept(answer: Answer) -> Answer:
    """Return an answer with what is found at once, where a search has found nothing in its time."""
    part = answer.part
    return unproven(part, keep_and_repair(part, standing_well(part), Deadline.after(0)), answer.origin)


def at_once(problem: Problem, search: Search) -> Answer:
    """Keep what runs and repair the rest: the answer where time is over before any search."""
    whole, staying = in_full(problem), standing_well(problem)
    found = keep_and_repair(whole, staying, search.deadline)
    if found is None and search.deadline.remaining():
        # What is left of the time is used by nobody else: whatever keeps all rules will do.
        found = keep_and_repair(whole, staying, Deadline.after(0))
    if problem.partial and (found is None or is_small(problem)):
        found = better(problem, found, place_greedily(problem, Deadline.after(0)))
    if found is not None and loose_levels(problem):
        from fairlead.solver.levels.tolerances import unsearched

        return unsearched(problem, found)
    return unproven(problem, found)
