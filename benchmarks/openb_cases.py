"""The openb trace as a problem: all its pods at once on eight clusters, which fills 98 % of the GPUs.

``data/openb.yaml.gz`` holds the manifests that `examples/openb/convert.py` makes of the trace (Apache License
2.0; see there). All phases count, failed pods as well, so that the clusters are nearly full. Make it again by

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
CONVERTER = HERE.parent / "examples" / "openb" / "convert.py"


def openb(deviation: Deviation = Deviation.WEBSTER) -> Problem:
    """Load the trace."""
    text = gzip.decompress(DATA.read_bytes()).decode()
    return replace(fairlead.load(io.StringIO(text)), levels=RATIO_ONLY, deviation=deviation)


def convert(nodes: Path, pods: Path) -> bytes:
    """Return the compressed manifests of the trace's two tables."""
    converter = runpy.run_path(str(CONVERTER))
    with nodes.open(newline="") as node_rows, pods.open(newline="") as pod_rows:
        documents = list(converter["clusters"](csv.DictReader(node_rows)))
        all_running = ({**row, "pod_phase": "Running"} for row in csv.DictReader(pod_rows))
        counted = converter["shapes"](all_running)
    documents += [converter["binding"](shape, replicas) for shape, replicas in sorted(counted.items())]
    text = to_yaml_stream(documents)
    return gzip.compress(text.encode(), mtime=0)


if __name__ == "__main__":
    DATA.write_bytes(convert(Path(sys.argv[1]), Path(sys.argv[2])))
