"""What holds between waves only, what is lost with a region, and what a plan claims to be the fewest."""

from dataclasses import replace

import pytest

import fairlead
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Capacity,
    GroupTotal,
    Moves,
    Spread,
    Survival,
    Total,
    WorkloadRule,
)
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.workload import Workload
from fairlead.report.content.plan import headline, inside_line
from fairlead.report.renderer import terminal
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.replay import replay

REGIONS = {"eu": frozenset({"a"}), "us": frozenset({"b"})}


def moving(*rules: WorkloadRule, names: tuple[str, ...] = ("b",), replicas: int = 4) -> Problem:
    """Return a workload that runs on a and has to go where it may stand."""
    closed = {name: Exclusion("is closed") for name in "abc" if name not in names}
    own = (Candidates(names, closed), Total(), Moves(frozenset("abc")), *rules)
    workload = Workload("w", "w", replicas, requests={CPU: 1000}, current={"a": replicas}, rules=own)
    clusters = tuple(Cluster(name, free={CPU: 8000}) for name in "abc")
    return Problem(clusters, (workload,), (Capacity(),))


def texts(plan: RebalancePlan) -> list[str]:
    """Return what holds between waves only."""
    return [str(each) for each in plan.passed_inside]


def test_a_total_is_passed_while_replicas_move() -> None:
    """Four replicas start on b before those on a stop: eight in a set that may hold four, for a moment."""
    plan = fairlead.plan(moving(GroupTotal("both", frozenset("ab"), 0, 4)))
    assert texts(plan) == ["inside wave 1: w: both holds 8 replicas, at most 4 are allowed"]
    assert inside_line(plan) in str(plan)
    assert inside_line(plan) in terminal(plan)
    assert plan.to_dict()["insideWaves"] == [
        {"wave": 1, "workload": "w", "text": "w: both holds 8 replicas, at most 4 are allowed"}
    ]
    assert plan.waves is not None
    assert replay(plan.waves) == ()


def test_a_spread_is_passed_while_replicas_move() -> None:
    """One region at most: it stands in two while it goes from one to the other."""
    plan = fairlead.plan(moving(Spread("region", REGIONS, 1, 1), names=("a", "b")), pinned_clusters=())
    assert texts(plan) == []  # It stays on a.
    gone = moving(Spread("region", REGIONS, 1, 1))
    assert texts(fairlead.plan(gone)) == ["inside wave 1: w: replicas in 2 regions, at most 1 is allowed"]


def test_a_total_that_stops_first_is_missed_for_a_moment() -> None:
    """Where the old replicas go first, a set that needs four holds fewer inside the wave."""
    plan = fairlead.plan(moving(GroupTotal("both", frozenset("ab"), 4)), order="stop-first")
    assert plan.waves is not None
    assert len(plan.waves.waves) == 4
    # 25 % of four may be missing: three hold in each of the four waves.
    expected = [
        f"inside wave {wave}: w: both holds 3 replicas, at least 4 are needed" for wave in range(1, 5)
    ]
    assert texts(plan) == expected
    assert "and 3 more such cases" in inside_line(plan)


def test_nothing_is_said_where_all_holds() -> None:
    """A set that may hold eight holds eight; without a rule there is nothing to say."""
    assert fairlead.plan(moving(GroupTotal("both", frozenset("ab"), 0, 8))).passed_inside == ()
    plan = fairlead.plan(moving())
    assert plan.passed_inside == ()
    assert inside_line(plan) == ""


def test_what_the_target_breaks_is_not_told() -> None:
    """More than a set may hold before the wave is no news inside it, as long as it gets no worse."""
    limited = moving(GroupTotal("both", frozenset("ab"), 0, 2), names=("c",))
    assert fairlead.plan(limited).passed_inside == ()


def test_closed_clusters_are_lost_with_their_region() -> None:
    """Three on the closed a and one on b, both of one region: losing it leaves nothing, not three."""
    rule = Survival("region", {"eu": frozenset("b")}, 1, None, {"eu": frozenset("ab"), "us": frozenset("c")})
    problem = moving(rule, names=("b", "c"))
    found = fairlead.check(problem, {"w": {"a": 3, "b": 1}})
    assert [(each.rule, each.detail, each.amount) for each in found] == [
        ("candidates", "", 3),
        ("survival", "region eu", 1),
    ]


def test_a_region_without_candidates_counts_while_it_holds_replicas() -> None:
    """All four run in a region that is closed: nothing survives its loss; elsewhere all is well."""
    rule = Survival("region", {"us": frozenset("b")}, 1, None, {"eu": frozenset("a"), "us": frozenset("b")})
    problem = moving(replace(rule, groups={"us": frozenset("b"), "ap": frozenset("c")}), names=("b", "c"))
    assert [each.detail for each in fairlead.check(problem, {"w": {"a": 4}}) if each.rule == "survival"] == [
        "region eu"
    ]
    outcome = fairlead.solve(problem)
    assert outcome.status is Status.OPTIMAL
    assert outcome.placement is not None
    assert min(outcome.placement["w"].values()) >= 1
    assert len(outcome.placement["w"]) == 2


@pytest.mark.parametrize("minimum", [1, 2])
def test_waves_keep_survival_with_closed_clusters(minimum: int) -> None:
    """Replicas leave the closed a for b and c; what its region loses with it is looked at in every wave."""
    rule = Survival(
        "region",
        {"eu": frozenset("b"), "us": frozenset("c")},
        minimum,
        None,
        {"eu": frozenset("ab"), "us": frozenset("c")},
    )
    problem = moving(rule, names=("b", "c"))
    plan = fairlead.plan(problem, order="stop-first")
    assert plan.waves is not None
    assert not plan.waves.blocked
    assert replay(plan.waves) == ()


def planned(*, status: Status = Status.OPTIMAL, bound: int = 1) -> RebalancePlan:
    """Return a plan of one wave whose target has a status, and whose waves have a bound."""
    plan = fairlead.plan(moving())
    assert plan.waves is not None
    return replace(
        plan, outcome=replace(plan.outcome, status=status), waves=replace(plan.waves, lower_bound=bound)
    )


def test_fewest_is_claimed_only_where_it_is_proven() -> None:
    """Of the waves alone where the target is not proven, and of nothing where neither is."""
    assert headline(planned()) == "4 replicas move in 1 wave (the minimum)."
    told = headline(planned(status=Status.FEASIBLE))
    assert told == "4 replicas move in 1 wave (the minimum for this target)."
    assert headline(planned(bound=0)) == "4 replicas move in 1 wave (at least 0 waves are needed)."
