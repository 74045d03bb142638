"""Ways out of conflicts: they help the whole problem, and their fragments fit the input as it was written."""

import json
from dataclasses import replace
from typing import Any

import pytest
import yaml

import fairlead
import kubeadmiral_manifests as federal
from builders import (
    Manifest,
    binding,
    cluster,
    clusters,
    deployment,
    divided,
    duplicated,
    dynamic,
    policy,
    selector,
    static,
    term,
)
from fairlead.manifests.loading import load
from fairlead.models.cluster import Cluster
from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, GroupTotal, Total
from fairlead.models.statement import Change, Conflict, Relaxation
from fairlead.models.workload import Workload
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import ChangeKind
from fairlead.solver.explaining import conflict, explanation
from fairlead.solver.relaxation import model, relaxations, relaxed
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import RunResult, Search
from merged import pasted, texts, ways_out
from own_builders import own


def infeasible(stream: list[Manifest]) -> tuple[Outcome, Conflict]:
    """Solve manifests that have no placement; pasting any way out into them makes them feasible."""
    outcome = fairlead.solve(load(stream), workers=1)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.conflict is not None
    for way in outcome.conflict.relaxations:
        assert fairlead.solve(load(pasted(stream, way)), workers=1).placement is not None, way
    return outcome, outcome.conflict


def fragment(way: Relaxation) -> Any:
    """Return the only document of a fragment."""
    (document,) = yaml.safe_load_all(way.manifest)
    return document


def test_a_way_out_helps_everybody_who_shares_the_cluster() -> None:
    """3 and 2 pods on room for 2: to ask for 2 instead of 3 leaves 4, so room for 3 more is needed."""
    _, conflict = infeasible(
        [
            cluster("a", pods=2),
            binding("web-0", 3, placement=divided({})),
            binding("web-1", 2, placement=divided({})),
        ]
    )
    assert texts(conflict.relaxations)[0] == "add room for 3 pods to a"


def test_a_part_without_placement_knows_nothing_of_companions_in_another() -> None:
    """On a are two that have to be apart, on b 1 and 3 pods on room for 3: every way out mends both."""
    on = {name: {**divided({}), "clusterAffinity": {"clusterNames": [name]}} for name in "ab"}
    selected = {"workloadSelector": {"names": ["web-0", "web-1"]}}
    _, conflict = infeasible(
        [
            cluster("a"),
            cluster("b", pods=3),
            *(binding(f"web-{number}", 1, placement=on["a"]) for number in range(2)),
            *(binding(f"api-{number}", 1 + 2 * number, placement=on["b"]) for number in range(2)),
            own("WorkloadAffinity", "apart", **selected, type="AntiAffinity"),
        ]
    )
    assert texts(conflict.relaxations)[0] == (
        "leave default/web-0 out of WorkloadAffinity apart and add room for 1 pod to b"
    )


def test_every_group_that_is_left_is_looked_at() -> None:
    """Group a has room for 2 of 12, group b for 11: one core more in group b, or one replica less."""
    groups = [
        {"affinityName": "a", "clusterNames": ["s1"]},
        {"affinityName": "b", "clusterNames": ["b1", "b2"]},
    ]
    _, conflict = infeasible(
        [
            cluster("s1", cpu=2),
            cluster("b1", cpu=5),
            cluster("b2", cpu=6),
            deployment(replicas=12, cpu=1),
            policy(placement={**static((["s1", "b1", "b2"], 1)), "clusterAffinities": groups}),
        ]
    )
    assert texts(conflict.relaxations) == [
        "add 1 cpu to b1",
        "add 1 cpu to b2",
        "scale from 12 to 11 replicas",
    ]
    told = [rule.text for rule in conflict.rules]
    assert "affinity group a: s1 has capacity for 2 of default/nginx (2 cpu free, 1 per replica)" in told
    assert "affinity group b: default/nginx needs 12 replicas; these 2 clusters can hold 11 together" in told


def test_who_fits_beside_a_group_that_does_not_is_left_alone() -> None:
    """Where web is in group 2 it shares no cluster with api, which has a placement and needs no way out."""
    groups = [{"affinityName": "1", "clusterNames": ["a", "d"]}, {"affinityName": "2", "clusterNames": ["d"]}]
    apart = [{"spreadByField": "region", "minGroups": 2}]
    _, conflict = infeasible(
        [
            *(cluster(name, cpu=4, region="x") for name in "abcd"),
            binding("api", 1, placement={**dynamic(), "clusterAffinity": {"clusterNames": [*"abc"]}}, cpu=1),
            binding(
                "web",
                2,
                placement={**dynamic(), "spreadConstraints": apart, "clusterAffinities": groups},
                cpu=1,
            ),
        ]
    )
    assert texts(conflict.relaxations) == ["require 1 region instead of 2 for default/web"]


