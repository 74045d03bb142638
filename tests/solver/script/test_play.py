"""A script on a fleet: what is there after every event, who looks at what, and how states are judged."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import fairlead
from builders import binding, cluster, duplicated, static
from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.solver.script.events import (
    ClosedClusters,
    Closure,
    OtherManifests,
    Rebalance,
    Script,
    ScriptChange,
    ScriptEvent,
)
from fairlead.solver.script.moments import ScriptMoment, moments
from fairlead.solver.script.play import ScriptRun, play
from fairlead.solver.script.played import Handled, weighted_quantile
from fairlead.solver.script.schedulers import SCHEDULERS

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
EVEN = static(("a", 1), ("b", 1))


def script(*steps: Sequence[ScriptChange]) -> Script:
    """Return a script with an event every hour, the last one for an hour as well."""
    events = [
        ScriptEvent(NOON + timedelta(hours=hour), tuple(each), f"{hour}") for hour, each in enumerate(steps)
    ]
    return Script("hours", tuple(events), NOON + timedelta(hours=len(events)))


def fleet(*bindings: Mapping[str, Any], a: int = 10, b: int = 10) -> list[Mapping[str, Any]]:
    """Return two clusters with so many cpus, and bindings."""
    sizes = {"a": a, "b": b}
    used = {
        name: sum(
            one["replicas"] * int(each["spec"]["replicaRequirements"]["resourceRequest"]["cpu"])
            for each in bindings
            for one in each["spec"]["clusters"]
            if one["name"] == name
        )
        for name in sizes
    }
    members = [
        cluster(name, cpu=size, pods=100, region=f"region-{name}", allocated={"cpu": used[name]})
        for name, size in sizes.items()
    ]
    return [*members, *bindings]


def web(replicas: int, current: Mapping[str, int], name: str = "web", **more: Any) -> Mapping[str, Any]:
    """Return a workload of one cpu a replica, divided evenly unless said otherwise."""
    return binding(name, replicas, current, more.pop("placement", EVEN), cpu="1", **more)


def handled(problem: Problem, events: Script, *names: str) -> dict[str, Handled]:
    """Play a script and return what every scheduler came to."""
    return {one.scheduler: one for one in play(problem, events, *names).handled}


def all_moments(problem: Problem, events: Script) -> list[ScriptMoment]:
    """Return the fleet after every event."""
    return list(moments(problem, events))


def test_what_is_restored_is_as_it_was() -> None:
    """A lost cluster is gone with its part of the rules, and comes back with all of it."""
    problem = fairlead.load(fleet(web(4, {"a": 2, "b": 2})))
    lost, back = all_moments(
        problem,
        script(
            [ClosedClusters(Closure.LOSE, "region-a", "region")],
            [ClosedClusters(Closure.RESTORE, "region-a", "region")],
        ),
    )
    assert [one.name for one in lost.fleet.clusters] == ["b"]
    assert (back.fleet.clusters, back.fleet.workloads) == (problem.clusters, problem.workloads)
    assert (lost.opened, back.opened) == (False, True)


def test_scaling_outlasts_other_manifests() -> None:
    """What the script has scaled stays scaled; only other wishes touch a workload."""
    manifests = fleet(web(4, {"a": 2, "b": 2}), web(2, {"a": 1, "b": 1}, "api"))
    joined = fairlead.load([*manifests, cluster("c", cpu=10)])
    _, after = all_moments(
        fairlead.load(manifests), script([fairlead.Scale("web", 6)], [OtherManifests(joined)])
    )
    assert after.fleet.workload("default/web").replicas == 6
    assert (after.touched, after.opened) == (frozenset(), True)


def test_a_drained_cluster_evicts_and_nobody_else_moves() -> None:
    """Two replicas leave a; of the workload on b alone nothing is touched."""
    alone = web(3, {"b": 3}, "alone", placement=static(("b", 1)))
    problem = fairlead.load(fleet(web(4, {"a": 2, "b": 2}), alone))
    found = handled(problem, script([ClosedClusters(Closure.DRAIN, "a")]), "fairlead", "karmada")
    for one in found.values():
        (step,) = one.steps
        assert (step.due, step.forced, step.moved, step.disturbed, step.missing) == (1, 2, 0, 0, 0)


def test_what_does_not_fit_waits_and_is_tried_again() -> None:
    """With a lost, b has room for 4 of 6; the other 2 wait for an hour and are placed once a is back."""
    problem = fairlead.load(fleet(web(6, {"a": 3, "b": 3}), b=4))
    events = script([ClosedClusters(Closure.LOSE, "a")], [ClosedClusters(Closure.RESTORE, "a")])
    found = handled(problem, events, "fairlead")["fairlead"]
    assert [step.missing for step in found.steps] == [2, 0]
    assert found.pending_hours == 2


def test_without_deduction_pods_wait_where_there_is_no_room() -> None:
    """Two workloads of 4 come at once to a cluster with room for 6: each alone fits, together 2 pods wait."""
    only = static(("a", 1))
    manifests = fleet(web(0, {}, "one", placement=only), web(0, {}, "two", placement=only), a=6)
    events = script([fairlead.Scale("one", 4), fairlead.Scale("two", 4)])
    dynamic = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}
    for one in manifests[2:]:
        one["spec"]["placement"] = {"clusterAffinity": {"clusterNames": ["a"]}, "replicaScheduling": dynamic}
    found = handled(fairlead.load(manifests), events, "karmada", "karmada-deduct")
    (bare,), (deducting,) = found["karmada"].steps, found["karmada-deduct"].steps
    assert (bare.waiting, bare.missing) == (2, 0)
    assert (deducting.waiting, deducting.missing) == (0, 4)  # the second binding fails as a whole


def test_a_cut_quota_is_kept_by_fairlead_alone() -> None:
    """With a quota of 4 cpus a workload that grows to 6 keeps 4 under fairlead, and breaks it elsewhere."""
    manifests = fleet(web(4, {"a": 2, "b": 2}))
    quota = {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "all", "namespace": "default"},
        "spec": {"overall": {"cpu": "4"}},
    }
    events = script([OtherManifests(fairlead.load([*manifests, quota])), fairlead.Scale("web", 6)])
    found = handled(fairlead.load(manifests), events, "fairlead", "karmada")
    assert (found["fairlead"].steps[0].missing, found["fairlead"].broken_hours) == (2, 0)
    assert found["karmada"].broken_by_rule == {"quota": 6}


def test_only_who_plans_follows_a_budget() -> None:
    """Four replicas stand 4:0 instead of 2:2, which is for a plan alone to mend; it may move one."""
    problem = fairlead.load(fleet(web(4, {"a": 4})))
    settled = all_moments(problem, script([Rebalance(1)]))[0]
    moved = {}
    for name in ("fairlead", "fairlead-plan"):
        course = ScriptRun.of(SCHEDULERS[name], problem)
        course.handle(settled)
        moved[name] = dict(course.standing.on("default/web"))
    assert moved == {"fairlead": {"a": 4}, "fairlead-plan": {"a": 3, "b": 1}}


def test_copies_come_to_a_cluster_that_opens() -> None:
    """Duplicated workloads are looked at where a cluster opens."""
    manifests = fleet(web(2, {"a": 2, "b": 2}, placement=duplicated()))
    events = script([ClosedClusters(Closure.LOSE, "a")], [ClosedClusters(Closure.RESTORE, "a")])
    for one in handled(fairlead.load(manifests), events, "fairlead", "karmada").values():
        assert [step.missing for step in one.steps] == [0, 0]
        assert [step.due for step in one.steps] == [1, 1]


def test_broken_rules_make_due_for_fairlead_only() -> None:
    """Every candidate has to hold a replica: a, empty after it was restored, gets one from fairlead alone."""
    placement = static(("a", 1), ("b", 1), minReplicas=1)
    problem = fairlead.load(fleet(web(4, {"a": 2, "b": 2}, placement=placement)))
    events = script([ClosedClusters(Closure.LOSE, "a")], [ClosedClusters(Closure.RESTORE, "a")])
    found = handled(problem, events, "fairlead", "karmada")
    assert found["fairlead"].broken_hours == 0
    assert found["karmada"].broken_by_rule == {"bounds": 4}  # four replicas, for an hour


def test_schedulers_are_named_that_can() -> None:
    """All that can place the workloads play where none is named; the others are refused by name."""
    problem = fairlead.load(fleet(web(4, {"a": 2, "b": 2})))
    events = script([])
    known = ["fairlead", "fairlead-plan", "karmada", "karmada-deduct", "reference"]
    assert [one.scheduler for one in play(problem, events).handled] == known
    with pytest.raises(UsageError, match="kubeadmiral cannot place every workload"):
        play(problem, events, "kubeadmiral")
    with pytest.raises(UsageError, match="no scheduler 'nobody'"):
        play(problem, events, "nobody")


def test_quantiles_count_hours() -> None:
    """Three hours at 0.5 and one at 0.9: three quarters of the time it is 0.5 at most."""
    samples = [(0.9, 1.0), (0.5, 3.0)]
    assert [weighted_quantile(samples, share) for share in (0.5, 0.75, 0.76, 1)] == [0.5, 0.5, 0.9, 0.9]


def standing_after(
    problem: Problem, events: Script, name: str = "fairlead"
) -> tuple[ScriptRun, Mapping[str, Any]]:
    """Return how a scheduler handled a script, and where everything stands in the end."""
    course = ScriptRun.of(SCHEDULERS[name], problem)
    for moment in moments(problem, events):
        course.handle(moment)
    return course, {key: dict(held) for key, held in course.standing.placed.items()}


@pytest.mark.parametrize("name", ["fairlead", "karmada", "reference"])
def test_who_runs_more_than_is_wanted_is_looked_at(name: str) -> None:
    """Four run where two are wanted: what runs does not add up, so every scheduler looks at it."""
    manifests = fleet(web(2, {"a": 2, "b": 2}), web(1, {"a": 1}, "api"))
    course, placed = standing_after(fairlead.load(manifests), script([fairlead.Scale("api", 2)]), name)
    assert course.steps[0].due == 2
    assert placed["default/web"] == {"a": 1, "b": 1}


def test_what_was_evicted_in_part_is_divided_anew_by_static_weights() -> None:
    """Two of four are evicted for lack of room elsewhere; back, they follow 3 : 1, though one has to move."""
    applied = {"policy.karmada.io/applied-placement": json.dumps(static(("a", 3), ("b", 1)))}
    running = web(4, {"a": 2, "b": 2}, placement=static(("a", 3), ("b", 1)), marks=applied)
    events = script([ClosedClusters(Closure.DRAIN, "a")], [ClosedClusters(Closure.RESTORE, "a")])
    _, placed = standing_after(fairlead.load(fleet(running, b=2)), events)
    assert placed["default/web"] == {"a": 3, "b": 1}


def test_who_is_whole_again_keeps_what_runs() -> None:
    """Six ran where four are wanted; two are lost with b, and the four that are left stay."""
    weights = static(("a", 1), ("b", 1), ("c", 9))
    applied = {"policy.karmada.io/applied-placement": json.dumps(weights)}
    running = web(4, {"a": 4, "b": 2}, placement=weights, marks=applied)
    problem = fairlead.load([*fleet(running), cluster("c", cpu=10)])
    _, placed = standing_after(problem, script([ClosedClusters(Closure.LOSE, "b")]))
    assert placed["default/web"] == {"a": 4}


def test_a_taint_evicts_whatever_else_closes_a_cluster() -> None:
    """What runs on a is outside of its affinity and not tolerated there: it is evicted, and did not move."""
    closed = cluster("a", cpu=10, allocated={"cpu": 2}, taints=["gone:NoExecute"])
    placement = {**EVEN, "clusterAffinity": {"clusterNames": ["b"]}}
    manifests = [closed, cluster("b", cpu=10), web(2, {"a": 2}, placement=placement), web(1, {"b": 1}, "api")]
    course, _ = standing_after(fairlead.load(manifests), script([fairlead.Scale("api", 2)]), "karmada")
    assert (course.steps[0].forced, course.steps[0].moved) == (2, 0)


def test_a_copy_is_not_missed_where_a_taint_lets_only_what_runs_stay() -> None:
    """Two may stay on a, and a copy has three now: it leaves, and a takes nothing new."""
    members = [cluster("a", cpu=10, taints=["old:NoSchedule"]), cluster("b", cpu=10)]
    tainted = fairlead.load([*members, web(2, {"a": 2, "b": 2}, placement=duplicated())])
    course, placed = standing_after(tainted, script([fairlead.Scale("web", 3)]))
    assert placed["default/web"] == {"b": 3}
    assert course.steps[0].missing == 0
