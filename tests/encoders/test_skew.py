"""Skew: what it means, allows and changes, against brute force together with all other rules."""

from dataclasses import replace
from functools import partial

import pytest

import fairlead
from agreeing import assert_best
from agreeing import best_of_last as best
from fairlead.models.cluster import Cluster
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Moves, Skew, Total, Weights, WorkloadRule
from fairlead.models.workload import Workload
from fairlead.report.renderer import terminal
from fairlead.solver.changes.fragments import documents
from loaded import only
from own_builders import own, placed, told
from random_problems import random_problem, with_skews
from seeds import holds_for, seeds

ZONES = {"x": frozenset("ab"), "y": frozenset("c")}


def problem_of(*rules: WorkloadRule, replicas: int = 6, names: str = "abc") -> Problem:
    """Return a workload on three clusters."""
    own_rules = (Candidates(tuple(names)), Total(), *rules)
    return Problem(tuple(Cluster(name) for name in "abc"), (Workload("w", "w", replicas, rules=own_rules),))


def test_it_is_about_the_fullest_and_the_emptiest_group() -> None:
    """Four on zone x, none on y; the sentence names the field and the number."""
    problem = problem_of(Skew("zone", ZONES, 1), replicas=4)
    (broken,) = fairlead.check(problem, {"w": {"a": 2, "b": 2}})
    assert (broken.rule, broken.detail, broken.amount, broken.gives_way) == ("skew", "zone", 3, False)
    assert str(broken) == ("w: the fullest and the emptiest zone differ by 4 replicas, at most 1 is allowed")
    assert fairlead.check(problem, {"w": {"a": 1, "b": 1, "c": 2}}) == ()


def test_groups_without_candidates_do_not_count() -> None:
    """Zone z has none: all may stand in x and y."""
    rule = Skew("zone", {**ZONES, "z": frozenset()}, 0)
    assert best(problem_of(rule)) == {"a": 3, "c": 3}


def test_it_changes_the_best() -> None:
    """Weights of 4:1:1 put five of six into zone x; with one replica apart there are three in each."""
    weights = Weights({"a": 4, "b": 1, "c": 1})
    assert best(problem_of(weights)) == {"a": 4, "b": 1, "c": 1}
    assert best(problem_of(weights, Skew("zone", ZONES, 1))) == {"a": 2, "b": 1, "c": 3}


def test_a_number_that_cannot_be_met_is_a_conflict_with_a_way_out() -> None:
    """Five replicas in two zones are never equal: one more apart, or one replica more or less."""
    outcome = fairlead.solve(problem_of(Skew("zone", ZONES, 0), replicas=5))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.conflict is not None
    assert {each.rule for each in outcome.conflict.rules} == {"skew", "total"}
    kinds = {change.kind for way in outcome.conflict.relaxations for change in way.changes}
    assert kinds == {"skew", "replicas"}
    texts = [way.text for way in outcome.conflict.relaxations]
    assert "let any 2 zones differ by 1 replica instead of 0" in texts


@pytest.mark.parametrize(("replicas", "told"), [(5, 2), (3, 3)])
def test_a_conflict_names_closed_clusters_only_where_they_help(replicas: int, told: int) -> None:
    """Clusters a and b are to be equal, c is closed: five are odd, and not a multiple of three either."""
    groups = {name: frozenset(name) for name in "ab"}
    conflict = fairlead.solve(problem_of(Skew("cluster", groups, 0), replicas=replicas, names="ab")).conflict
    assert conflict is not None
    assert len(conflict.rules) == told


def test_what_counts_where_it_is_held_is_encoded_as_it_is_meant() -> None:
    """Zone y counts where it is used: four are not 3 and 1, but 2 and 2, or 4 and none."""
    rule = Skew("zone", ZONES, 1, where_held=frozenset("y"))
    for weights, expected in (((2, 1), {"a": 2, "c": 2}), ((9, 1), {"a": 4})):
        wanted = Weights(dict(zip("ac", weights, strict=True)))
        assert best(problem_of(rule, wanted, replicas=4, names="ac")) == expected


def test_the_way_out_is_an_edit_of_the_manifest() -> None:
    """The fragment has the number in its place."""
    problem = placed(own("Skew", field="cluster", maxSkew=0), replicas=7)
    outcome = fairlead.solve(problem)
    assert outcome.conflict is not None
    ways = [way for way in outcome.conflict.relaxations if way.changes[0].kind == "skew"]
    (edit,) = documents(ways[0].changes, problem)
    assert edit["kind"] == "Skew"
    assert edit["spec"] == {"maxSkew": 1}


def test_the_manifest() -> None:
    """Candidates by the groups of the field; one that tells none is warned about."""
    problem = placed(own("Skew", field="region", maxSkew=2))
    (rule,) = only(problem).rules_of(Skew)
    assert (rule.field, rule.maximum) == ("region", 2)
    assert told(problem) == ["Skew own: nowhere without region: counted in no group (default/nginx)"]


def test_why_tells_it() -> None:
    """Where it stands in the way, and what one replica more apart would gain."""
    weights = Weights({"a": 4, "b": 1, "c": 1})
    found = terminal(fairlead.why(problem_of(weights, Skew("zone", ZONES, 0)), "w"))
    assert "the fullest and the emptiest zone differ by at most 0 replicas" in found


def test_scenarios_close_and_open_clusters_in_it() -> None:
    """A drained cluster is no emptiest one; once it is open again it counts as ever."""
    problem = placed(own("Skew", field="cluster", maxSkew=0), replicas=12)
    drained = fairlead.simulate(problem, fairlead.Drain("nowhere"))
    assert drained.after.placement is not None
    assert drained.after.placement["default/nginx"] == {"berlin": 4, "boston": 4, "paris": 4}
    restored = fairlead.simulate(drained.after.problem, fairlead.Restore("nowhere"))
    assert restored.after.placement is not None
    assert set(restored.after.placement["default/nginx"].values()) == {3}


def test_waves_keep_it() -> None:
    """All six run on a and b; c gets three of them without a zone ever being further ahead than it was."""
    names = frozenset("abc")
    problem = problem_of(Moves(names), Skew("zone", ZONES, 0), Weights(dict.fromkeys("abc", 1)))
    running = replace(problem.workloads[0], current={"a": 3, "b": 3})
    plan = fairlead.plan(replace(problem, workloads=(running,)), max_unavailable=1, order="stop-first")
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
    problem = with_skews(random_problem(seed, deviation), seed)
    assert_best(problem)
    assert_best(replace(problem, partial=True))
