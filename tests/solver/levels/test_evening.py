"""Workloads stand where they fill clusters most evenly, one after the other."""

from fractions import Fraction

from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import BALANCE
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Spread, Total, Weights
from fairlead.models.rules.balance import Balance
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
