"""The openb trace as a problem: all its pods at once on eight clusters, which fills 98 % of the GPUs.

``data/openb.yaml.gz`` holds the manifests that `examples/openb/convert.py` makes of the trace (Apache License
2.0; see there). All phases count, failed pods as well, so that the clusters are nearly full.
``data/openb-arrivals.txt.gz`` names the workloads of all pods in the order in which they were created. Make
both again by

    python benchmarks/openb_cases.py nodes.csv pods.csv
"""

import csv
import gzip
import io
import random
import runpy
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

from batch_cases import RATIO_ONLY

import fairlead
from fairlead.manifests.yaml.scalars import to_yaml_stream
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem

HERE = Path(__file__).parent
DATA = HERE / "data" / "openb.yaml.gz"
ARRIVALS = HERE / "data" / "openb-arrivals.txt.gz"
FILLED = 0.98
CONVERTER = HERE.parent / "examples" / "openb" / "convert.py"


def openb(deviation: Deviation = Deviation.WEBSTER) -> Problem:
    """Load the trace."""
    text = gzip.decompress(DATA.read_bytes()).decode()
    return replace(fairlead.load(io.StringIO(text)), levels=RATIO_ONLY, deviation=deviation)


def redrawn(deviation: Deviation, seed: int) -> Problem:
    """Return as many pods drawn anew from those of the trace: another list with the same kinds of pods.

    Of the resource that is asked for most 98 % are asked for, as in the trace; so what runs out differs.
    """
    problem = openb(deviation)
    chance = random.Random(seed)
    pods = chance.choices(arrivals(), k=2 * len(arrivals()))
    offered, asked = Counter[str](), Counter[str]()
    for cluster in problem.clusters:
        offered.update(cluster.free or {})
    requests = {workload.name: workload.requests for workload in problem.workloads}
    counts = Counter[str]()
    for name in pods:
        asked.update(requests[name])
        if any(amount > FILLED * offered[resource] for resource, amount in asked.items()):
            break
        counts[name] += 1
    workloads = tuple(
        replace(workload, replicas=counts[workload.name])
        for workload in problem.workloads
        if counts[workload.name]
    )
    return replace(problem, workloads=workloads)


def arrivals() -> list[str]:
    """Return the workload of every pod of the trace, in the order in which pods were created."""
    return gzip.decompress(ARRIVALS.read_bytes()).decode().split()


def convert(nodes: Path, pods: Path) -> tuple[bytes, bytes]:
    """Return the compressed manifests and arrivals of the trace's two tables."""
    converter = runpy.run_path(str(CONVERTER))
    with nodes.open(newline="") as node_rows, pods.open(newline="") as pod_rows:
        documents = list(converter["clusters"](csv.DictReader(node_rows)))
        rows = [{**row, "pod_phase": "Running"} for row in csv.DictReader(pod_rows)]
    documents += [
        converter["binding"](shape, replicas) for shape, replicas in sorted(converter["shapes"](rows).items())
    ]
    rows.sort(key=lambda row: int(row["creation_time"]))
    names = [shape.name for row in rows for shape in converter["shapes"]([row])]
    return _compressed(to_yaml_stream(documents)), _compressed("\n".join(names) + "\n")


def _compressed(text: str) -> bytes:
    """Return a text compressed, the same bytes at any time."""
    return gzip.compress(text.encode(), mtime=0)


if __name__ == "__main__":
    for file, content in zip((DATA, ARRIVALS), convert(Path(sys.argv[1]), Path(sys.argv[2])), strict=True):
        file.write_bytes(content)
