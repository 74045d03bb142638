"""The bound of balance by prices of what is filled: never above what a placement costs, and close to it."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from brute_force import placements
from fairlead.encoders.variables import Place, Range
from fairlead.models.balance import with_balance
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import BALANCE, DEFAULT_ORDER
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Spread, Total, Weights
from fairlead.models.rules.balance import Balance, cost
from fairlead.models.score import levels_of, value_of
from fairlead.models.workload import Workload
from fairlead.solver.deadline import Deadline
from fairlead.solver.filling_bound import filling_bound
from fairlead.solver.spans import spans_of, uses_alike
from walk_problems import standing_problem, walk_problem

ABC = ("a", "b", "c")


def bound_of(problem: Problem, rule: Balance, known: Placement, wanted: int = 100) -> Fraction | None:
    """Return the bound with no level narrowing anything, in ranges that leave out nothing."""
    ranges = {
        Place(each.key, cluster.name): Range(0, each.replicas)
        for each in problem.workloads
        for cluster in problem.clusters
    }
    return filling_bound(rule, problem, known, {}, ranges, Fraction(wanted), Deadline())


def test_workloads_on_one_cluster_each_cannot_fill_three_alike() -> None:
    """Two workloads of six cores, each on one cluster of its choice: one of three clusters stays empty.

    With shares of 1/3 that costs (6/12 - 1/3)^2 * 3 twice and 1/3 once, 1/2 in all. A mix of choices fills
    all three alike, so the bound is 0 there.
    """
    rules = (Candidates(ABC), Total(), Weights(dict.fromkeys(ABC, 1)))
    one = Spread("cluster", {name: frozenset({name}) for name in ABC}, 1, 1)
    clusters = tuple(Cluster(name, free={CPU: 9000}, allocatable={CPU: 9000}) for name in ABC)
    workloads = tuple(
        Workload(key, key, 6, requests={CPU: 1000}, rules=(*rules, one)) for key in ("left", "right")
    )
    problem = Problem(clusters, workloads, (Capacity(),))
    thirds: dict[str, Fraction] = dict.fromkeys(ABC, Fraction(1, 3))
    shares = {CPU: thirds}
    rule = Balance(frozenset({"left", "right"}), shares, totals={CPU: 12000})
    known = Placement({"left": {"a": 6}, "right": {"b": 6}})
    assert cost(rule, problem, known) == Fraction(1, 2)
    # Three quarters of as much stand on a: then b and c are best left to the two, which is seen as well.
    standing = replace(rule, standing={("a", CPU): 9000}, totals={CPU: 21000})
    best = Placement({"left": {"b": 6}, "right": {"c": 6}})
    least, bound = cost(standing, problem, best), bound_of(problem, standing, best)
    assert bound is not None
    assert least * Fraction(99, 100) <= bound <= least


@pytest.mark.parametrize("made", [walk_problem, standing_problem])
def test_no_placement_is_below_the_bound(made: Callable[[int], Problem]) -> None:
    """All rules mixed; the count says that there were such problems."""
    counted = 0
    for seed in range(80):
        problem = with_balance(replace(made(seed), levels=DEFAULT_ORDER, partial=False))
        balances = problem.balances or ()
        if len(balances) != 1 or any(each.groups for each in problem.workloads):
            continue
        rule = balances[0]
        spans = spans_of(problem)
        members = [each for each in problem.workloads if each.key in rule.members]
        alike = all(
            uses_alike(each, spans[each.key], resource, shares, problem)
            for resource, shares in rule.shares.items()
            for each in members
        )
        every = list(placements(problem)) if alike else []
        if not every or BALANCE not in levels_of(problem):
            continue
        totals = {
            resource: sum(
                each.requests.get(resource, 0) * sum(every[0].of(each.key).values()) for each in members
            )
            for resource in rule.shares
        }
        rule = replace(rule, totals=totals)
        bound = bound_of(problem, rule, every[-1])
        if bound is None:
            continue
        counted += 1
        least = min(Fraction(value_of(problem, each, BALANCE)) for each in every)
        assert bound <= least, seed
    assert counted > 5
