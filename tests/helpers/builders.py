"""Short spellings for manifests: functions that return them as dicts, for `fairlead.load`."""

from collections.abc import Mapping, Sequence
from typing import Any

Manifest = dict[str, Any]
Affinity = str | Sequence[str] | Mapping[str, Any]


def cluster(
    name: str,
    cpu: str | int | None = None,
    memory: str | int | None = None,
    pods: str | int | None = None,
    *,
    provider: str = "",
    region: str = "",
    zones: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
    taints: Sequence[str] = (),
    kinds: Sequence[str] | None = ("apps/v1 Deployment", "batch/v1 Job"),
    allocated: Mapping[str, str | int] | None = None,
    allocating: Mapping[str, str | int] | None = None,
    deleting: bool = False,
    **resources: str | int,
) -> Manifest:
    """Return a Karmada Cluster.

    Without any resource its capacity is unknown. A taint is written ``key=value:NoSchedule`` or
    ``key:NoExecute``, a kind ``apps/v1 Deployment``; `kinds` None leaves the list of kinds out.
    """
    offered = {"cpu": cpu, "memory": memory, "pods": pods, **resources}
    summary: Manifest = {
        "allocatable": {key: value for key, value in offered.items() if value is not None},
        "allocated": dict(allocated or {}),
        "allocating": dict(allocating or {}),
    }
    metadata: Manifest = {"name": name, "labels": dict(labels or {})}
    if deleting:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    status: Manifest = {"resourceSummary": summary} if summary["allocatable"] else {}
    if kinds is not None:
        status["apiEnablements"] = [_enablement(kind) for kind in kinds]
    spec = {
        "provider": provider,
        "region": region,
        "zones": list(zones),
        "taints": [taint(one) for one in taints],
    }
    return {
        "apiVersion": "cluster.karmada.io/v1alpha1",
        "kind": "Cluster",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def taint(text: str) -> Manifest:
    """Read ``key=value:effect``."""
    mark, _, effect = text.partition(":")
    key, _, value = mark.partition("=")
    return {"key": key, "value": value, "effect": effect}


def _enablement(text: str) -> Manifest:
    """Read ``apps/v1 Deployment``."""
    version, kind = text.split()
    return {"groupVersion": version, "resources": [{"kind": kind, "name": f"{kind.lower()}s"}]}


def clusters(count: int, **common: Any) -> list[Manifest]:
    """Return clusters member1, member2, ... that are all alike."""
    return [cluster(f"member{number}", **common) for number in range(1, count + 1)]


def deployment(
    name: str = "nginx",
    replicas: int | None = 10,
    cpu: str | int | None = None,
    memory: str | int | None = None,
    *,
    namespace: str = "default",
    labels: Mapping[str, str] | None = None,
    kind: str = "Deployment",
    api_version: str = "apps/v1",
    pod: Mapping[str, Any] | None = None,
    marks: Mapping[str, str] | None = None,
) -> Manifest:
    """Return a workload with one container; `pod` replaces the whole pod spec, `marks` are annotations."""
    requests = {key: value for key, value in {"cpu": cpu, "memory": memory}.items() if value is not None}
    container = {"name": name, "image": f"{name}:1", "resources": {"requests": requests}}
    spec: Manifest = {"template": {"spec": {"containers": [container]} if pod is None else dict(pod)}}
    if replicas is not None:
        spec["parallelism" if kind == "Job" else "replicas"] = replicas
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": _metadata(name, namespace, labels, marks),
        "spec": spec,
    }


def _metadata(
    name: str, namespace: str, labels: Mapping[str, str] | None = None, marks: Mapping[str, str] | None = None
) -> Manifest:
    """Return the metadata of an object."""
    metadata: Manifest = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = dict(labels)
    if marks:
        metadata["annotations"] = dict(marks)
    return metadata


def affinity(target: Affinity) -> Manifest:
    """Return a ClusterAffinity: of one name, of several names, or as it is."""
    if isinstance(target, str):
        return {"clusterNames": [target]}
    return dict(target) if isinstance(target, Mapping) else {"clusterNames": list(target)}