def test_groups_before_the_observed_one_are_a_way_back() -> None:
    """Group a would do, but the workload was scheduled in b: a rebalancer places it afresh."""
    groups = [
        {"affinityName": "a", "clusterNames": ["big"]},
        {"affinityName": "b", "clusterNames": ["small"]},
    ]
    status = {"schedulerObservingAffinityName": "b", "lastScheduledTime": "2026-01-01T00:00:00Z"}
    _, conflict = infeasible(
        [
            cluster("big", cpu=9),
            cluster("small", cpu=1),
            binding("web", 3, placement={**divided({}), "clusterAffinities": groups}, cpu=1, status=status),
        ]
    )
    way = conflict.relaxations[0]
    assert way.text == "reschedule default/web (--fresh): affinity group a fits"
    assert fragment(way)["kind"] == "WorkloadRebalancer"


def test_the_replicas_of_a_copied_binding() -> None:
    """Copies of 5 on room for 3: the number of replicas changes, not the type of scheduling."""
    _, conflict = infeasible([cluster("a", pods=3), binding("web", 5, placement=duplicated())])
    assert fragment(conflict.relaxations[1])["spec"] == {"replicas": 3}


def test_the_name_of_the_binding_is_that_of_the_input() -> None:
    """Whatever the binding is called, the fragment names it; the workload beside it changes as well."""
    bound = binding("web", 5, placement=divided({}))
    bound["metadata"]["name"] = "my-binding"
    _, conflict = infeasible([cluster("a", pods=3), bound])
    assert fragment(conflict.relaxations[1])["metadata"] == {"name": "my-binding", "namespace": "default"}
    _, conflict = infeasible([cluster("a", pods=3), bound, deployment("web", 5)])
    kinds = [each["kind"] for each in yaml.safe_load_all(conflict.relaxations[1].manifest)]
    assert kinds == ["ResourceBinding", "Deployment"]


def test_a_federated_object_holds_its_workload() -> None:
    """The replicas stand in the template inside the federated object."""
    web = federal.web(3)
    del web["metadata"]["labels"]
    marks = {"placements": [{"cluster": "a", "preferences": {"maxReplicas": 2}}]}
    labels = {federal.PREFIX + "propagation-policy-name": "web"}
    held = federal.federated(web, marks=marks, labels=labels)
    _, conflict = infeasible([federal.member("a"), federal.policy(), held])
    raised, fewer = conflict.relaxations
    assert raised.text == "raise the maximum of a from 2 to 3"
    # The annotation overrides the policy, so that is where the number changes.
    written = fragment(raised)["metadata"]["annotations"][federal.PREFIX + "placements"]
    assert json.loads(written) == [{"cluster": "a", "preferences": {"maxReplicas": 3}}]
    assert fragment(fewer)["kind"] == "FederatedObject"
    assert fragment(fewer)["spec"] == {"template": {"spec": {"replicas": 2}}}


@pytest.mark.parametrize("override", [None, 3])
def test_a_template_that_clusters_follow_frees_room_once_that_is_reported(override: int | None) -> None:
    """Three copies of web run on m and one more replica fits; api needs two.

    With an override what runs stays until it is changed, so fewer of web are a way out at once.
    """
    web, api = federal.web(3), federal.web(2)
    api["metadata"] |= {"name": "api", "labels": {federal.PREFIX + "propagation-policy-name": "api"}}
    copies = federal.policy(schedulingMode="Duplicate", placement=[federal.entry("m")])
    fleet = [copies, federal.policy("api"), federal.federated(api)]
    stream = [federal.member("m", "1"), federal.federated(web, {"m": override}), *fleet]
    _, found = infeasible(stream)
    fewer = "scale default/web from 3 to 2 replicas"
    at_once = override is not None
    assert (fewer in texts(found.relaxations)) is at_once
    assert [fewer in each and "Once member clusters report" in each for each in found.advice] == (
        [] if at_once else [True]
    )
    web["spec"]["replicas"] = 2
    reported = [federal.member("m", "2"), federal.federated(web, {"m": None})]
    assert fairlead.solve(load([*reported, *fleet])).status is Status.OPTIMAL


@pytest.mark.parametrize(
    ("written", "helps"),
    [
        # Where it cannot be read, or minima are negative, KubeAdmiral goes by the policy: no minimum.
        ("no JSON", True),
        ("null", True),
        ('[{"cluster": "a", "preferences": {"minReplicas": -2}}]', True),
        # Copies of 2 would be lifted to 3.
        ('[{"cluster": "a", "preferences": {"minReplicas": 3}}]', False),
    ],
)
def test_copies_are_scaled_down_where_the_annotation_lets_them_be_smaller(written: str, helps: bool) -> None:
    """Room for 2 where 4 are wanted."""
    spec = federal.policy(schedulingMode="Duplicate")
    copied = federal.federated(federal.web(4), marks={"placements": written})
    outcome = fairlead.solve(load([federal.member("a", "2"), spec, copied]))
    assert outcome.conflict is not None
    ways = [way.text for way in outcome.conflict.relaxations]
    assert ("scale from 4 to 2 replicas" in ways) == helps


def test_tolerations_that_an_annotation_says_to_be_none_at_all_get_one() -> None:
    """``null`` overrides the policy with no tolerations; the way out writes a list into the annotation."""
    held = federal.federated(federal.web(4), marks={"tolerations": "null"})
    _, conflict = infeasible([federal.member("a", taints=["k:NoSchedule"]), federal.policy(), held])
    (tolerate,) = [way for way in conflict.relaxations if way.text.startswith("tolerate")]
    written = fragment(tolerate)["metadata"]["annotations"][federal.PREFIX + "tolerations"]
    assert [each["key"] for each in json.loads(written)] == ["k"]


