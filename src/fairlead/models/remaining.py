"""What is left of the clusters once a placement stands."""

from collections.abc import Mapping

from fairlead.models.cluster import Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import demands
from fairlead.models.rules.quota import Allowance, left
from fairlead.models.workload import Workload

Remaining = Mapping[tuple[str, str], int]
"""What is left by cluster and resource: millicores of cpu, whole units of anything else."""


def remaining(problem: Problem, placement: Placement) -> Remaining:
    """Return what all workloads together leave of every cluster.

    Negative where a dispenser asked for more than there is. Clusters of unknown capacity are absent.
    """
    left = dict(problem.limits)
    for workload in problem.workloads:
        for name, replicas in placement.of(workload.key).items():
            cluster = problem.cluster_by_name.get(name)
            if cluster is None or cluster.free is None:
                continue
            for resource, need in demands(workload, cluster).items():
                left[name, resource] = left.get((name, resource), 0) - need * replicas
    return left


def left_by_quotas(problem: Problem, placement: Placement) -> tuple[Allowance, ...]:
    """Return what all workloads together leave of every quota; negative where they ask for too much."""
    return tuple(Allowance(each.rule, left(each.rule, problem, placement)) for each in problem.allowances)


def more_replicas(workload: Workload, cluster: Cluster, left: Remaining) -> int | None:
    """Return how many more replicas of a workload fit into what is left; None where nothing limits it."""
    scarce = scarcest(workload, cluster, left)
    if scarce is None:
        return None
    return max(0, left.get((cluster.name, scarce), 0) // demands(workload, cluster)[scarce])


def scarcest(workload: Workload, cluster: Cluster, left: Remaining) -> str | None:
    """Return the resource that runs out first for a workload; None where nothing limits it."""
    if cluster.free is None:
        return None
    needs = demands(workload, cluster)
    fits = {resource: left.get((cluster.name, resource), 0) // need for resource, need in needs.items()}
    return min(sorted(fits), key=fits.__getitem__, default=None)
