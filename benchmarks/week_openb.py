"""A week made from the openb trace: its pods arrive in their order until nearly all GPUs are taken.

From then on those that came first go, and come again. The trace spans five months in which fifty pods at most
run at a time; the week has its shapes and the order in which they were created, not its times.
"""

import gzip
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from openb_cases import DATA, arrivals
from week_script import HOURS, MONDAY

from fairlead.manifests.yaml.reader import read_documents

FILLING = 0.7
"""Part of the events in which pods arrive for the first time."""


def openb_week(events: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the trace's clusters and workloads, of which nothing runs, and the script of a week.

    Parameters
    ----------
    events
        About so many events, each of which brings or takes the same number of pods.
    """
    documents, mistakes = read_documents([io.StringIO(gzip.decompress(DATA.read_bytes()).decode())])
    if mistakes:
        raise RuntimeError(f"the trace cannot be read: {mistakes[0]}")
    manifests = [document.data for document in documents]
    for one in manifests:
        if one["kind"] == "ResourceBinding":
            one["spec"]["replicas"] = 0
    scaled = list(_scaled(arrivals(), events))
    found = [
        {"at": _at(number / len(scaled)), "name": name, "scale": scale}
        for number, (name, scale) in enumerate(scaled)
    ]
    script = {
        "apiVersion": "fairlead.io/v1alpha1",
        "kind": "Script",
        "metadata": {"name": "openb"},
        "spec": {"end": _at(1), "events": found},
    }
    return manifests, script


def _at(share: float) -> str:
    """Return a time of the week, to the second."""
    return (MONDAY + timedelta(seconds=round(share * HOURS * 3600))).isoformat().replace("+00:00", "Z")


def _scaled(pods: Sequence[str], events: int) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield what happens, and how many replicas the workloads want then that want more or fewer."""
    size = -(-len(pods) // round(FILLING * events))
    wants: Counter[str] = Counter()
    batches = list(range(0, len(pods), size))
    again = batches[: (events - len(batches)) // 2]
    for first, sign in [(first, 1) for first in batches] + [
        (first, sign) for first in again for sign in (-1, 1)
    ]:
        batch = pods[first : first + size]
        wants.update({name: sign * count for name, count in Counter(batch).items()})
        told = f"pods {first + 1} to {first + len(batch)} {'arrive' if sign > 0 else 'go'}"
        yield told, {f"openb/{name}": wants[name] for name in sorted(set(batch))}
