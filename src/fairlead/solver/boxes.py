"""One workload as a box: a lower and an upper number of replicas by candidate, and a total.

Rules that only bound single clusters (bounds, capacity of a workload alone, full copies) end here; the exact
allocation then needs nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.models.cluster import PODS, Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Duplicated, Moves, Total, Weights
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.workload import Workload
from fairlead.solver.marginal import Box

Available = Mapping[tuple[str, str], int]
"""What is left by cluster and resource, in the resource's unit; absent means no limit."""

BOX_RULES = (Bounds, Candidates, Duplicated, Moves, Total, Weights)


@dataclass(frozen=True, slots=True)
class WorkloadBox:
    """The box of one workload.

    Parameters
    ----------
    names
        Candidates in name order; the arrays have this order.
    box
        Fewest and most replicas by candidate and the total. Under Duplicated the total is that of all copies.
    """

    names: tuple[str, ...]
    box: Box


def is_box(workload: Workload) -> bool:
    """Tell whether all rules of a workload fit a box."""
    return all(isinstance(rule, BOX_RULES) for rule in workload.rules)


def box_of(workload: Workload, problem: Problem, available: Available) -> WorkloadBox:
    """Return the box of a workload.

    Parameters
    ----------
    workload
        The workload; `is_box` must hold.
    problem
        Where it belongs.
    available
        What the workload may use, including what it holds now. Without a `Capacity` rule in the problem it
        is not looked at.
    """
    candidates = workload.rule(Candidates)
    names = candidates.names if candidates else tuple(problem.cluster_by_name)
    lower = _lower(workload, names)
    upper = _upper(workload, names)
    if any(isinstance(rule, Capacity) for rule in problem.rules):
        upper = np.minimum(upper, _rooms(workload, problem, names, available))
    total = workload.replicas if workload.rule(Duplicated) is None else workload.replicas * len(names)
    return WorkloadBox(names, Box(lower, upper, total))


def boxes_of(problem: Problem) -> dict[str, WorkloadBox]:
    """Return the box of every workload whose rules fit one, as if it had all shared capacity for itself."""
    return {
        workload.key: box_of(workload, problem, problem.limits)
        for workload in problem.workloads
        if is_box(workload)
    }


def _lower(workload: Workload, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the fewest replicas by candidate."""
    if workload.rule(Duplicated) is not None:
        return np.full(len(names), workload.replicas, dtype=np.int64)
    lower = np.zeros(len(names), dtype=np.int64)
    bounds = workload.rule(Bounds)
    if bounds and bounds.minimum and workload.replicas:
        least = {cluster: bound.replicas for cluster, bound in bounds.minimum.items()}
        lower[:] = [least.get(name, 0) for name in names]
    return lower


def _upper(workload: Workload, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the most replicas by candidate, capacity left aside."""
    upper = np.full(len(names), workload.replicas, dtype=np.int64)
    bounds = workload.rule(Bounds)
    if bounds and bounds.maximum:
        most = {cluster: bound.replicas for cluster, bound in bounds.maximum.items()}
        upper = np.minimum(upper, [most.get(name, workload.replicas) for name in names])
    candidates = workload.rule(Candidates)
    if candidates and candidates.held_only:
        kept = {name: workload.current.get(name, 0) for name in candidates.held_only}
        upper = np.minimum(upper, [kept.get(name, workload.replicas) for name in names])
    return upper


def _rooms(
    workload: Workload, problem: Problem, names: tuple[str, ...], available: Available
) -> NDArray[np.int64]:
    """Return how many replicas the resources of each candidate can take, at most the workload's replicas."""
    free = [problem.cluster_by_name[name].free for name in names]
    known = np.array([each is not None for each in free], dtype=bool)
    rooms = np.full(len(names), workload.replicas, dtype=np.int64)
    for resource, need in needs(workload).items():
        limited = known
        if resource == PODS:
            limited = np.array([each is not None and PODS in each for each in free], dtype=bool)
        left = np.array([available.get((name, resource), 0) for name in names], dtype=np.int64)
        rooms = np.where(limited, np.minimum(rooms, left // need), rooms)
    return np.maximum(rooms, 0)


def room_left(workload: Workload, cluster: Cluster, available: Available) -> int:
    """Return how many replicas of a workload fit into what is left of a cluster; at most all of them."""
    most = workload.replicas
    if cluster.free is None:
        return most
    for resource, need in demands(workload, cluster).items():
        most = min(most, available.get((cluster.name, resource), 0) // need)
    return max(0, most)
