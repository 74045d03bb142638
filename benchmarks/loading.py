"""Measure loading against the bare parsers, json.loads and libyaml, each pair in a process of its own.

    python benchmarks/loading.py              # a tenth of a million static weights
    python benchmarks/loading.py --full       # a million, 85 MB of JSON

CPU time counts, not the clock, so that what else runs on the machine matters less. The imports are left out.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trend import Ratio

CLUSTERS = 100


@dataclass(frozen=True, slots=True)
class Bar:
    """Most that loading may take: times the bare parser, and mebibytes of the whole process."""

    times: float
    mebibytes: int


BARS = {"json": Bar(3.5, 2048), "parsed": Bar(3.5, 2048), "yaml": Bar(1.3, 2048)}


def measure_loading(ratios: list[Ratio], *, full: bool) -> list[str]:
    """Load bindings with a hundred static weights each from JSON, from parsed documents and from YAML."""
    bindings = 10_000 if full else 1_000
    print(f"\n{bindings:,} bindings with {CLUSTERS} static weights each, CPU time:")
    with tempfile.TemporaryDirectory() as folder:
        text, yaml_text = Path(folder) / "all.json", Path(folder) / "all.yaml"
        text.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(_items(bindings))}))
        yaml_text.write_text("".join(_as_yaml(_items(min(bindings, 1_000)))))
        return [
            failure
            for way, file in (("json", text), ("parsed", text), ("yaml", yaml_text))
            for failure in _judge(way, *_in_process(way, file), ratios)
        ]


def _judge(way: str, bare: float, loading: float, mebibytes: float, ratios: list[Ratio]) -> Iterator[str]:
    """Print what was measured, and return where that is more than allowed."""
    bar, times = BARS[way], loading / bare
    ratios.append(Ratio(f"loading {way}", "the bare parser", times))
    print(f"{way:<8} {loading:7.2f} s, bare {bare:.2f} s: {times:.2f} times (limit {bar.times:g}), ", end="")
    print(f"{mebibytes:.0f} MiB (limit {bar.mebibytes})", flush=True)
    if times > bar.times or mebibytes > bar.mebibytes:
        yield f"loading from {way} takes {times:.2f} times the bare parser and {mebibytes:.0f} MiB"


def _in_process(way: str, file: Path) -> tuple[float, float, float]:
    """Measure in a new process; return the CPU seconds of bare parser and of loading, and its memory."""
    command = [sys.executable, __file__, "--one", way, str(file)]
    bare, loading, mebibytes = map(float, subprocess.check_output(command, text=True).split())
    return bare, loading, mebibytes


def _one(way: str, file: str) -> None:
    """Measure one way in this process, and print what `_in_process` reads."""
    import resource

    import yaml

    from fairlead.manifests.loading import load

    parsed: dict[str, Any] = {}
    loader: Any = yaml.CSafeLoader
    text = Path(file).read_text()
    started = time.process_time()
    if way == "yaml":
        for _ in yaml.parse(text, Loader=loader):
            pass
    else:
        parsed = json.loads(text)
    bare = time.process_time() - started
    del text
    source = parsed if way == "parsed" else file
    if way != "parsed":
        del parsed
    started = time.process_time()
    load(source)
    loading = time.process_time() - started
    print(bare, loading, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _items(bindings: int) -> Iterator[dict[str, Any]]:
    """Yield the clusters, and bindings with a weight from 1 to 10 for each of them."""
    chance = random.Random(0)
    names = [f"member{number:04d}" for number in range(CLUSTERS)]
    for name in names:
        yield {
            "apiVersion": "cluster.karmada.io/v1alpha1",
            "kind": "Cluster",
            "metadata": {"name": name},
            "status": {"resourceSummary": {"allocatable": {"cpu": "100000", "pods": "1000000"}}},
        }
    for number in range(bindings):
        yield _binding(f"app-{number:06d}", {name: chance.randint(1, 10) for name in names}, chance)


def _binding(name: str, weights: dict[str, int], chance: random.Random) -> dict[str, Any]:
    """Return one binding."""
    terms = [
        {"targetCluster": {"clusterNames": [cluster]}, "weight": weight}
        for cluster, weight in weights.items()
    ]
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {"name": f"{name}-deployment", "namespace": "bench"},
        "spec": {
            "resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "bench", "name": name},
            "replicas": chance.randint(1, 100),
            "replicaRequirements": {"resourceRequest": {"cpu": "100m"}},
            "placement": {
                "clusterAffinity": {"clusterNames": list(weights)},
                "replicaScheduling": {
                    "replicaSchedulingType": "Divided",
                    "replicaDivisionPreference": "Weighted",
                    "weightPreference": {"staticWeightList": terms},
                },
            },
        },
    }


def _as_yaml(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Yield each item as a YAML document."""
    import yaml

    dumper: Any = yaml.CSafeDumper
    return (f"---\n{yaml.dump(item, Dumper=dumper, sort_keys=False)}" for item in items)


def main() -> int:
    """Measure; the exit code is 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--full", action="store_true", help="a million weights instead of a tenth of one")
    parser.add_argument("--one", nargs=2, metavar=("WAY", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        _one(*arguments.one)
        return 0
    failures = measure_loading([], full=arguments.full)
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
