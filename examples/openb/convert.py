"""Convert the Alibaba openb GPU trace (2023) into Karmada manifests: eight clusters by GPU model.

The trace was published with "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation
Gradient Descent" (USENIX ATC 2023) under the Apache License 2.0: tables of nodes and pods,
here as ``nodes.csv`` (sn, cpu_milli, memory_mib, gpu, model) and ``pods.csv`` (name, cpu_milli, memory_mib,
num_gpu, gpu_milli, gpu_spec, qos, pod_phase, ...).

Nodes of one GPU model become one member cluster with their capacity summed, CPU-only nodes another. Pods of
one shape and QoS class become one workload, divided by available replicas. Shared GPUs count in thousandths
of a GPU (``openb.example/gpu-milli``), as in the trace.

    python convert.py nodes.csv pods.csv --workloads 12 > manifests.yaml
"""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from fairlead.manifests.yaml.scalars import to_yaml_stream

GPU = "openb.example/gpu-milli"
PODS_PER_NODE = 110
TOLD = "Clusters by GPU model, and the most frequent workloads, of the Alibaba openb GPU trace."


class Shape(NamedTuple):
    """What one pod of a workload needs, and its QoS class."""

    cpu_milli: int
    memory_mib: int
    gpu_milli: int
    qos: str

    @property
    def name(self) -> str:
        """Return a name that is valid in Kubernetes and tells the shape."""
        gpu = f"-g{self.gpu_milli}" if self.gpu_milli else ""
        return f"{self.qos.lower()}-c{self.cpu_milli}-m{self.memory_mib}{gpu}"


def clusters(rows: Iterable[dict[str, str]]) -> Iterator[dict[str, Any]]:
    """Sum the nodes of every GPU model to one Karmada Cluster, in name order."""
    sums: dict[str, Counter[str]] = {}
    for row in rows:
        total = sums.setdefault(row["model"].lower() or "cpu", Counter())
        total.update(cpu=int(row["cpu_milli"]), memory=int(row["memory_mib"]), gpu=int(row["gpu"]), nodes=1)
    for model, total in sorted(sums.items()):
        allocatable = {
            "cpu": f"{total['cpu']}m",
            "memory": f"{total['memory']}Mi",
            "pods": str(PODS_PER_NODE * total["nodes"]),
        }
        if total["gpu"]:
            allocatable[GPU] = str(1000 * total["gpu"])
        yield {
            "apiVersion": "cluster.karmada.io/v1alpha1",
            "kind": "Cluster",
            "metadata": {"name": f"openb-{model}", "labels": {"gpu-model": model}},
            "spec": {"provider": "alibaba", "region": "openb"},
            "status": {
                "apiEnablements": [
                    {"groupVersion": "apps/v1", "resources": [{"kind": "Deployment", "name": "deployments"}]}
                ],
                "nodeSummary": {"totalNum": total["nodes"], "readyNum": total["nodes"]},
                "resourceSummary": {"allocatable": allocatable},
            },
        }


def shapes(rows: Iterable[dict[str, str]]) -> Counter[Shape]:
    """Count the pods of every shape and QoS class; failed and finished pods need no place."""
    return Counter(
        Shape(
            int(row["cpu_milli"]),
            int(row["memory_mib"]),
            int(row["num_gpu"]) * int(row["gpu_milli"]),
            row["qos"],
        )
        for row in rows
        if row["pod_phase"] in ("Running", "Pending")
    )


def binding(shape: Shape, replicas: int) -> dict[str, Any]:
    """Make the ResourceBinding of one workload, divided by available replicas."""
    requests = {"cpu": f"{shape.cpu_milli}m", "memory": f"{shape.memory_mib}Mi"}
    if shape.gpu_milli:
        requests[GPU] = str(shape.gpu_milli)
    resource = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "openb", "name": shape.name}
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {"name": f"{shape.name}-deployment", "namespace": "openb"},
        "spec": {
            "resource": resource,
            "replicas": replicas,
            "replicaRequirements": {"resourceRequest": requests},
            "placement": {
                "replicaScheduling": {
                    "replicaSchedulingType": "Divided",
                    "replicaDivisionPreference": "Weighted",
                    "weightPreference": {"dynamicWeight": "AvailableReplicas"},
                }
            },
        },
    }


def main() -> None:
    """Read the two tables and write a stream of manifests."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("nodes", type=Path)
    parser.add_argument("pods", type=Path)
    parser.add_argument("--workloads", type=int, default=None, help="only the most frequent shapes")
    arguments = parser.parse_args()
    with arguments.nodes.open(newline="") as nodes, arguments.pods.open(newline="") as pods:
        documents = list(clusters(csv.DictReader(nodes)))
        counted = shapes(csv.DictReader(pods))
    frequent = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[: arguments.workloads]
    documents += [binding(shape, replicas) for shape, replicas in sorted(frequent)]
    sys.stdout.write(f"# {TOLD}\n{to_yaml_stream(documents)}")


if __name__ == "__main__":
    main()
