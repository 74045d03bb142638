"""Recorded problems of the real Karmada scheduler, as inputs of its model."""

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from fairlead.manifests.api.policies import Placement
from fairlead.models.cluster import Cluster, Grade, Taint
from fairlead.models.quantity import parse_quantity, requested_units
from fairlead.solver.dispensers.karmada import BindingInput, ScheduledBinding
from loaded import read_alone
from places import DATA

Record = Mapping[str, Any]

RECORDS = DATA / "oracles" / "karmada.jsonl.gz"


@cache
def records() -> tuple[Record, ...]:
    """Return all recorded problems with the scheduler's answers."""
    with gzip.open(RECORDS, "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def read_placement(document: Mapping[str, Any]) -> Placement:
    """Return the placement that a document states, as a binding holds it."""
    return read_alone(document, Placement).model


def binding_of(problem: Record) -> BindingInput:
    """Return the binding of a recorded problem; ``previous`` stood in the binding in the order of names."""
    requests = units(problem.get("requests") or {}) if problem.get("workload", True) else None
    return BindingInput(
        replicas=problem["replicas"],
        clusters=tuple(_cluster(each, requests or {}) for each in problem["clusters"] or ()),
        placement=read_placement(problem["placement"]),
        previous=tuple(sorted((problem.get("previous") or {}).items())),
        fresh=problem.get("mode") == "Fresh",
        uid=problem.get("uid", ""),
        observed_affinity=problem.get("observedAffinity", ""),
        evicting=frozenset(problem.get("evicting") or ()),
        requests=requests,
        empty_workload_propagation=problem.get("emptyWorkloadPropagation", False),
        defaulting=problem.get("defaulting", False),
    )


def result_of(scheduled: ScheduledBinding) -> dict[str, Any]:
    """Return an answer in the form of the recorded ones."""
    result: dict[str, Any] = {"clusters": dict(scheduled.clusters)}
    if scheduled.failure is not None:
        result = {
            "bindingAfter": dict(scheduled.clusters),
            "error": scheduled.failure.text,
            "reason": scheduled.failure.reason,
        }
    return result | ({"affinityName": scheduled.affinity_name} if scheduled.affinity_name else {})


def member(name: str, available: int | None = None, asked: Iterable[str] = (), **told: Any) -> Cluster:
    """Return a cluster that serves Deployments, and takes so many replicas that ask for some resources."""
    free = None if available is None else {"pods": available, **dict.fromkeys(asked, 2**62)}
    return Cluster(name, api_kinds=frozenset({("apps/v1", "Deployment")}), free=free, **told)


def units(amounts: Mapping[str, str | int | float]) -> dict[str, int]:
    """Return written amounts by resource in whole units, rounded up."""
    return {resource: requested_units(resource, amount) for resource, amount in amounts.items()}


def left(summary: Record) -> dict[str, int]:
    """Return what a summary of resources leaves, parts of a unit rounded up as the scheduler does."""
    parts = [summary.get(part) or {} for part in ("allocated", "allocating")]
    return {
        resource: requested_units(
            resource, parse_quantity(amount) - sum(parse_quantity(part.get(resource, 0)) for part in parts)
        )
        for resource, amount in (summary.get("allocatable") or {}).items()
    }


def _cluster(document: Record, requests: Mapping[str, int]) -> Cluster:
    summary = document.get("resources")
    found = member(
        document["name"],
        document["available"],
        requests,
        provider=document["provider"],
        region=document["region"],
        zones=(document["zone"],) if document["zone"] else (),
        labels=document["labels"],
        taints=tuple(
            Taint(each["key"], each.get("value", ""), each["effect"]) for each in document["taints"]
        ),
        deleting=document.get("deleting", False),
        grades=tuple(Grade(each["count"], units(each["min"])) for each in document.get("models") or ()),
    )
    found = replace(found, free=left(summary)) if summary else replace(found, grades=())
    return replace(found, api_kinds=None) if document.get("noAPI", False) else found
