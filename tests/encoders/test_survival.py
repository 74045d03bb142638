"""Survival of several losses at once: what it means, allows and changes, against brute force."""

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import pytest

import fairlead
from agreeing import assert_best
from agreeing import best_of_last as best
from fairlead.models.cluster import Cluster
from fairlead.models.errors import ManifestError
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Moves, Survival, Total, Weights, WorkloadRule
from fairlead.models.rules.survival import Loss
from fairlead.models.workload import Workload
from fairlead.report.renderer import terminal
from fairlead.solver.changes.fragments import documents
from loaded import only
from own_builders import own, placed, told
from random_problems import random_problem, with_losses
from seeds import holds_for, seeds

CLUSTERS = {name: frozenset(name) for name in "abcd"}
REGIONS = {"x": frozenset("ab"), "y": frozenset("c"), "z": frozenset("d")}
EQUAL = Weights(dict.fromkeys("abcd", 1))


def region_and_cluster(minimum: int) -> Survival:
    """Return what is left when a region and a cluster are lost."""
    return Survival("region", REGIONS, minimum, besides=(Loss("cluster", CLUSTERS),))


def problem_of(*rules: WorkloadRule, replicas: int = 8) -> Problem:
    """Return a workload on four clusters."""
    own_rules = (Candidates(tuple("abcd")), Total(), *rules)
    return Problem(tuple(Cluster(name) for name in "abcd"), (Workload("w", "w", replicas, rules=own_rules),))


def test_the_worst_loss_counts_and_is_named() -> None:
    """Of 3, 2, 2 and 1 the worst is region x (5) with c (2): one is left, two are missing."""
    problem = problem_of(region_and_cluster(3))
    (broken,) = fairlead.check(problem, {"w": {"a": 3, "b": 2, "c": 2, "d": 1}})
    assert (broken.rule, broken.amount, broken.gives_way) == ("survival", 2, True)
    assert str(broken) == "w: losing region x and cluster c leaves 1, 3 are needed"


def test_a_cluster_inside_the_region_is_lost_once() -> None:
    """All stand in region x: losing it and any cluster leaves nothing, and never less."""
    (broken,) = fairlead.check(problem_of(region_and_cluster(2)), {"w": {"a": 4, "b": 4}})
    assert broken.amount == 2


@pytest.mark.parametrize("count", [2, 3])
def test_the_meaning_is_that_of_looking_at_every_loss(count: int) -> None:
    """Of any so many clusters at once, written out by hand."""
    where = {"a": 4, "b": 1, "c": 2, "d": 1}
    losses = combinations("abcd", count)
    left = min(sum(held for name, held in where.items() if name not in lost) for lost in losses)
    rule = Survival("cluster", CLUSTERS, 8, count=count)
    (broken,) = fairlead.check(problem_of(rule), {"w": where})
    assert broken.amount == 8 - left


def test_it_changes_the_best() -> None:
    """Eight over four equal clusters leave two without x and c; three of nine need more on c and d."""
    assert best(problem_of(EQUAL)) == {"a": 2, "b": 2, "c": 2, "d": 2}
    assert best(problem_of(EQUAL, region_and_cluster(2))) == {"a": 2, "b": 2, "c": 2, "d": 2}
    assert best(problem_of(EQUAL, region_and_cluster(3), replicas=9)) == {"a": 2, "b": 1, "c": 3, "d": 3}


def test_two_regions_at_once() -> None:
    """Whatever two of three regions are lost, two are left: two in each at least."""
    rule = Survival("region", REGIONS, 2, count=2)
    weights = Weights({"a": 5, "b": 5, "c": 1, "d": 1})
    assert best(problem_of(weights, rule)) == {"a": 2, "b": 2, "c": 2, "d": 2}


def test_what_runs_on_a_closed_cluster_is_lost_with_its_region() -> None:
    """Cluster d is closed and in region x as well: losing x and c leaves nothing of what runs."""
    there = {"x": frozenset("abd"), "y": frozenset("c")}
    open_only = {"x": frozenset("ab"), "y": frozenset("c")}
    rule = Survival("region", open_only, 1, None, there, 1, (Loss("cluster", CLUSTERS),))
    (broken,) = fairlead.check(problem_of(rule, replicas=3), {"w": {"c": 1, "d": 2}})
    assert str(broken) == "w: losing region x and cluster c leaves 0, 1 is needed"


def test_a_cluster_that_opens_is_lost_with_the_group_it_is_known_in() -> None:
    """A set made in Python need not be a field of the cluster: once d is a candidate, x still has it."""
    there = {"x": frozenset("abd"), "y": frozenset("c")}
    rule = Survival("site", {"x": frozenset("ab")}, 1, None, there)
    assert rule.opened([Cluster("d")]).groups["x"] == frozenset("abd")


