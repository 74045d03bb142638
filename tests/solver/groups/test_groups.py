"""Affinity groups: which one is taken, which ones are passed over, and what would be a way out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Total, WorkloadRule
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source
from fairlead.models.workload import AffinityGroup, Workload
from fairlead.solver.groups.choose import OTHERS_LEFT, choose_groups
from fairlead.solver.groups.partial import choose_partially
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search
from fairlead.solver.solve import solve


def grouped(
    key: str, replicas: int, groups: Mapping[str, Sequence[str]], *rules: WorkloadRule, **more: object
) -> Workload:
    """Return a workload of one core a replica with the given groups of clusters."""
    found = tuple(
        AffinityGroup(name, (Candidates(tuple(inside)), Total(), *rules), Source("policy.yaml", line))
        for line, (name, inside) in enumerate(groups.items(), start=10)
    )
    workload = Workload(key, key, replicas, requests={CPU: 1000}, groups=found)
    return replace(workload, **more)  # type: ignore[arg-type]


def solved(*workloads: Workload, **cores: int) -> Outcome:
    """Solve for clusters with so many free cores; check what comes out."""
    clusters = tuple(Cluster(name, free={CPU: 1000 * free}) for name, free in cores.items())
    outcome = solve(Problem(clusters, workloads, (Capacity(),)), workers=1)
    if outcome.placement is not None:
        assert check(outcome.problem, outcome.placement) == ()
    return outcome


def groups_of(outcome: Outcome) -> list[str | None]:
    """Return the group of every workload."""
    return [workload.group for workload in outcome.problem.workloads]


THREE = {"first": "a", "second": "b", "third": "c"}


@pytest.mark.parametrize(
    ("observed", "fresh", "expected"),
    [
        (None, False, "first"),
        ("second", False, "second"),
        ("third", False, "third"),
        ("no longer declared", False, "first"),
        ("second", True, "first"),
    ],
)
def test_the_order_begins_with_the_observed_group(observed: str | None, fresh: bool, expected: str) -> None:
    """All three have room: the first that may be tried is taken, and nothing was passed over."""
    outcome = solved(grouped("w", 2, THREE, observed=observed, fresh=fresh), a=2, b=2, c=2)
    assert groups_of(outcome) == [expected]
    assert outcome.rejected == {}


def test_groups_that_will_not_do_are_told() -> None:
    """Room for 1 in a and b, 2 are wanted: the third group, and why not the two before it."""
    outcome = solved(grouped("w", 2, THREE), a=1, b=1, c=2)
    assert groups_of(outcome) == ["third"]
    assert outcome.placement is not None
    assert dict(outcome.placement["w"]) == {"c": 2}
    (first, second) = outcome.rejected["w"]
    assert (first.name, second.name) == ("first", "second")
    assert (first.source, second.source) == (Source("policy.yaml", 10), Source("policy.yaml", 11))
    assert "w needs 2 replicas" in first.reason
    assert "a has capacity for 1 of w" in first.reason
    assert "b has capacity for 1 of w" in second.reason


def test_it_does_not_wrap_round() -> None:
    """From the second group on nothing will do; the first would, and is the way out, not the answer."""
    outcome = solved(grouped("w", 2, THREE, observed="second"), a=2, b=1, c=1)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.placement is None
    assert outcome.conflict is not None
    way_out = [each for each in outcome.conflict.relaxations if "affinity group" in each.text]
    assert [each.text for each in way_out] == ["reschedule w (--fresh): affinity group first fits"]
    assert way_out[0].source == Source("policy.yaml", 10)


def test_the_way_out_is_a_way_out() -> None:
    """Asked afresh, that group is taken."""
    outcome = solved(grouped("w", 2, THREE, observed="second", fresh=True), a=2, b=1, c=1)
    assert groups_of(outcome) == ["first"]


def test_no_way_out_where_no_group_will_do() -> None:
    """Room for 1 everywhere: nothing is proposed that would not help."""
    outcome = solved(grouped("w", 2, THREE, observed="third"), a=1, b=1, c=1)
    assert outcome.status is Status.INFEASIBLE
    relaxations = outcome.conflict.relaxations if outcome.conflict else ()
    assert not any("affinity group" in each.text for each in relaxations)


def test_the_more_urgent_workload_chooses_first() -> None:
    """Two workloads want 2 of the 3 cores of a: the one of higher priority gets them, whatever its name."""
    both = {"near": "a", "far": "b"}
    urgent, other = grouped("z", 2, both, priority=5), grouped("m", 2, both)
    outcome = solved(other, urgent, a=3, b=9)
    assert [workload.key for workload in outcome.problem.workloads] == ["m", "z"]
    assert groups_of(outcome) == ["far", "near"]
    (passed,) = outcome.rejected["m"]
    # By itself m fits into a; it is the group of z, chosen before, that leaves no room.
    assert passed.name == "near"
    assert passed.reason == OTHERS_LEFT
    # Of equal priority the key decides.
    assert groups_of(solved(other, replace(urgent, priority=0), a=3, b=9)) == ["near", "far"]


def test_a_workload_without_choice_comes_before_all() -> None:
    """The only place of w is a, which leaves the urgent one the second group."""
    fixed = Workload("w", "w", 2, requests={CPU: 1000}, rules=(Candidates(("a",)), Total()))
    outcome = solved(fixed, grouped("u", 2, {"near": "a", "far": "b"}, priority=9), a=3, b=9)
    assert groups_of(outcome) == ["far", None]


def test_both_stay_where_both_fit() -> None:
    """Four cores are enough for both: nobody is moved on."""
    both = {"near": "a", "far": "b"}
    outcome = solved(grouped("m", 2, both), grouped("z", 2, both, priority=5), a=4, b=9)
    assert groups_of(outcome) == ["near", "near"]


def test_rules_of_a_group_decide() -> None:
    """A group may fail by its own minimum and not by room."""
    least = Bounds({"a": Bound(3)})
    workload = grouped("w", 2, {"second": "b"})
    strict = AffinityGroup("strict", (Candidates(("a",)), Total(), least))
    outcome = solved(replace(workload, groups=(strict, *workload.groups)), a=9, b=9)
    assert groups_of(outcome) == ["second"]
    assert "a needs at least 3" in outcome.rejected["w"][0].reason


def test_feasibility_is_asked_as_rarely_as_can_be() -> None:
    """Where all first groups will do, one question each is enough for workloads that cannot meet."""
    asked: list[tuple[str | None, ...]] = []

    def feasible(problem: Problem) -> bool:
        asked.append(tuple(workload.group for workload in problem.workloads))
        return True

    problem = Problem((Cluster("a"),), (grouped("v", 1, THREE), grouped("w", 1, THREE)))
    assert choose_groups(problem, feasible, Search()).rejected == {}
    assert asked == [("first",), ("first",)]


def test_few_are_asked_about_one_by_one() -> None:
    """Of 64 that want a core each 63 fit: halves are asked about, 14 questions (the last two are of x).

    One by one they took 66, and every question looks at all workloads.
    """
    asked: list[int] = []

    def feasible(problem: Problem) -> bool:
        asked.append(sum(each.replicas for each in problem.workloads))
        return asked[-1] <= 63

    def place(_: Problem) -> tuple[Placement, bool]:
        return Placement({}), True

    rules = (Candidates(("a",)), Total())
    workloads = tuple(Workload(f"w{at:02}", "w", 1, requests={CPU: 1000}, rules=rules) for at in range(64))
    waiting = grouped("x", 1, {"first": "a", "second": "a"})
    part = Problem((Cluster("a", free={CPU: 63_000}),), (*workloads, waiting), (Capacity(),))
    choose_partially(part, feasible, place, Deadline())
    assert asked == [64, 64, 32, 64, 48, 64, 56, 64, 60, 64, 62, 64, 63, 64, 64, 64]


def test_groups_of_partial_placements_are_chosen_in_time() -> None:
    """Once time is over nothing more is tried: who has a choice gets the first group."""

    def never(_: Problem) -> bool | None:
        raise AssertionError("time is over")

    groups = tuple(AffinityGroup(name, (Candidates(("a",)), Total())) for name in ("first", "second"))
    waiting = Workload("web", "web", 1, rules=groups[0].rules, groups=groups)
    settled = Workload("api", "api", 1, rules=(Candidates(("a",)), Total()))
    part = Problem((Cluster("a", free={CPU: 0}),), (waiting, settled), (Capacity(),))

    def place(_: Problem) -> tuple[Placement, bool]:
        raise AssertionError("time is over")

    found = choose_partially(part, never, place, Deadline.after(0))
    assert found.groups["web"] is groups[0]
    assert (found.found, found.exhausted) == (False, False)
