"""The problems that are measured, each made from a seed."""

import random
from typing import Any

from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload

GIBIBYTE = 2**30


def single(clusters: int, seed: int, *, greatest_weight: int = 5) -> Problem:
    """Make one workload with static weights, bounds and capacity; ten replicas for every cluster."""
    chance = random.Random(seed)
    members = tuple(
        Cluster(
            f"member{number:05d}",
            free={
                "cpu": chance.randint(5_000, 100_000),
                "memory": chance.randint(10, 400) * GIBIBYTE,
                "pods": 200,
            },
        )
        for number in range(clusters)
    )
    names = tuple(member.name for member in members)
    bounds = Bounds(
        {name: Bound(chance.randint(0, 3)) for name in names},
        {name: Bound(chance.randint(8, 40)) for name in names},
    )
    weights = Weights({name: chance.randint(1, greatest_weight) for name in names})
    rules = (Candidates(names), Total(), bounds, weights)
    requests = {"cpu": 100, "memory": GIBIBYTE // 4}
    workload = Workload("bench/web", "web", 10 * clusters, "bench", requests=requests, rules=rules)
    return Problem(members, (workload,), (Capacity(),))


def stream(clusters: int, bindings: int, seed: int) -> str:
    """Make the text of one `kubectl get clusters,rb -o yaml`, about 5 KB an object."""
    from fairlead.manifests.yaml.scalars import to_yaml

    chance = random.Random(seed)
    names = [f"member{number:04d}" for number in range(clusters)]
    items = [_cluster(name, chance) for name in names]
    items += [_binding(f"app-{number:04d}", names, chance) for number in range(bindings)]
    return to_yaml({"apiVersion": "v1", "kind": "List", "items": items})


def _cluster(name: str, chance: random.Random) -> dict[str, object]:
    """Make a cluster with the conditions and API enablements that a real one shows."""
    kinds = [f"Kind{number}" for number in range(60)] + ["Deployment"]
    return {
        "apiVersion": "cluster.karmada.io/v1alpha1",
        "kind": "Cluster",
        "metadata": {
            "name": name,
            "labels": {"tier": chance.choice(["gold", "silver"])},
            "uid": f"uid-{name}",
        },
        "spec": {
            "provider": "aws",
            "region": f"region-{chance.randint(1, 9)}",
            "zones": ["a", "b"],
            "syncMode": "Push",
        },
        "status": {
            "apiEnablements": [
                {
                    "groupVersion": "apps/v1",
                    "resources": [{"kind": kind, "name": kind.lower() + "s"} for kind in kinds],
                }
            ],
            "conditions": [
                {"type": "Ready", "status": "True", "reason": "ClusterReady", "message": "cluster is healthy"}
            ],
            "resourceSummary": {
                "allocatable": {
                    "cpu": str(chance.randint(50, 900)),
                    "memory": f"{chance.randint(100, 4000)}Gi",
                    "pods": "2000",
                },
                "allocated": {"cpu": f"{chance.randint(1000, 40000)}m", "memory": "50Gi", "pods": "300"},
            },
        },
    }


def _binding(name: str, names: list[str], chance: random.Random) -> dict[str, object]:
    """Make a binding with a placement copy, targets and their reported state."""
    targets = sorted(chance.sample(names, min(20, len(names))))
    terms: list[dict[str, Any]] = [
        {
            "targetCluster": {"clusterNames": chance.sample(names, min(20, len(names)))},
            "weight": chance.randint(1, 9),
        }
        for _ in range(3)
    ]
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {"name": f"{name}-deployment", "namespace": "bench", "uid": f"uid-{name}"},
        "spec": {
            "resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "bench", "name": name},
            "replicas": 2 * len(targets),
            "replicaRequirements": {"resourceRequest": {"cpu": "250m", "memory": "512Mi"}},
            "clusters": [{"name": target, "replicas": 2} for target in targets],
            "placement": {
                "clusterAffinity": {
                    "clusterNames": sorted(
                        {name for term in terms for name in term["targetCluster"]["clusterNames"]}
                    )
                },
                "replicaScheduling": {
                    "replicaSchedulingType": "Divided",
                    "replicaDivisionPreference": "Weighted",
                    "weightPreference": {"staticWeightList": terms},
                },
            },
        },
        "status": {
            "aggregatedStatus": [
                {"clusterName": target, "applied": True, "health": "Healthy"} for target in targets
            ]
        },
    }
