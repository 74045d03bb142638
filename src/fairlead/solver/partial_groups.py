"""Affinity groups in a partial problem: what no group can hold does not stand in the way of others."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from fairlead.models.affinity_groups import at_start, from_start, in_group
from fairlead.models.levels import MADE_WORSE, SHORTFALLS, Level
from fairlead.models.outcome import RejectedGroup
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.shortfall import shortfall_value
from fairlead.models.workload import AffinityGroup, Workload
from fairlead.solver.components import components
from fairlead.solver.groups import Feasible, Grouped, first_feasible

Place = Callable[[Problem], Placement]
"""Places a problem partially, so that as little as possible gives way."""


def choose_groups_partially(problem: Problem, feasible: Feasible, place: Place) -> Grouped:
    """Choose an affinity group for every workload that has several.

    As in `choose_groups`, each gets the first group in which it can be placed together with all that was
    decided before. A workload that cannot be placed in full, with or without a choice, is not among these.
    Where it has a choice it gets the group in which least gives way beside all others, the first one of
    several.

    Parameters
    ----------
    problem
        The question.
    feasible
        Tells whether a problem has a placement that keeps every rule.
    place
        Places a problem partially.
    """
    started = replace(problem, workloads=tuple(at_start(workload) for workload in problem.workloads))
    open_to_choice = [each for each in started.workloads if len(from_start(each)) > 1]
    if not open_to_choice or feasible(started):
        return Grouped(started, {})
    fixed = [each for each in started.workloads if len(from_start(each)) <= 1]
    decided = _placeable(fixed, problem, feasible)
    chosen = list(fixed)
    rejected: dict[str, tuple[RejectedGroup, ...]] = {}
    for workload in sorted(open_to_choice, key=_turn):
        found, passed = first_feasible(workload, decided, problem, feasible)
        groups = from_start(workload)
        if len(passed) < len(groups):
            decided.append(found)
        else:
            group = min(groups, key=lambda each: _given_way(workload, each, decided, problem, place))
            found = in_group(workload, group)
            passed = passed[: groups.index(group)]
        chosen.append(found)
        if passed:
            rejected[workload.key] = passed
    return Grouped(replace(problem, workloads=tuple(chosen)), rejected)


def _placeable(workloads: Sequence[Workload], problem: Problem, feasible: Feasible) -> list[Workload]:
    """Return the workloads that can be placed together, the most urgent first where not all can."""
    if feasible(replace(problem, workloads=tuple(workloads))):
        return list(workloads)
    found: list[Workload] = []
    for part in components(replace(problem, workloads=tuple(workloads))):
        together: list[Workload] = []
        if feasible(part):
            together = list(part.workloads)
        else:
            for workload in sorted(part.workloads, key=_turn):
                if feasible(replace(part, workloads=(*together, workload))):
                    together.append(workload)
        found += together
    return found


def _given_way(
    workload: Workload, group: AffinityGroup, decided: Sequence[Workload], problem: Problem, place: Place
) -> tuple[int, ...]:
    """Return how much gives way beside what was decided, where a workload gets a group."""
    together = replace(problem, workloads=(*decided, in_group(workload, group)))
    part = next(each for each in components(together) if workload.key in each.workload_by_key)
    placement = place(part)
    priorities = sorted({each.priority for each in part.workloads}, reverse=True)
    levels = [Level(key, priority=priority) for priority in priorities for key in SHORTFALLS]
    return tuple(shortfall_value(part, placement, level) for level in (MADE_WORSE, *levels))


def _turn(workload: Workload) -> tuple[int, str]:
    """Return the place in the queue: by priority, then by key."""
    return -workload.priority, workload.key
