"""Small changes: a number of replicas pinned from one side, a bound moved by one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source
from fairlead.models.variants import exchanged, with_workload
from fairlead.models.workload import Workload

By = Literal[1, -1]
"""One replica more on a cluster, or one less."""

PIN = Source("<why>", 0)
"""Where a pin was declared; tells it from the bounds of the input."""


@dataclass(frozen=True, slots=True)
class BoundShift:
    """A bound that could be moved by one."""

    action: str
    build: Callable[[Problem], Problem]
    """Makes the change in the part that is asked about; one of a cluster also where others were made."""
    source: Source | None = None
    cluster: str | None = None
    """Cluster whose bound it is; None where it is no single cluster's."""
    binding: bool = True
    """True where the answer stands at the bound."""


def settled(problem: Problem) -> Problem:
    """Return a problem in which every workload keeps the affinity group that was chosen for it."""
    if not any(workload.groups for workload in problem.workloads):
        return problem
    return replace(problem, workloads=tuple(replace(each, groups=()) for each in problem.workloads))


def pinned(problem: Problem, key: str, cluster: str, replicas: int, by: By) -> Problem:
    """Return the problem in which a workload holds at least one replica more on a candidate, or one less.

    A cluster that holds some is not passed over by ``maxClusters``, so the bound changes no level.
    """
    workload = problem.workload(key)
    bounds = workload.rule(Bounds) or Bounds()
    known = bounds.minimum if by > 0 else bounds.maximum
    limit = replicas + by
    if cluster in known:
        limit = max(limit, known[cluster].replicas) if by > 0 else min(limit, known[cluster].replicas)
    pin = {**known, cluster: Bound(limit, PIN)}
    if by > 0:
        other = replace(bounds, minimum=pin, where_held=bounds.where_held - {cluster})
    else:
        other = replace(bounds, maximum=pin)
    return with_workload(problem, with_bounds(workload, other))


def with_bounds(workload: Workload, bounds: Bounds) -> Workload:
    """Return the workload with other bounds in the place of its own, or in addition where it has none."""
    own = workload.rule(Bounds)
    if own is None:
        return replace(workload, rules=(*workload.rules, bounds))
    return replace(workload, rules=exchanged(workload.rules, own, bounds))
