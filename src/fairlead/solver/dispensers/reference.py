"""fairlead's own greedy: one workload after the other, each placed exactly, capacity deducted.

The floor and the first hint of every solve. Workloads go by priority, then by size, then by name; a workload
that does not fit any more is left unplaced as a whole.
"""

from collections.abc import Mapping

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import demands
from fairlead.models.workload import Workload
from fairlead.solver.boxes import box_of, has_box
from fairlead.solver.choosing import choose
from fairlead.solver.exact import allocate


def place(problem: Problem) -> Placement:
    """Place all workloads greedily.

    Parameters
    ----------
    problem
        The question.

    Returns
    -------
    Placement
        Workloads that found no valid placement hold nothing.
    """
    available = dict(problem.limits)
    held = {workload.key: _usage(workload, problem, workload.current) for workload in problem.workloads}
    placed: dict[str, Mapping[str, int]] = {}
    _take(available, *held.values())
    for workload in sorted(problem.workloads, key=lambda each: _turn(each, problem)):
        _give(available, held[workload.key])
        boxed = box_of(workload, problem, available) if has_box(workload) else None
        answer = None
        if boxed is not None:
            answer = allocate(workload, problem, boxed) or choose(workload, problem, boxed)
        placed[workload.key] = answer or {}
        _take(available, _usage(workload, problem, placed[workload.key]))
    return Placement(placed)


Usage = Mapping[tuple[str, str], int]


def _usage(workload: Workload, problem: Problem, replicas: Mapping[str, int]) -> Usage:
    """Return what replicas of a workload use by cluster and resource."""
    used: dict[tuple[str, str], int] = {}
    for name, count in replicas.items():
        cluster = problem.cluster_by_name.get(name)
        if cluster is None or cluster.free is None or not count:
            continue
        for resource, need in demands(workload, cluster).items():
            used[name, resource] = need * count
    return used


def _take(available: dict[tuple[str, str], int], *usages: Usage) -> None:
    """Deduct what is used."""
    for usage in usages:
        for spot, amount in usage.items():
            available[spot] = available.get(spot, 0) - amount


def _give(available: dict[tuple[str, str], int], usage: Usage) -> None:
    """Give back what a workload held before."""
    for spot, amount in usage.items():
        available[spot] = available.get(spot, 0) + amount


def _turn(workload: Workload, problem: Problem) -> tuple[int, float, str]:
    """Return the place in the queue: priority, share of the scarcest resource, name."""
    offered = problem.offered
    shares = [
        need * workload.replicas / offered[resource]
        for resource, need in workload.requests.items()
        if offered.get(resource)
    ]
    return -workload.priority, -max(shares, default=0.0), workload.key
