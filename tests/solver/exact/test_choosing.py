"""place_alone(): a limited number of nested groups for one workload, by hand, each against all divisions."""

from collections.abc import Mapping

import pytest

from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Moves, Spread, Total, Weights, WorkloadRule
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload
from fairlead.solver.solve import solve
from nested_problems import best_division, placed_alone


def problem_of(
    replicas: int,
    weights: Mapping[str, int],
    *rules: WorkloadRule,
    current: Mapping[str, int] | None = None,
    room: Mapping[str, int] | None = None,
    deviation: Deviation = Deviation.WEBSTER,
    keep: bool = False,
) -> Problem:
    """Return one workload over the weighted clusters; a cluster has room for any number unless told."""
    names = tuple(sorted(weights))
    free = {name: {CPU: 100 * count} for name, count in (room or {}).items()}
    common = (Candidates(names), Total(), Weights(weights, dynamic=keep), Moves(frozenset(names), keep=keep))
    workload = Workload(
        "w", "w", replicas, requests={CPU: 100}, current=current or {}, rules=(*common, *rules)
    )
    clusters = tuple(Cluster(name, free=free.get(name)) for name in names)
    return Problem(clusters, (workload,), (Capacity(),), deviation=deviation)


def regions(most: int | None, least: int = 1, **inside: str) -> Spread:
    """Return a constraint by region; each region is given with its clusters, as ``west="ab"``."""
    groups = {region: frozenset(names) for region, names in inside.items()}
    return Spread("region", groups, least, most)


def clusters(most: int, names: str, least: int = 1) -> Spread:
    """Return a constraint by cluster."""
    return Spread("cluster", {name: frozenset({name}) for name in names}, least, most)


def test_the_worked_example() -> None:
    """12 replicas over 2 : 2 : 1 : 1 with minima of 2, in two of three regions: 5, 5, 2 (docs/rules.md)."""
    minima = Bounds({name: Bound(2) for name in "abcd"}, where_held=frozenset("abcd"))
    spread = regions(2, 2, west="ab", south="c", east="d")
    problem = problem_of(12, {"a": 2, "b": 2, "c": 1, "d": 1}, spread, minima)
    assert placed_alone(problem) == best_division(problem) == {"a": 5, "b": 5, "c": 2}


def test_the_heaviest_regions_are_not_always_best_division() -> None:
    """Room for 1 in the heaviest of three regions makes the two others the better pair."""
    # Quotas 3, 2, 1. With a and b: 1 and 5, so 4/3 + 9/2 + 1 = 6.83.
    # With b and c: 4 and 2, so 3 + 2 + 1 = 6.
    weights, spread = {"a": 3, "b": 2, "c": 1}, regions(2, west="a", east="b", south="c")
    assert placed_alone(problem_of(6, weights, spread)) == {"a": 4, "b": 2}
    tight = problem_of(6, weights, spread, room={"a": 1})
    assert placed_alone(tight) == best_division(tight) == {"b": 4, "c": 2}


def test_capacity_can_rule_a_pair_out() -> None:
    """The pair that saves most cannot hold all; the next one has to."""
    spread = regions(2, west="a", east="b", south="c")
    problem = problem_of(6, {"a": 3, "b": 2, "c": 1}, spread, room={"a": 2, "b": 3, "c": 4})
    # Only pairs with c hold 6: 2 + 4, quotas 3 and 1, or 2 + 4 with b: 3 + 3 as well.
    # a, c: 1/3 + 2 + 9 = 11.33; b, c: 3 + 1/2 + 4 = 7.5.
    assert placed_alone(problem) == best_division(problem) == {"b": 3, "c": 3}


def test_limits_on_regions_and_clusters_together() -> None:
    """Two clusters in two regions: the second best cluster lies in the same region and is passed over."""
    weights = {"a": 5, "b": 4, "c": 2, "d": 1}
    pair = clusters(2, "abcd")
    alone = problem_of(12, weights, pair)
    # Without regions the two heaviest share what the other two leave: quotas 5 and 4, three more.
    assert placed_alone(alone) == best_division(alone) == {"a": 7, "b": 5}
    both = problem_of(12, weights, pair, regions(None, 2, west="ab", east="cd"))
    # a has to go with c: 9 and 3 cost 16/5 + 1/2 = 3.7, 8 and 4 cost 9/5 + 4/2 = 3.8.
    assert placed_alone(both) == best_division(both) == {"a": 9, "c": 3}


def test_clusters_of_one_region_only() -> None:
    """Three clusters in one region: only the larger region has three, though the other weighs more."""
    weights = {"a": 9, "b": 9, "c": 1, "d": 1, "e": 1}
    spread = (clusters(3, "abcde", 3), regions(1, 1, west="ab", east="cde"))
    problem = problem_of(6, weights, *spread)
    assert placed_alone(problem) == best_division(problem) == {"c": 2, "d": 2, "e": 2}


