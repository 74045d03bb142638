"""The two questions one can ask with parsed manifests, under the names that KubeAdmiral gives things."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from fairlead.models.errors import UsageError
from fairlead.solver.dispensers.kubeadmiral.annotations import (
    AUTO_MIGRATION,
    CUSTOM_MIGRATION,
    NO_SCHEDULING,
    feedback_of,
    overridden,
)
from fairlead.solver.dispensers.kubeadmiral.binpack import binpack
from fairlead.solver.dispensers.kubeadmiral.documents import Document, section, text
from fairlead.solver.dispensers.kubeadmiral.inputs import Division, PlannerInput, SchedulingUnit
from fairlead.solver.dispensers.kubeadmiral.planner import spread
from fairlead.solver.dispensers.kubeadmiral.reading import (
    read_cluster,
    read_feedback,
    read_gpus,
    read_policy,
    read_question,
    read_replicas,
)
from fairlead.solver.dispensers.kubeadmiral.scheduling import schedule_unit

PLANNERS: Mapping[str, Callable[[PlannerInput], Division]] = MappingProxyType(
    {"plan": spread, "binpack": binpack}
)

_PLANNER_NAMES = frozenset(
    {
        "availableClusters",
        "avoidDisruption",
        "clusters",
        "currentReplicaCount",
        "estimatedCapacity",
        "keepUnschedulableReplicas",
        "limitedCapacity",
        "replicaSetKey",
        "scheduledReplicas",
        "totalReplicas",
    }
)
_PIPELINE_NAMES = frozenset(
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


def plan(kind: str = "plan", **parameters: Any) -> dict[str, dict[str, int]]:
    """Divide replicas as one of KubeAdmiral's planners does.

    Parameters
    ----------
    kind
        ``plan`` for the strategy Spread, ``binpack`` for Binpack.
    **parameters
        ``totalReplicas``, ``availableClusters`` (names, in order of filling for Binpack), ``clusters``
        ({name: {weight, minReplicas, maxReplicas}}, ``*`` for all others), ``currentReplicaCount``,
        ``estimatedCapacity``, ``limitedCapacity``, ``scheduledReplicas`` ({name: replicas}),
        ``replicaSetKey``, ``avoidDisruption``, ``keepUnschedulableReplicas``. What is left out is empty, 0
        or false.

    Returns
    -------
    dict
        ``plan`` and ``overflow`` by cluster; zeros in the plan are kept.

    Raises
    ------
    UsageError
        Where the kind or a parameter is unknown.
    UnsupportedError
        Where negative weights make the real planner run for ever.
    """
    if kind not in PLANNERS:
        raise UsageError(f"no planner {kind!r}; known: {', '.join(sorted(PLANNERS))}")
    _refuse_unknown(parameters, _PLANNER_NAMES)
    division = PLANNERS[kind](read_question(parameters))
    return {"plan": dict(division.plan), "overflow": dict(division.overflow)}


def schedule(*, now: datetime | None = None, tie: str | None = None, **parameters: Any) -> dict[str, Any]:
    """Schedule one object as KubeAdmiral does, from parsed manifests.

    Parameters
    ----------
    now
        The moment with a time zone, for evictions that end; None means the present one.
    tie
        Which cluster takes the rounding error of dynamic weights; None means the first that may.
    **parameters
        As for `read_unit`, and ``federatedClusters``: ``FederatedCluster`` objects.

    Returns
    -------
    dict
        ``plan`` by cluster, None for the template's own number, and an empty ``overflow``, which the
        pipeline has added to the plan already; or ``error`` where nothing could be scheduled.

    Raises
    ------
    UsageError
        Where a parameter is unknown, or feedback in an annotation is no JSON object.
    UnsupportedError
        Where negative dynamic weights make the real planner run for ever.
    """
    unit = read_unit(**parameters)
    if (parameters.get("annotations") or {}).get(NO_SCHEDULING):
        return {"plan": dict(unit.current), "overflow": {}}
    clusters = [read_cluster(document) for document in parameters.get("federatedClusters") or ()]
    answer = schedule_unit(unit, clusters, now or datetime.now(UTC), tie)
    if answer.error is not None:
        return {"error": answer.error}
    return {"plan": dict(answer.placement), "overflow": {}}


def read_unit(**parameters: Any) -> SchedulingUnit:
    """Return the object to schedule from parsed manifests.

    Parameters
    ----------
    **parameters
        ``policy`` (its ``.spec``), ``object`` (the template), ``sourceType`` ({group, version, kind}; left
        out: from the object), ``replicasSpec`` (dotted path of the replicas; left out: ``spec.replicas``,
        empty: the kind has none), ``currentClusters`` ({name: replicas or None}), ``annotations`` of the
        federated object, ``autoMigrationInfo`` and ``customMigrationInfo`` (parsed; they win over the
        annotations that hold the same).

    Returns
    -------
    SchedulingUnit
        With everything that annotations override.

    Raises
    ------
    UsageError
        Where a parameter is unknown, or feedback in an annotation is no JSON object.
    """
    _refuse_unknown(parameters, _PIPELINE_NAMES)
    annotations = section(parameters, "annotations")
    template, metadata = section(parameters, "object"), section(parameters, "object", "metadata")
    group, version, kind = _api(template, section(parameters, "sourceType"))
    path = parameters.get("replicasSpec", "spec.replicas")
    return SchedulingUnit(
        namespace=text(metadata, "namespace"),
        name=text(metadata, "name"),
        api=(group, version, kind),
        policy=overridden(read_policy(section(parameters, "policy")), annotations),
        replicas=read_replicas(template, path) if path else None,
        replicas_path=path,
        current=dict(section(parameters, "currentClusters")),
        gpus=read_gpus(template, group, kind),
        feedback=read_feedback(
            section(parameters, "autoMigrationInfo") or feedback_of(annotations, AUTO_MIGRATION),
            section(parameters, "customMigrationInfo") or feedback_of(annotations, CUSTOM_MIGRATION),
        ),
    )


def _api(template: Document, source: Document) -> tuple[str, str, str]:
    """Return group, version and kind."""
    if source:
        return text(source, "group"), text(source, "version"), text(source, "kind")
    group, _, version = text(template, "apiVersion").rpartition("/")
    return group, version, text(template, "kind")


def _refuse_unknown(parameters: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = sorted(set(parameters) - known)
    if unknown:
        raise UsageError(f"unknown: {', '.join(unknown)}; known: {', '.join(sorted(known))}")