def static(*terms: tuple[Affinity, int], **constraint: Any) -> Manifest:
    """Return a placement with static weights: ``static(("member1", 2), (["member2", "member3"], 1))``.

    What else is given bounds the clusters: ``minReplicas``, ``maxReplicas``, ``clusterConstraintTerms``.
    """
    weights = [{"targetCluster": affinity(target), "weight": weight} for target, weight in terms]
    return divided({"staticWeightList": weights} if weights else {}, **constraint)


def dynamic(**constraint: Any) -> Manifest:
    """Return a placement that divides by available replicas, with bounds as for `static`."""
    return divided({"dynamicWeight": "AvailableReplicas"}, **constraint)


def divided(preference: Manifest, **constraint: Any) -> Manifest:
    """Return a placement that divides replicas by a weightPreference."""
    bounds = {"clusterConstraint": constraint} if constraint else {}
    return {
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Weighted",
            "weightPreference": {**preference, **bounds},
        }
    }


def duplicated() -> Manifest:
    """Return a placement that puts all replicas into every cluster."""
    return {"replicaScheduling": {"replicaSchedulingType": "Duplicated"}}


def term(target: Affinity, low: int | None = None, high: int | None = None) -> Manifest:
    """Return a term of clusterConstraintTerms."""
    bounds = {"minReplicas": low, "maxReplicas": high}
    return {
        "targetCluster": affinity(target),
        **{key: value for key, value in bounds.items() if value is not None},
    }


def selector(
    name: str = "", *, kind: str = "Deployment", api_version: str = "apps/v1", **more: Any
) -> Manifest:
    """Return a resourceSelector."""
    named = {"name": name} if name else {}
    return {"apiVersion": api_version, "kind": kind, **named, **more}


def policy(
    name: str = "nginx",
    placement: Mapping[str, Any] | None = None,
    *,
    selects: Sequence[Mapping[str, Any]] | None = None,
    namespace: str = "default",
    federal: bool = False,
    **spec: Any,
) -> Manifest:
    """Return a PropagationPolicy (a ClusterPropagationPolicy if `federal`) for all deployments.

    `selects` are other resource selectors; what else is given goes into the spec.
    """
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "ClusterPropagationPolicy" if federal else "PropagationPolicy",
        "metadata": _metadata(name, "" if federal else namespace),
        "spec": {
            "resourceSelectors": [dict(one) for one in selects or [selector()]],
            "placement": dict(placement or {}),
            **spec,
        },
    }


def claimed(name: str, namespace: str = "default") -> dict[str, str]:
    """Return the annotations of a resource that a policy (without namespace: a cluster policy) claims."""
    if not namespace:
        return {"clusterpropagationpolicy.karmada.io/name": name}
    return {
        "propagationpolicy.karmada.io/name": name,
        "propagationpolicy.karmada.io/namespace": namespace,
    }


def binding(
    name: str = "nginx",
    replicas: int | None = 10,
    current: Mapping[str, int] | None = None,
    placement: Mapping[str, Any] | None = None,
    *,
    cpu: str | int | None = None,
    memory: str | int | None = None,
    kind: str = "Deployment",
    api_version: str = "apps/v1",
    namespace: str = "default",
    labels: Mapping[str, str] | None = None,
    marks: Mapping[str, str] | None = None,
    status: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Manifest:
    """Return the ResourceBinding of a workload (a ClusterResourceBinding without namespace).

    `current` says how many replicas run where; what else is given goes into the spec.
    """
    requests = {key: value for key, value in {"cpu": cpu, "memory": memory}.items() if value is not None}
    filled: Manifest = {
        "replicas": replicas,
        "replicaRequirements": {"resourceRequest": requests} if requests else None,
        "clusters": [{"name": one, "replicas": held} for one, held in (current or {}).items()],
        "placement": None if placement is None else dict(placement),
    }
    resource = {"apiVersion": api_version, "kind": kind, "namespace": namespace, "name": name}
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding" if namespace else "ClusterResourceBinding",
        "metadata": _metadata(f"{name}-{kind.lower()}", namespace, labels, marks),
        "spec": {
            "resource": resource,
            **{key: value for key, value in filled.items() if value is not None},
            **spec,
        },
        "status": dict(status or {}),
    }
