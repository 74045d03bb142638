"""Moves of duplicated workloads: running copies stay, what moves is counted, budgets count it alike."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import fairlead
from builders import Manifest, binding, cluster, duplicated
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import MOVES_FIRST, MOVES_LAST
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Capacity,
    Copies,
    Duplicated,
    MoveBudget,
    Moves,
    Spread,
    move_budget,
    moves,
)
from fairlead.models.workload import Workload
from fairlead.solver.arguments import Method

METHODS: tuple[Method, ...] = ("auto", "cp-sat")


def one_of(count: int = 1) -> Manifest:
    """Return a placement with full copies on exactly so many clusters."""
    chosen = {"spreadByField": "cluster", "minGroups": count, "maxGroups": count}
    return {**duplicated(), "spreadConstraints": [chosen]}


def running(current: Mapping[str, int], placement: Manifest, replicas: int = 2) -> Manifest:
    """Return a binding of one-cpu replicas that runs somewhere."""
    return binding("web", replicas, current, placement, cpu=1)


def solved(*documents: Manifest, **options: Any) -> tuple[object, Mapping[str, object]]:
    """Return where the workload stands, and its levels; every way to solve says the same."""
    problem = fairlead.load(list(documents))
    found = [fairlead.solve(problem, method=method, **options) for method in METHODS]
    placements = [each.placement.to_dict() if each.placement else None for each in found]
    levels = [{level.name: level.value for level in each.objectives} for each in found]
    assert placements[0] == placements[1]
    assert levels[0] == levels[1]
    return placements[0] and placements[0]["default/web"], levels[0]


def test_running_copies_stay_though_another_cluster_has_more_room() -> None:
    """One cluster of two: b has room for 9, a for 4, and the copy runs on a."""
    members = [cluster("a", cpu=4), cluster("b", cpu=9)]
    placed, levels = solved(*members, running({"a": 2}, one_of()))
    assert placed == {"a": 2}
    # b is the first by room (rank 0), a the second; one of two candidates has no copy.
    assert levels == {"moves": 0, "missing copies": 1, "room": 1}


def test_fresh_looks_at_room_first() -> None:
    """The same, once a reschedule is asked for: the copy of two goes to b, and both replicas count."""
    members = [cluster("a", cpu=4), cluster("b", cpu=9)]
    placed, levels = solved(*members, running({"a": 2}, one_of()), fresh=True)
    assert placed == {"b": 2}
    assert levels == {"missing copies": 1, "room": 0, "other moves": 2}


def test_equal_room_moves_no_copy() -> None:
    """Room for six on both, so moves decide: two moves only to come first by name are for nothing."""
    members = [cluster("a", cpu=6), cluster("b", cpu=6)]
    placed, levels = solved(*members, running({"b": 2}, one_of()), fresh=True)
    assert placed == {"b": 2}
    assert levels == {"missing copies": 1, "room": 0, "other moves": 0}


def test_copies_that_have_to_leave_are_counted() -> None:
    """A taint takes the copy of two from a: two moves, and of b and c the one with more room gets it."""
    members = [cluster("a", cpu=9, taints=["gone:NoExecute"]), cluster("b", cpu=4), cluster("c", cpu=5)]
    placed, levels = solved(*members, running({"a": 2}, one_of()))
    assert placed == {"c": 2}
    assert levels["moves"] == 2


def test_a_copy_that_is_one_too_many_is_counted() -> None:
    """Two copies of two run and one is allowed: the other one stops, whichever that is."""
    members = [cluster("a", cpu=4), cluster("b", cpu=9)]
    placed, levels = solved(*members, running({"a": 2, "b": 2}, one_of()))
    assert placed == {"b": 2}
    assert levels["moves"] == 2


@pytest.mark.parametrize(("held", "replicas"), [(5, 2), (2, 5)])
def test_copies_that_change_their_size_do_not_move(held: int, replicas: int) -> None:
    """What a copy shrinks by is stopped and not moved; what it grows by is new."""
    members = [cluster("a", cpu=6), cluster("b", cpu=9)]
    placed, levels = solved(*members, running({"a": held}, one_of(), replicas))
    assert placed == {"a": replicas}
    assert levels["moves"] == 0


def test_without_a_choice_nothing_can_be_moved() -> None:
    """Every candidate holds a copy anyway; only ties are left, so there is no level of moves to lose on."""
    members = [cluster("a", cpu=4), cluster("b", cpu=9)]
    placed, levels = solved(*members, running({"a": 2}, duplicated()))
    assert placed == {"a": 2, "b": 2}
    assert not any(levels.values())


def workload(**current: int) -> Workload:
    """Return a workload of copies of two on chosen clusters."""
    rules = (Candidates(("a", "b")), Duplicated(choice=True), Moves(frozenset("ab"), keep=True))
    return Workload("w", "w", 2, requests={CPU: 1000}, current=current, rules=rules)


@pytest.mark.parametrize(
    ("current", "placed", "count"),
    [
        ({"a": 2}, {"a": 2}, 0),
        ({"a": 2}, {"b": 2}, 2),
        ({"a": 2, "b": 2}, {"b": 2}, 2),  # no total shrinks: of divided replicas these two would be too many
        ({"a": 5}, {"a": 2}, 0),  # the copy has shrunk
        ({"a": 5}, {"b": 2}, 2),  # two are moved, three are too many
        ({"a": 1}, {"b": 2}, 1),
    ],
)
def test_moves_are_stopped_parts_of_copies(
    current: dict[str, int], placed: dict[str, int], count: int
) -> None:
    """Over clusters: max(0, min(held, copy) - placed), in the level and in budgets."""
    copies = workload(**current)
    assert Moves(frozenset("ab")).among(copies, placed) == count
    problem = Problem((Cluster("a"), Cluster("b")), (copies,))
    assert move_budget.moved(MoveBudget("b", 0), problem, Placement({"w": placed})) == count


def test_the_level_of_moves_of_copies() -> None:
    """Steady copies that may choose keep what runs; after a reschedule was asked for moves come last."""
    steady = workload(a=2)
    rule = steady.rule(Moves)
    assert rule is not None
    assert moves.level(rule, steady) == MOVES_FIRST
    assert moves.level(rule, replace(steady, fresh=True)) == MOVES_LAST


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("most", "status"), [(1, Status.INFEASIBLE), (2, Status.OPTIMAL)])
@pytest.mark.parametrize("current", [{"a": 2}, {"a": 5}, {"a": 2, "b": 2}])
def test_budgets_count_copies_whole(
    current: dict[str, int], most: int, status: Status, method: Method
) -> None:
    """The copy of two has to leave a, which has room for one replica: a budget of 2 lets it, one of 1 not.

    Neither a copy that shrinks from five nor one that runs on b as well makes up for it: no total shrinks.
    """
    copies = workload(**current)
    full = Cluster("a", free={CPU: 1000 * (1 - current["a"])})
    problem = Problem((full, Cluster("b", free={CPU: 9000})), (copies,), (Capacity(), MoveBudget("b", most)))
    outcome = fairlead.solve(problem, method=method)
    assert outcome.status is status
    assert outcome.placement == (Placement({"w": {"b": 2}}) if status is Status.OPTIMAL else None)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("most", "placed"), [(1, {"a": 2}), (2, {"b": 2})])
def test_a_budget_keeps_copies_where_room_would_move_them(
    most: int, placed: dict[str, int], method: Method
) -> None:
    """Fresh, the copy goes to b, which is first by room; a budget of 1 has no half of it moved."""
    steady = workload(a=2)
    one = Spread("cluster", {name: frozenset(name) for name in "ab"}, 1, 1)
    fresh = replace(steady, fresh=True, rules=(*steady.rules, one, Copies((("b",), ("a",)))))
    problem = Problem((Cluster("a"), Cluster("b")), (fresh,), (MoveBudget("b", most),))
    assert fairlead.solve(problem, method=method).placement == Placement({"w": placed})


def test_a_workload_without_replicas_misses_no_copy() -> None:
    """One of three clusters holds the copy of web, two miss one; of api, scaled to 0, none is missing."""
    members = [cluster(name, cpu=4) for name in "abc"]
    placed, levels = solved(*members, binding("api", 0, None, one_of(), cpu=1), running({}, one_of()))
    assert placed == {"a": 2}
    assert levels == {"missing copies": 2, "room": 0}


@pytest.mark.parametrize("method", METHODS)
def test_a_running_copy_is_not_stopped_to_start_another_in_its_place(method: Method) -> None:
    """There is room for one copy, and old holds it; either way one is unplaced, so nothing has to stop."""
    documents = [
        cluster("a", cpu=1),
        binding("new", 1, {}, duplicated(), cpu=1),
        binding("old", 1, {"a": 1}, duplicated(), cpu=1),
    ]
    outcome = fairlead.solve(fairlead.load(documents), partial=True, method=method)
    assert outcome.placement is not None
    assert outcome.placement.to_dict() == {"default/new": {}, "default/old": {"a": 1}}
    assert {level.name: level.value for level in outcome.objectives} == {"unplaced": 1, "moves": 0}
