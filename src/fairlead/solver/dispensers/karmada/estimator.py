"""How many replicas can still be added to a cluster: the scheduler's general estimator."""

from collections.abc import Mapping

from fairlead.models.cluster import CPU, PODS
from fairlead.solver.dispensers.karmada.inputs import (
    NANO,
    MemberCluster,
    Quantities,
    ResourceModel,
    ResourceSummary,
)
from fairlead.solver.dispensers.karmada.integers import LARGEST, wrapped

_MILLI = NANO // 1000
_PODS_OF_A_NODE = 110


def estimate(cluster: MemberCluster, requests: Quantities | None) -> int:
    """Return the replicas that a cluster can take.

    Parameters
    ----------
    cluster
        The cluster.
    requests
        Request per replica; None where the workload states none, so that only pods count.

    Returns
    -------
    int
        From 0 to 2^31 - 1, which stands for no limit.
    """
    pods = cluster.available if cluster.available is not None else _free_pods(cluster.resources)
    if pods <= 0:
        return 0
    if requests is None:
        return wrapped(pods)
    positive = {resource: amount for resource, amount in requests.items() if amount > 0}
    if cluster.models and cluster.resources is not None:
        return wrapped(min(pods, _by_models(cluster.models, positive)))
    if cluster.resources is not None:
        return wrapped(min(pods, _by_summary(cluster.resources, positive)))
    return wrapped(pods)


def allocation(estimated: int, replicas: int) -> int:
    """Return the capacity that the scheduler works with.

    Parameters
    ----------
    estimated
        What `estimate` says.
    replicas
        Replicas to be scheduled.

    Returns
    -------
    int
        With 0 replicas the largest 32-bit integer, whatever the estimate: adding to it wraps round later on,
        a known fault. Else the estimate, and `replicas` where it knows no limit.
    """
    if replicas == 0:
        return LARGEST
    return replicas if estimated == LARGEST else min(estimated, LARGEST)


def _free_pods(summary: ResourceSummary | None) -> int:
    if summary is None:
        return 0
    parts = (summary.allocatable, summary.allocated, summary.allocating)
    allocatable, allocated, allocating = (_units(PODS, part.get(PODS, 0)) for part in parts)
    return allocatable - allocated - allocating


def _by_summary(summary: ResourceSummary, requests: Mapping[str, int]) -> int:
    """Return how many requests fit into what is left of the cluster as a whole."""
    room = LARGEST
    for resource, amount in requests.items():
        if resource not in summary.allocatable:
            return 0
        used = summary.allocated.get(resource, 0) + summary.allocating.get(resource, 0)
        left = _units(resource, summary.allocatable[resource] - used)
        if left <= 0:
            return 0
        room = min(room, left // _units(resource, amount))
    return room


def _by_models(models: tuple[ResourceModel, ...], requests: Mapping[str, int]) -> int:
    """Return how many requests fit onto the nodes of all grades, each with its grade's minimum.

    The scheduler places them first-fit one by one; equal replicas fill every node, so counting per node gives
    the same. A resource that the grade does not name is not there.
    """
    return sum(model.count * _on_node(model.minimum, requests) for model in models)


def _on_node(minimum: Quantities, requests: Mapping[str, int]) -> int:
    counts = (
        _units(resource, minimum.get(resource, 0)) // _units(resource, amount)
        for resource, amount in requests.items()
    )
    return min(_PODS_OF_A_NODE, *counts) if requests else _PODS_OF_A_NODE


def _units(resource: str, amount: int) -> int:
    """Return an amount in whole units, rounded up: millicores of cpu, else base units.

    The scheduler rounds what is free up as well, so it may count on a part of a unit that is not there.
    """
    unit = _MILLI if resource == CPU else NANO
    return -(-amount // unit)
