"""Short spellings for KubeAdmiral's manifests: functions that return them as dicts, for `load`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from builders import Manifest, taint

API = "core.kubeadmiral.io/v1alpha1"
PREFIX = "kubeadmiral.io/"
SCHEDULER = PREFIX + "global-scheduler"


def member(
    name: str,
    cpu: str | None = "10",
    *,
    labels: Mapping[str, str] | None = None,
    taints: Sequence[str] = (),
    joined: str = "True",
    ready: str = "True",
    deleting: bool = False,
    kinds: Sequence[tuple[str, str, str]] = (("apps", "v1", "Deployment"),),
    **available: str,
) -> Manifest:
    """Return a FederatedCluster of 100 cores of which some are free; cpu None leaves the resources out."""
    metadata: Manifest = {"name": name, "labels": dict(labels or {})}
    if deleting:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    status: Manifest = {
        "conditions": [{"type": "Joined", "status": joined}, {"type": "Ready", "status": ready}],
        "apiResourceTypes": [{"group": g, "version": v, "kind": k} for g, v, k in kinds],
    }
    if cpu is not None:
        status["resources"] = {"allocatable": {"cpu": "100"}, "available": {"cpu": cpu, **available}}
    spec = {"taints": [taint(one) for one in taints]}
    return {
        "apiVersion": API,
        "kind": "FederatedCluster",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def members(count: int, cpu: str | None = "10") -> list[Manifest]:
    """Return clusters member1, member2, ... that are all alike."""
    return [member(f"member{number}", cpu) for number in range(1, count + 1)]


def policy(name: str = "web", *, federal: bool = False, **spec: Any) -> Manifest:
    """Return a propagation policy of the namespace default, or of the federation; it divides."""
    metadata = {"name": name} if federal else {"name": name, "namespace": "default"}
    kind = "ClusterPropagationPolicy" if federal else "PropagationPolicy"
    return {
        "apiVersion": API,
        "kind": kind,
        "metadata": metadata,
        "spec": {"schedulingMode": "Divide", **spec},
    }


def policy_from(text: str, **spec: Any) -> Manifest:
    """Return the policy default/web with a spec as the documentation prints it."""
    return policy(**{**yaml.safe_load(text), **spec})


def entry(cluster: str, **preferences: int) -> Manifest:
    """Return one entry of a placement list."""
    return {"cluster": cluster, "preferences": preferences} if preferences else {"cluster": cluster}


def web(
    replicas: int = 10,
    cpu: str | None = "1",
    *,
    labels: Mapping[str, str] | None = None,
    marks: Mapping[str, Any] | None = None,
) -> Manifest:
    """Return the Deployment default/web that names the policy default/web; marks are its annotations."""
    requests = {} if cpu is None else {"cpu": cpu}
    container = {"name": "web", "resources": {"requests": requests}}
    named = {PREFIX + "propagation-policy-name": "web"} if labels is None else dict(labels)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "web",
            "namespace": "default",
            "labels": named,
            "annotations": _annotations(marks),
        },
        "spec": {"replicas": replicas, "template": {"spec": {"containers": [container]}}},
    }


def _annotations(marks: Mapping[str, Any] | None) -> dict[str, str]:
    """Return annotations; what is no text is written as JSON."""
    return {
        PREFIX + key: value if isinstance(value, str) else json.dumps(value)
        for key, value in (marks or {}).items()
    }


def federated(
    template: Manifest,
    current: Mapping[str, int | None] | None = None,
    *,
    marks: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Manifest:
    """Return the FederatedObject of a workload; a current number of None has no override."""
    held = dict(current or {})
    patched = [
        {"cluster": name, "patches": [{"op": "replace", "path": "/spec/replicas", "value": count}]}
        for name, count in held.items()
        if count is not None
    ]
    spec: Manifest = {"template": template}
    if held:
        spec["placements"] = [{"controller": SCHEDULER, "placement": [{"cluster": name} for name in held]}]
    if patched:
        spec["overrides"] = [{"controller": SCHEDULER, "clusters": patched}]
    name = template["metadata"]["name"]
    named = template["metadata"].get("labels", {}) if labels is None else dict(labels)
    metadata = {
        "name": f"{name}-deployments.apps",
        "namespace": template["metadata"].get("namespace", "default"),
        "labels": named,
        "annotations": _annotations(marks),
    }
    return {"apiVersion": API, "kind": "FederatedObject", "metadata": metadata, "spec": spec}
