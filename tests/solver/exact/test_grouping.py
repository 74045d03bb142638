"""Groups of one workload that are bounded or measured, exactly: by hand and against every division."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from fairlead.models.cluster import Cluster
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Evenness,
    GroupTotal,
    Moves,
    Price,
    Shares,
    Skew,
    Survival,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.workload import Workload
from fairlead.solver.solve import solve
from nested_problems import best_division, placed_alone
from seeds import holds_for, seeds

Tree = Mapping[str, tuple[int, Mapping[str, int]]]
"""Weights of regions, each with the weights of its clusters."""


def depths_of(tree: Tree) -> tuple[tuple[ShareGroup, ...], ...]:
    """Return the shares of regions, and of the clusters inside them."""
    whole = sum(weight for weight, _ in tree.values())
    outer, inner = [], []
    for region, (weight, clusters) in tree.items():
        share = Fraction(weight, whole)
        outer.append(ShareGroup(region, frozenset(clusters), share))
        sizes = sum(clusters.values())
        inner += [
            ShareGroup(f"{region}/{name}", frozenset({name}), share * Fraction(size, sizes))
            for name, size in clusters.items()
        ]
    return tuple(outer), tuple(inner)


def problem_of(
    tree: Tree, replicas: int, *rules: WorkloadRule, current: Mapping[str, int] | None = None
) -> Problem:
    """Return one workload over the clusters of a tree."""
    names = tuple(sorted(name for _, clusters in tree.values() for name in clusters))
    common = (Candidates(names), Total(), Shares(depths_of(tree)))
    workload = Workload("w", "w", replicas, current=current or {}, rules=(*common, *rules))
    return Problem(tuple(map(Cluster, names)), (workload,))


HALVES: Tree = {"x": (1, {"a": 1, "b": 1}), "y": (1, {"c": 1})}


@pytest.mark.parametrize("deviation", [Deviation.WEBSTER, Deviation.L1])
def test_regions_come_before_clusters(deviation: Deviation) -> None:
    """Four over halves: two for each region, which is one for a, one for b and two for c."""
    problem = replace(problem_of(HALVES, 4), deviation=deviation)
    assert placed_alone(problem) == {"a": 1, "b": 1, "c": 2}


def test_a_group_at_its_bound_divides_what_it_holds() -> None:
    """Of ten, x may hold 3 and has to: 2 for a, the first by name, and 1 for b; y gets the other seven.

    Over halves without the bound it would be 5 and 5.
    """
    most = GroupTotal("x", frozenset("ab"), maximum=3)
    assert placed_alone(problem_of(HALVES, 10, most)) == {"a": 2, "b": 1, "c": 7}
    least = GroupTotal("x", frozenset("ab"), minimum=8)
    assert placed_alone(problem_of(HALVES, 10, least)) == {"a": 4, "b": 4, "c": 2}


def test_what_a_region_misses_goes_to_the_others_by_their_weights() -> None:
    """Of 12 over 1 : 1 : 1, x may hold 2 on all its clusters; the other ten are 5 and 5."""
    tree: Tree = {"x": (1, {"a": 1, "b": 1}), "y": (1, {"c": 1}), "z": (1, {"d": 1})}
    full = Bounds({}, {"a": Bound(1), "b": Bound(1)})
    assert placed_alone(problem_of(tree, 12, full)) == {"a": 1, "b": 1, "c": 5, "d": 5}


def test_ties_go_to_the_first_by_name_over_all_groups() -> None:
    """One replica over halves: b and a are as good; the first by name is in the second region."""
    tree: Tree = {"x": (1, {"b": 1}), "y": (1, {"a": 1})}
    assert placed_alone(problem_of(tree, 1)) == {"a": 1}
    # Three of four equal clusters, no region more than two: a and b stand in different regions, then c.
    tree = {"x": (1, {"b": 1, "d": 1}), "y": (1, {"a": 1, "c": 1})}
    assert placed_alone(problem_of(tree, 3)) == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize("deviation", [Deviation.WEBSTER, Deviation.L1])
def test_large_numbers_are_divided_as_the_weights_say(deviation: Deviation) -> None:
    """A billion replicas over 1,000 clusters in 10 regions are met exactly: 10^9 / 10 / 100 on each."""
    tree = {f"r{r}": (7, {f"m{r}-{c:02}": 3 for c in range(100)}) for r in range(10)}
    answer = placed_alone(replace(problem_of(tree, 10**9), deviation=deviation))
    assert answer is not None
    assert set(answer.values()) == {10**6}


NAMES = "abcde"


def weighed(replicas: int, *rules: WorkloadRule, weights: Mapping[str, int] | None = None) -> Problem:
    """Return one workload over five clusters of equal weights, unless told."""
    given = weights or dict.fromkeys(NAMES, 1)
    workload = Workload(
        "w", "w", replicas, rules=(Candidates(tuple(sorted(given))), Total(), Weights(given), *rules)
    )
    return Problem(tuple(map(Cluster, sorted(given))), (workload,))


def test_bounds_of_groups_inside_groups() -> None:
    """Ten over five: a, b and c may hold 3, of which a and b need 2; d and e share the other seven."""
    inner, outer = GroupTotal("ab", frozenset("ab"), 2), GroupTotal("abc", frozenset("abc"), 0, 3)
    assert placed_alone(weighed(10, inner, outer)) == {"a": 1, "b": 1, "c": 1, "d": 4, "e": 3}


def test_groups_that_overlap_are_left_to_a_search() -> None:
    """No tree has {a, b} and {b, c}; where each may hold 1, a and c take one each, d and e seven."""
    rules = (GroupTotal("ab", frozenset("ab"), 0, 1), GroupTotal("bc", frozenset("bc"), 0, 1))
    problem = weighed(9, *rules)
    assert placed_alone(problem) is None
    outcome = solve(problem)
    assert outcome.placement is not None
    assert dict(outcome.placement.of("w")) == {"a": 1, "c": 1, "d": 4, "e": 3}


def test_what_survives_a_loss_bounds_every_region() -> None:
    """Of eight, four are to be left when x (a, b, c) is lost: it may hold four; evenly it would be five."""
    survival = Survival("region", {"x": frozenset("abc"), "y": frozenset("de")}, 4)
    assert placed_alone(weighed(8, survival)) == {"a": 2, "b": 1, "c": 1, "d": 2, "e": 2}


def test_the_emptiest_group_is_tried_at_every_number_it_may_hold() -> None:
    """Eight over x (a, b, c) and y (d, e) with at most 1 between: 4 and 4; evenly it would be 5 and 3."""
    skew = Skew("region", {"x": frozenset("abc"), "y": frozenset("de")}, 1)
    assert placed_alone(weighed(8, skew)) == {"a": 2, "b": 1, "c": 1, "d": 2, "e": 2}


def test_the_emptiest_of_groups_that_overlap_may_hold_more_than_its_share() -> None:
    """Ten, six of them on e: x (a, e) may hold one more than y (e), so 7 and 6, though half of ten is 5."""
    skew = Skew("zone", {"x": frozenset("ae"), "y": frozenset("e")}, 1)
    assert placed_alone(weighed(10, skew, GroupTotal("e", frozenset("e"), 6))) == {
        "a": 1,
        "b": 1,
        "c": 1,
        "d": 1,
        "e": 6,
    }


def random_sets(chance: random.Random, tree: Tree, replicas: int) -> Iterator[WorkloadRule]:
    """Yield a few rules about sets of clusters."""
    names = sorted(name for _, clusters in tree.values() for name in clusters)
    regions = {region: frozenset(clusters) for region, (_, clusters) in tree.items()}
    if chance.random() < 0.3:
        yield Survival("region", regions, chance.randint(0, replicas - replicas // 3))
    if chance.random() < 0.3:
        yield Skew("region", regions, chance.randint(0, 3))
    if chance.random() < 0.2:
        yield Skew("cluster", {name: frozenset({name}) for name in names}, chance.randint(1, 3))
    if chance.random() < 0.3:
        low = chance.randint(0, 1)
        inside = frozenset(chance.sample(names, chance.randint(1, len(names))))
        yield GroupTotal("some", inside, low, low + chance.randint(0, replicas))
    if chance.random() < 0.4:
        region = chance.choice(sorted(tree))
        low = chance.randint(0, replicas // 2)
        yield GroupTotal(region, regions[region], low, low + chance.randint(0, 3))


def random_rules(chance: random.Random, names: list[str]) -> Iterator[WorkloadRule]:
    """Yield a few other rules."""
    if chance.random() < 0.5:
        least = {name: Bound(chance.randint(0, 2)) for name in chance.sample(names, 1)}
        most = {name: Bound(chance.randint(1, 4)) for name in chance.sample(names, 2)}
        yield Bounds({name: low for name, low in least.items() if low.replicas}, most)
    if chance.random() < 0.4:
        yield Moves(frozenset(names), keep=chance.random() < 0.5)
    if chance.random() < 0.2:
        yield Price({name: Fraction(chance.randint(0, 3), 2) for name in names})
    if chance.random() < 0.2:
        yield Evenness(tuple(chance.sample(names, 2)))
    if chance.random() < 0.2:
        cut = chance.randint(1, len(names) - 1)
        yield Tiers((frozenset(names[:cut]), frozenset(names[cut:])))


@pytest.mark.parametrize("which", seeds(100, 1000))
def test_every_division_is_no_better(which: range) -> None:
    """Levels and placement are those of looking at all, if there is an answer; where groups nest there is."""
    holds_for(which, assert_best_division)


def assert_best_division(seed: int) -> None:
    """Compare a random division among groups with all there are."""
    chance = random.Random(f"hierarchy {seed}")
    names = chance.sample("abcde", chance.randint(3, 5))
    cut = chance.randint(1, len(names) - 1)
    tree = {
        region: (chance.randint(1, 4), {name: chance.randint(0, 3) for name in inside})
        for region, inside in (("x", names[:cut]), ("y", names[cut:]))
    }
    tree = {
        region: (weight, inside if any(inside.values()) else dict.fromkeys(inside, 1))
        for region, (weight, inside) in tree.items()
    }
    replicas = chance.randint(1, 7)
    current = {name: chance.randint(0, 2) for name in names}
    held = {name: count for name, count in current.items() if count}
    rules = (*random_sets(chance, tree, replicas), *random_rules(chance, sorted(names)))
    problem = problem_of(tree, replicas, *rules, current=held)
    if chance.random() < 0.5:
        (workload,) = problem.workloads
        weights = Weights({name: weight for _, inside in tree.values() for name, weight in inside.items()})
        rules = tuple(weights if isinstance(rule, Shares) else rule for rule in workload.rules)
        problem = replace(problem, workloads=(replace(workload, rules=rules),))
    problem = replace(problem, deviation=chance.choice([Deviation.WEBSTER, Deviation.L1]))
    expected, answer = best_division(problem), placed_alone(problem)
    if answer is not None or nests(problem):
        assert answer == expected


def nests(problem: Problem) -> bool:
    """Tell whether rules ask something of sets that lie inside of each other or have nothing in common."""
    sets = [
        frozenset(inside)
        for rule in problem.workloads[0].rules
        if isinstance(rule, GroupTotal | Survival | Skew | Shares)
        for inside in (
            [rule.clusters]
            if isinstance(rule, GroupTotal)
            else rule.groups.values()
            if isinstance(rule, Survival | Skew)
            else [group.clusters for depth in rule.depths for group in depth]
        )
    ]
    return bool(sets) and all(
        one <= other or other <= one or not one & other for one in sets for other in sets
    )


def test_the_answer_is_told_as_exact() -> None:
    """Nothing is searched, so nothing depends on time."""
    outcome = solve(problem_of(HALVES, 7))
    assert outcome.origin == "exact"
    assert all(level.proven for level in outcome.objectives)
