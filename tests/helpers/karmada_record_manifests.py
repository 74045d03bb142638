"""Recorded problems of the real Karmada scheduler, written as the manifests they came from."""

from typing import Any

from builders import Manifest
from karmada_records import Record

NAME = "web"
KEY = f"default/{NAME}"
_API = {"groupVersion": "apps/v1", "resources": [{"kind": "Deployment", "name": "deployments"}]}
_OTHER_API = {"groupVersion": "v1", "resources": [{"kind": "ConfigMap", "name": "configmaps"}]}


def manifests(problem: Record) -> list[Manifest]:
    """Return clusters and binding; where the webhook's defaults are still to come, also the policy.

    The placement of a binding has passed the webhook, that of a policy in a file has not.
    """
    placement = problem["placement"]
    found = [_cluster(each) for each in problem["clusters"] or ()]
    if not problem.get("defaulting"):
        return [*found, _binding(problem, {"placement": placement})]
    selects = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": NAME}]
    policy = {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "PropagationPolicy",
        "metadata": {"name": NAME, "namespace": "default"},
        "spec": {"resourceSelectors": selects, "placement": placement},
    }
    return [*found, policy, _binding(problem, {})]


def _binding(problem: Record, more: Manifest) -> Manifest:
    """Return the binding; a rebalance that is due was triggered after the last schedule."""
    previous = sorted((problem.get("previous") or {}).items())
    resource = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": NAME}
    spec: Manifest = {
        "resource": resource | ({"uid": problem["uid"]} if "uid" in problem else {}),
        "replicas": problem["replicas"],
        "clusters": [{"name": name, "replicas": replicas} for name, replicas in previous],
        "gracefulEvictionTasks": [{"fromCluster": name} for name in problem.get("evicting") or ()],
        **more,
    }
    if problem.get("workload", True):
        spec["replicaRequirements"] = {"resourceRequest": problem.get("requests") or {}}
    status: Manifest = {"lastScheduledTime": "2026-01-01T00:00:00Z"}
    if problem.get("mode") == "Fresh":
        spec["rescheduleTriggeredAt"] = "2026-01-02T00:00:00Z"
    if problem.get("observedAffinity"):
        status["schedulerObservingAffinityName"] = problem["observedAffinity"]
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {"name": f"{NAME}-deployment", "namespace": "default"},
        "spec": spec,
        "status": status,
    }


def _cluster(document: Record) -> Manifest:
    metadata: Manifest = {"name": document["name"], "labels": document["labels"]}
    if document.get("deleting"):
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    models = document.get("models") or ()
    spec: Manifest = {
        "provider": document["provider"],
        "region": document["region"],
        "zones": [document["zone"]] if document["zone"] else [],
        "taints": document["taints"],
        "resourceModels": [
            {
                "grade": each["grade"],
                "ranges": [{"name": name, "min": low} for name, low in each["min"].items()],
            }
            for each in models
        ],
    }
    summary = dict(document.get("resources") or _pods(document["available"]))
    if models:
        summary["allocatableModelings"] = [
            {"grade": each["grade"], "count": each["count"]} for each in models
        ]
    status: Manifest = {
        "apiEnablements": [_OTHER_API if document.get("noAPI") else _API],
        "resourceSummary": summary,
    }
    return {
        "apiVersion": "cluster.karmada.io/v1alpha1",
        "kind": "Cluster",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def _pods(available: int) -> dict[str, Any]:
    """Return a summary in which so many pods are free; less than none are more allocated than there are."""
    if available >= 0:
        return {"allocatable": {"pods": available}}
    return {"allocatable": {"pods": 0}, "allocated": {"pods": -available}}