def test_what_runs_comes_first() -> None:
    """Two replicas run in the lightest region: a workload that keeps them takes that region, others not."""
    weights, spread = {"a": 3, "b": 2, "c": 1}, regions(2, west="a", east="b", south="c")
    keeps = problem_of(6, weights, spread, current={"c": 2}, keep=True)
    # No move means c stays at 2 or more; a takes the other 4 (1/3 + 2 + 1) rather than b (3 + 2 + 1).
    assert placed_alone(keeps) == best_division(keeps) == {"a": 4, "c": 2}
    free = problem_of(6, weights, spread, current={"c": 2})
    assert placed_alone(free) == best_division(free) == {"a": 4, "b": 2}


def test_a_minimum_of_groups() -> None:
    """One replica each for the three most deserving of four: fewer groups are not offered."""
    spread = clusters(3, "abcd", 3)
    problem = problem_of(3, {"a": 2, "b": 2, "c": 1, "d": 1}, spread)
    assert placed_alone(problem) == best_division(problem) == {"a": 1, "b": 1, "c": 1}
    # All running on a cannot stay there; a set of two groups would keep more of them.
    keeps = problem_of(3, {"a": 2, "b": 2, "c": 1, "d": 1}, spread, current={"a": 3}, keep=True)
    # The formula puts all three on a, which breaks the minimum, so two of them have to move.
    assert placed_alone(keeps) == best_division(keeps) == {"a": 1, "b": 1, "c": 1}


def test_ties_fall_to_the_first_by_name() -> None:
    """All pairs of three equal clusters are equally good."""
    problem = problem_of(3, {"a": 1, "b": 1, "c": 1}, clusters(2, "abc"))
    assert placed_alone(problem) == best_division(problem) == {"a": 2, "b": 1}


@pytest.mark.parametrize(
    ("weights", "rules", "deviation"),
    [
        # A weight of 0, no limit that binds, a minimum that binds whatever is chosen.
        ({"a": 1, "b": 0}, (clusters(1, "ab"),), Deviation.WEBSTER),
        ({"a": 1, "b": 1}, (clusters(2, "ab"),), Deviation.L1),
        ({"a": 1, "b": 1}, (clusters(1, "ab"), Bounds({"b": Bound(1)})), Deviation.L1),
    ],
)
def test_odd_choices(weights: dict[str, int], rules: tuple[WorkloadRule, ...], deviation: Deviation) -> None:
    """What is hardly a choice is answered as well."""
    problem = problem_of(2, weights, *rules, deviation=deviation)
    assert placed_alone(problem) == best_division(problem)


@pytest.mark.parametrize(
    "rules",
    [
        # A candidate in two groups; zones across regions.
        (regions(1, west="ab", east="b"),),
        (regions(1, west="ab", east="c"), Spread("zone", {"x": frozenset("a"), "y": frozenset("bc")}, 2)),
    ],
)
def test_groups_that_overlap(rules: tuple[WorkloadRule, ...]) -> None:
    """A cluster counts in every group that it is in."""
    problem = problem_of(2, {"a": 1, "b": 1, "c": 1}, *rules)
    assert placed_alone(problem) == best_division(problem)


def test_where_it_does_not_apply() -> None:
    """Then there is no answer, rather than a wrong one: minimax is no sum over clusters."""
    problem = problem_of(2, {"a": 1, "b": 1, "c": 1}, clusters(1, "abc"), deviation=Deviation.MINIMAX)
    assert placed_alone(problem) is None


def test_ties_fall_to_the_cluster_not_to_the_region() -> None:
    """Two regions are alike; the first cluster by name lies in the region that comes last."""
    problem = problem_of(9, {"a": 1, "n": 1}, regions(1, first="n", last="a"))
    assert placed_alone(problem) == best_division(problem) == {"a": 9}
    assert solve(problem, method="cp-sat", workers=1).placement == Placement({"w": {"a": 9}})


def test_quotas_count_candidates_without_room() -> None:
    """Cluster d has no room but a weight, so the quotas of 4 are 4/9, 4/9, 20/9 and 8/9."""
    weights = {"a": 1, "b": 1, "c": 5, "d": 2}
    problem = problem_of(4, weights, clusters(3, "abcd"), room={"d": 0}, deviation=Deviation.L1)
    # 1, 1, 2: 5/9 + 5/9 + 2/9 = 12/9. 1, 0, 3: 5/9 + 4/9 + 7/9 = 16/9. Both leave 8/9 of d.
    assert best_division(problem) == {"a": 1, "b": 1, "c": 2}
    assert placed_alone(problem) == best_division(problem)


def test_solve_counts_candidates_without_room() -> None:
    """Quotas 1/2, 1/2, 1, 1: on a and c, 2 and 1 are as near as 1 and 2, and come first."""
    weights = {"a": 1, "b": 1, "c": 2, "d": 2}
    problem = problem_of(3, weights, clusters(2, "abcd"), room={"d": 0}, deviation=Deviation.L1)
    placement = solve(problem, workers=1).placement
    assert placement is not None
    assert dict(placement["w"]) == best_division(problem) == {"a": 2, "c": 1}
