"""dispense(like="karmada") from manifests, against recorded answers of the real scheduler."""

from typing import Any

import pytest

import fairlead
from builders import binding, cluster, clusters, deployment, divided, duplicated, dynamic, policy, static
from dispensed import placed
from fairlead.models.source import KarmadaBinding
from karmada_record_manifests import KEY, manifests
from karmada_records import Record, records
from kubeadmiral_manifests import member
from kubeadmiral_manifests import policy as federated_policy
from kubeadmiral_manifests import web as federated_web

KINDS = tuple(sorted({record["kind"] for record in records()}))

# Problems that Karmada's webhook would not have let in either: two constraints of one field, or a maximum of
# groups below the minimum. They were recorded past the webhook, so no manifest can state them.
REFUSED = 21


def dispensed(record: Record) -> fairlead.Outcome:
    """Write a recorded problem as manifests, load and dispense them."""
    problem = fairlead.load(manifests(record["problem"]))
    keeps = record["problem"].get("emptyWorkloadPropagation", False)
    return fairlead.dispense(problem, like="karmada", empty_workload_propagation=keeps)


def expected(record: Record) -> tuple[dict[str, int], str | None]:
    """Return the recorded replicas without zeros, which a Placement does not hold, and the reason."""
    result = record["result"]
    clusters: dict[str, int] = result.get("clusters", result.get("bindingAfter")) or {}
    return {name: count for name, count in clusters.items() if count}, result.get("reason")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])
def test_answers_from_manifests_equal_the_recorded_ones(kind: str, every: int) -> None:
    """Placement and category of failure are the recorded ones, after a round through the manifests."""
    differing = {}
    for record in [each for each in records() if each["kind"] == kind][::every]:
        try:
            outcome = dispensed(record)
        except fairlead.ManifestError:
            assert record["kind"] == "defaulting", record["id"]
            continue
        assert outcome.placement is not None
        found = (dict(outcome.placement.of(KEY)), outcome.reason)
        if found != expected(record):
            differing[record["id"]] = found
        assert outcome.reason is None or outcome.status is fairlead.Status.INFEASIBLE
    assert not differing


def test_few_problems_cannot_be_stated() -> None:
    """Only what the webhook refuses cannot be written as manifests; all of it is about spread constraints."""
    refused = []
    for record in records():
        if record["kind"] == "defaulting":
            try:
                fairlead.load(manifests(record["problem"]))
            except fairlead.ManifestError as error:
                refused.append({mistake.field.partition("[")[0] for mistake in error.mistakes})
    assert refused == [{"spec.placement.spreadConstraints"}] * REFUSED


def test_overcommit() -> None:
    """Two workloads of 6 replicas on 10 pods: Karmada places both, with capacity deducted only the first."""
    both = [binding(name, 6, placement=dynamic(), cpu="0") for name in ("one", "two")]
    problem = fairlead.load(cluster("member1", pods=10), both)
    greedy = fairlead.dispense(problem, like="karmada")
    assert placed(greedy) == {"default/one": {"member1": 6}, "default/two": {"member1": 6}}
    assert [violation.rule for violation in greedy.violations] == ["capacity"]
    careful = fairlead.dispense(problem, like="karmada", overcommit="deduct")
    assert placed(careful) == {"default/one": {"member1": 6}, "default/two": {}}
    assert (careful.status, careful.reason) == (fairlead.Status.INFEASIBLE, "Unschedulable")


def test_deducting_gives_back_what_moves_away() -> None:
    """One is scaled from 8 to 2 replicas and goes first: it leaves 2 + 6 pods, enough for the 8 of two."""
    shrinking = binding("one", 2, {"member1": 8}, dynamic(), cpu="0")
    growing = binding("two", 8, placement=dynamic(), cpu="0")
    full = cluster("member1", pods=10, allocated={"pods": 8})
    outcome = fairlead.dispense(fairlead.load(full, shrinking, growing), like="karmada", overcommit="deduct")
    assert placed(outcome) == {"default/one": {"member1": 2}, "default/two": {"member1": 8}}


def test_priority_goes_first() -> None:
    """Room for one of two: the name would favour one, the priority favours two."""
    low = binding("one", 6, placement=dynamic(), cpu="0")
    high = binding("two", 6, placement=dynamic(), cpu="0", schedulePriority={"priority": 5})
    problem = fairlead.load(cluster("member1", pods=10), low, high)
    outcome = fairlead.dispense(problem, like="karmada", overcommit="deduct")
    assert placed(outcome) == {"default/one": {}, "default/two": {"member1": 6}}


