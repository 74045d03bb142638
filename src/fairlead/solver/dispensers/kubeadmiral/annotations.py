"""Annotations on a federated object that override its policy, part by part.

A value that cannot be read is ignored, and the policy holds for that part; one list of placements sets
minima, maxima, weights, priorities and clusters, and each of these falls back on its own where it has a
negative number.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fairlead.models.errors import UsageError
from fairlead.solver.dispensers.kubeadmiral.documents import (
    Document,
    cluster_names,
    entries,
    preference,
    section,
    term,
    terms,
    tolerations,
)
from fairlead.solver.dispensers.kubeadmiral.inputs import Policy

PREFIX = "kubeadmiral.io/"
NO_SCHEDULING = PREFIX + "no-scheduling"
AUTO_MIGRATION = PREFIX + "auto-migration-info"
CUSTOM_MIGRATION = PREFIX + "applied-migration-configuration"

Annotations = Mapping[str, str]

_COUNT = re.compile(r"\+?[0-9]{1,18}|-0+")


def overridden(policy: Policy, annotations: Annotations) -> Policy:
    """Return a policy with everything replaced that annotations override."""
    for name, read in _READERS.items():
        value = annotations.get(PREFIX + name)
        if value is None:
            continue
        try:
            policy = replace(policy, **read(value))
        except (ValueError, KeyError, TypeError, AttributeError):
            # KubeAdmiral logs a line and goes on with the policy.
            continue
    return policy


def feedback_of(annotations: Annotations, name: str) -> Document:
    """Return what a migration controller has written; empty where it has not.

    Raises
    ------
    UsageError
        Where it is no JSON object; the real scheduler stops with an error there.
    """
    written = annotations.get(name)
    if written is None:
        return {}
    try:
        found = json.loads(written)
    except ValueError:
        found = written
    if not isinstance(found, dict):
        raise UsageError(f"annotation {name}: {written!r} is no JSON object")
    return found


def _mode(value: str) -> dict[str, Any]:
    return {"divide": {"Divide": True, "Duplicate": False}[value]}


def _sticky(value: str) -> dict[str, Any]:
    return {"sticky": {"true": True, "false": False}[value]}


def _tolerations(value: str) -> dict[str, Any]:
    return {"tolerations": tolerations(json.loads(value) or ())}


def _selector(value: str) -> dict[str, Any]:
    selector = json.loads(value) or {}
    if not all(isinstance(each, str) for each in selector.values()):
        raise TypeError("labels are texts")
    return {"cluster_selector": selector}


def _affinity(value: str) -> dict[str, Any]:
    """Return required and preferred terms; only here can terms be preferred."""
    affinity = section(json.loads(value), "clusterAffinity")
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    preferred = entries(affinity, "preferredDuringSchedulingIgnoredDuringExecution")
    return {
        "required": None if required is None else terms(entries(required, "clusterSelectorTerms")),
        "preferred": tuple(
            (each.get("weight") or 0, term(section(each, "preference"))) for each in preferred
        ),
    }


def _max_clusters(value: str) -> dict[str, Any]:
    if not _COUNT.fullmatch(value):
        raise ValueError("max clusters is no number, or negative")
    return {"max_clusters": int(value)}


def _placements(value: str) -> dict[str, Any]:
    placements = json.loads(value) or ()
    parts: dict[str, Any] = {"cluster_names": cluster_names(placements)}
    for part, name in (
        ("minimum", "minReplicas"),
        ("maximum", "maxReplicas"),
        ("weights", "weight"),
        ("priorities", "priority"),
    ):
        numbers = preference(placements, name)
        if not all(type(number) is int for number in numbers.values()):
            raise TypeError(f"{name} is an integer")
        if all(number >= 0 for number in numbers.values()):
            parts[part] = numbers
    return parts


_READERS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "scheduling-mode": _mode,
    "sticky-cluster": _sticky,
    "tolerations": _tolerations,
    "placements": _placements,
    "clusterSelector": _selector,
    "affinity": _affinity,
    "maxClusters": _max_clusters,
}
