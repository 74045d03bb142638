"""KubeAdmiral's pipeline asked with parsed manifests, as its answers were recorded."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from fairlead.manifests.api import KUBEADMIRAL
from fairlead.manifests.api.kubeadmiral import FederatedCluster as Manifest
from fairlead.manifests.clusters import read_clusters
from fairlead.manifests.kubeadmiral.reading import (
    APPLIED_MIGRATION,
    AUTO_MIGRATION,
    entries,
    feedback_of,
    overridden,
    read_feedback,
    read_policy,
    section,
    text,
)
from fairlead.models.cluster import Cluster
from fairlead.solver.dispensers.kubeadmiral import schedule_unit
from fairlead.solver.dispensers.kubeadmiral.inputs import (
    PlannerInput,
    PlannerPreferences,
    SchedulingUnit,
    read_gpus,
)
from fairlead.solver.dispensers.kubeadmiral.planner import binpack, spread
from loaded import read_alone

_NAMES = frozenset(
    {
        "annotations",
        "autoMigrationInfo",
        "currentClusters",
        "customMigrationInfo",
        "federatedClusters",
        "object",
        "policy",
        "replicasSpec",
        "sourceType",
    }
)


def schedule(*, now: datetime | None = None, tie: str | None = None, **parameters: Any) -> dict[str, Any]:
    """Return the plan by cluster, None for the template's own number; or the error.

    Parameters
    ----------
    now
        The moment with a time zone, for evictions that end; None means the present one.
    tie
        Which cluster takes the rounding error of dynamic weights; None means the first that may.
    **parameters
        As for `read_unit`, and ``federatedClusters``: ``FederatedCluster`` objects.
    """
    unit = read_unit(**parameters)
    clusters = [read_cluster(document) for document in parameters.get("federatedClusters") or ()]
    answer = schedule_unit(unit, clusters, now or datetime.now(UTC), tie)
    if answer.error is not None:
        return {"error": answer.error}
    return {"plan": dict(answer.placement), "overflow": {}}


def read_unit(**parameters: Any) -> SchedulingUnit:
    """Return the object to schedule.

    Parameters
    ----------
    **parameters
        ``policy`` (its ``.spec``), ``object`` (the template), ``sourceType`` ({group, version, kind}; left
        out: from the object), ``replicasSpec`` (dotted path of the replicas; left out: ``spec.replicas``,
        empty: the kind has none), ``currentClusters`` ({name: replicas or None}), ``annotations`` of the
        federated object, ``autoMigrationInfo`` and ``customMigrationInfo`` (parsed; they win over the
        annotations that hold the same).
    """
    assert parameters.keys() <= _NAMES
    annotations = section(parameters, "annotations")
    template, metadata = section(parameters, "object"), section(parameters, "object", "metadata")
    api = _api(template, section(parameters, "sourceType"))
    path = parameters.get("replicasSpec", "spec.replicas")
    return SchedulingUnit(
        namespace=text(metadata, "namespace"),
        name=text(metadata, "name"),
        api=api,
        policy=overridden(read_policy(section(parameters, "policy")), annotations),
        replicas=_replicas(template, path) if path else None,
        replicas_path=path,
        current=dict(section(parameters, "currentClusters")),
        gpus=read_gpus(template, api),
        feedback=read_feedback(
            section(parameters, "autoMigrationInfo") or feedback_of(annotations, AUTO_MIGRATION),
            section(parameters, "customMigrationInfo") or feedback_of(annotations, APPLIED_MIGRATION),
        ),
    )


def _api(template: Mapping[str, Any], source: Mapping[str, Any]) -> tuple[str, str]:
    """Return apiVersion and kind."""
    if not source:
        return text(template, "apiVersion"), text(template, "kind")
    group, version = text(source, "group"), text(source, "version")
    return f"{group}/{version}" if group else version, text(source, "kind")


def _replicas(template: Mapping[str, Any], path: str) -> int | None:
    """Return the replicas under a dotted path of the template; None where there is no such field."""
    *parents, last = path.strip(".").split(".")
    return section(template, *parents).get(last)


def read_cluster(document: Mapping[str, Any]) -> Cluster:
    """Return a member cluster from a ``FederatedCluster`` object, read as any manifest is."""
    data = {"apiVersion": KUBEADMIRAL, "kind": "FederatedCluster", **document}
    return read_clusters([], [read_alone(data, Manifest)])[0]


PLANNERS = {"plan": spread, "binpack": binpack}


def plan(kind: str, **parameters: Any) -> dict[str, dict[str, int]]:
    """Divide replicas as one of the planners does, asked with the names that KubeAdmiral gives things."""
    division = PLANNERS[kind](_question(parameters))
    return {"plan": dict(division.plan), "overflow": dict(division.overflow)}


def _question(parameters: Mapping[str, Any]) -> PlannerInput:
    preferences = {
        name: PlannerPreferences(
            each.get("weight") or 0, each.get("minReplicas") or 0, each.get("maxReplicas")
        )
        for name, each in section(parameters, "clusters").items()
    }
    return PlannerInput(
        preferences=preferences,
        total=parameters.get("totalReplicas") or 0,
        available=tuple(entries(parameters, "availableClusters")),
        current=dict(section(parameters, "currentReplicaCount")),
        estimated=dict(section(parameters, "estimatedCapacity")),
        limited=dict(section(parameters, "limitedCapacity")),
        scheduled=dict(section(parameters, "scheduledReplicas")),
        key=text(parameters, "replicaSetKey"),
        avoid_disruption=bool(parameters.get("avoidDisruption")),
        keep_unschedulable=bool(parameters.get("keepUnschedulableReplicas")),
    )
