"""Capacity: what a cluster can take, shared by all workloads of the problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.cluster import PODS, Cluster
from fairlead.models.quantity import format_units
from fairlead.models.statement import Statement, Violation

if TYPE_CHECKING:
    from fairlead.models.placement import Placement
    from fairlead.models.problem import Problem
    from fairlead.models.workload import Workload

KIND = "capacity"


@dataclass(frozen=True, slots=True)
class Capacity:
    """No cluster is asked for more of a resource than it can give.

    For every cluster and resource, the requests of all replicas placed there add up to at most what is free
    now plus what the workloads of the problem hold there now. A cluster of unknown capacity has no limit; one
    that is overcommitted by others takes nothing new, and is not asked for more than nothing.
    """


def demands(workload: Workload, cluster: Cluster) -> Mapping[str, int]:
    """Return what one replica takes from a cluster by resource.

    Pods count where the cluster tells how many it can run. Resources without a positive request are left out.
    """
    needed = needs(workload)
    if cluster.free is None or PODS not in cluster.free:
        del needed[PODS]
    return needed


def needs(workload: Workload) -> dict[str, int]:
    """Return what one replica takes by resource, itself as a pod among them."""
    needed = {resource: need for resource, need in workload.requests.items() if need > 0}
    return {**needed, PODS: max(1, workload.requests.get(PODS, 1))}


def room(workload: Workload, cluster: Cluster) -> int | None:
    """Return how many replicas of one workload fit on a cluster before anything else is moved.

    Returns
    -------
    int or None
        ``floor(free / request) + replicas held now`` for the scarcest resource, at least 0; None where
        nothing limits it. A requested resource that the cluster does not list has nothing free.
    """
    if cluster.free is None:
        return None
    free = cluster.free
    fits = [free.get(resource, 0) // need for resource, need in demands(workload, cluster).items()]
    if not fits:
        return None
    return max(0, min(fits) + workload.current.get(cluster.name, 0))


def limits(problem: Problem) -> dict[tuple[str, str], int]:
    """Return what the workloads of a problem may use together, by cluster and resource.

    What is free now plus what they hold there now, at least 0; millicores of cpu, whole units of anything
    else. Clusters of unknown capacity are absent.
    """
    available = {
        (cluster.name, resource): amount
        for cluster in problem.clusters
        if cluster.free is not None
        for resource, amount in cluster.free.items()
    }
    for workload in problem.workloads:
        for name, held in workload.current.items():
            cluster = problem.cluster_by_name.get(name)
            if cluster is None or cluster.free is None:
                continue
            for resource, need in demands(workload, cluster).items():
                place = (name, resource)
                available[place] = available.get(place, 0) + need * held
    return {place: max(0, amount) for place, amount in available.items()}


def violations(_rule: Capacity, problem: Problem, placement: Placement) -> Iterator[Violation]:
    """List clusters and resources that are asked for more than there is."""
    available = problem.limits
    used: dict[tuple[str, str], int] = {}
    clusters = problem.cluster_by_name
    for workload in problem.workloads:
        needed = needs(workload)
        for name, replicas in placement.of(workload.key).items():
            free = clusters[name].free if name in clusters else None
            if free is None:
                continue
            for resource, need in needed.items():
                if resource != PODS or PODS in free:
                    place = (name, resource)
                    used[place] = used.get(place, 0) + need * replicas
    over = {place: amount - available.get(place, 0) for place, amount in used.items()}
    for place in sorted(place for place, amount in over.items() if amount > 0):
        name, resource = place
        asked, given = format_units(resource, used[place]), format_units(resource, available.get(place, 0))
        text = f"{name}: {asked} {resource} asked for, {given} available"
        yield Violation(KIND, text, over[place], clusters[name].source, None, name)


def describe(workload: Workload, cluster: Cluster) -> Statement:
    """Say in the user's words how many replicas of a workload a cluster has room for."""
    free = cluster.free or {}
    held = workload.current.get(cluster.name, 0)
    needed = demands(workload, cluster)
    scarce = min(sorted(needed), key=lambda resource: free.get(resource, 0) // needed[resource])
    amount, need = format_units(scarce, free.get(scarce, 0)), format_units(scarce, needed[scarce])
    detail = f"{scarce} {amount} free, {need} each" if scarce in free else f"it offers no {scarce}"
    holds = f", {held} held now" if held else ""
    text = f"{cluster.name} has room for {room(workload, cluster)} of {workload.key} ({detail}{holds})"
    return Statement(KIND, text, cluster.source, workload.key, cluster.name)
