"""Workloads stand where they fill clusters most evenly, one after the other."""

from fractions import Fraction

from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import BALANCE, DYNAMIC_DEVIATION
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Spread, Total, Weights
from fairlead.models.rules.balance import Balance, cost
from fairlead.models.score import value_of
from fairlead.models.workload import Workload
from fairlead.solver.levels.evening import Goal, evened_out
from fairlead.solver.running.deadline import Deadline

AB = ("a", "b")
ONE = Spread("cluster", {name: frozenset({name}) for name in AB}, 1, 1)


def evened(room: int) -> Placement:
    """Return where two workloads of six cores stand that started on a; each may use one cluster only.

    Two cores stand on b. Twelve and two are as uneven as six and eight are even: all six replicas of one
    have to pass, where five would fill both clusters alike.
    """
    rules = (Candidates(AB), Total(), Weights(dict.fromkeys(AB, 1)), ONE)
    clusters = (
        Cluster("a", free={CPU: 12000}, allocatable={CPU: 12000}),
        Cluster("b", free={CPU: room}, allocatable={CPU: 12000}),
    )
    workloads = tuple(Workload(key, key, 6, requests={CPU: 1000}, rules=rules) for key in ("left", "right"))
    problem = Problem(clusters, workloads, (Capacity(),))
    halves: dict[str, Fraction] = dict.fromkeys(AB, Fraction(1, 2))
    rule = Balance(frozenset({"left", "right"}), {CPU: halves}, {("b", CPU): 2000}, {CPU: 14000})
    start = Placement({"left": {"a": 6}, "right": {"a": 6}})
    return evened_out(problem, rule, start, {}, Goal(BALANCE, 0.0), Deadline())


def test_a_workload_passes_as_a_whole_where_it_may_not_be_split() -> None:
    """The first by name does; the other one stays then."""
    assert evened(12000) == Placement({"left": {"b": 6}, "right": {"a": 6}})


def test_nobody_passes_where_there_is_no_room() -> None:
    """Five cores are one too few."""
    assert evened(5000) == Placement({"left": {"a": 6}, "right": {"a": 6}})


def test_a_deviation_falls_as_far_as_balance_lets_it() -> None:
    """Two workloads of six replicas with quotas of 5 and 1 that stand three and three; 8 of 12 may be on a.

    With halves as shares balance is 4 (u/12 - 1/2)^2, at u = 8 a ninth. Four and two each cost 1/5 + 1 there,
    five and one would cost nothing.
    """
    rules = (Candidates(AB), Total(), Weights({"a": 5, "b": 1}, dynamic=True, apart=True))
    clusters = tuple(Cluster(name, free={CPU: 12000}, allocatable={CPU: 12000}) for name in AB)
    workloads = tuple(Workload(key, key, 6, requests={CPU: 1000}, rules=rules) for key in ("left", "right"))
    problem = Problem(clusters, workloads, (Capacity(),))
    halves: dict[str, Fraction] = dict.fromkeys(AB, Fraction(1, 2))
    rule = Balance(frozenset({"left", "right"}), {CPU: halves}, {}, {CPU: 12000})
    start = Placement({"left": {"a": 3, "b": 3}, "right": {"a": 3, "b": 3}})
    goal = Goal(DYNAMIC_DEVIATION, 1 / 9 + 1e-9)
    found = evened_out(problem, rule, start, {}, goal, Deadline())
    assert cost(rule, problem, found) == Fraction(1, 9)
    assert value_of(problem, found, DYNAMIC_DEVIATION) == Fraction(12, 5)