def test_previous_stays_after_an_error() -> None:
    """12 do not fit into 10: the 3 that run stay, and the answer is Unschedulable."""
    problem = fairlead.load(
        cluster("member1", pods=7), binding("web", 12, {"member1": 3}, dynamic(), cpu="0")
    )
    outcome = fairlead.dispense(problem, like="karmada")
    assert (outcome.status, outcome.reason) == (fairlead.Status.INFEASIBLE, "Unschedulable")
    assert placed(outcome) == {KEY: {"member1": 3}}


def test_a_cluster_without_apis_is_refused() -> None:
    """Fairlead lets a cluster pass that does not tell what it serves, Karmada's scheduler does not."""
    problem = fairlead.load(
        cluster("member1", pods=10, kinds=None), binding("web", 2, placement=duplicated())
    )
    assert fairlead.solve(problem).status is fairlead.Status.OPTIMAL
    assert fairlead.dispense(problem, like="karmada").reason == "NoClusterFit"


def test_the_chosen_affinity_group_counts() -> None:
    """The first group has no room for 5, so the second is chosen, and the outcome is judged by its rules."""
    groups = [
        {"affinityName": "small", "clusterNames": ["member1"]},
        {"affinityName": "large", "clusterNames": ["member2"]},
    ]
    placement = {"clusterAffinities": groups, **dynamic()}
    members = [cluster("member1", pods=1), cluster("member2", pods=9)]
    outcome = fairlead.dispense(
        fairlead.load(members, binding("web", 5, placement=placement, cpu="0")), like="karmada"
    )
    assert outcome.problem.workload(KEY).group == "large"
    assert placed(outcome) == {KEY: {"member2": 5}}
    assert outcome.violations == ()


def test_empty_workload_propagation() -> None:
    """1 replica over two equals: with the flag the manifest goes to the second cluster, too."""
    problem = fairlead.load(clusters(2, pods=9), binding("web", 1, placement=static()))
    for keeps in (False, True):
        outcome = fairlead.dispense(problem, like="karmada", empty_workload_propagation=keeps)
        assert placed(outcome) == {KEY: {"member1": 1}}
        assert [one.selected for one in outcome.decisions[KEY]] == [True, keeps]


def test_the_order_of_documents_does_not_matter() -> None:
    """What the manifests declare is kept beside the rules, and does not make equal problems unequal."""
    documents: list[Any] = [cluster("member1", pods=9), policy("web", divided({})), binding("web", 5)]
    forwards, backwards = fairlead.load(documents), fairlead.load(documents[::-1])
    assert forwards.workloads == backwards.workloads
    found = forwards.workloads[0].declared
    assert isinstance(found, KarmadaBinding)
    assert found == backwards.workloads[0].declared


def test_workloads_of_others_are_named() -> None:
    """KubeAdmiral's workload is no business of Karmada's scheduler, nor is one built in Python."""
    problem = fairlead.load(member("member1"), federated_policy(), federated_web())
    with pytest.raises(fairlead.UsageError, match="karmada cannot place default/web"):
        fairlead.dispense(problem, like="karmada")
    bare = fairlead.Problem((), (fairlead.Workload("default/web", "web", 1),))
    with pytest.raises(fairlead.UsageError, match="karmada cannot place default/web"):
        fairlead.dispense(bare, like="karmada")


def test_too_many_replicas_are_not_unplaced_ones() -> None:
    """Karmada does not know a policy's replicas, and copies all 4 to both clusters: 8 of 4, nobody waits."""
    problem = fairlead.load(clusters(2), deployment("web", 4), policy(placement={}, replicas=4))
    greedy = fairlead.dispense(problem, like="karmada")
    assert placed(greedy) == {KEY: {"member1": 4, "member2": 4}}
    assert (greedy.status, greedy.missing) == (fairlead.Status.FEASIBLE, 0)
    assert {violation.rule for violation in greedy.violations} == {"total", "group-total"}


def test_missing_copies_are_unplaced_replicas() -> None:
    """A full copy of 4 does not fit into 3 pods: the reference places nothing, and that is not done."""
    problem = fairlead.load(cluster("member1", pods=3), binding("web", 4, placement=duplicated()))
    greedy = fairlead.dispense(problem, like="reference")
    assert (greedy.status, greedy.missing) == (fairlead.Status.INFEASIBLE, 4)
