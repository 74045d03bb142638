"""Where workloads stand best by themselves, for those of which no exact way tells at once."""

from collections.abc import Mapping
from dataclasses import replace

from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity
from fairlead.solver.answers.answer import Answer
from fairlead.solver.answers.components import Placed, among
from fairlead.solver.exact.alone import place_what_fits
from fairlead.solver.exact.boxes import box_of, has_box
from fairlead.solver.running.search import Search

FEW = 16
"""Workloads that are searched one by one, at most."""
SHARE_OF_TIME = 0.1
"""Of the time that is left, what searching them may use."""


def searched_alone(problem: Problem, alone: Placed, search: Search) -> Placed:
    """Return where workloads stand best by themselves: a few of which that is open are searched.

    Parameters
    ----------
    problem
        A problem in which every level has to be best, and nothing gives way.
    alone
        What is known.
    search
        How to search.
    """
    from fairlead.solver.levels.lexicographic import minimise_levels

    missing = [each for each in problem.workloads if each.key not in alone]
    if len(missing) > FEW:
        return alone
    found, due = dict(alone), search.deadline.part(SHARE_OF_TIME)
    for each in missing:
        shared = tuple(rule for rule in problem.rules if isinstance(rule, Capacity))
        part = replace(among(problem, (each,), problem.limits), rules=shared, partial=False)
        result = minimise_levels(part, None, due, search.workers, search.seed, ties=False)
        if result.status is Status.OPTIMAL and result.placement is not None:
            found[each.key] = result.placement.of(each.key)
    return found


def alone_as_placed(problem: Problem, question: Problem, found: Answer, alone: Placed) -> Placed:
    """Return where workloads stand best by themselves in the question of what is placed, as far as known.

    What gives way is the first that counts: one that lacks as much alone stands there as it does in the other
    question.
    """
    placement, known = found.placement or Placement({}), dict[str, Mapping[str, int]]()
    for each in question.workloads:
        before = problem.workload_by_key[each.key]
        placed = alone.get(each.key)
        if each is not before:
            if placed is None and has_box(before):
                placed = place_what_fits(before, problem, box_of(before, problem), problem.allowances)
            if placed is None or sum(placed.values()) != sum(placement.of(each.key).values()):
                continue
        if placed is not None:
            known[each.key] = placed
    return known
