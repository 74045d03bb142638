"""Recorded problems of the real KubeAdmiral scheduler, by file and family."""

import gzip
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from places import DATA

Record = Mapping[str, Any]

ORACLES = DATA / "oracles"

# The recordings evict until 2001 or until 2999.
NOW = datetime(2026, 1, 1, tzinfo=UTC)

# Recordings by file and family: a lost file or a reader that skips must not look like success.
FAMILIES = {
    ("kubeadmiral-planner", "all"): 416,
    ("kubeadmiral-planner", "binpack"): 315,
    ("kubeadmiral-planner", "capacity"): 300,
    ("kubeadmiral-planner", "current"): 419,
    ("kubeadmiral-planner", "duplicate"): 101,
    ("kubeadmiral-planner", "edge"): 148,
    ("kubeadmiral-planner", "hand"): 29,
    ("kubeadmiral-planner", "large"): 68,
    ("kubeadmiral-planner", "minmax"): 362,
    ("kubeadmiral-planner", "weights"): 428,
    ("kubeadmiral-pipeline", "sched-binpack"): 102,
    ("kubeadmiral-pipeline", "sched-dynamic"): 155,
    ("kubeadmiral-pipeline", "sched-hand"): 20,
    ("kubeadmiral-pipeline", "sched-static"): 164,
}


@cache
def recordings() -> Mapping[tuple[str, str], list[Record]]:
    """Return all recorded problems by file and family."""
    found: dict[tuple[str, str], list[Record]] = {}
    for name in sorted({name for name, _ in FAMILIES}):
        with gzip.open(ORACLES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                found.setdefault((name, record["family"]), []).append(record)
    return found
