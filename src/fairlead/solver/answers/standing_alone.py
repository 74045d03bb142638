"""Workloads that were placed each for itself, put together."""

from collections.abc import Mapping

from fairlead.models.check import shared_violations
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity
from fairlead.solver.answers.answer import Answer, proven


def stand_alone(part: Problem, alone: Mapping[str, Mapping[str, int]]) -> Answer | None:
    """Put workloads together that were placed alone; None where one was not, or they compete."""
    if not covers(alone, part):
        return None
    placement = Placement({workload.key: alone[workload.key] for workload in part.workloads})
    return None if compete(part, placement) else proven(part, placement)


def compete(problem: Problem, placement: Placement) -> bool:
    """Tell whether workloads that were placed alone break a rule that they share.

    One workload alone keeps within capacity: its box does.
    """
    shared = [rule for rule in problem.rules if len(problem.workloads) > 1 or not isinstance(rule, Capacity)]
    return bool(shared) and bool(shared_violations(problem, placement))


def covers(alone: Mapping[str, Mapping[str, int]], problem: Problem) -> bool:
    """Tell whether every workload of a problem was placed."""
    return all(workload.key in alone for workload in problem.workloads)
