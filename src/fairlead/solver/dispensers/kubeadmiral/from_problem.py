"""From a workload of the problem to what KubeAdmiral's scheduler sees of it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fairlead.models.cluster import CPU, Cluster
from fairlead.models.declared import FederatedUnit
from fairlead.models.workload import Workload
from fairlead.solver.dispensers.kubeadmiral.entry import read_unit
from fairlead.solver.dispensers.kubeadmiral.inputs import FederatedCluster, SchedulingUnit


def unit_of(workload: Workload, declared: FederatedUnit) -> SchedulingUnit:
    """Return the object to schedule.

    Raises
    ------
    UsageError
        Where feedback in an annotation is no JSON object.
    """
    unit = read_unit(
        policy=_stored(declared.policy),
        object=declared.template,
        replicasSpec=declared.replicas_path,
        currentClusters=declared.current,
        annotations=declared.annotations,
    )
    return replace(unit, namespace=workload.namespace, name=workload.name, replicas=workload.replicas)


def _stored(policy: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a policy as the API server stores it: an absent ``avoidDisruption`` is true."""
    rescheduling = policy.get("reschedulePolicy") or {}
    replicas = rescheduling.get("replicaRescheduling") or {}
    if replicas.get("avoidDisruption") is not None:
        return policy
    moved = {**replicas, "avoidDisruption": True}
    return {**policy, "reschedulePolicy": {**rescheduling, "replicaRescheduling": moved}}


def members_of(clusters: Iterable[Cluster]) -> list[FederatedCluster]:
    """Return the clusters as KubeAdmiral describes them; one that tells no API is taken to serve none."""
    return [
        FederatedCluster(
            name=cluster.name,
            labels=cluster.labels,
            taints=cluster.taints,
            joined=cluster.joined,
            ready=cluster.ready,
            deleting=cluster.deleting,
            apis=frozenset(_api(*kind) for kind in cluster.api_kinds or ()),
            allocatable=_amounts(cluster.allocatable or {}),
            free=_amounts(cluster.free or {}),
        )
        for cluster in clusters
    ]


def _api(api_version: str, kind: str) -> tuple[str, str, str]:
    """Return group, version and kind; the core group has no name."""
    group, _, version = api_version.rpartition("/")
    return group, version, kind


def _amounts(units: Mapping[str, int]) -> dict[str, Fraction]:
    """Return whole units in cores, bytes and devices."""
    return {name: Fraction(units[name], 1000 if name == CPU else 1) for name in units}
