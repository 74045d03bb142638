"""Hierarchical weights of one workload, exactly: by hand, against every division, and of large numbers."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from brute_force import brute_force
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
    Tiers,
    Total,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.shares import Group
from fairlead.models.workload import Workload
from fairlead.solver.exact.alone import place_alone
from fairlead.solver.solving import solve

Tree = Mapping[str, tuple[int, Mapping[str, int]]]
"""Weights of regions, each with the weights of its clusters."""


def depths_of(tree: Tree) -> tuple[tuple[Group, ...], ...]:
    """Return the shares of regions, and of the clusters inside them."""
    whole = sum(weight for weight, _ in tree.values())
    outer, inner = [], []
    for region, (weight, clusters) in tree.items():
        share = Fraction(weight, whole)
        outer.append(Group(region, frozenset(clusters), share))
        sizes = sum(clusters.values())
        inner += [
            Group(f"{region}/{name}", frozenset({name}), share * Fraction(size, sizes))
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


def placed(problem: Problem) -> dict[str, int] | None:
    """Return what the one workload gets without a search; None where that way does not apply."""
    answer = place_alone(problem.workloads[0], problem)
    return None if answer is None else {name: count for name, count in answer.items() if count}


HALVES: Tree = {"x": (1, {"a": 1, "b": 1}), "y": (1, {"c": 1})}


@pytest.mark.parametrize("deviation", [Deviation.WEBSTER, Deviation.L1])
def test_regions_come_before_clusters(deviation: Deviation) -> None:
    """Four over halves: two for each region, which is one for a, one for b and two for c."""
    problem = replace(problem_of(HALVES, 4), deviation=deviation)
    assert placed(problem) == {"a": 1, "b": 1, "c": 2}


def test_a_group_at_its_bound_divides_what_it_holds() -> None:
    """Of ten, x may hold 3 and has to: 2 for a, the first by name, and 1 for b; y gets the other seven.

    Over halves without the bound it would be 5 and 5.
    """
    most = GroupTotal("x", frozenset("ab"), maximum=3)
    assert placed(problem_of(HALVES, 10, most)) == {"a": 2, "b": 1, "c": 7}
    least = GroupTotal("x", frozenset("ab"), minimum=8)
    assert placed(problem_of(HALVES, 10, least)) == {"a": 4, "b": 4, "c": 2}


def test_what_a_region_misses_goes_to_the_others_by_their_weights() -> None:
    """Of 12 over 1 : 1 : 1, x may hold 2 on all its clusters; the other ten are 5 and 5."""
    tree: Tree = {"x": (1, {"a": 1, "b": 1}), "y": (1, {"c": 1}), "z": (1, {"d": 1})}
    full = Bounds({}, {"a": Bound(1), "b": Bound(1)})
    assert placed(problem_of(tree, 12, full)) == {"a": 1, "b": 1, "c": 5, "d": 5}


def test_ties_go_to_the_first_by_name_over_all_groups() -> None:
    """One replica over halves: b and a are as good; the first by name is in the second region."""
    tree: Tree = {"x": (1, {"b": 1}), "y": (1, {"a": 1})}
    assert placed(problem_of(tree, 1)) == {"a": 1}
    # Three of four equal clusters, no region more than two: a and b stand in different regions, then c.
    tree = {"x": (1, {"b": 1, "d": 1}), "y": (1, {"a": 1, "c": 1})}
    assert placed(problem_of(tree, 3)) == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize("deviation", [Deviation.WEBSTER, Deviation.L1])
def test_large_numbers_are_divided_as_the_weights_say(deviation: Deviation) -> None:
    """A billion replicas over 1,000 clusters in 10 regions are met exactly: 10^9 / 10 / 100 on each."""
    tree = {f"r{r}": (7, {f"m{r}-{c:02}": 3 for c in range(100)}) for r in range(10)}
    answer = placed(replace(problem_of(tree, 10**9), deviation=deviation))
    assert answer is not None
    assert set(answer.values()) == {10**6}


def random_rules(chance: random.Random, tree: Tree, replicas: int) -> Iterator[WorkloadRule]:
    """Yield a few other rules."""
    names = sorted(name for _, clusters in tree.values() for name in clusters)
    if chance.random() < 0.5:
        least = {name: Bound(chance.randint(0, 2)) for name in chance.sample(names, 1)}
        most = {name: Bound(chance.randint(1, 4)) for name in chance.sample(names, 2)}
        yield Bounds({name: low for name, low in least.items() if low.replicas}, most)
    if chance.random() < 0.4:
        region = chance.choice(sorted(tree))
        low = chance.randint(0, replicas // 2)
        yield GroupTotal(region, frozenset(tree[region][1]), low, low + chance.randint(0, 3))
    if chance.random() < 0.4:
        yield Moves(frozenset(names), keep=chance.random() < 0.5)
    if chance.random() < 0.2:
        yield Price({name: Fraction(chance.randint(0, 3), 2) for name in names})
    if chance.random() < 0.2:
        yield Evenness(tuple(chance.sample(names, 2)))
    if chance.random() < 0.2:
        cut = chance.randint(1, len(names) - 1)
        yield Tiers((frozenset(names[:cut]), frozenset(names[cut:])))


@pytest.mark.parametrize("seed", range(150))
def test_every_division_is_no_better(seed: int) -> None:
    """Levels and placement are those of looking at all; what breaks a rule is none."""
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
    problem = problem_of(tree, replicas, *random_rules(chance, tree, replicas), current=held)
    problem = replace(problem, deviation=chance.choice([Deviation.WEBSTER, Deviation.L1]))
    expected, answer = brute_force(problem), placed(problem)
    if expected is None:
        assert answer is None
    else:
        assert answer == dict(expected.placement.of("w"))


def test_the_answer_is_told_as_exact() -> None:
    """Nothing is searched, so nothing depends on time."""
    outcome = solve(problem_of(HALVES, 7))
    assert outcome.origin == "exact"
    assert all(level.proven for level in outcome.objectives)
