"""Which of the open clusters are taken: PrioritySort, then MaxCluster.

Known faults of the real program that are reproduced here: weights, minima, maxima, capacity and what runs
now play no part, so a limit on the clusters can drop one with a minimum, keep only clusters that are too
small, or move the whole workload when scores change.
"""

import math
from collections.abc import Mapping, Sequence

from fairlead.models.cluster import Cluster
from fairlead.solver.dispensers.kubeadmiral.arithmetic import divide, wrap
from fairlead.solver.dispensers.kubeadmiral.filters import matches_expressions, untolerated
from fairlead.solver.dispensers.kubeadmiral.inputs import CPU, GPU, MEMORY, SchedulingUnit

HIGHEST = 100

_RESOURCE_WEIGHTS = {CPU: 1, MEMORY: 1, GPU: 4}
_PREFER_NO_SCHEDULE = "PreferNoSchedule"


def scores(unit: SchedulingUnit, clusters: Sequence[Cluster]) -> dict[str, int]:
    """Return the score of every cluster that passed the filters.

    Raises
    ------
    SelectorError
        Where a preferred term has a wrong requirement.
    """
    tolerations = unit.policy.tolerations
    taints = [len(untolerated(cluster, tolerations, [_PREFER_NO_SCHEDULE])) for cluster in clusters]
    tolerance = [HIGHEST - part for part in _normalised(taints)]
    affinity = _normalised([_preference(unit, cluster) for cluster in clusters])
    return {
        cluster.name: tolerated + balanced(unit, cluster) + least_allocated(unit, cluster) + preferred
        for cluster, tolerated, preferred in zip(clusters, tolerance, affinity, strict=True)
    }


def _normalised(counts: Sequence[int]) -> list[int]:
    """Return counts as integer percentages of the largest; all 0 where the largest is none."""
    largest = max(counts, default=0)
    if largest <= 0:
        return [0] * len(counts)
    return [divide(wrap(HIGHEST * count), largest) for count in counts]


def _preference(unit: SchedulingUnit, cluster: Cluster) -> int:
    """Return the summed weights of the preferred terms that match; their fields are not looked at."""
    return sum(
        weight
        for weight, term in unit.policy.preferred
        if weight and matches_expressions(term.expressions, cluster)
    )


def least_allocated(unit: SchedulingUnit, cluster: Cluster) -> int:
    """Return the weighted mean of the free part of each resource, in percent; integers throughout."""
    total, weights = 0, 0
    for resource, (used, offered) in _usage(unit, cluster).items():
        weight = _RESOURCE_WEIGHTS[resource]
        weights += weight
        if offered != 0 and used <= offered:
            total += weight * divide(wrap((offered - used) * HIGHEST), offered)
    return divide(total, weights)


def balanced(unit: SchedulingUnit, cluster: Cluster) -> int:
    """Return 100 times one minus the standard deviation of the used parts; 0 where a resource is used up."""
    parts = [used / offered if offered else 1.0 for used, offered in _usage(unit, cluster).values()]
    if any(part >= 1 for part in parts):
        return 0
    if len(parts) == 2:
        deviation = abs((parts[0] - parts[1]) / 2)
    else:
        mean = sum(parts) / len(parts)
        deviation = math.sqrt(sum((part - mean) * (part - mean) for part in parts) / len(parts))
    return int((1 - deviation) * HIGHEST)


def _usage(unit: SchedulingUnit, cluster: Cluster) -> dict[str, tuple[int, int]]:
    """Return used and allocatable amounts: millicores, bytes, and GPUs where a pod requests some.

    Only the pod's GPUs are added to what is used; its cpu and memory are not known to the scheduler. Where
    more is free than allocatable, the real program stops subtracting at a random place; here that resource
    counts as used up.
    """
    amounts = {}
    for resource in _RESOURCE_WEIGHTS:
        if resource == GPU and unit.gpus is None:
            continue
        offered, free = ((told or {}).get(resource, 0) for told in (cluster.allocatable, cluster.free))
        used = offered if free > offered else wrap(offered - free)
        amounts[resource] = (wrap(used + (unit.gpus or 0)) if resource == GPU else used, offered)
    return amounts


class SelectionError(ValueError):
    """The limit on the clusters is negative, which KubeAdmiral's API does not refuse."""


def select(unit: SchedulingUnit, clusters: Sequence[Cluster], scores: Mapping[str, int]) -> list[Cluster]:
    """Return the clusters that are taken, best first, then by name.

    Parameters
    ----------
    unit
        The object. Any priority, and Binpack always, *replaces* the scores by the priorities; a cluster
        without one counts as 0.
    clusters
        Clusters that passed the filters.
    scores
        By cluster.

    Raises
    ------
    SelectionError
        Where the limit on the clusters is negative.
    """
    policy = unit.policy
    if policy.max_clusters is not None and policy.max_clusters < 0:
        raise SelectionError("max cluster is less than 0")
    by_priority = bool(policy.priorities) or (unit.divides and policy.binpack)
    ranks = policy.priorities if by_priority else scores
    ordered = sorted(clusters, key=lambda cluster: (-ranks.get(cluster.name, 0), cluster.name))
    return ordered[: policy.max_clusters]
