"""Aggregated: the fewest clusters first, moves and the deviation where the levels say."""

from collections.abc import Mapping
from fractions import Fraction

from brute_force import brute_force
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Capacity,
    GroupTotal,
    Moves,
    Price,
    Spread,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload
from fairlead.solver.solve import solve
from nested_problems import placed_alone
from orders import WITHOUT_BALANCE


def aggregated(
    replicas: int,
    room: Mapping[str, int],
    *rules: WorkloadRule,
    current: Mapping[str, int] | None = None,
    keep: bool = True,
    first: str = "",
) -> Problem:
    """Return an aggregated workload over clusters of the given room, which is its weight as well."""
    names = tuple(room)
    common = (
        Candidates(names),
        Total(),
        Aggregated(),
        Weights(room, dynamic=True),
        Moves(frozenset(names), keep=keep),
    )
    workload = Workload(
        "w", "w", replicas, requests={CPU: 100}, current=current or {}, rules=(*common, *rules)
    )
    free = {name: 100 * (count - (current or {}).get(name, 0)) for name, count in room.items()}
    clusters = tuple(Cluster(name, free={CPU: free[name]}) for name in names)
    order = (first, *(key for key in WITHOUT_BALANCE if key != first)) if first else WITHOUT_BALANCE
    return Problem(clusters, (workload,), (Capacity(),), order)


def best(problem: Problem) -> Mapping[str, int]:
    """Return what brute force finds, after solve() has found the same."""
    expected = brute_force(problem)
    assert expected is not None
    assert solve(problem, workers=1).placement == expected.placement
    return expected.placement["w"]


def test_the_worked_example() -> None:
    """Room 3, 7, 3, 5 and ten replicas: two clusters do, and 6 and 4 are nearest to their quotas."""
    # Pairs that hold ten: (3, 7), (7, 3), (7, 5). Quotas are 10/18 of the room: 1.67, 3.89, 1.67, 2.78.
    problem = aggregated(10, {"a": 3, "b": 7, "c": 3, "d": 5})
    assert placed_alone(problem) == {"b": 6, "d": 4}
    assert solve(problem).placement == Placement({"w": {"b": 6, "d": 4}})


def test_one_cluster_where_one_has_room() -> None:
    """Only one cluster takes all four."""
    problem = aggregated(4, {"a": 3, "b": 4, "c": 2})
    assert placed_alone(problem) == {"b": 4}
    assert best(problem) == {"b": 4}


def test_what_runs_costs_a_cluster() -> None:
    """Two clusters run: keeping both comes first where the workload keeps, fewer clusters else."""
    running = {"a": 1, "b": 1}
    room = {"a": 3, "b": 3, "c": 3}
    assert best(aggregated(3, room, current=running)) == {"a": 2, "b": 1}
    assert best(aggregated(3, room, current=running, keep=False)) == {"a": 3}


def test_minima_bind_where_replicas_stand() -> None:
    """With a minimum of 3 on b, two replicas beside a full cluster cannot stand there."""
    bounds = Bounds({"b": Bound(3)}, where_held=frozenset("abc"))
    # a holds 4 of 6; b would need 3, which leaves 3 for a; c takes 2 at most.
    # Quotas 24/9, 18/9, 12/9... of 6 over 4 : 3 : 2; (3, 3, 0) costs 1/24 + 1/2 + 4/3, (4, 0, 2) more.
    assert best(aggregated(6, {"a": 4, "b": 3, "c": 2}, bounds)) == {"a": 3, "b": 3}


def test_a_minimum_of_clusters_holds_as_well() -> None:
    """One cluster would do; a spread over at least two makes it two, not three."""
    spread = Spread("cluster", {name: frozenset({name}) for name in "abc"}, 2, 3)
    assert best(aggregated(4, {"a": 4, "b": 4, "c": 4}, spread)) == {"a": 2, "b": 2}


def test_prices_come_after_clusters() -> None:
    """The fewest clusters are taken though two cheaper ones would do; with the price first they win."""
    prices = Price({"a": Fraction(1), "b": Fraction(1), "c": Fraction(2)})
    room = {"a": 2, "b": 2, "c": 4}
    # Three replicas on c cost 6, on a and b 3.
    assert best(aggregated(3, room, prices)) == {"c": 3}
    assert best(aggregated(3, room, prices, first="cost")) == {"a": 2, "b": 1}


def test_moves_before_clusters() -> None:
    """A profile that puts the moves of all workloads first keeps both replicas where they run."""
    running = {"a": 1, "b": 1}
    assert best(aggregated(2, {"a": 2, "b": 2}, current=running, keep=False, first="moves-last")) == running


def test_no_room() -> None:
    """Nine replicas do not fit on clusters of 3 and 4."""
    assert placed_alone(aggregated(9, {"a": 3, "b": 4})) is None


def test_the_fewest_in_few_regions() -> None:
    """Three clusters would do anywhere; in one region only the east holds nine, and needs four."""
    groups = {"west": frozenset("abc"), "east": frozenset("defg")}
    room = {"a": 4, "b": 3, "c": 1, "d": 3, "e": 2, "f": 2, "g": 2}
    problem = aggregated(9, room, Spread("region", groups, 1, 1))
    # The west has room for eight, and the east for exactly nine.
    assert placed_alone(problem) == {"d": 3, "e": 2, "f": 2, "g": 2}
    expected = Placement({"w": {"d": 3, "e": 2, "f": 2, "g": 2}})
    assert solve(problem, method="cp-sat", workers=1).placement == expected


def test_totals_of_sets() -> None:
    """Two sets that have to hold 2 each need two clusters; inside each the larger share wins."""
    sets = (
        GroupTotal("west", frozenset("ab"), 2, 2),
        GroupTotal("east", frozenset("cd"), 2, 2),
    )
    assert best(aggregated(4, {"a": 2, "b": 3, "c": 3, "d": 2}, *sets)) == {"b": 2, "c": 2}