@pytest.mark.parametrize("sticky", ["", "true", "false"])
def test_bounds_give_way_where_the_annotation_enables_rescheduling_again(sticky: str) -> None:
    """Room for 3 beside a minimum of 4; where rescheduling is disabled what runs stays, which is right."""
    bounded = [federal.entry("a", minReplicas=4), federal.entry("b", weight=1)]
    stays = federal.policy(reschedulePolicy={"disableRescheduling": True}, placement=bounded)
    runs = federal.federated(federal.web(4), {"b": 3}, marks={"sticky-cluster": sticky} if sticky else None)
    outcome = fairlead.solve(load([federal.member("a", "3"), federal.member("b"), stays, runs]))
    ways = [way.text for way in outcome.conflict.relaxations] if outcome.conflict else []
    assert ("lower the minimum of a from 4 to 3" in ways) == (sticky == "false")


def test_a_limit_that_follows_from_others_is_no_relaxable() -> None:
    """Beside a cluster with a weight, one without has its minimum only: its maximum helps nobody."""
    _, conflict = infeasible(
        [
            federal.member("heavy"),
            federal.member("light"),
            federal.policy(
                placement=[
                    federal.entry("light", minReplicas=1, maxReplicas=2),
                    federal.entry("heavy", weight=9, maxReplicas=0),
                ]
            ),
            federal.web(2),
        ]
    )
    assert texts(conflict.relaxations) == [
        "raise the maximum of heavy from 0 to 1",
        "scale from 2 to 1 replica",
    ]


def test_what_many_workloads_share_is_said_once() -> None:
    """20 workloads of one policy want 5 regions, there are 4: one sentence, and one number changes."""
    spread = {"spreadByField": "region", "minGroups": 5, "maxGroups": 9}
    stream = [cluster(f"m{at}", cpu=200, region=f"r{at}") for at in range(4)]
    stream += [deployment(f"web-{at:02d}", 24, cpu=1) for at in range(20)]
    stream.append(policy(placement={**dynamic(), "spreadConstraints": [spread]}))
    outcome, conflict = infeasible(stream)
    assert len(outcome.conflicts) == 1
    among = "r0, r1, r2 and r3 have eligible clusters"
    everybody = "default/web-00, default/web-01, default/web-02 and 17 more workloads"
    assert [rule.text for rule in conflict.rules] == [
        f"policy default/nginx: replicas in at least 5 regions; only {among}, for {everybody}"
    ]
    assert conflict.workloads == tuple(f"default/web-{at:02d}" for at in range(20))
    assert texts(conflict.relaxations) == [f"require 4 regions instead of 5 for {everybody}"]
    assert conflict.relaxations[0].change == 1
    # Everyone's own condition tells why, not only the first one's.
    told = {each.message for conditions in outcome.conditions.workloads.values() for each in conditions}
    assert not any("the rules of other workloads" in each for each in told)


def test_one_remedy_comes_before_a_chain() -> None:
    """40 workloads of 24 want far more than there is: room for all, not one replica here and there."""
    stream = [cluster("a", cpu=60), cluster("b", cpu=60)]
    stream += [deployment(f"web-{at:02d}", 24, cpu="350m") for at in range(40)]
    _, conflict = infeasible([*stream, policy(placement=divided({}))])
    assert 1 <= len(conflict.relaxations) <= 3
    # 960 replicas of 350m: b has room for 171, so a has to hold 789 of them, 276150m, and has 60000m.
    assert texts(conflict.relaxations)[0] == "add 216150m cpu to a"
    assert [rule.text.partition(";")[0] for rule in conflict.rules[1:]] == ["a has 60 cpu", "b has 60 cpu"]


def test_amounts_of_one_sentence_have_one_unit() -> None:
    """177 x 750m are 132750m, which is 132.75 as 60 is 60."""
    quota = {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "compute", "namespace": "default"},
        "spec": {"overall": {"cpu": "60"}},
    }
    found = ways_out(clusters(2), deployment(replicas=177, cpu="750m"), policy(placement=divided({})), quota)
    assert "raise the quota of namespace default (cpu) from 60 to 132.75" in texts(found)


def test_two_members_leave_one_group() -> None:
    """Three keep apart, and one cluster is open: two leave, and the fragment leaves one name."""
    found = ways_out(
        cluster("a"),
        [deployment(f"web-{at}", 1) for at in range(3)],
        policy(placement=divided({})),
        own("WorkloadAffinity", type="AntiAffinity"),
    )
    assert found[0].change == 2
    assert fragment(found[0])["spec"]["workloadSelector"]["names"] == ["web-2"]


def test_a_part_that_has_to_survive_stays_a_part() -> None:
    """Half of 6 and of 2 replicas: one region is all there is, so nothing can be left of either."""
    found = ways_out(
        cluster("a", region="eu"),
        deployment("large", 6),
        deployment("small", 2),
        policy(placement=divided({})),
        own("Survival", field="region", minPercent="50%"),
    )
    assert fragment(found[0])["spec"] == {"minPercent": "0%"}


