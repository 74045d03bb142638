"""The fleet of the examples, made as large as is wanted: every namespace several times, clusters larger."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import yaml

from fairlead.models.quantity import parse_quantity
from places import EXAMPLES

Manifest = dict[str, Any]


def grown(times: int) -> Iterator[Manifest]:
    """Yield the manifests of the fleet with so many times its workloads and the capacity of its clusters."""
    for file in sorted((EXAMPLES / "fleet").glob("*.yaml")):
        for manifest in yaml.safe_load_all(file.read_text()):
            if manifest["kind"] == "Cluster":
                yield _larger(manifest, times)
            else:
                yield from (_renamed(manifest, number) for number in range(times))


def _larger(cluster: Manifest, times: int) -> Manifest:
    """Return a cluster with so many times the capacity."""
    found = deepcopy(cluster)
    offered = found["status"]["resourceSummary"]["allocatable"]
    offered.update({name: str(int(parse_quantity(amount) * times)) for name, amount in offered.items()})
    return found


def _renamed(manifest: Manifest, number: int) -> Manifest:
    """Return a manifest in a namespace of its own."""
    found = deepcopy(manifest)
    namespace = f"{manifest['metadata']['namespace']}-{number:02}"
    found["metadata"]["namespace"] = namespace
    if "resource" in found["spec"]:
        found["spec"]["resource"]["namespace"] = namespace
    return found
