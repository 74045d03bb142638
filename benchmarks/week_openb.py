"""A week made from the shapes of the openb trace: pods arrive until nearly all GPUs are taken.

From then on as many go as come. The trace in ``data/openb.yaml.gz`` tells how many pods of every shape there
were, not when they came: the order is drawn by seed, each shape as often as it has pods.
"""

import gzip
import io
import random
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from openb_cases import DATA
from week_script import HOURS, MONDAY

from fairlead.manifests.yaml.reader import read_documents

FILLING = 0.7
"""Part of the events in which pods arrive; in all others as many go as come."""


def openb_week(events: int, seed: int = 0) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the trace's clusters and workloads, of which nothing runs, and the script of a week.

    Parameters
    ----------
    events
        Number of events, each of which brings or takes pods of one shape; of the 162 shapes each needs one at
        least, so that with fewer than 300 not all pods arrive.
    seed
        The same seed gives the same order.
    """
    documents, mistakes = read_documents([io.StringIO(gzip.decompress(DATA.read_bytes()).decode())])
    if mistakes:
        raise RuntimeError(f"the trace cannot be read: {mistakes[0]}")
    manifests = [document.data for document in documents]
    asked: dict[str, int] = {}
    for one in manifests:
        if one["kind"] == "ResourceBinding":
            resource = one["spec"]["resource"]
            asked[f"{resource['namespace']}/{resource['name']}"] = one["spec"]["replicas"]
            one["spec"]["replicas"] = 0
    chance = random.Random(f"openb {events} {seed}")
    scaled = list(_scaled(asked, events, chance))
    found = [
        {"at": _at(number / len(scaled)), "name": name, "scale": {key: replicas}}
        for number, (name, key, replicas) in enumerate(scaled)
    ]
    script = {
        "apiVersion": "fairlead.io/v1alpha1",
        "kind": "Script",
        "metadata": {"name": f"openb-{seed}"},
        "spec": {"end": _at(1), "events": found},
    }
    return manifests, script


def _at(share: float) -> str:
    """Return a time of the week, to the second."""
    return (MONDAY + timedelta(seconds=round(share * HOURS * 3600))).isoformat().replace("+00:00", "Z")


def _scaled(asked: Mapping[str, int], events: int, chance: random.Random) -> Iterator[tuple[str, str, int]]:
    """Yield what happens, to which workload, and how many replicas it wants then."""
    filling = round(FILLING * events)
    size = -(-sum(asked.values()) // max(1, filling - len(asked)))  # no shape is cut into even parts
    pieces = [key for key, count in asked.items() for _ in range(-(-count // size))]
    chance.shuffle(pieces)
    wants = dict.fromkeys(asked, 0)
    for key in pieces[:events]:
        wants[key] = min(asked[key], wants[key] + size)
        yield f"pods of {key} arrive", key, wants[key]
    for number in range(events - len(pieces)):
        present = [key for key in asked if wants[key]]
        absent = [key for key in asked if wants[key] < asked[key]]
        leaves = number % 2 == 0 or not absent
        key = chance.choices(*_weighed(present if leaves else absent, asked))[0]
        wants[key] = max(0, wants[key] - size) if leaves else min(asked[key], wants[key] + size)
        yield f"pods of {key} {'go' if leaves else 'arrive'}", key, wants[key]


def _weighed(keys: list[str], asked: Mapping[str, int]) -> tuple[list[str], list[int]]:
    """Return workloads with the pods that they have in the trace."""
    return keys, [asked[key] for key in keys]