def test_a_budget_of_moves() -> None:
    """A minimum of 3 where nothing runs, and 2 of 4 may move: 3, or 75 % of every single workload."""
    bounds = divided({}, clusterConstraintTerms=[term("b", 3)])
    for budget, allowed in (
        ({"total": "50%"}, {"total": 3}),
        ({"perWorkload": "50%"}, {"perWorkload": "75%"}),
    ):
        found = ways_out(
            clusters(1),
            cluster("b"),
            binding("web", 4, {"member1": 4}, bounds),
            own("MoveBudget", **budget),
        )
        (way,) = [each for each in found if each.text.startswith("allow")]
        assert fragment(way)["spec"] == allowed


def test_a_total_in_an_annotation() -> None:
    """Annotations of solution three hold JSON, which is written anew as a whole."""
    marked = policy(placement=divided({}))
    totals = [{"name": "member1", "replicas": 2}, {"name": "member2", "replicas": 3}]
    marked["metadata"]["annotations"] = {"specifiedClusters": json.dumps(totals)}
    found = ways_out(clusters(2), deployment(replicas=4), marked)
    assert texts(found)[0] == "lower the total of member1 from 2 to 1"
    written = fragment(found[0])["metadata"]["annotations"]["specifiedClusters"]
    assert json.loads(written) == [{"name": "member1", "replicas": 1}, {"name": "member2", "replicas": 3}]


def test_a_total_of_a_cluster_that_is_called_like_its_region() -> None:
    """Cluster a has room for 1 of the 2 that it shall hold; region a, with b in it, keeps its 3."""
    marked = policy(placement=divided({}))
    totals = {
        "specifiedClusters": [{"name": "a", "replicas": 2}],
        "specifiedIdcs": [{"name": "a", "replicas": 3}],
    }
    marked["metadata"]["annotations"] = {"fairlead.io/replicas": json.dumps(totals)}
    members = [cluster("a", cpu=1, region="a"), cluster("b", cpu=8, region="a")]
    found = ways_out(*members, deployment(replicas=3, cpu=1), marked)
    assert texts(found)[0] == "lower the total of a from 2 to 1"
    written = json.loads(fragment(found[0])["metadata"]["annotations"]["fairlead.io/replicas"])
    assert written == {**totals, "specifiedClusters": [{"name": "a", "replicas": 1}]}


def test_a_cluster_that_is_opened_brings_its_bounds() -> None:
    """Tolerating the taint of b would ask for 5 there, which has room for 1: that is no way out alone."""
    terms = [term("b", 5), term({"labelSelector": {"matchLabels": {"tier": "tin"}}}, high=9)]
    found = ways_out(
        cluster("a", cpu=1),
        cluster("b", cpu=1, taints=["gpu:NoSchedule"]),
        deployment(replicas=2, cpu=1),
        policy(placement=divided({}, clusterConstraintTerms=terms)),
    )
    assert "tolerate the taint gpu:NoSchedule" not in texts(found)


@pytest.mark.parametrize("placement", [divided({}), duplicated()])
def test_what_runs_stays_once_nothing_evicts_it(placement: Manifest) -> None:
    """The taint that takes nothing new may stay untolerated: both replicas run there already."""
    tainted = cluster("a", cpu=9, taints=["new:NoSchedule", "old:NoExecute"])
    found = ways_out(tainted, binding("web", 2, {"a": 2}, {**placement, "clusterTolerations": []}, cpu=1))
    assert texts(found)[0] == "tolerate the taint old:NoExecute"


def test_others_that_share_a_policy_keep_their_placement() -> None:
    """To tolerate the taint of b would put a full copy of large there, which has no room for it."""
    spread = {"spreadByField": "cluster", "minGroups": 2, "maxGroups": 2}
    shared = {**duplicated(), "clusterTolerations": []}
    found = ways_out(
        cluster("a", cpu=9),
        cluster("b", cpu=1, taints=["gpu:NoSchedule"]),
        deployment("large", 5, cpu=1),
        policy("large", shared, selects=[selector("large")]),
        deployment("small", 1, cpu=1),
        policy("small", {**divided({}), "spreadConstraints": [spread]}, selects=[selector("small")]),
    )
    assert "require 1 cluster instead of 2 for default/small" in texts(found)


def test_an_annotation_that_overrides_is_named() -> None:
    """The cluster is in the policy's list and not in the annotation's: the reason says which one counts."""
    web = federal.web(1, marks={"placements": [{"cluster": "b"}]})
    listed = federal.policy(placement=[federal.entry("a"), federal.entry("b")])
    outcome = fairlead.solve(load([federal.member("a"), federal.member("b"), listed, web]))
    reasons = {each.cluster: each.reason for each in outcome.decisions["default/web"]}
    assert reasons["a"] == (
        "is not in the placement list (annotation kubeadmiral.io/placements overrides policy default/web)"
    )


def test_copies_grow_with_the_room_they_lack() -> None:
    """Beside one core of small, a copy of large has one replica for lack of room; with two, it has two."""
    placement = [federal.entry("a", minReplicas=1, maxReplicas=2)]
    listed = federal.policy(schedulingMode="Duplicate", placement=placement)
    webs = [federal.web(2, "1"), federal.web(1, "1")]
    for name, each in zip(("large", "small"), webs, strict=True):
        each["metadata"]["name"] = name
    found = ways_out(federal.member("a", "1"), listed, webs)
    assert "add 1 cpu to a" not in texts(found)
    assert any(text.startswith("add 2 cpu to a") for text in texts(found))


