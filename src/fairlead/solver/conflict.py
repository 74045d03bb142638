"""Conflicts that need no solver: rules of one workload that cannot hold together.

Where every rule of a workload bounds single clusters or their total, a conflict is one of four: nothing is a
candidate, a cluster needs more than it may hold, the minima add up to more than the total, or all candidates
together can hold less than the total.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Duplicated,
    bounds,
    candidates,
    capacity,
    duplicated,
)
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.statement import Conflict, Statement
from fairlead.models.workload import Workload
from fairlead.solver.boxes import WorkloadBox, boxes_of, room_left
from fairlead.solver.group_conflict import group_conflict, wanted_total


def conflicts(problem: Problem, boxes: Mapping[str, WorkloadBox] | None = None) -> tuple[Conflict, ...]:
    """Return a conflict for every workload that no placement of its own can satisfy.

    Parameters
    ----------
    problem
        The question. Workloads that only fail together, because they share capacity, are not found here.
    boxes
        Boxes by workload key, as `boxes_of` makes them; None means that they are made here.

    Returns
    -------
    tuple of Conflict
        In the order of the workloads; leaving out any one statement of a conflict resolves it.
    """
    found = boxes_of(problem) if boxes is None else boxes
    each = (_conflict(problem.workload(key), problem, boxed) for key, boxed in found.items())
    return tuple(conflict for conflict in each if conflict is not None)


def _conflict(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Conflict | None:
    """Return why one workload cannot be placed, where that is easily seen."""
    if boxed.box.feasible:
        return group_conflict(workload, boxed)
    return Conflict(tuple(_explain(workload, problem, boxed)))


def _explain(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Iterator[Statement]:
    """Say which rules make the box of a workload empty."""
    crossed = _crossed(workload, boxed)
    if crossed is not None:
        yield from _crossing(workload, problem, crossed)
    elif not boxed.names:
        yield from _no_candidate(workload)
    elif int(boxed.box.lower.sum()) > boxed.box.total:
        yield wanted_total(workload)
        yield from _largest_minima(workload)
    else:
        yield wanted_total(workload)
        for cluster in boxed.names:
            yield _limits(workload, problem, problem.cluster_by_name[cluster])
        rule = workload.rule(Candidates)
        if rule and rule.excluded:
            yield Statement(candidates.KIND, candidates.summarise(rule), None, workload.key)


def _crossed(workload: Workload, boxed: WorkloadBox) -> str | None:
    """Return the first cluster that needs more than it may hold; None where there is none.

    A minimum over the total is a conflict with the total, not with what the cluster may hold.
    """
    lower, upper = boxed.box.lower, boxed.box.upper
    wrong = lower > upper
    if workload.rule(Duplicated) is None:
        wrong &= lower <= workload.replicas
    found = np.flatnonzero(wrong)
    return boxed.names[int(found[0])] if found.size else None


def _crossing(workload: Workload, problem: Problem, cluster: str) -> Iterator[Statement]:
    """Say what a cluster needs, and what keeps it from holding that."""
    copies, rule = workload.rule(Duplicated), workload.rule(Bounds) or Bounds()
    least = rule.minimum[cluster].replicas if cluster in rule.minimum else 0
    if copies is not None and least > copy_on(copies, workload, cluster):
        yield bounds.describe_minimum(rule, workload, cluster)
        yield duplicated.describe(copies, workload, cluster)
        return
    if copies is not None:
        yield duplicated.describe(copies, workload, cluster)
    else:
        yield bounds.describe_minimum(rule, workload, cluster)
    yield _limits(workload, problem, problem.cluster_by_name[cluster])


def _no_candidate(workload: Workload) -> Iterator[Statement]:
    """Say that no cluster is open to the workload."""
    yield wanted_total(workload)
    rule = workload.rule(Candidates) or Candidates(())
    yield Statement(candidates.KIND, candidates.summarise(rule), workload.source, workload.key)


def _limits(workload: Workload, problem: Problem, cluster: Cluster) -> Statement:
    """Say what keeps a cluster from holding more: the tightest of bound, taint and room."""
    rule, names = workload.rule(Bounds) or Bounds(), workload.rule(Candidates) or Candidates(())
    tightest = [(room_left(workload, cluster, problem.limits), 2)]
    if cluster.name in rule.maximum:
        tightest.append((rule.maximum[cluster.name].replicas, 0))
    if cluster.name in names.held_only:
        tightest.append((workload.current.get(cluster.name, 0), 1))
    match min(tightest)[1]:
        case 0:
            return bounds.describe_maximum(rule, workload, cluster.name)
        case 1:
            return candidates.describe(names, workload, cluster.name)
        case _:
            return capacity.describe(workload, cluster)


def _largest_minima(workload: Workload) -> Iterator[Statement]:
    """Return the fewest minima that add up to more than the total, the largest first."""
    rule = workload.rule(Bounds) or Bounds()
    left = workload.replicas
    binding = [name for name in rule.minimum if name not in rule.where_held]
    for cluster in sorted(binding, key=lambda name: (-rule.minimum[name].replicas, name)):
        yield bounds.describe_minimum(rule, workload, cluster)
        left -= rule.minimum[cluster].replicas
        if left < 0:
            return
