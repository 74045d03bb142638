"""dispense(like="kubeadmiral") from manifests, against recorded answers of the real scheduler."""

from typing import Any

import pytest

import fairlead
from builders import Manifest, binding, cluster, dynamic
from dispensed import placed
from kubeadmiral_manifests import API, entry, federated, member, members, policy, web
from kubeadmiral_recordings import Record, recordings

FAMILIES = tuple(sorted(family for file, family in recordings() if file == "kubeadmiral-pipeline"))


def manifests(problem: Record) -> list[Manifest]:
    """Return clusters, policy and federated object of a recorded problem.

    The API server writes avoidDisruption, so that a recording without it is one that says false.
    """
    spec = dict(problem["policy"])
    moved: Manifest = {"replicaRescheduling": {"avoidDisruption": False}}
    spec["reschedulePolicy"] = moved | (spec.get("reschedulePolicy") or {})
    template = dict(problem["object"])
    namespace = template["metadata"]["namespace"]
    named = {"kubeadmiral.io/propagation-policy-name": "web"}
    template["metadata"] = {**template["metadata"], "labels": named}
    marks = {
        "auto-migration-info": problem.get("autoMigrationInfo"),
        "applied-migration-configuration": problem.get("customMigrationInfo"),
    }
    given = {name: value for name, value in marks.items() if value is not None}
    head: Manifest = {"apiVersion": API, "kind": "PropagationPolicy"}
    rules = {**head, "metadata": {"name": "web", "namespace": namespace}, "spec": spec}
    documents = [
        {"apiVersion": API, "kind": "FederatedCluster", **each} for each in problem["federatedClusters"]
    ]
    return [*documents, rules, federated(template, problem["currentClusters"], marks=given)]


# Equals among which the real scheduler draws who takes the rounding error of dynamic weights. In two of
# them the error makes its share negative, which no placement can hold: nothing is placed there.
NEGATIVE = {"hand-dynamic-60-equal-negative", "hand-dynamic-57-equal-negative"}
DRAWN = {"hand-dynamic-300-equal-skew", *NEGATIVE}


def dispensed(record: Record) -> tuple[fairlead.Workload, dict[str, int], str | None]:
    """Write a recorded problem as manifests, load and dispense them."""
    problem = fairlead.load(manifests(record["problem"]))
    outcome = fairlead.dispense(problem, like="kubeadmiral")
    (workload,) = problem.workloads
    assert outcome.placement is not None
    return workload, dict(outcome.placement.of(workload.key)), outcome.reason


def expected(record: Record, workload: fairlead.Workload) -> dict[str, int]:
    """Return the recorded plan; a duplicate, recorded as null, has the template's number."""
    plan: dict[str, int | None] = record["result"].get("plan") or {}
    numbers = {name: workload.replicas if count is None else count for name, count in plan.items()}
    return {name: count for name, count in numbers.items() if count > 0}


@pytest.mark.parametrize("family", FAMILIES)
def test_answers_from_manifests_equal_the_recorded_ones(family: str) -> None:
    """Placement and failure are the recorded ones after a round through the manifests; 3 of 441 are drawn."""
    differing = set()
    for record in recordings()["kubeadmiral-pipeline", family]:
        workload, found, reason = dispensed(record)
        want = expected(record, workload)
        same = sorted(found.values()) == sorted(want.values()) if record["id"] in DRAWN else found == want
        failed = "NoClusterFit" if "error" in record["result"] else None
        if not same or reason != failed:
            differing.add(record["id"])
    assert not differing


def test_only_two_plans_are_negative() -> None:
    """Where the recorded plan has negative numbers they are left out, and nowhere else."""
    found = {
        record["id"]
        for family in FAMILIES
        for record in recordings()["kubeadmiral-pipeline", family]
        if any((count or 0) < 0 for count in (record["result"].get("plan") or {}).values())
    }
    assert found == NEGATIVE


def test_a_plain_manifest_is_enough() -> None:
    """10 replicas by weights 1:4 are 2 and 8 without a federated object, too."""
    weighed = policy(placement=[entry("member1", weight=1), entry("member2", weight=4)])
    outcome = fairlead.dispense(fairlead.load(members(2), weighed, web(10)), like="kubeadmiral")
    assert placed(outcome) == {"default/web": {"member1": 2, "member2": 8}}
    assert (outcome.status, outcome.origin) == (fairlead.Status.FEASIBLE, "kubeadmiral")


def test_absent_avoid_disruption_is_true() -> None:
    """The API server writes it: 10 replicas of equal weights stay 9 and 1 where nothing has changed."""
    equal = [entry("member1", weight=1), entry("member2", weight=1)]
    running = federated(web(10), {"member1": 9, "member2": 1})
    spec: Any = {"replicaRescheduling": {"avoidDisruption": False}}
    for rescheduling, first in (({}, 9), (spec, 5)):
        rules = policy(placement=equal, reschedulePolicy=rescheduling)
        outcome = fairlead.dispense(fairlead.load(members(2), rules, running), like="kubeadmiral")
        assert placed(outcome) == {"default/web": {"member1": first, "member2": 10 - first}}


def test_a_misfit_removes_the_workload() -> None:
    """No cluster has the label: the object leaves even the cluster that runs it."""
    rules = policy(clusterSelector={"tier": "gold"})
    problem = fairlead.load(member("member1"), rules, federated(web(3), {"member1": 3}))
    outcome = fairlead.dispense(problem, like="kubeadmiral")
    assert (outcome.status, outcome.reason) == (fairlead.Status.INFEASIBLE, "NoClusterFit")
    assert placed(outcome) == {"default/web": {}}


def test_what_it_cannot_do() -> None:
    """Karmada's workloads and Karmada's flag are no business of KubeAdmiral's scheduler."""
    problem = fairlead.load(cluster("member1", pods=9), binding("web", 2, placement=dynamic()))
    with pytest.raises(fairlead.UsageError, match="kubeadmiral cannot place default/web"):
        fairlead.dispense(problem, like="kubeadmiral")
    with pytest.raises(fairlead.UsageError, match="empty_workload_propagation"):
        fairlead.dispense(problem, like="kubeadmiral", empty_workload_propagation=True)
    with pytest.raises(fairlead.UsageError, match="known: as-karmada and deduct"):
        fairlead.dispense(problem, overcommit="never")  # type: ignore[arg-type]
