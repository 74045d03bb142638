"""By the rules of which affinity group a placement counts: in check, score, plans and simulations."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import fairlead
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Duplicated, MovePrice, Moves, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.score import score
from fairlead.models.shortfall import broken_before
from fairlead.models.workload import AffinityGroup, Workload
from fairlead.solver.plan.answer import PlanOptions
from fairlead.solver.plan.target import planned


def cluster(name: str, cores: int) -> Cluster:
    """Return a cluster with so many free cores."""
    return Cluster(name, free={CPU: 1000 * cores})


def copies(*groups: str, **more: object) -> Workload:
    """Return a duplicated workload of one replica; every letter of a group is a cluster."""
    found = tuple(AffinityGroup(name, (Candidates(tuple(name)), Duplicated())) for name in groups)
    workload = Workload("w", "w", 1, requests={CPU: 1000}, rules=found[0].rules, groups=found)
    return replace(workload, **more)  # type: ignore[arg-type]


def divided(replicas: int, *groups: str, **more: object) -> Workload:
    """Return a workload that is divided evenly inside a group; every letter of a group is a cluster."""
    found = tuple(
        AffinityGroup(
            name, (Candidates(tuple(name)), Total(), Weights(dict.fromkeys(name, 1), dynamic=False))
        )
        for name in groups
    )
    workload = Workload("w", "w", replicas, requests={CPU: 1000}, rules=found[0].rules, groups=found)
    return replace(workload, **more)  # type: ignore[arg-type]


def problem(*workloads: Workload, **cores: int) -> Problem:
    """Return a problem with clusters of so many free cores."""
    return Problem(tuple(cluster(name, free) for name, free in cores.items()), workloads, (Capacity(),))


def test_copies_of_a_later_group_are_right() -> None:
    """One copy on a is all that the second group asks; the first one would want one on b as well."""
    asked = problem(copies("ab", "a"), a=1, b=1)
    assert fairlead.check(asked, {"w": {"a": 1}}) == ()
    assert fairlead.check(asked, {"w": {"a": 1, "b": 1}}) == ()


def test_what_keeps_no_group_is_told_of_the_start() -> None:
    """A copy on b alone keeps neither; missing on a counts in the first group, from which it is observed."""
    asked = problem(copies("ab", "a"), a=1, b=1)
    (missing,) = fairlead.check(asked, {"w": {"b": 1}})
    assert (missing.cluster, missing.rule) == ("a", "duplicated")
    # From the second group on, b is no candidate at all, and the copy on a is missing.
    found = fairlead.check(problem(copies("ab", "a", observed="a"), a=1, b=1), {"w": {"b": 1}})
    assert [(each.cluster, each.rule) for each in found] == [("b", "candidates"), ("a", "duplicated")]


def test_a_group_before_the_observed_one_does_not_count() -> None:
    """The workload does not go back from b to a by itself."""
    asked = problem(divided(2, "a", "b", observed="b"), a=2, b=2)
    assert [each.rule for each in fairlead.check(asked, {"w": {"a": 2}})] == ["candidates"]


def test_a_part_of_the_replicas_counts_in_the_group_where_it_stands() -> None:
    """Two of three replicas stand on b: one is missing in the second group, nothing else is wrong."""
    asked = problem(divided(3, "a", "b"), a=0, b=2)
    assert [each.rule for each in fairlead.check(asked, {"w": {"b": 2}})] == ["total"]


def test_score_looks_at_the_same_group_as_check() -> None:
    """Two and two of 1 : 1 is no deviation; measured against the group of a alone it was 1."""
    asked = problem(divided(4, "a", "ab"), a=2, b=2)
    outcome = fairlead.solve(asked)
    both = Placement({"w": {"a": 2, "b": 2}})
    assert outcome.placement == both
    assert [each.value for each in score(asked, both)] == [0]
    assert [each.value for each in outcome.objectives] == [0]
    # Three and one: (1^2 + 1^2) / 2 from the quotas of 2 and 2.
    assert [each.value for each in score(asked, {"w": {"a": 3, "b": 1}})] == [1]


def test_levels_are_those_of_the_kept_group() -> None:
    """Only the second group has weights: its placement has a deviation, that of the first one has none."""
    plain = AffinityGroup("a", (Candidates(("a",)), Total()))
    workload = divided(2, "ab")
    asked = problem(replace(workload, groups=(plain, *workload.groups), rules=plain.rules), a=2, b=2)
    assert score(asked, {"w": {"a": 2}}) == ()
    assert [each.name for each in score(asked, {"w": {"a": 1, "b": 1}})] == ["deviation"]


def test_a_settled_group_alone_counts() -> None:
    """Once the second group was chosen, a placement in the first one is wrong."""
    outcome = fairlead.solve(problem(divided(2, "a", "b"), a=1, b=2))
    assert outcome.problem.workload("w").settled
    found = fairlead.check(outcome.problem, {"w": {"a": 2}})
    assert [each.rule for each in found] == ["candidates", "capacity"]


def test_an_outcome_is_asked_again_like_the_first_time() -> None:
    """What was settled once does not keep groups from being chosen again once there is room."""
    outcome = fairlead.solve(problem(divided(2, "a", "b"), a=1, b=2))
    roomy = replace(outcome.problem, clusters=(cluster("a", 2), cluster("b", 2)))
    assert fairlead.solve(roomy).problem.workload("w").group == "a"


def test_a_saved_plan_goes_on_in_a_later_group() -> None:
    """Copies move from a to c, as b has no room; the plan is taken up again, and its waves replay."""
    asked = problem(copies("b", "c", replicas=3, current={"a": 3}), a=3, b=1, c=3)
    plan = fairlead.plan(asked)
    saved = json.loads(json.dumps(plan.to_dict()))
    again = fairlead.plan(asked, resume=saved)
    assert again.outcome.status is Status.FEASIBLE
    moved = Placement({"w": {"c": 3}})
    assert again.outcome.placement == plan.outcome.placement == moved
    assert again.to_dict()["outcome"]["workloads"][0]["affinityGroup"] == "c"
    assert again.outcome.objectives == score(asked, moved)


@pytest.mark.parametrize("moves_first", [False, True])
def test_plans_count_moves_in_every_group(moves_first: bool) -> None:
    """Moves come first, and have their price, in whatever group the workload ends."""
    options = PlanOptions(moves_first=moves_first, gain=Fraction(1, 2))
    asked = planned(problem(divided(2, "a", "b"), a=1, b=2), options)
    for group in asked.workload("w").groups:
        kept = [rule.keep for rule in group.rules if isinstance(rule, Moves)]
        assert kept == [moves_first]
        assert sum(isinstance(rule, MovePrice) for rule in group.rules) == 1


def test_a_plan_moves_nothing_in_a_later_group_without_need() -> None:
    """Four replicas stand 3 : 1 in the second group; moves first leaves them although 2 : 2 is even."""
    asked = problem(divided(4, "c", "ab", current={"a": 3, "b": 1}), a=4, b=4, c=1)
    assert fairlead.plan(asked, moves_first=True).moves == 0
    assert fairlead.plan(asked).moves == 1


def test_what_runs_in_a_later_group_is_not_broken() -> None:
    """Where nothing is known of the last group, any will do; from the observed one on where it is known."""
    running = divided(2, "a", "b", current={"b": 2})
    assert broken_before(problem(running, a=2, b=2)) == ()
    # Settled in the first group by an outcome: what runs is judged as it was scheduled all the same.
    outcome = fairlead.solve(problem(running, a=2, b=2))
    assert outcome.problem.workload("w").group == "a"
    assert broken_before(outcome.problem) == ()
    observed = replace(running, observed="a", fresh=True, groups=running.groups[::-1])
    assert [each.rule for each in broken_before(problem(observed, a=2, b=2))] == ["candidates"]


def test_waves_keep_the_rules_of_the_group_of_the_target() -> None:
    """The target stands in the second group, where b has to hold at least 1 all the way."""
    workload = divided(3, "c", "ab", current={"b": 3})
    least = Bounds({"b": Bound(1)})
    groups = (workload.groups[0], replace(workload.groups[1], rules=(*workload.groups[1].rules, least)))
    asked = problem(replace(workload, groups=groups), a=2, b=3, c=0)
    plan = fairlead.plan(asked, order="stop-first", max_unavailable=3)
    assert plan.outcome.placement == Placement({"w": {"a": 1, "b": 2}})
    assert plan.waves is not None
    assert not plan.waves.blocked


def test_the_reference_dispenser_goes_on_to_the_next_group() -> None:
    """Greedily w gets the first group in which it fits; levels and violations are those of that group."""
    asked = problem(divided(4, "a", "ab"), a=2, b=2)
    outcome = fairlead.dispense(asked)
    assert outcome.placement == Placement({"w": {"a": 2, "b": 2}})
    assert outcome.violations == ()
    assert outcome.problem.workload("w").group == "ab"
    assert [each.value for each in outcome.objectives] == [0]


def test_a_comparison_measures_every_answer_in_its_own_group() -> None:
    """Asked with the group that was chosen, the reference places the same; nobody breaks a rule."""
    found = fairlead.compare(problem(copies("ab", "b"), a=0, b=1), ["reference"])
    (reference,) = found.contenders
    assert found.best.problem.workload("w").group == "b"
    assert reference.outcome.violations == ()
    assert reference.outcome.placement == found.best.placement
