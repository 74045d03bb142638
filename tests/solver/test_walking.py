"""The walk over random problems sees what it is for, and finds what is wrong with an answer."""

from dataclasses import replace
from fractions import Fraction

import fairlead
from brute_force import Best
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import Progress
from fairlead.models.rules import Aggregated, Candidates, Capacity, Spread, Tiers, Total, Weights
from fairlead.models.workload import AffinityGroup, Workload
from walk_problems import walk_problem
from walking import (
    against,
    below,
    best_of,
    beyond,
    of_outcome,
    of_progress,
    worse_than,
)


def attained(value: int, bound: int, *, proven: bool = False, name: str = "moves") -> Attained:
    """Return a level."""
    return Attained(name, value, bound, proven)


def two_to_one() -> Problem:
    """Three replicas over weights 2 : 1; the best is 2 and 1, with deviation 0."""
    names = ("a", "b")
    rules = (Candidates(names), Total(), Weights({"a": 2, "b": 1}))
    workload = Workload("w", "w", 3, requests={CPU: 100}, rules=rules)
    return Problem(tuple(Cluster(name, free={CPU: 300}) for name in names), (workload,), (Capacity(),))


def test_the_walk_meets_every_kind() -> None:
    """Fifty seeds have tiers, groups, spread, Aggregated, priorities and levels in strange orders."""
    problems = [walk_problem(seed) for seed in range(50)]
    workloads = [workload for problem in problems for workload in problem.workloads]
    rules = {type(rule) for workload in workloads for rule in workload.rules}
    assert {Tiers, Spread, Aggregated, Weights, Candidates} <= rules
    assert any(workload.groups for workload in workloads)
    assert any(workload.priority for workload in workloads)
    assert any(workload.fresh for workload in workloads)
    assert len({problem.levels for problem in problems}) > 5
    assert problems == [walk_problem(seed) for seed in range(50)]
    found = [best_of(problem)[1] is None for problem in problems]
    assert any(found)
    assert not all(found)


def test_bounds_above_what_is_attained_are_found() -> None:
    """A bound holds for all placements that are nowhere worse on the levels above."""
    known = [(2, 1), (3, 0)]
    assert not list(beyond([attained(2, 2, proven=True), attained(1, 0)], known))
    assert list(beyond([attained(3, 3)], known))
    assert list(beyond([attained(3, 2, proven=True)], known))
    # Below the best on a later level is possible only with something worse before it.
    assert not list(beyond([attained(3, 2), attained(0, 0, proven=True)], known))
    # 1 is the best there is with 2 before it, but not with 3.
    assert not list(beyond([attained(2, 0), attained(1, 1, proven=True)], known))
    assert list(beyond([attained(3, 0), attained(1, 1)], known))


def test_right_answers_pass() -> None:
    """Nothing is found in a right answer; the best placement is 2 and 1."""
    problem = two_to_one()
    outcome = fairlead.solve(problem)
    inside, best = best_of(problem)
    assert inside == problem
    assert best is not None
    assert best.values == (0,)
    assert not list(against(outcome, best, whole=True))
    assert not list(below(outcome, problem))


def test_wrong_answers_are_found() -> None:
    """An answer that lies on a value, a bound, a proof, a rule or its status is found."""
    problem = two_to_one()
    outcome = fairlead.solve(problem)
    other = Placement({"w": {"a": 3}})
    best = Best((Fraction(0),), Placement({"w": {"a": 2, "b": 1}}))
    (level,) = fairlead.score(problem, other)
    right = replace(level, bound=level.value, proven=True)

    def faults(**changes: object) -> list[str]:
        lie: Outcome = replace(outcome, **changes)  # type: ignore[arg-type]
        return list(against(lie, best, whole=True))

    assert faults(placement=other), "the levels are those of another placement"
    assert faults(placement=other, objectives=(right,)), "its deviation is not the best"
    assert faults(placement=Placement({"w": {"a": 4}})), "there are only three replicas"
    assert faults(objectives=(replace(right, value=0, bound=-1, proven=False),)), "below 0"
    assert faults(objectives=(replace(right, value=0, bound=None, proven=False),)), "no bound at all"
    assert faults(status=Status.FEASIBLE), "there was time enough"
    assert faults(status=Status.INFEASIBLE, placement=None), "there is a placement"
    assert list(against(outcome, None, whole=True)), "a placement where brute force finds none"
    assert not list(of_outcome(outcome))


def test_gaps_on_the_way_are_looked_at() -> None:
    """A gap is between 0 and the whole value, a bound at least 0."""
    fine = Progress("moves", 4, 1, 0.75, 0.1)
    assert not list(of_progress([fine, replace(fine, gap=None, bound=None)]))
    assert list(of_progress([replace(fine, gap=1.5)]))
    assert list(of_progress([replace(fine, bound=-1)]))


def test_answers_below_a_known_placement_are_found() -> None:
    """Levels are compared one after the other; no placement at all is worse than any."""
    outcome = fairlead.solve(two_to_one())
    (level,) = outcome.objectives
    assert not list(worse_than(outcome, (level,), "a floor"))
    worse = replace(outcome, objectives=(replace(level, value=1),))
    assert list(worse_than(worse, (level,), "a floor"))
    assert list(worse_than(replace(outcome, placement=None), (level,), "a floor"))


def test_the_first_joint_choice_of_groups_counts() -> None:
    """Both prefer a, which holds one of them: the first by name gets it, the other b."""
    groups = tuple(AffinityGroup(name, (Candidates((name,)), Total())) for name in ("a", "b"))
    workloads = tuple(
        Workload(key, key, 1, requests={CPU: 100}, rules=groups[0].rules, group="a", groups=groups)
        for key in ("v", "w")
    )
    clusters = (Cluster("a", free={CPU: 100}), Cluster("b", free={CPU: 200}))
    inside, best = best_of(Problem(clusters, workloads, (Capacity(),)))
    assert best is not None
    assert [workload.group for workload in inside.workloads] == ["a", "b"]
    assert best.placement == Placement({"v": {"a": 1}, "w": {"b": 1}})
