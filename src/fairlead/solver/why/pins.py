"""Changed problems: a number of replicas pinned from one side, by a bound that means nothing else."""

from collections.abc import Iterable
from dataclasses import replace

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source
from fairlead.models.workload import Workload

PIN = Source("<why>", 0)
"""Where a pin was declared; tells it from the bounds of the input."""


def settled(problem: Problem) -> Problem:
    """Return a problem in which every workload keeps the affinity group that was chosen for it."""
    if not any(workload.groups for workload in problem.workloads):
        return problem
    return replace(problem, workloads=tuple(replace(each, groups=()) for each in problem.workloads))


def at_least(problem: Problem, key: str, cluster: str, replicas: int) -> Problem:
    """Return the problem in which a workload holds at least so many replicas (1 or more) on a candidate.

    A cluster that holds some is not passed over by ``maxClusters``, so the bound changes no level.
    """
    workload = problem.workload(key)
    bounds = workload.rule(Bounds) or Bounds()
    least = max(replicas, bounds.minimum[cluster].replicas if cluster in bounds.minimum else 0)
    pinned = replace(
        bounds,
        minimum={**bounds.minimum, cluster: Bound(least, PIN)},
        where_held=bounds.where_held - {cluster},
    )
    return with_workload(problem, with_bounds(workload, pinned))


def at_most(problem: Problem, key: str, cluster: str, replicas: int) -> Problem:
    """Return the problem in which a workload holds at most so many replicas on a candidate."""
    workload = problem.workload(key)
    bounds = workload.rule(Bounds) or Bounds()
    most = min(replicas, bounds.maximum[cluster].replicas if cluster in bounds.maximum else replicas)
    pinned = replace(bounds, maximum={**bounds.maximum, cluster: Bound(most, PIN)})
    return with_workload(problem, with_bounds(workload, pinned))


def with_workload(problem: Problem, workload: Workload) -> Problem:
    """Return the problem with another workload in the place of the one of that key."""
    return replace(problem, workloads=replaced(problem.workloads, workload))


def with_bounds(workload: Workload, bounds: Bounds) -> Workload:
    """Return the workload with other bounds in the place of its own, or in addition where it has none."""
    own = workload.rule(Bounds)
    if own is None:
        return replace(workload, rules=(*workload.rules, bounds))
    return replace(workload, rules=tuple(bounds if rule is own else rule for rule in workload.rules))


def replaced(workloads: Iterable[Workload], workload: Workload) -> tuple[Workload, ...]:
    """Return the workloads with one of them replaced by another of the same key."""
    return tuple(workload if each.key == workload.key else each for each in workloads)