def test_a_partial_placement_counts_the_worst_loss() -> None:
    """Any two of three regions are lost and four of eight shall be left: two or fewer are."""
    rule = Survival("region", REGIONS, 4, count=2)
    problem = replace(problem_of(EQUAL, rule), partial=True)
    expected = assert_best(problem)
    assert expected is not None
    assert expected.values[0] == 2


def test_a_conflict_says_it_and_has_a_way_out() -> None:
    """Four of eight after a region and a cluster: three equal regions leave two at most."""
    outcome = fairlead.solve(problem_of(region_and_cluster(4)))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.conflict is not None
    asked = "w: 4 replicas must survive the loss of any one region and any one cluster at once"
    assert asked in [each.text for each in outcome.conflict.rules]
    texts = [way.text for way in outcome.conflict.relaxations]
    way = "require 2 replicas instead of 4 to survive the loss of any one region and any one cluster at once"
    assert way in texts


def test_the_way_out_is_an_edit_of_the_manifest() -> None:
    """The fragment has the number in its place."""
    losses = [{"field": "cluster", "groups": 2}]
    problem = placed(own("Survival", losses=losses, minReplicas=6), replicas=8)
    outcome = fairlead.solve(problem)
    assert outcome.conflict is not None
    ways = [way for way in outcome.conflict.relaxations if way.changes[0].kind == "survival"]
    (edit,) = documents(ways[0].changes, problem)
    assert edit["spec"] == {"minReplicas": 4}


def test_the_manifest() -> None:
    """Candidates by the groups of every field; one that tells none is warned about."""
    losses = [{"field": "region"}, {"field": "cluster", "groups": 2}]
    problem = placed(own("Survival", losses=losses, minPercent="25%"), replicas=9)
    (rule,) = only(problem).rules_of(Survival)
    assert [(loss.field, loss.count) for loss in rule.losses] == [("region", 1), ("cluster", 2)]
    assert rule.minimum == 3
    assert told(problem) == ["Survival own: nowhere without region: counted as never lost (default/nginx)"]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({}, "field or losses is needed"),
        ({"field": "region", "losses": [{"field": "cluster"}]}, "cannot be combined with field"),
        ({"losses": [{"field": "cluster"}, {"field": "cluster"}]}, "is listed twice"),
        ({"losses": [{"field": "cluster", "groups": 0}]}, "spec.losses[0].groups"),
    ],
)
def test_mistakes(spec: dict[str, Any], text: str) -> None:
    """Nothing lost, two ways to say it, a field twice, no group at all."""
    with pytest.raises(ManifestError) as caught:
        placed(own("Survival", **{"minReplicas": 1, **spec}))
    assert text in str(caught.value)


def test_scenarios_close_clusters_in_it() -> None:
    """Without d, what may be lost are x and y and the clusters in them."""
    problem = problem_of(EQUAL, region_and_cluster(0), replicas=8)
    drained = fairlead.simulate(problem, fairlead.Drain("d")).after.problem
    (rule,) = drained.workloads[0].rules_of(Survival)
    assert [sorted(loss.groups) for loss in rule.losses] == [["x", "y"], ["a", "b", "c"]]


def test_why_tells_it() -> None:
    """What one replica less to survive would gain."""
    weights = Weights({"a": 5, "b": 5, "c": 1, "d": 1})
    found = terminal(fairlead.why(problem_of(weights, region_and_cluster(2)), "w"))
    assert "any one region and any one cluster at once" in found


def test_waves_keep_it() -> None:
    """Nine run as 3, 2, 2, 2, which leave too few; the target has three on c, and waves lead there."""
    problem = problem_of(Moves(frozenset("abcd")), region_and_cluster(3), EQUAL, replicas=9)
    running = replace(problem.workloads[0], current={"a": 3, "b": 2, "c": 2, "d": 2})
    plan = fairlead.plan(replace(problem, workloads=(running,)), max_unavailable=1)
    assert plan.waves is not None
    assert plan.waves.complete
    assert dict(plan.waves.target.of("w"))["c"] == 3


@pytest.mark.parametrize("deviation", list(Deviation))
@pytest.mark.parametrize("which", seeds(20, 400))
def test_agrees_with_brute_force(which: range, deviation: Deviation) -> None:
    """On small problems with any other rules, whatever way they are solved."""
    holds_for(which, partial(check, deviation))


def check(deviation: Deviation, seed: int) -> None:
    """Compare one problem with brute force, in whole and with what gives way."""
    problem = with_losses(random_problem(seed, deviation), seed)
    assert_best(problem)
    assert_best(replace(problem, partial=True))
