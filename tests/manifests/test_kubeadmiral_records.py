"""The recorded problems of the real scheduler as manifests: all of them can be read, and mean the same."""

import gzip
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

import fairlead
from fairlead.manifests.loading import load
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates
from kubeadmiral_manifests import API, PREFIX, federated
from loaded import candidates, only
from places import DATA

Record = Mapping[str, Any]

RECORDS = DATA / "oracles" / "kubeadmiral-pipeline.jsonl.gz"
COUNT = 441


@cache
def records() -> tuple[Record, ...]:
    """Return the recorded problems."""
    with gzip.open(RECORDS, "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def manifests(record: Record) -> list[dict[str, Any]]:
    """Return a recorded problem as KubeAdmiral's manifests."""
    problem = record["problem"]
    head = {"apiVersion": API}
    policy = {
        **head,
        "kind": "PropagationPolicy",
        "metadata": {"name": "recorded", "namespace": problem["object"]["metadata"]["namespace"]},
        "spec": problem["policy"],
    }
    labels = {PREFIX + "propagation-policy-name": "recorded"}
    named = {
        "autoMigrationInfo": "auto-migration-info",
        "customMigrationInfo": "applied-migration-configuration",
    }
    marks = {named[key]: problem[key] for key in named if key in problem}
    clusters = [{**head, "kind": "FederatedCluster", **one} for one in problem["federatedClusters"]]
    return [
        *clusters,
        policy,
        federated(problem["object"], problem["currentClusters"], marks=marks, labels=labels),
    ]


@cache
def problems() -> tuple[tuple[Record, Problem], ...]:
    """Return every record with the problem that it becomes."""
    return tuple((record, load(manifests(record))) for record in records())


def test_every_record_can_be_read() -> None:
    """One workload each, with the clusters of the record, without an unknown field."""
    found = problems()
    assert len(found) == COUNT
    for record, problem in found:
        wanted = record["problem"]["object"]["spec"]["replicas"]
        assert (len(problem.workloads), only(problem).replicas) == (1, wanted), record["id"]
        assert len(problem.clusters) == len(record["problem"]["federatedClusters"]), record["id"]
        assert [one for one in problem.warnings if one.rule == "unknown-field"] == [], record["id"]


def test_current_placement_is_read_back() -> None:
    """What runs is what the record says; no number means the template's."""
    for record, problem in problems():
        wanted = only(problem).replicas
        held = {
            name: wanted if count is None else count
            for name, count in record["problem"]["currentClusters"].items()
        }
        assert only(problem).current == {name: count for name, count in held.items() if count}, record["id"]


def test_real_scheduler_stays_on_candidates() -> None:
    """Every cluster that the real scheduler used is open here too, apart from known differences.

    Replicas are not put where fairlead's reading is stricter: on clusters of weight 0 beyond their minimum,
    and on evicted ones (the records evict until 2001, which counts as over in the real program only).
    """
    seen = 0
    for record, problem in problems():
        if "error" in record["result"] or "unavailableClusters" in str(record["problem"]):
            continue
        excluded = candidates(only(problem)).excluded
        for name, count in record["result"]["plan"].items():
            if count and count > 0 and name in excluded:
                assert "weight" in excluded[name].reason, (record["id"], name, excluded[name].reason)
            seen += 1
    assert seen > 1000


def test_misfits_are_misfits() -> None:
    """Where the real scheduler finds no cluster, there is no candidate that could take anything."""
    misfits = [(record, problem) for record, problem in problems() if "error" in record["result"]]
    assert misfits
    for record, problem in misfits:
        found = candidates(only(problem))
        assert set(found.names) <= set(found.held_only), record["id"]


@pytest.mark.parametrize("family", ["sched-static", "sched-binpack", "sched-dynamic", "sched-hand"])
def test_a_sample_can_be_solved(family: str) -> None:
    """Ten problems of every family are solved or proven infeasible, and the checker agrees."""
    sample = [problem for record, problem in problems() if record["family"] == family][::10][:10]
    for problem in sample:
        outcome = fairlead.solve(problem, time_limit=20.0)
        assert outcome.status in (
            fairlead.Status.OPTIMAL,
            fairlead.Status.FEASIBLE,
            fairlead.Status.INFEASIBLE,
        )
        if outcome.placement is not None:
            assert fairlead.check(problem, outcome.placement) == ()
            assert only(problem).rule(Candidates) is not None
