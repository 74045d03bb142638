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
import runpy
import sys
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
CONVERTER = HERE.parent / "examples" / "openb" / "convert.py"


def openb(deviation: Deviation = Deviation.WEBSTER) -> Problem:
    """Load the trace."""
    text = gzip.decompress(DATA.read_bytes()).decode()
    return replace(fairlead.load(io.StringIO(text)), levels=RATIO_ONLY, deviation=deviation)


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
