"""A batch as Karmada's manifests, for the dispenser that stands in for Karmada's scheduler."""

from typing import Any

from answers import NotApplicableError

import fairlead
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Total, Weights
from fairlead.models.workload import Workload


def as_karmada_reads_it(problem: Problem) -> Problem:
    """Return the same problem as it is loaded from manifests; what came from manifests is returned as it is.

    Raises
    ------
    NotApplicableError
        Where a workload has more than candidates, a total and static weights.
    """
    if all(workload.declared is not None for workload in problem.workloads):
        return problem
    documents = [_cluster(cluster) for cluster in problem.clusters]
    documents += [_binding(workload) for workload in problem.workloads]
    return fairlead.load(documents)


def _cluster(cluster: Cluster) -> dict[str, Any]:
    """Write a cluster down with what it has free."""
    if cluster.free is None or "pods" in cluster.free:
        raise NotApplicableError("only clusters of known capacity, pods left aside, are written as manifests")
    free = {
        resource: f"{amount}m" if resource == "cpu" else str(amount)
        for resource, amount in cluster.free.items()
    }
    return {
        "apiVersion": "cluster.karmada.io/v1alpha1",
        "kind": "Cluster",
        "metadata": {"name": cluster.name},
        "status": {
            "apiEnablements": [
                {"groupVersion": "apps/v1", "resources": [{"kind": "Deployment", "name": "deployments"}]}
            ],
            "resourceSummary": {"allocatable": {**free, "pods": "1000000000"}},
        },
    }


def _binding(workload: Workload) -> dict[str, Any]:
    """Write a workload down with a static weight for every candidate."""
    candidates, weights = workload.rule(Candidates), workload.rule(Weights)
    plain = all(isinstance(rule, Candidates | Total | Weights) for rule in workload.rules)
    if not plain or candidates is None or weights is None or weights.dynamic or workload.current:
        raise NotApplicableError(f"{workload.key} has rules that are not written as manifests")
    terms = [
        {"targetCluster": {"clusterNames": [name]}, "weight": weights.weights[name]}
        for name in candidates.names
    ]
    requests = {
        resource: f"{need}m" if resource == "cpu" else str(need)
        for resource, need in workload.requests.items()
    }
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {"name": f"{workload.name}-deployment", "namespace": workload.namespace},
        "spec": {
            "resource": {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "namespace": workload.namespace,
                "name": workload.name,
            },
            "replicas": workload.replicas,
            "replicaRequirements": {"resourceRequest": requests},
            "placement": {
                "clusterAffinity": {"clusterNames": list(candidates.names)},
                "replicaScheduling": {
                    "replicaSchedulingType": "Divided",
                    "replicaDivisionPreference": "Weighted",
                    "weightPreference": {"staticWeightList": terms},
                },
            },
        },
    }
