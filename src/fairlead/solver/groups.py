"""Affinity groups: which exclusive set of clusters each workload gets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fairlead.models.affinity_groups import at_start, from_start, in_group
from fairlead.models.outcome import RejectedGroup
from fairlead.models.problem import Problem
from fairlead.models.workload import AffinityGroup, Workload
from fairlead.solver.conflict import conflicts

Feasible = Callable[[Problem], bool | None]


@dataclass(frozen=True, slots=True)
class Grouped:
    """A problem in which every workload has its group.

    Parameters
    ----------
    problem
        Every workload with the rules of its group.
    rejected
        Groups that were tried before the chosen one, by workload, with the reason.
    """

    problem: Problem
    rejected: dict[str, tuple[RejectedGroup, ...]]


def choose_groups(problem: Problem, feasible: Feasible) -> Grouped:
    """Choose an affinity group for every workload that has several.

    Each workload gets the first group, from the observed one on, in which it can be placed together with all
    that was decided before: workloads without a choice first, then the others by priority and key. A workload
    for which no group will do keeps its first one, so that the problem as a whole is infeasible.

    Parameters
    ----------
    problem
        The question.
    feasible
        Tells whether a problem has any placement.
    """
    workloads = tuple(at_start(workload) for workload in problem.workloads)
    started = replace(problem, workloads=workloads)
    open_to_choice = [workload for workload in workloads if len(from_start(workload)) > 1]
    if not open_to_choice or feasible(started):
        return Grouped(started, {})
    decided = [workload for workload in workloads if len(from_start(workload)) <= 1]
    rejected: dict[str, tuple[RejectedGroup, ...]] = {}
    for workload in sorted(open_to_choice, key=lambda each: (-each.priority, each.key)):
        chosen, passed = first_feasible(workload, decided, problem, feasible)
        decided.append(chosen)
        if passed:
            rejected[workload.key] = passed
    return Grouped(replace(problem, workloads=tuple(decided)), rejected)


def first_feasible(
    workload: Workload, decided: Sequence[Workload], problem: Problem, feasible: Feasible
) -> tuple[Workload, tuple[RejectedGroup, ...]]:
    """Return a workload in the first of its groups that will do, and the groups that will not."""
    passed: list[RejectedGroup] = []
    for group in from_start(workload):
        tried = in_group(workload, group)
        together = replace(problem, workloads=(*decided, tried))
        if feasible(together):
            return tried, tuple(passed)
        passed.append(_rejected(group, tried, problem))
    return workload, tuple(passed)


def _rejected(group: AffinityGroup, tried: Workload, problem: Problem) -> RejectedGroup:
    """Say why a group will not do."""
    found = conflicts(replace(problem, workloads=(tried,)))
    reason = str(found[0]) if found else "its rules cannot be kept together with what was decided before"
    return RejectedGroup(group.name, reason, group.source)


def earlier_that_would_do(workload: Workload, problem: Problem, feasible: Feasible) -> AffinityGroup | None:
    """Return a group before the observed one in which the workload could be placed; None where none could."""
    earlier = workload.groups[: len(workload.groups) - len(from_start(workload))]
    others = tuple(each for each in problem.workloads if each.key != workload.key)
    for group in earlier:
        if feasible(replace(problem, workloads=(*others, in_group(workload, group)))):
            return group
    return None
