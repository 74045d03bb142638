"""The pure checker: which rules a placement breaks, in the user's words. Knows no solver."""

from collections.abc import Iterator, Mapping

from fairlead.models.affinity_groups import from_start
from fairlead.models.errors import UsageError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    GroupTotal,
    MoveBudget,
    Quota,
    Spread,
    Survival,
    Total,
    WorkloadRule,
    bounds,
    candidates,
    capacity,
    companionship,
    duplicated,
    group_total,
    move_budget,
    quota,
    spread,
    survival,
    total,
)
from fairlead.models.statement import Violation
from fairlead.models.workload import AffinityGroup, Workload


def check(problem: Problem, placement: Placement | Mapping[str, Mapping[str, int]]) -> tuple[Violation, ...]:
    """Return every rule that a placement breaks; empty where it breaks none.

    Parameters
    ----------
    problem
        The clusters, workloads and rules.
    placement
        Replicas by workload key and cluster name; a workload that is left out holds none.

    Raises
    ------
    UsageError
        Where the placement names a workload that the problem does not have.
    """
    placed = placement if isinstance(placement, Placement) else Placement(placement)
    strangers = [key for key in placed if key not in problem.workload_by_key]
    if strangers:
        raise UsageError(f"the placement names workloads that are not in the problem: {', '.join(strangers)}")
    return tuple(_violations(problem, placed))


def _violations(problem: Problem, placement: Placement) -> Iterator[Violation]:
    """Go through every rule once."""
    for workload in problem.workloads:
        yield from _of_best_group(workload, placement.of(workload.key))
    yield from shared_violations(problem, placement)


def violations_of(workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """Yield what breaks a workload's own rules, those of its chosen affinity group."""
    for rule in workload.rules:
        yield from _of_workload(rule, workload, placed)


def _of_best_group(workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """Check all rules of a workload; where it has affinity groups, one of them has to be kept."""
    found = list(violations_of(workload, placed))
    if not found or not any(not tuple(_of_group(group, workload, placed)) for group in from_start(workload)):
        yield from found


def _of_group(group: AffinityGroup, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """Check the rules of one affinity group."""
    for rule in group.rules:
        yield from _of_workload(rule, workload, placed)


def shared_violations(problem: Problem, placement: Placement) -> tuple[Violation, ...]:
    """Return the rules that several workloads share and that a placement breaks."""
    found: list[Violation] = []
    for rule in problem.rules:
        match rule:
            case Capacity():
                found.extend(capacity.violations(rule, problem, placement))
            case Companionship():
                found.extend(companionship.violations(rule, problem, placement))
            case MoveBudget():
                found.extend(move_budget.violations(rule, problem, placement))
            case Quota():
                found.extend(quota.violations(rule, problem, placement))
    return tuple(found)


def _of_workload(rule: WorkloadRule, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """Check one rule of one workload; preferences cannot be broken."""
    match rule:
        case Candidates():
            yield from candidates.violations(rule, workload, placed)
        case Total():
            yield from total.violations(rule, workload, placed)
        case Duplicated():
            yield from duplicated.violations(rule, workload, placed)
        case Bounds():
            yield from bounds.violations(rule, workload, placed)
        case GroupTotal():
            yield from group_total.violations(rule, workload, placed)
        case Spread():
            yield from spread.violations(rule, workload, placed)
        case Survival():
            yield from survival.violations(rule, workload, placed)
        case _:
            return
