"""Conflicts about sets of clusters: which rules are named, and that leaving any one out resolves it."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from brute_force import brute_force
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, GroupTotal, Spread, Total, WorkloadRule
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.alone import conflicts
from fairlead.solver.exact.boxes import boxes_of
from fairlead.solver.solve import solve

NAMES = ("a", "b", "c")


def wanting(
    replicas: int, *rules: WorkloadRule, room: Mapping[str, int] | None = None, names: tuple[str, ...] = NAMES
) -> Problem:
    """Return a workload with a total over three clusters."""
    excluded = {name: Exclusion("did not have region property") for name in NAMES if name not in names}
    workload = Workload(
        "w",
        "w",
        replicas,
        requests={CPU: 100},
        policy="policy p",
        rules=(Candidates(names, excluded), Total(), *rules),
    )
    free = {name: {CPU: 100 * count} for name, count in (room or {}).items()}
    return Problem(tuple(Cluster(name, free=free.get(name)) for name in NAMES), (workload,), (Capacity(),))


def texts(problem: Problem) -> list[str]:
    """Return the sentences of the only conflict; brute force confirms that there is no placement."""
    found = conflicts(problem)[0].told()
    assert brute_force(problem) is None
    outcome = solve(problem, workers=1)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.conflict is not None
    assert outcome.conflict.rules == found.rules
    return [statement.text for statement in found.rules]


def exactly(name: str, clusters: str, count: int, *, several: bool = False) -> GroupTotal:
    """Return an exact total of a set."""
    return GroupTotal(name, frozenset(clusters), count, count, several=several)


@pytest.mark.parametrize(
    ("minimum", "maximum", "told"),
    [(3, None, "the minima of 2 sets add up to 6"), (0, 2, "the maxima of 2 sets add up to 4")],
)
def test_bounds_that_add_up_are_not_called_totals(minimum: int, maximum: int | None, told: str) -> None:
    """Five replicas over two sets of at least 3, or of at most 2, each."""
    parts = (("x", "ab"), ("y", "c"))
    sets = [GroupTotal(name, frozenset(inside), minimum, maximum) for name, inside in parts]
    found = solve(wanting(5, *sets), workers=1).conflict
    assert found is not None
    assert found.rules[0].text == f"w needs 5 replicas; {told}"


def test_parts_that_add_up_to_less() -> None:
    """2 and 1 in sets that cover all clusters are 3, and 5 are wanted."""
    problem = wanting(5, exactly("region x", "ab", 2), exactly("region y", "c", 1))
    assert texts(problem) == [
        "w needs 5 replicas; the totals of 2 sets add up to 3",
        "policy p: region x must hold exactly 2 replicas",
        "policy p: region y must hold exactly 1 replica",
    ]
    # Each of the three is needed for the conflict: without any one of them there is a placement.
    assert brute_force(wanting(3, *problem.workloads[0].rules_of(GroupTotal))) is not None
    for kept in problem.workloads[0].rules_of(GroupTotal):
        assert brute_force(wanting(5, kept)) is not None


def test_parts_that_add_up_to_more() -> None:
    """4 and 3 are more than 5, though c is in neither set."""
    assert len(texts(wanting(5, exactly("region x", "a", 4), exactly("region y", "b", 3)))) == 3


def test_a_set_of_all_clusters() -> None:
    """All clusters together hold 4 by the policy; the workload wants 5."""
    problem = wanting(5, exactly("the listed regions", "abc", 4, several=True))
    assert texts(problem) == [
        "w needs 5 replicas",
        "policy p: the listed regions must hold exactly 4 replicas",
    ]
    # What people call a set says nothing of its number.
    problem = wanting(5, exactly("the palaces", "abc", 4))
    assert texts(problem) == ["w needs 5 replicas", "policy p: the palaces must hold exactly 4 replicas"]


@pytest.mark.parametrize(
    "rules",
    [
        # c may hold the rest.
        (exactly("x", "a", 2), exactly("y", "b", 1)),
        # Sets that overlap may share replicas: a holds 2, b and c one each... 3 + 3 with 1 in common.
        (exactly("x", "ab", 3), exactly("y", "bc", 3)),
        # A total that is no exact one leaves the rest open.
        (GroupTotal("x", frozenset("ab"), 1, 2), exactly("y", "c", 3)),
    ],
)
def test_no_conflict(rules: tuple[GroupTotal, ...]) -> None:
    """Five replicas can be placed."""
    problem = wanting(5, *rules)
    assert conflicts(problem) == ()
    assert brute_force(problem) is not None


def test_a_set_without_the_room_for_its_minimum() -> None:
    """Region x needs 4; a and b hold 2 and 1."""
    room = {"a": 2, "b": 1}
    problem = wanting(5, GroupTotal("region x", frozenset("ab"), 4), room=room)
    assert texts(problem) == [
        "policy p: region x needs at least 4 replicas; these 2 clusters can hold 3 together",
        "a has capacity for 2 of w (200m cpu free, 100m per replica)",
        "b has capacity for 1 of w (100m cpu free, 100m per replica)",
    ]
    # The smallest change either way: a minimum of 3, or room for one more.
    assert brute_force(wanting(5, GroupTotal("region x", frozenset("ab"), 3), room=room)) is not None
    wider = {"a": 2, "b": 2}
    assert brute_force(wanting(5, GroupTotal("region x", frozenset("ab"), 4), room=wider)) is not None


def test_a_set_without_candidates() -> None:
    """A set that holds no candidate can hold nothing."""
    problem = wanting(2, GroupTotal("region z", frozenset(), 1))
    assert texts(problem) == ["policy p: region z needs at least 1 replica, but no eligible cluster is in it"]


def test_closed_clusters_are_named_beside_the_minimum_of_their_set() -> None:
    """Region x of a and b needs 4; b is closed and a holds 2, so that opening b is a way out."""
    half = GroupTotal("region x", frozenset("a"), 4, closed=frozenset("b"))
    assert texts(wanting(5, half, room={"a": 2}, names=("a", "c"))) == [
        "policy p: region x needs at least 4 replicas",
        "a has capacity for 2 of w (200m cpu free, 100m per replica)",
        "w: 2/3 clusters are available: 1 cluster(s) did not have region property",
    ]
    shut = GroupTotal("region x", frozenset(), 4, closed=frozenset("b"))
    assert texts(wanting(5, shut, names=("a", "c"))) == [
        "policy p: region x needs at least 4 replicas, but no eligible cluster is in it",
        "w: 2/3 clusters are available: 1 cluster(s) did not have region property",
    ]


def test_closed_clusters_are_named_beside_minima_only_where_they_help() -> None:
    """The minima of x and y are 3 each, of 5 replicas: one closed cluster helps if it is in both."""
    x = GroupTotal("x", frozenset("a"), 3, closed=frozenset("b"))
    for closed, told in (("", 3), ("b", 4)):
        problem = wanting(
            5, x, GroupTotal("y", frozenset("c"), 3, closed=frozenset(closed)), names=("a", "c")
        )
        conflict = solve(problem, workers=1).conflict
        assert conflict is not None
        assert len(conflict.rules) == told
        assert brute_force(problem) is None


def test_minima_over_the_maximum_of_a_set() -> None:
    """The clusters of region x need 2 each, together they may hold 3."""
    bounds = Bounds({"a": Bound(2), "b": Bound(2)})
    problem = wanting(5, bounds, GroupTotal("region x", frozenset("ab"), 0, 3))
    assert texts(problem) == [
        "policy p: a needs at least 2",
        "policy p: b needs at least 2",
        "policy p: region x may hold at most 3; the minima of 2 clusters add up to 4",
    ]


def test_too_few_regions() -> None:
    """Two regions are needed and only one has a candidate; opening c would not help, it is in no region."""
    spread = Spread("region", {"x": frozenset("ab")}, 2)
    assert texts(wanting(4, spread, names=("a", "b"))) == [
        "policy p: replicas in at least 2 regions; only x has eligible clusters",
    ]


def test_too_few_replicas_for_the_regions() -> None:
    """Three regions and two replicas; zones may overlap, so there two can be enough."""
    each = {name: frozenset(name) for name in NAMES}
    assert texts(wanting(2, Spread("region", each, 3))) == [
        "w needs 2 replicas",
        "policy p: replicas in at least 3 regions",
    ]
    overlapping = {"x": frozenset("ab"), "y": frozenset("bc"), "z": frozenset("ac")}
    assert conflicts(wanting(2, Spread("zone", overlapping, 3))) == ()
    assert brute_force(wanting(2, Spread("zone", overlapping, 3))) is not None


def test_nothing_is_asked_of_a_workload_scaled_to_zero() -> None:
    """No minimum and no total binds where no replicas are wanted."""
    rules = (exactly("x", "ab", 2), Spread("region", {"x": frozenset("ab")}, 2))
    problem = wanting(0, *rules)
    assert conflicts(problem) == ()
    assert solve(problem).status is Status.OPTIMAL


def test_without_a_total_there_is_nothing_to_add_up() -> None:
    """A workload without Total has no box to compare with."""
    (workload,) = wanting(5).workloads
    bare = replace(workload, rules=(Candidates(NAMES), exactly("x", "abc", 4)))
    problem = replace(wanting(5), workloads=(bare,))
    assert boxes_of(problem) == {}
    assert conflicts(problem) == ()
