"""Policies, annotations and reports of KubeAdmiral, read as its own scheduler reads them.

It passes over what it cannot read. What is wrong, and where each part stands, `policies` and `annotations`
add.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from fairlead.manifests.kubeadmiral.stated import (
    Feedback,
    SelectorTerm,
    StatedPolicy,
    StatedPreferences,
    numbers,
)
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Toleration
from fairlead.models.errors import UsageError
from fairlead.models.rules.bounds import Bound
from fairlead.models.selectors import Operator, SelectorRequirement
from fairlead.models.source import Source

JsonMapping = Mapping[str, Any]
P = TypeVar("P", bound=StatedPolicy)


def section(document: JsonMapping, *path: str) -> JsonMapping:
    """Return the object under a path; empty where there is none."""
    found: Any = document or {}
    for key in path:
        found = found.get(key) or {}
    return cast("JsonMapping", found)


def entries(document: JsonMapping, key: str) -> Sequence[Any]:
    """Return the list under a key; empty where there is none."""
    return document.get(key) or ()


def text(document: JsonMapping, key: str) -> str:
    """Return the text under a key; empty where there is none."""
    return document.get(key) or ""


def affinity_of(document: JsonMapping) -> tuple[SelectorTerm, ...]:
    """Return the terms of ``clusterAffinity``; the documentation prints a single one without a list."""
    found = entries(document, "clusterAffinity")
    return terms([found] if isinstance(found, Mapping) else found)


def terms(documents: Sequence[JsonMapping]) -> tuple[SelectorTerm, ...]:
    """Return terms of a cluster affinity."""
    return tuple(term(document) for document in documents)


def term(document: JsonMapping) -> SelectorTerm:
    """Return one term of a cluster affinity."""
    return SelectorTerm(_requirements(document, "matchExpressions"), _requirements(document, "matchFields"))


def _requirements(document: JsonMapping, key: str) -> tuple[SelectorRequirement, ...]:
    """Return requirements as they are written; `filters` refuses what is no operator before it asks them."""
    return tuple(
        SelectorRequirement(
            text(each, "key"), cast("Operator", text(each, "operator")), tuple(entries(each, "values"))
        )
        for each in entries(document, key)
    )


def tolerations(documents: Sequence[JsonMapping]) -> tuple[Toleration, ...]:
    """Return tolerations; their seconds have no effect on scheduling."""
    return tuple(
        Toleration(text(each, "key"), text(each, "operator"), text(each, "value"), text(each, "effect"))
        for each in documents
    )


def _without_nulls(document: JsonMapping) -> dict[str, Any]:
    """Return the fields of an object; those that are null are absent."""
    return {key: value for key, value in document.items() if value is not None}


PREFERENCES: Mapping[str, str] = {
    "minimum": "minReplicas",
    "maximum": "maxReplicas",
    "weights": "weight",
    "priorities": "priority",
}
"""Names of fields in a placement list, by field of `StatedPreferences`."""


Locate = Callable[[Path], Source | None]
"""Returns where a field stands, by its path below the placement list."""


def nowhere(_: Path) -> None:
    """Return no place: nobody asks."""


def preferences(placements: Sequence[JsonMapping], locate: Locate) -> StatedPreferences:
    """Return the preferences of a placement list.

    Where a cluster stands several times the last entry that sets a preference wins; every entry sets
    minReplicas, to 0 where it is absent.
    """
    listed = {entry["cluster"]: locate((at,)) for at, entry in enumerate(placements)}
    said = {}
    for part, name in PREFERENCES.items():
        found: dict[str, Bound] = {}
        for at, entry in enumerate(placements):
            value = section(entry, "preferences").get(name)
            if value is not None or name == "minReplicas":
                found[entry["cluster"]] = Bound(value or 0, locate((at, "preferences", name)))
        said[part] = {key: bound for key, bound in found.items() if bound.replicas or part != "minimum"}
    return StatedPreferences(listed, **said)


def as_stored(spec: JsonMapping) -> JsonMapping:
    """Return a policy's ``.spec`` as the API server stores it: an absent ``avoidDisruption`` is true."""
    rescheduling = section(spec, "reschedulePolicy")
    replicas = section(rescheduling, "replicaRescheduling")
    if replicas.get("avoidDisruption") is not None:
        return spec
    moved = {**replicas, "avoidDisruption": True}
    return {**spec, "reschedulePolicy": {**rescheduling, "replicaRescheduling": moved}}


