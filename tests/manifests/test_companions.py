"""Workload affinity: which workloads stand together or apart, and in which order they bind each other."""

from typing import Any

import fairlead
from builders import Manifest, binding, cluster, deployment, dynamic, policy
from fairlead.manifests.loading import load, select
from fairlead.models.problem import Problem
from fairlead.models.rules import Companionship
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import Lose

TOGETHER = {"workloadAffinity": {"affinity": {"groupByLabelKey": "app"}}}
APART = {"workloadAffinity": {"antiAffinity": {"groupByLabelKey": "app"}}}
MEMBERS = [cluster("a", cpu=9), cluster("b", cpu=9)]


def groups(problem: Problem) -> list[tuple[str, tuple[str, ...], bool]]:
    """Return name, members and kind of every companionship."""
    rules = [rule for rule in problem.rules if isinstance(rule, Companionship)]
    return [(rule.name, rule.members, rule.together) for rule in rules]


def app(name: str, value: str | None, **more: Any) -> Manifest:
    """Return a deployment with a label `app`; None leaves it out."""
    return deployment(name, 2, cpu=1, labels={"app": value} if value else None, **more)


def test_a_label_makes_a_group() -> None:
    """Per namespace and value; workloads without the label are in none, and one alone is no group."""
    problem = load(
        MEMBERS,
        [app("one", "x"), app("two", "x"), app("three", "y"), app("four", None), app("five", None)],
        [app("one", "x", namespace="other"), app("six", "x", namespace="other")],
        policy("p", TOGETHER),
        policy("p", TOGETHER, namespace="other"),
    )
    assert groups(problem) == [
        ("affinity app=x", ("default/one", "default/two"), True),
        ("affinity app=x", ("other/one", "other/six"), True),
    ]
    assert groups(load(MEMBERS, app("one", "x"), app("two", "x"), policy("p", APART))) == [
        ("anti-affinity app=x", ("default/one", "default/two"), False)
    ]


def test_affinity_and_anti_affinity_by_different_labels() -> None:
    """One policy may ask for both."""
    both = {
        "workloadAffinity": {
            "affinity": {"groupByLabelKey": "app"},
            "antiAffinity": {"groupByLabelKey": "tier"},
        }
    }
    labels = {"app": "x", "tier": "db"}
    problem = load(
        MEMBERS, deployment("one", 2, labels=labels), deployment("two", 2, labels=labels), policy("p", both)
    )
    members = ("default/one", "default/two")
    assert groups(problem) == [("affinity app=x", members, True), ("anti-affinity tier=db", members, False)]


def test_those_that_run_come_first_then_priority_then_name() -> None:
    """As Karmada schedules them; a later one follows the earlier ones."""
    labels = {"app": "x"}

    def bound(name: str, current: dict[str, int], priority: int) -> Manifest:
        spec: dict[str, Any] = {"schedulePriority": {"priority": priority}}
        return binding(name, 2, current, {**dynamic(), **APART}, cpu=1, labels=labels, **spec)

    problem = load(MEMBERS, bound("d", {}, 0), bound("a", {}, 0), bound("c", {}, 7), bound("e", {"a": 2}, 0))
    ((_, members, _),) = groups(problem)
    assert members == ("default/e", "default/c", "default/a", "default/d")


def test_groups_that_bindings_state() -> None:
    """Without a policy in the input; with or without the key, as a binding need not repeat the labels."""
    stated: dict[str, Any] = {"workloadAffinityGroups": {"affinityGroup": "app=x"}}
    short: dict[str, Any] = {"workloadAffinityGroups": {"affinityGroup": "x"}}
    rules = {**dynamic(), **TOGETHER}
    expected = [("affinity app=x", ("default/one", "default/two"), True)]
    one = binding("one", 2, {}, rules, cpu=1, **stated)
    assert groups(load(MEMBERS, one, binding("two", 2, {}, rules, cpu=1, **short))) == expected
    # The placement says nothing: the name counts as it is.
    bare = [binding(name, 2, {}, dynamic(), cpu=1, **stated) for name in ("one", "two")]
    assert groups(load(MEMBERS, bare)) == expected
    # A policy in the input wins over what the binding holds.
    assert groups(load(MEMBERS, bare, policy("p", dynamic()))) == []


