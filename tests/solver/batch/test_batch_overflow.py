"""Bounds on batches whose tiers overflow, and choices of what their tiers hold."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from fairlead.models.check import check
from fairlead.models.cluster import Cluster
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Tiers, Total, Weights
from fairlead.models.score import score
from fairlead.models.workload import Workload
from fairlead.solver.batch import tuning
from fairlead.solver.batch.mixed.choosing import choose
from fairlead.solver.batch.mixed.overflow import Overflow
from fairlead.solver.batch.model import Prices
from fairlead.solver.running.deadline import Deadline

NAMES = ("a", "b", "c", "d")
FIRST = frozenset("ab")


def overflowing(seed: int, deviation: Deviation) -> Problem:
    """Return three workloads of two to four replicas on two clusters that are too small, and two others."""
    tiers = (FIRST, frozenset("cd"))
    workloads = []
    for number in range(3):
        weights = {name: 1 + (seed * 7 + number * 5 + place * 3) % 4 for place, name in enumerate(NAMES)}
        rules = (Candidates(NAMES), Total(), Tiers(tiers), Weights(weights, tiers=tiers))
        requests = {"cpu": 1 + (seed + number) % 3}
        replicas = 2 + (seed + 2 * number) % 3
        workloads.append(Workload(f"w/{number}", f"{number}", replicas, "w", requests=requests, rules=rules))
    clusters = tuple(
        Cluster(name, free={"cpu": cpu}) for name, cpu in zip(NAMES, (3 + seed % 3, 4, 9, 6), strict=True)
    )
    return Problem(clusters, tuple(workloads), (Capacity(),), deviation=deviation)


def divisions(total: int, parts: int) -> list[tuple[int, ...]]:
    """Return all ways of dividing a number."""
    return [each for each in product(range(total + 1), repeat=parts) if sum(each) == total]


def all_scores(problem: Problem) -> list[tuple[int, int | Fraction]]:
    """Return what every placement costs that keeps all rules."""
    found = []
    for counts in product(*(divisions(each.replicas, len(NAMES)) for each in problem.workloads)):
        keys = (each.key for each in problem.workloads)
        placement = Placement(
            {key: dict(zip(NAMES, some, strict=True)) for key, some in zip(keys, counts, strict=True)}
        )
        used = [
            sum(
                each.requests["cpu"] * some[place]
                for each, some in zip(problem.workloads, counts, strict=True)
            )
            for place in range(len(NAMES))
        ]
        room = [(cluster.free or {})["cpu"] for cluster in problem.clusters]
        if all(one <= most for one, most in zip(used, room, strict=True)):
            beyond, away = score(problem, placement)
            found.append((int(beyond.value), away.value))
    return found


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
@pytest.mark.parametrize("seed", range(3))
def test_no_placement_is_below_the_bound_at_any_prices(
    seed: int, deviation: Deviation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All placements are counted: with every number beyond the first tiers, and prices that are far off too.

    Four numbers are looked at together, so that the three workloads are looked at one after the other.
    """
    monkeypatch.setattr(tuning, "NUMBERS", 4)
    problem = overflowing(seed, deviation)
    overflow = Overflow.of(problem, Deadline())
    assert overflow is not None
    scores = all_scores(problem)
    assert overflow.least <= min(beyond for beyond, _ in scores)
    ways = overflow.ends()
    for most in sorted({beyond for beyond, _ in scores}):
        best = min(away for beyond, away in scores if beyond <= most)
        climbed = overflow.climb(ways, most, Deadline()).prices
        for factor in (0.0, 0.3, 1.0, 5.0):
            prices = Prices(climbed.capacity * factor, climbed.pins * (2 - factor / 5))
            bound = overflow.bound(prices, most)
            assert bound is not None
            assert bound <= best


def test_where_the_bound_says_how_much_it_is_more_than_nothing() -> None:
    """At the prices that are found one of the instances above has a bound of at least half of its best."""
    problem = overflowing(1, Deviation.WEBSTER)
    overflow = Overflow.of(problem, Deadline())
    assert overflow is not None
    scores = all_scores(problem)
    most = min(beyond for beyond, _ in scores)
    bound = overflow.bound(overflow.climb(overflow.ends(), most, Deadline()).prices, most)
    assert bound is not None
    assert bound >= min(away for beyond, away in scores if beyond <= most) / 2


def test_a_batch_of_other_rules_has_no_such_bound() -> None:
    """Three tiers are more than what is looked at here."""
    problem = overflowing(0, Deviation.L1)
    tiers = (frozenset("a"), frozenset("b"), frozenset("cd"))
    first, *others = problem.workloads
    rules = (Candidates(NAMES), Total(), Tiers(tiers), Weights(dict.fromkeys(NAMES, 1), tiers=tiers))
    assert Overflow.of(replace(problem, workloads=(replace(first, rules=rules), *others)), Deadline()) is None


def test_what_is_chosen_keeps_the_rules_of_each_workload() -> None:
    """Of nine replicas at most, some stand in the first tier and some beyond it."""
    problem = overflowing(2, Deviation.WEBSTER)
    overflow = Overflow.of(problem, Deadline())
    assert overflow is not None
    _, placed = choose(overflow, Deadline())
    assert placed is not None
    for workload in problem.workloads:
        assert not check(
            replace(problem, workloads=(workload,)), Placement({workload.key: placed.of(workload.key)})
        )
