"""Objects of a Karmada control plane, as its API server returns them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Object = dict[str, Any]

DYNAMIC = {
    "replicaSchedulingType": "Divided",
    "replicaDivisionPreference": "Weighted",
    "weightPreference": {"dynamicWeight": "AvailableReplicas"},
}
APPLIED = "policy.karmada.io/applied-placement"
FULLY_APPLIED = {
    "type": "FullyApplied",
    "status": "True",
    "reason": "FullyAppliedSuccess",
    "message": "All works have been successfully applied",
    "lastTransitionTime": "2026-11-22T10:00:00Z",
}
"""What Karmada's controller writes beside the condition of a scheduler."""


def cluster(name: str, cpu: str = "100", **spec: Any) -> Object:
    """Return a cluster that is ready, with some cores free."""
    return {
        "apiVersion": "cluster.karmada.io/v1alpha1",
        "kind": "Cluster",
        "metadata": {"name": name, "labels": {}},
        "spec": {"syncMode": "Push", **spec},
        "status": {
            "apiEnablements": [
                {"groupVersion": "apps/v1", "resources": [{"kind": "Deployment", "name": "deployments"}]},
                {"groupVersion": "v1", "resources": [{"kind": "ConfigMap", "name": "configmaps"}]},
            ],
            "conditions": [{"type": "Ready", "status": "True", "reason": "ClusterReady"}],
            "resourceSummary": {
                "allocatable": {"cpu": cpu, "memory": "1000Gi", "pods": "5000"},
                "allocated": {"cpu": "0", "memory": "0", "pods": "0"},
            },
        },
    }


def static(weights: Mapping[str, int]) -> Object:
    """Return static weights of clusters."""
    listed = [
        {"targetCluster": {"clusterNames": [name]}, "weight": weight} for name, weight in weights.items()
    ]
    return {
        "replicaSchedulingType": "Divided",
        "replicaDivisionPreference": "Weighted",
        "weightPreference": {"staticWeightList": listed},
    }


def placement(scheduling: Object, names: Sequence[str] = ()) -> Object:
    """Return a placement over all clusters, or over some."""
    return {
        "clusterAffinity": {"clusterNames": list(names)} if names else {},
        "replicaScheduling": scheduling,
    }


def binding(
    name: str,
    replicas: int,
    *,
    namespace: str = "default",
    cpu: str = "500m",
    placed: Object | None = None,
    clusters: Mapping[str, int] | None = None,
    applied: bool = False,
    scheduler: str = "fairlead",
    **spec: Any,
) -> Object:
    """Return the binding of a Deployment.

    Parameters
    ----------
    placed
        Its placement; None divides by what is available on all clusters.
    clusters
        Where it runs.
    applied
        Whether it was scheduled by this placement.
    spec
        Further fields of its spec; None leaves one out.
    """
    asked = placement(DYNAMIC) if placed is None else placed
    annotations = {APPLIED: json.dumps(asked)} if applied else {}
    targets = [{"name": each, "replicas": count} for each, count in (clusters or {}).items()]
    filled = {"placement": asked, "schedulerName": scheduler, **spec}
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {
            "name": f"{name}-deployment",
            "namespace": namespace,
            "annotations": annotations,
            "labels": {"propagationpolicy.karmada.io/permanent-id": "1"},
            "managedFields": [{"manager": "karmada-controller-manager"}],
        },
        "spec": {
            "resource": {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "namespace": namespace,
                "name": name,
                "uid": f"uid-{name}",
            },
            "replicas": replicas,
            "replicaRequirements": {"resourceRequest": {"cpu": cpu, "memory": "1Gi"}},
            **({"clusters": targets} if targets else {}),
            **{name: value for name, value in filled.items() if value is not None},
        },
    }