def test_a_part_without_way_out_does_not_hide_those_of_others() -> None:
    """Nothing opens the only cluster that stuck names, as it does not exist; web needs more room."""
    outcome = fairlead.solve(
        load(
            [
                cluster("a", cpu=1),
                cluster("b", cpu=1),
                deployment("stuck", 1, cpu=1),
                policy(
                    "stuck",
                    {**divided({}), "clusterAffinity": {"labelSelector": {"matchLabels": {"x": "y"}}}},
                    selects=[selector("stuck")],
                ),
                deployment("web", 2, cpu=1),
                policy(
                    "web",
                    {**divided({}), "clusterAffinity": {"clusterNames": ["a"]}},
                    selects=[selector("web")],
                ),
            ]
        )
    )
    assert outcome.conflict is not None
    assert texts(outcome.conflict.relaxations) == [
        "add 1 cpu to a",
        "scale default/web from 2 to 1 replica",
    ]
    assert outcome.conflict.without_way_out == ("default/stuck",)
    assert (
        "No change of numbers or tolerations opens a cluster to default/stuck: let the policy select another "
        "cluster, or add one that it selects.\nAny one of these changes fixes all others:"
    ) in str(outcome)
    assert outcome.to_dict()["conflict"]["withoutWayOut"] == ["default/stuck"]