def read_policy(spec: JsonMapping, locate: Locate = nowhere) -> StatedPolicy:
    """Return the rules of a policy's ``.spec``.

    ``avoidDisruption`` is false where it is absent: that it is true by default is the work of the API
    server, see `as_stored`.
    """
    rescheduling = section(spec, "reschedulePolicy")
    return StatedPolicy(
        divide=spec.get("schedulingMode") == "Divide",
        binpack=spec.get("replicasStrategy") == "Binpack",
        sticky=bool(rescheduling.get("disableRescheduling")),
        cluster_selector=_without_nulls(section(spec, "clusterSelector")),
        required=affinity_of(spec) or None,
        placement=preferences(entries(spec, "placement"), locate),
        tolerations=tolerations(entries(spec, "tolerations")),
        max_clusters=spec.get("maxClusters"),
        avoid_disruption=bool(section(rescheduling, "replicaRescheduling").get("avoidDisruption")),
        auto_migration=spec.get("autoMigration") is not None,
        keep_unschedulable=bool(section(spec, "autoMigration").get("keepUnschedulableReplicas")),
    )


def read_feedback(auto: JsonMapping, custom: JsonMapping) -> Feedback:
    """Return the feedback in the two annotations of the migration controllers; empty where absent."""
    return Feedback(
        estimated=_without_nulls(section(auto, "estimatedCapacity")),
        scheduled=_without_nulls(section(auto, "scheduledReplicas")),
        limited=_without_nulls(section(custom, "limitedCapacity")),
        unavailable=tuple(
            (text(each, "cluster"), _moment(each.get("validUntil")))
            for each in entries(custom, "unavailableClusters")
        ),
    )


def _moment(written: str | None) -> datetime | None:
    """Return a moment of RFC 3339; None where there is none."""
    if not written:
        return None
    moment = datetime.fromisoformat(written)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


PREFIX = "kubeadmiral.io/"
AUTO_MIGRATION = PREFIX + "auto-migration-info"
APPLIED_MIGRATION = PREFIX + "applied-migration-configuration"

_COUNT = re.compile(r"\+?[0-9]{1,18}|-0+")


def overridden(policy: StatedPolicy, annotations: Mapping[str, str]) -> StatedPolicy:
    """Return a policy with everything replaced that annotations override."""
    for name in OVERRIDING:
        value = annotations.get(PREFIX + name)
        policy = policy if value is None else read_annotation(name, value, policy) or policy
    return policy


def read_annotation(name: str, value: str, policy: P, locate: Locate = nowhere) -> P | None:
    """Return a policy with what an annotation overrides.

    None where KubeAdmiral cannot read it: it logs a line and goes on with the policy.

    `name`: one of `OVERRIDING`.
    """
    try:
        return replace(policy, **OVERRIDING[name](value, policy, locate))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def feedback_of(annotations: Mapping[str, str], name: str) -> JsonMapping:
    """Return the report of a migration controller; empty where it has written none.

    Raises `UsageError` where it is not a JSON object; the real scheduler stops with an error there.
    """
    written = annotations.get(name)
    if written is None:
        return {}
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        found = written
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise UsageError(f"annotation {name}: {written!r} is not a JSON object")
    return found


def _selector(value: str, *_: object) -> dict[str, Any]:
    selector = _without_nulls(json.loads(value) or {})
    if not all(isinstance(each, str) for each in selector.values()):
        raise TypeError("labels are texts")
    return {"cluster_selector": selector}


def _affinity(value: str, *_: object) -> dict[str, Any]:
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


def _max_clusters(value: str, *_: object) -> dict[str, Any]:
    if not _COUNT.fullmatch(value):
        raise ValueError("max clusters is not a number, or negative")
    return {"max_clusters": int(value)}


def _placements(value: str, policy: StatedPolicy, locate: Locate) -> dict[str, Any]:
    """Return the preferences of a placement list; those of the policy where it says negative numbers."""
    found = preferences(json.loads(value) or (), locate)
    for part, name in PREFERENCES.items():
        given = numbers(getattr(found, part)).values()
        if not all(type(number) is int for number in given):
            raise TypeError(f"{name} is an integer")
        if any(number < 0 for number in given):
            found = replace(found, **{part: getattr(policy.placement, part)})
    return {"placement": found}


MODES: Mapping[str, bool] = {"Divide": True, "Duplicate": False}
STICKY: Mapping[str, bool] = {"true": True, "false": False}

OVERRIDING: Mapping[str, Callable[[str, StatedPolicy, Locate], dict[str, Any]]] = {
    "scheduling-mode": lambda value, *_: {"divide": MODES[value]},
    "sticky-cluster": lambda value, *_: {"sticky": STICKY[value]},
    "tolerations": lambda value, *_: {"tolerations": tolerations(json.loads(value) or ())},
    "placements": _placements,
    "clusterSelector": _selector,
    "affinity": _affinity,
    "maxClusters": _max_clusters,
}
"""Annotations that override a part of a policy, without `PREFIX`, and what reads them."""
