"""Policies, annotations and feedback as the API server hands them out, under KubeAdmiral's own names."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, cast

from fairlead.models.cluster import Toleration
from fairlead.models.errors import UsageError
from fairlead.models.quantity import parse_quantity
from fairlead.models.selectors import Operator, Requirement
from fairlead.solver.dispensers.kubeadmiral.inputs import GPU, Feedback, Policy, SelectorTerm, whole_units

Document = Mapping[str, Any]


def section(document: Document, *path: str) -> Document:
    """Return the object under a path; empty where there is none."""
    found: Any = document
    for key in path:
        found = found.get(key) or {}
    return {} if found is None else found


def entries(document: Document, key: str) -> Sequence[Any]:
    """Return the list under a key; empty where there is none."""
    return document.get(key) or ()


def text(document: Document, key: str) -> str:
    """Return the text under a key; empty where there is none."""
    return document.get(key) or ""


def terms(documents: Sequence[Document]) -> tuple[SelectorTerm, ...]:
    """Return the terms of a cluster affinity."""
    return tuple(term(document) for document in documents)


def term(document: Document) -> SelectorTerm:
    """Return one term of a cluster affinity."""
    return SelectorTerm(_requirements(document, "matchExpressions"), _requirements(document, "matchFields"))


def _requirements(document: Document, key: str) -> tuple[Requirement, ...]:
    """Return requirements as they are written; `filters` refuses what is no operator before it asks them."""
    return tuple(
        Requirement(
            text(each, "key"), cast("Operator", text(each, "operator")), tuple(entries(each, "values"))
        )
        for each in entries(document, key)
    )


def tolerations(documents: Sequence[Document]) -> tuple[Toleration, ...]:
    """Return tolerations; their seconds have no effect on scheduling."""
    return tuple(
        Toleration(text(each, "key"), text(each, "operator"), text(each, "value"), text(each, "effect"))
        for each in documents
    )


def cluster_names(placements: Sequence[Document]) -> frozenset[str]:
    """Return the clusters of a placement list."""
    return frozenset(placement["cluster"] for placement in placements)


def preference(placements: Sequence[Document], name: str) -> dict[str, int]:
    """Return one preference by cluster.

    Where a cluster stands several times the last entry that sets the preference wins; every entry sets
    minReplicas, to 0 where it is absent.
    """
    found: dict[str, int] = {}
    for placement in placements:
        value = section(placement, "preferences").get(name)
        if value is not None or name == "minReplicas":
            found[placement["cluster"]] = value or 0
    return found


POD_SPECS: Mapping[tuple[str, str], tuple[str, ...]] = MappingProxyType(
    {
        ("", "Pod"): ("spec",),
        ("apps", "Deployment"): ("spec", "template", "spec"),
        ("apps", "StatefulSet"): ("spec", "template", "spec"),
        ("apps", "DaemonSet"): ("spec", "template", "spec"),
        ("batch", "Job"): ("spec", "template", "spec"),
        ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template", "spec"),
    }
)
"""Where the pod stands in the kinds that KubeAdmiral knows, by group and kind."""


def read_policy(spec: Document) -> Policy:
    """Return the rules of a policy's ``.spec``.

    ``avoidDisruption`` is false where it is absent: that it is true by default is the work of the API
    server, which writes it into the objects that it stores.
    """
    rescheduling = section(spec, "reschedulePolicy")
    placements = entries(spec, "placement")
    affinity = entries(spec, "clusterAffinity")
    return Policy(
        divide=spec.get("schedulingMode") == "Divide",
        binpack=spec.get("replicasStrategy") == "Binpack",
        sticky=bool(rescheduling.get("disableRescheduling")),
        cluster_selector=dict(section(spec, "clusterSelector")),
        required=terms(affinity) if affinity else None,
        cluster_names=cluster_names(placements),
        tolerations=tolerations(entries(spec, "tolerations")),
        max_clusters=spec.get("maxClusters"),
        minimum=preference(placements, "minReplicas"),
        maximum=preference(placements, "maxReplicas"),
        weights=preference(placements, "weight"),
        priorities=preference(placements, "priority"),
        avoid_disruption=bool(section(rescheduling, "replicaRescheduling").get("avoidDisruption")),
        auto_migration=spec.get("autoMigration") is not None,
        keep_unschedulable=bool(section(spec, "autoMigration").get("keepUnschedulableReplicas")),
    )


def read_feedback(auto: Document, custom: Document) -> Feedback:
    """Return what ``auto-migration-info`` and ``applied-migration-configuration`` say; empty where absent."""
    return Feedback(
        estimated=dict(section(auto, "estimatedCapacity")),
        scheduled=dict(section(auto, "scheduledReplicas")),
        limited=dict(section(custom, "limitedCapacity")),
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


def read_gpus(template: Document, api: tuple[str, str]) -> int | None:
    """Return the GPUs that a pod requests: the containers' sum or the largest init container, plus overhead.

    None where the pod requests none, or where KubeAdmiral does not know the pod of this apiVersion and
    kind. A request of 0 counts as a request, except in an init container.
    """
    path = POD_SPECS.get((api[0].rpartition("/")[0], api[1]))
    pod = section(template, *path) if path else {}
    requests = list(_gpu_requests(entries(pod, "containers")))
    gpus = sum(requests) if requests else None
    largest = max(_gpu_requests(entries(pod, "initContainers")), default=0)
    if largest > (gpus or 0):
        gpus = largest
    overhead = section(pod, "overhead").get(GPU)
    if overhead is not None:
        gpus = (gpus or 0) + whole_units(parse_quantity(overhead))
    return gpus


def _gpu_requests(containers: Sequence[Document]) -> Iterator[int]:
    for container in containers:
        quantity = section(container, "resources", "requests").get(GPU)
        if quantity is not None:
            yield whole_units(parse_quantity(quantity))


PREFIX = "kubeadmiral.io/"
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
    "scheduling-mode": lambda value: {"divide": {"Divide": True, "Duplicate": False}[value]},
    "sticky-cluster": lambda value: {"sticky": {"true": True, "false": False}[value]},
    "tolerations": lambda value: {"tolerations": tolerations(json.loads(value) or ())},
    "placements": _placements,
    "clusterSelector": _selector,
    "affinity": _affinity,
    "maxClusters": _max_clusters,
}