def test_nothing_is_searched_for_once_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Explaining a thousand workloads took seconds beyond the time limit, one search for each of them."""

    def searched(*_: object) -> None:
        raise AssertionError("something was searched for")

    monkeypatch.setattr(explanation, "has_placement", searched)
    monkeypatch.setattr(conflict, "units_of", searched)
    placement = {**divided({}), "spreadConstraints": [{"spreadByField": "cluster", "maxGroups": 1}]}
    stream = [
        *clusters(2, cpu=3),
        policy(placement=placement, selects=[selector("x"), selector("y"), selector("z")]),
    ]
    problem = load([*stream, *(deployment(name, 2, cpu=1) for name in "xyz")])
    assert explanation.conflicts_of(problem, Search(Deadline.after(0))) == ()
    assert relaxations(problem, Search(Deadline.after(0))) == ()


def test_ways_out_do_not_depend_on_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """3 and 3 replicas, room for 4: the same of many ways are told, whatever search is the last one."""
    documents = [cluster("a", cpu=2), cluster("b", cpu=2), policy(placement=divided({}, maxReplicas=2))]
    problem = load([*documents, *(deployment(f"web-{one}", replicas=3, cpu="1") for one in range(2))])

    def told(last: int) -> tuple[list[str], int]:
        due, searches = Deadline(), 0

        def counted(*asked: Any) -> RunResult:
            nonlocal searches
            searches += 1
            found = run(*asked)
            due.stop.asked = 0 < last <= searches
            return found

        for module in (model, relaxed):
            monkeypatch.setattr(module, "run", counted)
        return texts([way for way in relaxations(problem, Search(due)) if way.proven]), searches

    # Single changes would be told without a search.
    monkeypatch.setattr("fairlead.solver.relaxation.ways.quick", lambda *_asked: [])
    every, searches = told(0)
    assert searches > 3
    for last in range(1, searches):
        assert set(told(last)[0]) <= set(every), last


def test_a_quota_that_others_use_beyond_measure_is_no_way_out() -> None:
    """Others use 8Ei cpu of 12: nobody raises a quota by that, and no model counts so far."""
    quota = {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "compute", "namespace": "default"},
        "spec": {"overall": {"cpu": "12"}},
        "status": {"overall": {"cpu": "12"}, "overallUsed": {"cpu": "8Ei"}},
    }
    stream = [*clusters(2, cpu=20), quota, policy(placement=divided({})), deployment("nginx", 9, cpu=1)]
    outcome = fairlead.solve(load(stream))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.conflict is not None
    assert [each.rule for each in outcome.conflict.rules] == ["total", "quota"]
    assert [str(each) for each in outcome.conflict.relaxations] == []
    helps = "No change of numbers is known that helps default/nginx: remove one of these rules."
    assert outcome.conflict.advice == (helps,)


def test_bounds_of_a_cluster_that_a_toleration_opens_give_way_too() -> None:
    """The only cluster is tainted and asks for 2 replicas where it is used; one is wanted."""
    stream = [
        cluster("member1", taints=["edge:NoExecute"]),
        deployment(replicas=1),
        policy(placement=static(("member1", 1), minReplicas=2)),
    ]
    _, found = infeasible(stream)
    assert [way.text for way in found.relaxations] == [
        "lower the minimum of member1 from 2 to 1 and tolerate the taint edge:NoExecute",
        "tolerate the taint edge:NoExecute and scale from 1 to 2 replicas",
    ]


def test_who_cannot_be_helped_takes_no_way_out_from_others() -> None:
    """Nothing opens a cluster to `lost`, which stands apart from `wide`; that one wants one too many."""
    stream = [
        cluster("member1", cpu=4),
        deployment("lost", 1, cpu=1),
        deployment("wide", 5, cpu=1),
        policy("lost", {"clusterAffinity": {"clusterNames": ["member9"]}}, selects=[selector("lost")]),
        policy("wide", static(("member1", 1)), selects=[selector("wide")]),
        own("WorkloadAffinity", type="AntiAffinity"),
    ]
    outcome = fairlead.solve(load(stream), workers=1)
    ways = [way for each in outcome.conflicts for way in each.relaxations]
    assert [way.text for way in ways] == [
        "add 1 cpu to member1",
        "scale default/wide from 5 to 4 replicas",
    ]
    assert {way.without for way in ways} == {("default/lost",)}


def test_a_bound_and_an_exact_total_of_one_cluster_change_apart() -> None:
    """Both are about member1; to lower the minimum of the one leaves the other as it is."""
    exact = GroupTotal("member1", frozenset(["member1"]), 3, 3)
    least = GroupTotal("member1", frozenset(["member1"]), 2, None)
    asked = Workload("web", "web", 3, rules=(Candidates(("member1",)), Total(), exact, least))
    change = Change(ChangeKind.GROUP_MINIMUM, "web", None, "member1", 2, 1, 1)
    changed = apply(Problem((Cluster("member1"),), (asked,)), [change])
    assert changed.workload("web").rules_of(GroupTotal) == (exact, replace(least, minimum=1))


def test_a_minimum_binds_as_soon_as_a_toleration_opens_its_cluster() -> None:
    """One taint closes both; opened, member2 asks for 4 of 2 replicas, which its 3 cpu cannot hold either."""
    taints = ["edge:NoExecute"]
    stream = [
        cluster("member1", cpu=2, taints=taints),
        cluster("member2", cpu=3, taints=taints),
        deployment(replicas=2, cpu=1),
        policy(placement=dynamic(clusterConstraintTerms=[term("member2", low=4)])),
    ]
    _, found = infeasible(stream)
    assert texts(found.relaxations) == [
        "lower the minimum of member2 from 4 to 2 and tolerate the taint edge:NoExecute",
        "tolerate the taint edge:NoExecute, add 1 cpu to member2 and scale from 2 to 4 replicas",
    ]


def test_a_percentage_that_was_lowered_stays_lowered_where_replicas_change_too() -> None:
    """Half of 3 are to survive the loss of the only region, and there is room for one: 0%, and 1 replica."""
    stream = [
        cluster("member1", cpu=1, region="eu"),
        deployment(replicas=3, cpu=1),
        policy(placement=static(("member1", 1))),
        own("Survival", field="region", minPercent="50%"),
    ]
    _, found = infeasible(stream)
    assert texts(found.relaxations) == [
        "no longer require replicas to survive the loss of any one region and add 2 cpu to member1",
        "no longer require replicas to survive the loss of any one region and scale from 3 to 1 replica",
    ]
    assert "minPercent: 0%" in found.relaxations[1].manifest


NOWHERE = {"clusterNames": ["member9"]}
UNKNOWN = (
    "The capacity of member1 is unknown, so that default/nginx cannot be divided by it: have it reported, "
    "or use static weights."
)
CLOSED = (
    "No change of numbers or tolerations opens a cluster to default/nginx: let the policy select another "
    "cluster, or add one that it selects."
)


@pytest.mark.parametrize(
    ("placement", "sentence"), [(dynamic(), UNKNOWN), ({"clusterAffinity": NOWHERE}, CLOSED)]
)
def test_what_helps_where_no_number_does(placement: Manifest, sentence: str) -> None:
    """The answer ends with it, in text and as data."""
    outcome, found = infeasible([cluster("member1"), deployment(), policy(placement=placement)])
    assert found.relaxations == ()
    assert found.advice == (sentence,)
    assert str(outcome).rstrip().endswith(sentence)
    assert outcome.to_dict()["conflict"]["advice"] == [sentence]


def test_behind_a_taint_capacity_is_unknown() -> None:
    """The only cluster is tainted and of unknown capacity: to tolerate the taint alone opens nothing."""
    tainted = cluster("member1", taints=["edge:NoExecute"])
    _, found = infeasible([tainted, deployment(), policy(placement=dynamic())])
    assert found.advice == (UNKNOWN,)


@pytest.mark.parametrize(
    ("bounds", "choice", "copy"),
    [({"minReplicas": 1}, {}, 3), ({"maxReplicas": 2}, {}, 2), ({"minReplicas": 5}, {"maxClusters": 1}, 5)],
)
def test_a_copy_whose_cluster_a_toleration_opens(
    bounds: dict[str, int], choice: dict[str, Any], copy: int
) -> None:
    """KubeAdmiral's policies bound copies of 3: these sizes are known before the cluster is open."""
    stream = [
        federal.member("m", taints=["edge:NoExecute"]),
        federal.policy(schedulingMode="Duplicate", placement=[federal.entry("m", **bounds)], **choice),
        federal.federated(federal.web(3)),
    ]
    _, found = infeasible(stream)
    assert texts(found.relaxations) == ["tolerate the taint edge:NoExecute"]
    after = fairlead.solve(load(pasted(stream, found.relaxations[0])), workers=1)
    assert after.placement == Placement({"default/web": {"m": copy}})


