"""Recorded spread problems that Karmada's scheduler could place: here all are proven and valid."""

from typing import Any

import pytest

import fairlead
from builders import Manifest, binding, cluster
from karmada_records import Record, records

KINDS = ("region_feasible", "cluster_feasible")
FEASIBLE = [each for each in records() if each["kind"] in KINDS]


def manifests(problem: Record) -> list[Manifest]:
    """Return the manifests of a recorded problem; what is available becomes allocatable pods."""
    asked: dict[str, Any] = {}
    if problem.get("mode") == "Fresh":
        asked["rescheduleTriggeredAt"] = "2026-01-02T00:00:00Z"
    held = dict(sorted((problem.get("previous") or {}).items()))
    return [
        *(_cluster(each) for each in problem["clusters"]),
        binding(
            "web",
            problem["replicas"],
            held,
            problem["placement"],
            status={"lastScheduledTime": "2026-01-01T00:00:00Z"},
            **asked,
        ),
    ]


def _cluster(document: Record) -> Manifest:
    """Return the manifest of a recorded cluster."""
    taints = [f"{each['key']}={each.get('value', '')}:{each['effect']}" for each in document["taints"]]
    return cluster(
        document["name"],
        pods=document["available"],
        provider=document["provider"],
        region=document["region"],
        zones=[document["zone"]] if document["zone"] else [],
        labels=document["labels"],
        taints=taints,
    )


def assert_placed(record: Record) -> None:
    """Solve a problem: optimal, valid, and with all replicas."""
    problem: dict[str, Any] = dict(record["problem"])
    outcome = fairlead.solve(fairlead.load(manifests(problem)), time_limit=60.0)
    assert outcome.status is fairlead.Status.OPTIMAL, record["id"]
    assert outcome.placement is not None
    assert fairlead.check(outcome.problem, outcome.placement) == (), record["id"]
    assert sum(outcome.placement["default/web"].values()) == problem["replicas"], record["id"]


def test_there_are_records_of_both_kinds() -> None:
    """The records hold hundreds of them."""
    assert len(FEASIBLE) > 400
    assert {each["kind"] for each in FEASIBLE} == set(KINDS)


@pytest.mark.parametrize("record", FEASIBLE[::12], ids=lambda record: str(record["id"]))
def test_some_recorded_problems(record: Record) -> None:
    """Every twelfth problem."""
    assert_placed(record)


@pytest.mark.long
@pytest.mark.parametrize("part", range(12))
def test_all_recorded_problems(part: int) -> None:
    """All of them."""
    for record in FEASIBLE[part::12]:
        assert_placed(record)
