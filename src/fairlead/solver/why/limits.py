"""What forbids one replica more, or one less, on a cluster whatever stands elsewhere. Knows no solver.

Of a quota that counts only what it allows a workload by itself: others of the namespace could give way.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.quantity import format_units
from fairlead.models.rules import Bounds, Candidates, Capacity, Duplicated, Total
from fairlead.models.rules.capacity import amount_of, demands, graded_room
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import shortfall_of
from fairlead.models.source import Source
from fairlead.models.workload import Workload


class Block(NamedTuple):
    """Why something is not possible, in the user's words, and where that was declared."""

    reason: str
    source: Source | None = None


def no_more(
    problem: Problem,
    workload: Workload,
    cluster: str,
    replicas: int,
    *,
    aside: Literal["maximum", "room"] | None = None,
) -> Block | None:
    """Return why a candidate can never hold more than it holds; None where no single rule says so."""
    if not workload.replicas:
        return Block("it is scaled to 0", workload.source)
    copies = workload.rule(Duplicated)
    if copies is not None and replicas >= copy_on(copies, workload, cluster):
        return Block(f"a full copy is {replicas}", copies.source)
    bounds = workload.rule(Bounds) or Bounds()
    most = bounds.maximum.get(cluster)
    if most is not None and replicas >= most.replicas and aside != "maximum":
        return Block(f"at its maximum of {most.replicas}", most.source)
    candidates = workload.rule(Candidates)
    if candidates and cluster in candidates.held_only and replicas >= workload.current.get(cluster, 0):
        exclusion = candidates.held_only[cluster]
        return Block(f"it takes no new replicas: {exclusion.reason}", exclusion.source)
    if workload.rule(Total) is not None and replicas >= workload.replicas:
        return Block(f"it holds all {workload.replicas} already" if replicas > 1 else "it holds the only one")
    wanted = replicas + 1 if copies is None else copy_on(copies, workload, cluster)
    short = shortfall_of(workload, cluster, wanted, problem.allowances)
    if short is not None:
        return Block(*short)
    if aside != "room" and any(isinstance(rule, Capacity) for rule in problem.rules):
        return _no_room(problem, workload, problem.cluster_by_name[cluster], replicas)
    return None


def no_less(workload: Workload, cluster: str, replicas: int) -> Block | None:
    """Return why a candidate can never hold less than it holds; None where no single rule says so."""
    if not replicas:
        return Block("it holds none")
    copies = workload.rule(Duplicated)
    if copies is not None and not copies.choice:
        return Block("every eligible cluster holds a full copy", copies.source)
    bounds = workload.rule(Bounds) or Bounds()
    least = bounds.minimum.get(cluster)
    if least and cluster not in bounds.where_held and replicas <= least.replicas:
        return Block(f"at its minimum of {least.replicas}", least.source)
    return None


def most_that_fit(problem: Problem, workload: Workload, cluster: Cluster) -> int | None:
    """Return how many replicas fit on a cluster that is emptied of all else; None where nothing limits it."""
    rooms = [
        problem.limits.get((cluster.name, resource), 0) // need
        for resource, need in (demands(workload, cluster) if cluster.free is not None else {}).items()
    ]
    graded = graded_room(workload, cluster)
    return min([*rooms, *([] if graded is None else [graded])], default=None)


def _no_room(problem: Problem, workload: Workload, cluster: Cluster, replicas: int) -> Block | None:
    """Say what runs out where even an otherwise empty cluster holds no more."""
    most = most_that_fit(problem, workload, cluster)
    if most is None or replicas < most:
        return None
    graded = graded_room(workload, cluster)
    if graded is not None and replicas >= graded:
        return Block(f"its nodes fit {graded}", cluster.source)
    limits: Mapping[tuple[str, str], int] = problem.limits
    needs = demands(workload, cluster)
    scarce = min(sorted(needs), key=lambda each: limits.get((cluster.name, each), 0) // needs[each])
    if cluster.free is not None and scarce not in cluster.free:
        return Block(f"it offers no {scarce}", cluster.source)
    whole = amount_of(scarce, limits.get((cluster.name, scarce), 0))
    need = format_units(scarce, needs[scarce])
    return Block(f"at capacity ({whole} in total, {need} per replica)", cluster.source)
