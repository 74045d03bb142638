"""Expected loss: what failures cost on average, compared with looking at every combination of them."""

import random
from fractions import Fraction
from itertools import product

import pytest

import fairlead
from fairlead.models.cluster import Cluster, FailureRate, chances, expected_loss, groups
from fairlead.models.errors import ManifestError
from fairlead.models.problem import Problem
from fairlead.models.workload import Workload
from fairlead.report.renderer import terminal
from fairlead.report.terminal import Look
from own_builders import own, placed, told

CLUSTERS = (
    Cluster("a", region="x", zones=("x1", "x2")),
    Cluster("b", region="x", zones=("x2",)),
    Cluster("c", region="y"),
)
NAMES = ("a", "b", "c")


def by_hand(problem: Problem, placed: dict[str, int]) -> Fraction:
    """Return the mean over every combination of groups that are down."""
    rates = {(one.field, one.name): one.rate for one in problem.failure_rates}
    every = [
        (clusters, rates.get((field, name), rates.get((field, None), Fraction(0))))
        for field in {one.field for one in problem.failure_rates}
        for name, clusters in groups(problem.clusters, field).items()
    ]
    mean = Fraction(0)
    for down in product((True, False), repeat=len(every)):
        chance, lost = Fraction(1), frozenset[str]()
        for (clusters, rate), fails in zip(every, down, strict=True):
            chance *= rate if fails else 1 - rate
            lost |= clusters if fails else frozenset()
        mean += chance * sum(placed.get(name, 0) for name in lost)
    return mean


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_mean_over_all_that_may_fail(seed: int) -> None:
    """Overlapping zones, regions and clusters, some rates for all groups and some for one."""
    rng = random.Random(seed)
    known = {("cluster", None), ("cluster", "b"), ("region", None), ("region", "y"), ("zone", None)}
    chosen = rng.sample(sorted(known, key=str), rng.randint(1, 5))
    rates = tuple(FailureRate(field, name, Fraction(rng.randint(0, 10), 10)) for field, name in chosen)
    held = {name: rng.randint(0, 5) for name in NAMES}
    problem = Problem(CLUSTERS, (Workload("w", "w", 9),), failure_rates=rates)
    chance = chances(problem.clusters, problem.failure_rates)
    assert expected_loss(held, chance) == by_hand(problem, held)


def test_the_manifest_and_what_is_told() -> None:
    """Two replicas of four on each of two clusters: 1 - 0.9 * 0.99 of those in Europe, 0.1 of the others."""
    rates = [{"field": "cluster", "rate": "10%"}, {"field": "region", "names": ["eu"], "rate": "1%"}]
    problem = placed(own("FailureRates", rates=rates), replicas=4)
    assert told(problem) == []
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert outcome.placement["default/nginx"] == {"berlin": 1, "boston": 1, "nowhere": 1, "paris": 1}
    assert outcome.expected_loss == {"default/nginx": 2 * Fraction(109, 1000) + 2 * Fraction(1, 10)}
    assert "Expected loss: 0.418 of 4 replicas on average, at the given failure rates." in str(outcome)
    assert outcome.to_dict()["workloads"][0]["expectedLoss"] == 0.418
    assert "10%" in terminal(outcome, Look(wide=True)).partition("EXPECTED LOSS")[2]


def test_nothing_is_told_without_rates() -> None:
    """Neither in the answer nor in its document."""
    outcome = fairlead.solve(placed())
    assert outcome.expected_loss is None
    assert "expectedLoss" not in outcome.to_dict()["workloads"][0]
    assert "Expected loss" not in str(outcome)


def test_groups_that_do_not_exist_are_warned_about() -> None:
    """With the nearest name."""
    rates = [{"field": "region", "names": ["eux"], "rate": "1%"}]
    warned = told(placed(own("FailureRates", rates=rates)))
    assert warned == ["FailureRates own names region eux (did you mean eu?), not in the input"]


@pytest.mark.parametrize(
    ("rates", "text"),
    [
        ([], "name at least one field"),
        ([{"field": "region", "rate": "101%"}], "must be a percentage from 0% to 100%"),
        ([{"field": "region", "rate": 0.1}], "must be a percentage from 0% to 100%"),
        ([{"field": "region", "rate": "1%"}, {"field": "region", "rate": "2%"}], "has a rate already"),
    ],
)
def test_mistakes(rates: list[dict[str, object]], text: str) -> None:
    """No rate, no chance, a bare number, two rates of one group."""
    with pytest.raises(ManifestError) as caught:
        placed(own("FailureRates", rates=rates))
    assert text in str(caught.value)
