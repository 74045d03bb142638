"""Costs of bowls, also such as less is paid of where replicas are held: against every division."""

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import fairlead
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Evenness, Total
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload
from fairlead.solver.exact.costs import pieces
from fairlead.solver.exact.costs.pieces import Pieces, bent
from fairlead.solver.exact.marginal import Box

CLUSTERS = 3


def drawn(seed: int) -> tuple[Pieces, Box]:
    """Return costs of three clusters, every other time with what is saved, and a box that is not empty."""
    rng = random.Random(seed)

    def numbers(most: int, least: int = 0) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([rng.randint(least, most) for _ in range(CLUSTERS)], dtype=np.int64)

    saved, held = rng.randint(1, 9) * (seed % 2), numbers(4)
    lower = numbers(2)
    upper = lower + numbers(4)
    total = rng.randint(int(lower.sum()), int(upper.sum()))
    return bent(numbers(3), numbers(6, -6), saved, held), Box(lower, upper, total)


@pytest.mark.parametrize("seed", range(120))
def test_narrowing_leaves_exactly_the_optima(seed: int) -> None:
    """What a division costs adds up from single replicas; the best ones are those of the narrower box."""
    cost, box = drawn(seed)
    ranges = [range(low, high + 1) for low, high in zip(box.lower, box.upper, strict=True)]
    every = [np.array(each) for each in product(*ranges) if sum(each) == box.total]
    for each in every:
        units = [cost.steps(np.full(CLUSTERS, above)).tolist() for above in range(int(each.max(initial=0)))]
        counted = [sum(unit[at] for unit in units[: each[at]]) for at in range(CLUSTERS)]
        assert counted == cost.spent(each).tolist()
    least = min(cost.value(each) for each in every)
    best = {tuple(each.tolist()) for each in every if cost.value(each) == least}
    found = cost.narrow(box)
    assert {
        tuple(each.tolist()) for each in every if (each >= found.lower).all() and (each <= found.upper).all()
    } == best


@pytest.mark.parametrize("seed", range(60))
def test_what_is_best_at_a_price(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At prices from -12 to 12 the replicas of greatest merit are an interval; many units change nothing."""
    cost, box = drawn(seed)
    for price in range(-12, 13):
        low, high = cost.respond(Fraction(price), box.lower, box.upper)
        for at in range(CLUSTERS):
            merits = {
                count: price * count - int(cost.spent(np.full(CLUSTERS, count))[at])
                for count in range(int(box.lower[at]), int(box.upper[at]) + 1)
            }
            best = [count for count, merit in merits.items() if merit == max(merits.values())]
            assert best == list(range(int(low[at]), int(high[at]) + 1))
    few = cost.narrow(box)
    monkeypatch.setattr(pieces, "MOST_SORTED", 0)
    many = cost.narrow(box)
    assert (few.lower == many.lower).all()
    assert (few.upper == many.upper).all()


def test_changes_of_some_clusters_are_shared_evenly_without_a_solver() -> None:
    """Clusters that do not take part cost nothing, and those that take part twice cost twice as much."""
    # Ten more replicas than the three that run: c takes what it can, a and b share the other four, the
    # second of them at the double cost: 9 + 2 is less than 4 + 2 * 4 and than 16.
    rules = (
        Candidates(("a", "b", "c")),
        Total(),
        Bounds({}, {"c": Bound(6)}),
        Evenness(("a", "b")),
        Evenness(("b",)),
    )
    workload = Workload("web", "web", 13, current={"a": 1, "b": 2}, rules=rules)
    problem = Problem(tuple(map(Cluster, "abc")), (workload,))
    outcome = fairlead.solve(problem, method="exact")
    assert outcome.placement is not None
    assert outcome.placement.to_dict() == {"web": {"a": 4, "b": 3, "c": 6}}
    assert outcome.objectives == fairlead.solve(problem, method="cp-sat").objectives
