"""Make the fleet of this folder: 60 workloads that run on 12 clusters, each where it is placed best.

    python examples/fleet/make.py

Everything is drawn with a fixed seed. What runs is what `fairlead.solve` answers, asked until nothing moves.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

import fairlead

FOLDER = Path(__file__).parent
REGIONS = {"eu-west": "aws", "eu-central": "aws", "us-east": "gcp", "ap-south": "gcp"}
CORES = (96, 64, 48)
"""Cores of the first, second and third cluster of a region; 4Gi of memory for each."""
GPUS = {"eu-west-1": 12, "us-east-1": 12}
NAMES = ("api", "web", "auth", "cache", "gateway", "indexer", "ingest", "mailer", "scorer", "worker")
TIMES = 3
"""How often everything is placed until nothing moves any more."""
NAMESPACES = ("data", "ml", "payments", "platform", "search", "shop")

Manifest = dict[str, Any]


def clusters() -> Iterator[Manifest]:
    """Yield the clusters."""
    for region, provider in REGIONS.items():
        for number, cores in enumerate(CORES, start=1):
            name = f"{region}-{number}"
            allocatable = {"cpu": str(cores), "memory": f"{4 * cores}Gi", "pods": "1100"}
            if name in GPUS:
                allocatable["nvidia.com/gpu"] = str(GPUS[name])
            kinds = [
                {"kind": "Deployment", "name": "deployments"},
                {"kind": "StatefulSet", "name": "statefulsets"},
            ]
            yield {
                "apiVersion": "cluster.karmada.io/v1alpha1",
                "kind": "Cluster",
                "metadata": {"name": name, "labels": {"pool": "gpu" if name in GPUS else "general"}},
                "spec": {"provider": provider, "region": region, "zones": [f"{name}a"]},
                "status": {
                    "conditions": [{"type": "Ready", "status": "True"}],
                    "apiEnablements": [{"groupVersion": "apps/v1", "resources": kinds}],
                    "resourceSummary": {"allocatable": allocatable},
                },
            }


def in_region(*regions: str) -> Manifest:
    """Return what selects clusters by their region."""
    where = {"key": "region", "operator": "In", "values": list(regions)}
    return {"fieldSelector": {"matchExpressions": [where]}}


def divided(preference: str, **weights: Any) -> Manifest:
    """Return how replicas are divided."""
    scheduling = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": preference}
    return {"replicaScheduling": scheduling | ({"weightPreference": weights} if weights else {})}


DYNAMIC = divided("Weighted", dynamicWeight="AvailableReplicas")
STATIC = divided(
    "Weighted",
    staticWeightList=[
        {"targetCluster": in_region("eu-west"), "weight": 2},
        {"targetCluster": in_region("eu-central"), "weight": 1},
    ],
)
PLACEMENTS: dict[str, Manifest] = {
    "data": {"clusterAffinity": in_region("eu-west", "eu-central"), **divided("Aggregated")},
    "ml": {"clusterAffinity": {"labelSelector": {"matchLabels": {"pool": "gpu"}}}, **DYNAMIC},
    "payments": {"clusterAffinity": in_region("eu-west", "eu-central"), **STATIC},
    "platform": {
        "clusterAffinity": {"clusterNames": [f"{region}-1" for region in REGIONS]},
        "replicaScheduling": {"replicaSchedulingType": "Duplicated"},
    },
    "search": {
        "clusterAffinity": {"clusterNames": [f"{region}-{n}" for region in REGIONS for n in (1, 2, 3)]},
        **DYNAMIC,
    },
    "shop": {
        "spreadConstraints": [
            {"spreadByField": "region", "minGroups": 2, "maxGroups": 3},
            {"spreadByField": "cluster", "minGroups": 2, "maxGroups": 5},
        ],
        **DYNAMIC,
    },
}


def policies() -> Iterator[Manifest]:
    """Yield a policy for every namespace."""
    for namespace, placement in PLACEMENTS.items():
        kind = "StatefulSet" if namespace == "data" else "Deployment"
        yield {
            "apiVersion": "policy.karmada.io/v1alpha1",
            "kind": "PropagationPolicy",
            "metadata": {"name": namespace, "namespace": namespace},
            "spec": {"resourceSelectors": [{"apiVersion": "apps/v1", "kind": kind}], "placement": placement},
        }


def bindings(rng: random.Random) -> Iterator[Manifest]:
    """Yield the workloads, none of which runs yet."""
    for namespace in NAMESPACES:
        for name in NAMES:
            replicas = rng.choice((2, 3, 4, 6, 8, 12, 16))
            request = {
                "cpu": rng.choice(("250m", "500m", "1")),
                "memory": rng.choice(("512Mi", "1Gi", "2Gi")),
            }
            if namespace == "ml":
                replicas, request = rng.choice((1, 2, 2, 3)), request | {"nvidia.com/gpu": "1"}
            if namespace == "platform":
                replicas = rng.choice((1, 2, 3))
            kind = "StatefulSet" if namespace == "data" else "Deployment"
            yield {
                "apiVersion": "work.karmada.io/v1alpha2",
                "kind": "ResourceBinding",
                "metadata": {"name": f"{name}-{kind.lower()}", "namespace": namespace},
                "spec": {
                    "resource": {"apiVersion": "apps/v1", "kind": kind, "namespace": namespace, "name": name},
                    "replicas": replicas,
                    "replicaRequirements": {"resourceRequest": request},
                    "placement": PLACEMENTS[namespace],
                },
            }


def running(manifests: list[Manifest], here: list[Manifest]) -> None:
    """Write into every binding where the workload runs: where it is placed first, and then comes to rest."""
    for _ in range(TIMES):
        outcome = fairlead.solve(fairlead.load([*here, *manifests]), time_limit=40)
        for manifest in manifests:
            resource = manifest["spec"]["resource"]
            found = (
                outcome.placement[f"{resource['namespace']}/{resource['name']}"] if outcome.placement else {}
            )
            placed = [{"name": name, "replicas": count} for name, count in found.items()]
            manifest["spec"]["clusters"] = placed


def write(name: str, about: str, manifests: list[Manifest]) -> None:
    """Write manifests into a file, short values on one line."""
    text = yaml.safe_dump_all(manifests, default_flow_style=None, sort_keys=False, width=120)
    (FOLDER / name).write_text(f"# {about}\n{text}", encoding="utf-8")


def main() -> None:
    """Make all files of the fleet."""
    rng = random.Random(12)  # noqa: S311 - a fixed fleet
    here, rules, workloads = list(clusters()), list(policies()), list(bindings(rng))
    running(workloads, [*here, *rules])
    write("clusters.yaml", "Twelve clusters in four regions, three in each; GPUs in two of them.", here)
    write("policies.yaml", "How the workloads of each namespace are divided.", rules)
    write(
        "workloads.yaml",
        "Sixty workloads that run on twelve clusters, six namespaces of ten each.",
        workloads,
    )


if __name__ == "__main__":
    main()