def test_a_copy_that_no_cluster_takes() -> None:
    """A maximum of 0 leaves no copy anywhere; one of 1 leaves a copy of 1."""
    stream = [
        federal.member("m"),
        federal.policy(schedulingMode="Duplicate", placement=[federal.entry("m", maxReplicas=0)]),
        federal.federated(federal.web(3)),
    ]
    _, found = infeasible(stream)
    assert texts(found.relaxations) == ["raise the maximum of m from 0 to 1"]
    after = fairlead.solve(load(pasted(stream, found.relaxations[0])), workers=1)
    assert after.placement == Placement({"default/web": {"m": 1}})


def test_a_copy_that_cannot_run_as_is_reported() -> None:
    """KubeAdmiral has found that m runs none of it: no maximum of the policy would help."""
    stream = [
        federal.member("m"),
        federal.policy(schedulingMode="Duplicate", autoMigration={"when": {"podUnschedulableFor": "1m"}}),
        federal.federated(federal.web(3), marks={"auto-migration-info": {"estimatedCapacity": {"m": 0}}}),
    ]
    _, found = infeasible(stream)
    assert found.relaxations == ()
    told = "annotation kubeadmiral.io/auto-migration-info tells: make room there, or remove the annotation"
    assert found.advice == (f"m cannot run any of default/web, as {told}.",)


def test_where_time_runs_out_a_way_of_few_changes_is_looked_for_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four workloads of 3 on 4 cpu and 4Gi: to scale all four down is cheapest, but four changes."""
    stream = [cluster("a", 4, "4Gi"), *(deployment(f"w{number}", 3, 1, "1Gi") for number in range(4))]
    every: list[int] = []
    known = model.RelaxationModel.run

    def hurried(self: model.RelaxationModel, search: Search) -> model.RelaxationSolution | None:
        solution = known(self, search)
        every.append(len(solution.changes) if solution is not None else 0)
        return replace(solution, certain=False) if solution is not None else None

    monkeypatch.setattr(model.RelaxationModel, "run", hurried)
    _, found = infeasible([*stream, policy("p", static())])
    assert every[0] == 4
    assert [len(way.changes) for way in found.relaxations] == [3, 3]
    assert all(way.text.endswith("(perhaps not the cheapest way)") for way in found.relaxations)


@pytest.mark.parametrize(
    ("count", "advice"),
    [
        (1, "m1 has no weight above 0 for default/web: give it a weight."),
        (2, "m1 and m2 have no weight above 0 for default/web: give one of them a weight."),
    ],
)
def test_clusters_that_all_weigh_nothing(count: int, advice: str) -> None:
    """KubeAdmiral places nothing then; a weight is a number, so it is not said that no number helps."""
    names = [f"m{number}" for number in range(1, count + 1)]
    entries = [federal.entry(name, weight=0) for name in names]
    stream = [
        *map(federal.member, names),
        federal.policy(placement=entries),
        federal.federated(federal.web(3)),
    ]
    _, found = infeasible(stream)
    assert (found.relaxations, found.advice) == ((), (advice,))


TIERED = {"clusterNames": ["a"], "supplements": [{"clusterNames": ["b"]}]}


@pytest.mark.parametrize("divided_by", [static(), duplicated()])
@pytest.mark.parametrize(
    ("a", "b", "tolerating"),
    [
        # The first tier is open, so nothing opens the second.
        (cluster("a", 1), cluster("b", 9, taints=["x:NoSchedule"]), []),
        # What opens b opens a as well, and then a alone has to hold all.
        (
            cluster("a", 1, taints=["x:NoSchedule"]),
            cluster("b", 9, taints=["x:NoSchedule"]),
            ["add 2 cpu to a", "scale from 3 to 1 replica"],
        ),
        # Here it does not, and either is enough where it has room.
        (cluster("a", 1, taints=["x:NoSchedule"]), cluster("b", 9, taints=["y:NoSchedule"]), [""]),
    ],
)
def test_a_toleration_opens_only_the_tier_that_is_used(
    divided_by: Manifest, a: Manifest, b: Manifest, tolerating: list[str]
) -> None:
    """Full copies and static weights use the first tier that has eligible clusters, and no other."""
    stream = [a, b, binding("web", 3, {}, {**divided_by, "clusterAffinity": TIERED}, cpu=1)]
    _, found = infeasible(stream)
    told = [way.text for way in found.relaxations if "tolerate" in way.text]
    if tolerating == [""]:
        assert told[0] == "tolerate the taint y:NoSchedule"
    else:
        more = [text.partition("tolerate the taint x:NoSchedule and ")[2] for text in told]
        assert [text.partition(" (")[0] for text in more] == tolerating


def test_a_toleration_of_an_earlier_tier_closes_the_later_one() -> None:
    """With the taint tolerated a, which holds 2 of 3, is the first tier and the only one that is used."""
    stream = [
        cluster("a", 2, taints=["x:NoSchedule"]),
        cluster("b", 1),
        binding("web", 3, {}, {**static(), "clusterAffinity": TIERED}, cpu=1),
    ]
    _, found = infeasible(stream)
    assert [way.text for way in found.relaxations] == ["add 2 cpu to b", "scale from 3 to 1 replica"]


def test_a_smaller_percentage_is_told_of_all_whom_it_concerns() -> None:
    """The only replica of `one` survives no loss of its region; half of `four` does, and no longer has to."""
    stream = [
        cluster("a", cpu=4, region="x"),
        cluster("b", cpu=4, region="y"),
        binding("one", 1, {}, static(), cpu=1),
        binding("four", 4, {}, static(), cpu=1),
        own("Survival", field="region", minPercent="50%"),
    ]
    _, found = infeasible(stream)
    way = found.relaxations[0]
    assert way.text == (
        "no longer require replicas to survive the loss of any one region for default/four and default/one"
    )
    assert [(each.workload, each.before, each.after, each.cost) for each in way.changes] == [
        ("default/four", 2, 0, 0),
        ("default/one", 1, 0, 1),
    ]
    assert fragment(way)["spec"]["minPercent"] == "0%"


def test_fewer_replicas_need_fewer_survivors_where_these_are_a_percentage() -> None:
    """Half of three are two, of which one cluster would have to hold both; half of two is one."""
    stream = [
        cluster("a", cpu=4, region="x"),
        cluster("b", cpu=4, region="y"),
        binding("web", 3, {}, divided({"clusterConstraint": {"maxReplicas": 1}}), cpu=1),
        own("Survival", field="region", minPercent="50%"),
    ]
    _, found = infeasible(stream)
    way = found.relaxations[0]
    assert (way.text, way.change, way.proven) == ("scale from 3 to 2 replicas", 1, True)


@pytest.mark.parametrize(
    ("room", "ways"),
    [
        # Of four replicas two fit; with a minimum of two the copy is as large as that.
        ("2", ["lower the minimum of a from 3 to 2", "add 1 cpu to a"]),
        # Where nothing fits, no minimum helps: a copy has at least one replica.
        ("0", ["add 3 cpu to a"]),
    ],
)
def test_a_copy_of_kubeadmiral_is_smaller_with_a_lower_minimum(room: str, ways: list[str]) -> None:
    """It holds the template's number, or the most that fits, but at least its minimum."""
    placement = [federal.entry("a", minReplicas=3), federal.entry("b")]
    stream = [
        federal.member("a", room),
        federal.member("b", "9"),
        federal.policy(schedulingMode="Duplicate", placement=placement),
        federal.federated(federal.web(4)),
    ]
    _, found = infeasible(stream)
    assert texts(found.relaxations) == ways