def test_a_template_without_the_label_is_in_no_group() -> None:
    """Whatever an old binding says."""
    stated: dict[str, Any] = {"workloadAffinityGroups": {"antiAffinityGroup": "app=x"}}
    held = [binding(name, 2, {}, cpu=1, **stated) for name in ("one", "two")]
    templates = [app("one", None), app("two", "x")]
    assert groups(load(MEMBERS, held, templates, policy("p", {**dynamic(), **APART}))) == []


def test_a_group_knows_its_line() -> None:
    """The field of the policy, or of the binding."""
    problem = load(MEMBERS, app("one", "x"), app("two", "x"), policy("p", TOGETHER))
    (rule,) = [rule for rule in problem.rules if isinstance(rule, Companionship)]
    assert str(rule.source) == "<dict>"


def test_selecting_leaves_members_out() -> None:
    """A rule is about the workloads that are kept; with one of them it says nothing."""
    labels = ({"app": "x", "n": str(number)} for number in range(3))
    every = [deployment(f"w{number}", 1, labels=each) for number, each in enumerate(labels)]
    problem = load(MEMBERS, every, policy("p", APART))
    assert groups(select(problem, selector="n!=0")) == [
        ("anti-affinity app=x", ("default/w1", "default/w2"), False)
    ]
    assert groups(select(problem, selector="n=0")) == []


def test_workloads_apart() -> None:
    """Two databases of 2 replicas on two clusters: each gets one to itself."""
    spread = {"spreadConstraints": [{"spreadByField": "cluster", "maxGroups": 1}]}
    problem = load(MEMBERS, app("one", "x"), app("two", "x"), policy("p", {**dynamic(), **APART, **spread}))
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    # Ties fall to the cluster that comes first by name, for the workload that comes first.
    assert [dict(placed) for placed in outcome.placement.values()] == [{"a": 2}, {"b": 2}]


def test_workloads_together() -> None:
    """The web server runs on b, so its cache follows, although a has more room."""
    fleet = [cluster("a", cpu=90), cluster("b", cpu=9, allocated={"cpu": 2})]
    held = binding("web", 2, {"b": 2}, {**dynamic(), **TOGETHER}, cpu=1, labels={"app": "x"})
    cache = binding("cache", 2, {}, {**dynamic(), **TOGETHER}, cpu=1, labels={"app": "x"})
    outcome = fairlead.solve(load(fleet, held, cache))
    assert outcome.placement is not None
    assert {key: dict(placed) for key, placed in outcome.placement.items()} == {
        "default/cache": {"b": 2},
        "default/web": {"b": 2},
    }


def test_apart_from_what_runs() -> None:
    """The same with anti-affinity: what runs on b keeps it, so the other one goes to a."""
    fleet = [cluster("a", cpu=9), cluster("b", cpu=90, allocated={"cpu": 2})]
    held = binding("web", 2, {"b": 2}, {**dynamic(), **APART}, cpu=1, labels={"app": "x"})
    cache = binding("cache", 2, {}, {**dynamic(), **APART}, cpu=1, labels={"app": "x"})
    outcome = fairlead.solve(load(fleet, held, cache))
    assert outcome.placement is not None
    assert {key: dict(placed) for key, placed in outcome.placement.items()} == {
        "default/cache": {"a": 2},
        "default/web": {"b": 2},
    }


def test_what_ran_on_a_lost_cluster_only_binds_nobody_that_still_runs() -> None:
    """The urgent lead ran on gone, which is lost: it follows the other, which keeps what it has on a.

    If lead came first, it would go to b, which has more capacity, and the other would have to leave a.
    """
    fleet = [cluster("gone", cpu=9), cluster("a", cpu=2), cluster("b", cpu=9)]
    placement = {**dynamic(), **TOGETHER}
    labelled: Any = {"labels": {"app": "x"}}
    stream = [
        binding("lead", 1, {"gone": 1}, placement, cpu=1, schedulePriority={"priority": 9}, **labelled),
        binding("other", 1, {"a": 1}, placement, cpu=1, **labelled),
    ]
    lost = changed(load(fleet, stream), [Lose("gone")])
    edited = load(fleet[1:], stream)
    for problem in (lost, edited):
        assert groups(problem) == [("affinity app=x", ("default/other", "default/lead"), True)]
        placed = fairlead.solve(problem).require_placement()
        assert placed.to_dict() == {"default/lead": {"a": 1}, "default/other": {"a": 1}}
    assert groups(load(fleet, stream)) == [("affinity app=x", ("default/lead", "default/other"), True)]
