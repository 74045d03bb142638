"""Changes inside the JSON of annotations that override a policy, or say how many replicas stand where."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Path = tuple[str | int, ...]

_SPECIFIED = {"specifiedClusters": "", "specifiedIdcs": "region "}
"""Lists of totals, and what stands before a name in the name of the set of clusters."""


def inside(path: Path) -> bool:
    """Tell whether a path leads to an annotation."""
    return "metadata" in path and any(step in ("annotation", "annotations") for step in path)


def preferred(text: str, cluster: str, field: str, number: int) -> str:
    """Return KubeAdmiral's placement list with another number of a cluster, whose last entry counts."""
    entries: list[dict[str, Any]] = json.loads(text)
    found = [entry for entry in entries if entry.get("cluster") == cluster]
    if found:
        found[-1]["preferences"] = {**(found[-1].get("preferences") or {}), field: number}
    return json.dumps(entries)


def tolerated(text: str, toleration: Mapping[str, str]) -> str:
    """Return a list of tolerations with one more, unless it is there."""
    known: list[Mapping[str, str]] = json.loads(text)
    return json.dumps(known if toleration in known else [*known, toleration])


def specified(text: str, name: str, number: int) -> str:
    """Return specified totals with another number of replicas in a set of clusters.

    Parameters
    ----------
    text
        A list, or a mapping with the lists ``specifiedClusters`` and ``specifiedIdcs``.
    name
        What the set is called: the name of a cluster, or ``region`` and its name.
    number
        Replicas.
    """
    data = json.loads(text)
    # A set that is named twice has its number behind its name.
    name = re.sub(r" \(target \d+\)$", "", name)
    lists = {field: data.get(field) or [] for field in _SPECIFIED} if isinstance(data, dict) else {"": data}
    for field, entries in lists.items():
        _set(entries, [_SPECIFIED[field]] if field else list(_SPECIFIED.values()), name, number)
    return json.dumps(data)


def _set(entries: Sequence[dict[str, Any]], before: Sequence[str], name: str, number: int) -> None:
    """Change the entry of a name."""
    for entry in entries:
        if any(name in (f"{word}{entry['name']}", entry["name"]) for word in before):
            entry["replicas"] = number
