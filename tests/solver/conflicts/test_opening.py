"""Ways out that open clusters of which the rules alone do not tell what would hold there."""

import pytest

import fairlead
import kubeadmiral_manifests as federal
from builders import Manifest, binding, cluster, deployment, divided, duplicated, policy, static
from fairlead.manifests.loading import load
from fairlead.models.cluster import Taint
from fairlead.models.rules import Bounds
from fairlead.solver.changes.open_clusters import tolerating
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import Restore
from merged import pasted, texts
from own_builders import own


def infeasible(stream: list[Manifest]) -> tuple[list[str], tuple[str, ...]]:
    """Return the ways out and the advice of manifests; everything is placed after each of the ways."""
    conflict = fairlead.solve(load(stream), workers=1).conflict
    assert conflict is not None
    for way in conflict.relaxations:
        assert fairlead.solve(load(pasted(stream, way)), workers=1).placement is not None, way
    return texts(conflict.relaxations), conflict.advice


def test_what_runs_where_the_room_is_unknown_may_stay() -> None:
    """Both replicas run on a tainted cluster that reports no room: to tolerate the taint keeps them."""
    stream = [
        federal.member("m", None, taints=["edge:NoExecute"]),
        federal.policy(schedulingMode="Divide"),
        federal.federated(federal.web(2), {"m": 2}),
    ]
    assert infeasible(stream) == (["tolerate the taint edge:NoExecute"], ())


def test_bindings_with_placements_of_their_own_do_not_share_tolerations() -> None:
    """To tolerate the taint of a for one binding weighs nothing for the other, which prefers a."""
    stream = [
        cluster("a", cpu=4, taints=["edge:NoExecute"]),
        cluster("b", cpu=4),
        binding("copied", 1, placement={**duplicated(), "clusterAffinity": {"clusterNames": ["a"]}}),
        binding("weighed", 1, placement=static(("a", 1))),
    ]
    assert infeasible(stream) == (["tolerate the taint edge:NoExecute for default/copied"], ())


def test_a_shared_toleration_is_offered_where_nobody_has_anything_to_lose() -> None:
    """One policy for two: what runs of `held` stays, its room unknown; `new` has room for its cpu."""
    stream = [
        cluster("a", cpu=4, taints=["edge:NoExecute"]),
        policy(placement=divided({"dynamicWeight": "AvailableReplicas"}), selects=None),
        binding("held", 2, {"a": 2}),
        deployment("new", 1, 1),
    ]
    assert infeasible(stream) == (["tolerate the taint edge:NoExecute for default/held and default/new"], ())


def test_what_was_tolerated_before_stays_tolerated() -> None:
    """The manifests are read again for each toleration, and know of the one before: both bounds hold then."""
    stream = [
        *(cluster(name, cpu=4, taints=[f"{name}:NoExecute"]) for name in "ab"),
        cluster("c", cpu=4),
        policy(placement=static(minReplicas=1)),
        deployment("web", 3, 1),
    ]
    problem = load(stream)
    (workload,) = problem.workloads
    for taint in (Taint("a", "", "NoExecute"), Taint("b", "", "NoExecute")):
        workload = tolerating(workload, [taint], problem)
    bounds = workload.rule(Bounds)
    assert problem.candidates(workload) == ("a", "b", "c")
    assert bounds is not None
    assert {name: least.replicas for name, least in bounds.minimum.items()} == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize(
    "division", [static(), duplicated(), divided({"dynamicWeight": "AvailableReplicas"})]
)
def test_a_toleration_does_not_stop_an_eviction(division: Manifest) -> None:
    """Karmada's taint manager takes the workload off a, so that the taint is not all that keeps it away."""
    task = {"fromCluster": "a", "reason": "TaintUntolerated", "producer": "TaintManager"}
    stream = [
        cluster("a", cpu=4, taints=["edge:NoExecute"]),
        cluster("b", cpu=1),
        binding("evicted", 2, {"a": 2}, division, cpu=1, gracefulEvictionTasks=[task]),
        binding("other", 1, {}, division, cpu=1),
    ]
    ways, _ = infeasible(stream)
    assert ways
    assert "tolerate the taint edge:NoExecute for default/evicted" not in ways


def test_a_toleration_that_is_not_enough_is_told_with_what_else_is_in_the_way() -> None:
    """KubeAdmiral has seen that none runs on m, which the taint hides at first."""
    stream = [
        federal.member("m", taints=["edge:NoExecute"]),
        federal.policy(schedulingMode="Divide", autoMigration={"when": {"podUnschedulableFor": "1m"}}),
        federal.federated(federal.web(2), marks={"auto-migration-info": {"estimatedCapacity": {"m": 0}}}),
    ]
    ways, (sentence,) = infeasible(stream)
    assert ways == []
    assert sentence.startswith("To tolerate the taint edge:NoExecute is not enough for default/web.")
    assert sentence.endswith(
        "annotation kubeadmiral.io/auto-migration-info of default/web: m may hold at most 0."
    )


def test_a_cluster_is_restored_with_the_bounds_of_its_region() -> None:
    """Every cluster is closed, so no set has a candidate; once a is open, its region holds 1 of 2 at most."""
    stream = [
        cluster("a", cpu=4, region="eu", taints=["edge:NoExecute"]),
        cluster("b", cpu=4, region="us", taints=["edge:NoExecute"]),
        deployment(replicas=2),
        policy(placement=divided({})),
        own("GroupBounds", groups=[{"groupBy": "region", "maxReplicas": 1}]),
    ]
    conflict = fairlead.solve(changed(load(stream), [Restore("a")]), workers=1).conflict
    assert conflict is not None
    assert any("region eu may hold at most 1" in rule.text for rule in conflict.rules)


def test_a_maximum_of_none_is_raised_for_all_who_have_the_policy() -> None:
    """One cpu for two copies of at least one replica that request it: there has to be another as well."""
    named = {federal.PREFIX + "propagation-policy-name": "shared"}
    stream = [
        federal.member("m", "1"),
        federal.policy("shared", schedulingMode="Duplicate", placement=[federal.entry("m", maxReplicas=0)]),
        *(federal.federated(deployment(name, 3, 1), labels=named) for name in ("one", "two")),
    ]
    raised = "raise the maximum of m from 0 to 1 for default/one and default/two; and add 1 cpu to m"
    assert infeasible(stream) == ([f"{raised} (perhaps not the cheapest way)"], ())