@pytest.mark.parametrize("gone", [True, False])
def test_an_earlier_group_is_the_way_out_where_nothing_opens_the_observed_one(gone: bool) -> None:
    """The only cluster of the second group is lost, or evicts the workload; the first one has recovered.

    Another workload that fails for a reason of its own does not hide that.
    """
    groups = [
        {"affinityName": "main", "clusterNames": ["a"]},
        {"affinityName": "spare", "clusterNames": ["b"]},
    ]
    seen = {"schedulerObservingAffinityName": "spare", "lastScheduledTime": "2026-01-01T00:00:00Z"}
    tasks = [] if gone else [{"fromCluster": "b", "reason": "x", "producer": "y"}]
    web = binding(
        "web",
        2,
        {"b": 2},
        {**static(), "clusterAffinities": groups},
        cpu=1,
        status=seen,
        gracefulEvictionTasks=tasks,
    )
    stream = [cluster("a", cpu=4), *([] if gone else [cluster("b", cpu=4)]), web]
    afresh = "reschedule default/web (--fresh): affinity group main fits"
    _, found = infeasible(stream)
    assert texts(found.relaxations) == [afresh]
    assert found.relaxations[0].proven
    assert not found.advice
    large = binding("large", 3, {}, {**static(), "clusterAffinity": {"clusterNames": ["a"]}}, cpu=1)
    _, found = infeasible([*stream, large])
    assert found.relaxations
    assert all("reschedule default/web" in way.text for way in found.relaxations)
    assert not any(way.without for way in found.relaxations)


def test_a_maximum_of_a_set_grows_with_its_copies() -> None:
    """Three copies of 2 are 6, more than the 3 that a single copy, or all of a total, could ask for."""
    stream = [
        *clusters(3, cpu=9, region="eu"),
        deployment(replicas=2, cpu=1),
        policy(placement=duplicated()),
        own("GroupBounds", groups=[{"groupBy": "region", "maxReplicas": 3}]),
    ]
    _, found = infeasible(stream)
    assert set(texts(found.relaxations)) == {
        "raise the maximum of region eu from 3 to 6",
        "scale from 2 to 1 replica",
    }


def test_groups_of_copies_may_differ_by_more_than_one_copy() -> None:
    """Three copies in us and one in eu differ by 2."""
    us = (cluster(f"us{number}", cpu=9, region="us") for number in range(1, 4))
    stream = [
        cluster("eu1", cpu=9, region="eu"),
        *us,
        deployment(replicas=1, cpu=1),
        policy(placement=duplicated()),
        own("Skew", field="region", maxSkew=1),
    ]
    _, found = infeasible(stream)
    assert texts(found.relaxations) == ["let any 2 regions differ by 2 replicas instead of 1"]
