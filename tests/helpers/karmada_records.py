"""Recorded problems of the real Karmada scheduler, as inputs of its model."""

import gzip
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from fairlead.models.cluster import Taint
from fairlead.solver.dispensers.karmada import (
    BindingInput,
    MemberCluster,
    ResourceModel,
    ResourceSummary,
    Scheduled,
    read_placement,
)
from fairlead.solver.dispensers.karmada.binding import quantities
from places import DATA

Record = Mapping[str, Any]

RECORDS = DATA / "oracles" / "karmada.jsonl.gz"


@cache
def records() -> tuple[Record, ...]:
    """Return all recorded problems with the scheduler's answers."""
    with gzip.open(RECORDS, "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def binding_of(problem: Record) -> BindingInput:
    """Return the binding of a recorded problem; ``previous`` stood in the binding in the order of names."""
    return BindingInput(
        replicas=problem["replicas"],
        clusters=tuple(_cluster(each) for each in problem["clusters"] or ()),
        placement=read_placement(problem["placement"]),
        previous=tuple(sorted((problem.get("previous") or {}).items())),
        fresh=problem.get("mode") == "Fresh",
        uid=problem.get("uid", ""),
        observed_affinity=problem.get("observedAffinity", ""),
        evicting=frozenset(problem.get("evicting") or ()),
        requests=quantities(problem.get("requests") or {}) if problem.get("workload", True) else None,
        empty_workload_propagation=problem.get("emptyWorkloadPropagation", False),
        defaulting=problem.get("defaulting", False),
    )


def result_of(scheduled: Scheduled) -> dict[str, Any]:
    """Return an answer in the form of the recorded ones."""
    result: dict[str, Any] = {"clusters": dict(scheduled.clusters)}
    if scheduled.failure is not None:
        result = {
            "bindingAfter": dict(scheduled.clusters),
            "error": scheduled.failure.text,
            "reason": scheduled.failure.reason,
        }
    return result | ({"affinityName": scheduled.affinity_name} if scheduled.affinity_name else {})


def _cluster(document: Record) -> MemberCluster:
    summary = document.get("resources")
    return MemberCluster(
        name=document["name"],
        provider=document["provider"],
        region=document["region"],
        zones=(document["zone"],) if document["zone"] else (),
        labels=document["labels"],
        taints=tuple(
            Taint(each["key"], each.get("value", ""), each["effect"]) for each in document["taints"]
        ),
        deleting=document.get("deleting", False),
        has_api=not document.get("noAPI", False),
        available=None if summary else document["available"],
        resources=_summary(summary) if summary else None,
        models=tuple(
            ResourceModel(quantities(each["min"]), each["count"]) for each in document.get("models") or ()
        ),
    )


def _summary(document: Record) -> ResourceSummary:
    parts = ("allocatable", "allocated", "allocating")
    return ResourceSummary(*(quantities(document.get(part) or {}) for part in parts))
