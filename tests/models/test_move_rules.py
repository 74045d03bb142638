"""Budgets and prices of moves: what a plan may move, and what a move has to gain."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from agreeing import assert_best
from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.errors import UnsupportedError
from fairlead.models.levels import NET, Deviation
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Duplicated,
    MoveBudget,
    MovePrice,
    Moves,
    SharedRule,
    Total,
    Weights,
)
from fairlead.models.rules.move_budget import moved
from fairlead.models.workload import Workload
from fairlead.solver.solve import solve
from orders import WITHOUT_BALANCE
from random_problems import random_problem
from seeds import runs

NAMES = ("member1", "member2")
PRESENT = frozenset(NAMES)


def skewed(key: str = "default/web", price: Fraction | None = None) -> Workload:
    """Return six replicas, all on member1, that want to be divided 1:1."""
    priced = () if price is None else (MovePrice(price, PRESENT),)
    rules = (Candidates(NAMES), Total(), *priced, Weights({"member1": 1, "member2": 1}), Moves(PRESENT))
    return Workload(key, key.partition("/")[2], 6, "default", current={"member1": 6}, rules=rules)


def placed(workloads: tuple[Workload, ...], *rules: SharedRule) -> list[dict[str, int]]:
    """Return the proven placement of workloads under budgets."""
    outcome = solve(Problem(tuple(Cluster(name) for name in NAMES), workloads, rules, WITHOUT_BALANCE))
    assert outcome.status is Status.OPTIMAL
    assert outcome.placement is not None
    return [dict(outcome.placement.of(workload.key)) for workload in workloads]


def test_a_budget_stops_moves_short_of_the_ratio() -> None:
    """3:3 needs three moves; a budget of two leaves 4:2."""
    assert placed((skewed(),)) == [{"member1": 3, "member2": 3}]
    assert placed((skewed(),), MoveBudget("all workloads", 2)) == [{"member1": 4, "member2": 2}]


def test_a_budget_is_shared_by_its_workloads_only() -> None:
    """Two of three workloads share two moves; the third one, outside, moves its three."""
    workloads = (skewed("default/a"), skewed("default/b"), skewed("default/c"))
    budget = MoveBudget("namespace default", 2, frozenset({"default/a", "default/b"}))
    a, b, c = placed(workloads, budget)
    # Webster: the first move of a workload gains (6-3)^2+3^2 -> (5-3)^2+(1-3)^2, more than its second one.
    assert (a, b, c) == (
        {"member1": 5, "member2": 1},
        {"member1": 5, "member2": 1},
        {"member1": 3, "member2": 3},
    )


def test_a_budget_of_clusters_counts_what_leaves_or_arrives() -> None:
    """One replica may leave member1, or arrive at member2: 5:1. Clusters left alone do not count."""
    first, second = frozenset({"member1"}), frozenset({"member2"})
    for budget in (MoveBudget("out", 1, leaving=first), MoveBudget("in", 1, arriving=second)):
        assert placed((skewed(),), budget) == [{"member1": 5, "member2": 1}]
    for idle in (MoveBudget("out", 0, leaving=second), MoveBudget("in", 0, arriving=first)):
        assert placed((skewed(),), idle) == [{"member1": 3, "member2": 3}]


def test_what_is_on_its_way_already_is_no_move() -> None:
    """The replicas of member1 are being evicted: all three may go without a budget."""
    leaving = {"default/web": frozenset({"member1"})}
    budget = MoveBudget("all workloads", 0, under_way=leaving)
    assert placed((skewed(),), budget) == [{"member1": 3, "member2": 3}]


def test_what_must_be_stopped_is_no_move() -> None:
    """From 6 down to 4 two replicas stop for good; a budget of nothing still allows 4:0."""
    shrunk = replace(skewed(), replicas=4)
    assert placed((shrunk,), MoveBudget("all workloads", 0)) == [{"member1": 4}]


def test_a_budget_that_is_overdrawn_is_a_violation() -> None:
    """Three moves on a budget of two are one too many, and the text says so."""
    problem = Problem(tuple(Cluster(name) for name in NAMES), (skewed(),), (MoveBudget("all workloads", 2),))
    (found,) = check(problem, {"default/web": {"member1": 3, "member2": 3}})
    assert (found.amount, found.text) == (1, "3 replicas move, the budget for all workloads is 2")


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        # Under l1 each of the three moves gains 2; webster: the deviation of 6-k : k is 2 (3-k)^2 / 3.
        (Fraction(0), {"member1": 3, "member2": 3}),
        (Fraction(1, 2), {"member1": 3, "member2": 3}),  # the third move gains 2/3
        (Fraction(1), {"member1": 4, "member2": 2}),  # the second gains 2
        (Fraction(3), {"member1": 5, "member2": 1}),  # the first gains 10/3
        (Fraction(4), {"member1": 6}),
    ],
)
def test_a_move_has_to_gain_its_price(price: Fraction, expected: dict[str, int]) -> None:
    """The gain of a move falls with every one; where it is below the price nothing moves any more."""
    assert placed((skewed(price=price),)) == [expected]


def test_copies_that_shrink_pay_no_price() -> None:
    """3 run where a copy is 1: two are stopped, one may move. On member1 it stays, for nothing.

    Closed there, it moves for a price of 4; member2 has nothing that could.
    """
    rules = (Duplicated(choice=True), MovePrice(Fraction(4), PRESENT), Moves(PRESENT))
    web = Workload("default/web", "web", 1, "default", current={"member1": 3}, rules=rules)
    for names, paid in (NAMES, 0), (NAMES[1:], 4):
        problem = Problem(tuple(map(Cluster, NAMES)), (replace(web, rules=(Candidates(names), *rules)),))
        outcome = solve(problem, method="cp-sat")
        assert outcome.status is Status.OPTIMAL
        assert next(level for level in outcome.objectives if level.name == NET.name).value == paid


@pytest.mark.parametrize(("price", "other"), [(Fraction(5, 2), Fraction(2)), (Fraction(2), Fraction(5, 2))])
def test_prices_without_weights_count_in_full(price: Fraction, other: Fraction) -> None:
    """Two of four have to go: those whose moves cost less. In whole steps both prices would be 2."""
    clusters = (Cluster("member1", free={CPU: -2}), Cluster("member2", free={CPU: 9}))
    workloads = tuple(
        Workload(key, key, 2, requests={CPU: 1}, current={"member1": 2}, rules=(MovePrice(each, PRESENT),))
        for key, each in (("a", price), ("b", other))
    )
    outcome = solve(Problem(clusters, workloads))
    assert outcome.placement is not None
    assert outcome.placement.of("a" if price < other else "b") == {"member2": 2}
    assert [(level.value, level.bound) for level in outcome.objectives] == [(4, 4)]


def test_a_price_that_is_too_much_to_be_measured() -> None:
    """Beside distances it has to be counted in 64 bits: a sentence says so (CP-SAT refused the model)."""
    clusters = (Cluster("member1", free={CPU: -2}), Cluster("member2", free={CPU: 9}))
    workloads = (
        replace(skewed("a", Fraction(10**30)), requests={CPU: 1}),
        replace(skewed("b", Fraction(1)), requests={CPU: 1}),
    )
    with pytest.raises(UnsupportedError, match=r"^a: 10+ as the price of a move is too much to be measured"):
        solve(Problem(clusters, workloads))


def test_a_price_has_no_unit_beside_a_maximum() -> None:
    """Under minimax the price is refused in words."""
    problem = Problem((Cluster("member1"), Cluster("member2")), (skewed(price=Fraction(1)),))
    with pytest.raises(UnsupportedError, match="price of moves"):
        solve(problem, deviation="minimax")


def with_move_rules(problem: Problem, seed: int) -> Problem:
    """Add random budgets and prices to a problem."""
    rng = random.Random(f"moves {seed}")
    names = [cluster.name for cluster in problem.clusters]
    budgets: list[SharedRule] = []
    for number in range(rng.randint(1, 2)):
        keys = frozenset(each.key for each in problem.workloads if rng.random() < 0.7)
        some = frozenset(name for name in names if rng.random() < 0.6)
        leaving, arriving = rng.choice([(None, None), (some, None), (None, some)])
        who = rng.choice([None, keys])
        budgets.append(MoveBudget(f"budget {number}", rng.randint(0, 4), who, leaving, arriving))
    workloads = []
    for workload in problem.workloads:
        price = MovePrice(Fraction(rng.randint(0, 6), rng.choice([1, 2, 3])), frozenset(names))
        rules = (*workload.rules, price) if rng.random() < 0.6 else workload.rules
        workloads.append(replace(workload, rules=rules))
    return replace(problem, workloads=tuple(workloads), rules=(*problem.rules, *budgets))


def assert_like_brute_force(seeds: range) -> None:
    """Compare random problems with budgets and prices with brute force."""
    feasible = 0
    for seed in seeds:
        deviation = (Deviation.WEBSTER, Deviation.L1)[seed % 2]
        problem = with_move_rules(random_problem(seed, deviation), seed)
        best = assert_best(problem, seed)
        if best is None:
            continue
        feasible += 1
        for rule in problem.rules:
            if isinstance(rule, MoveBudget):
                assert moved(rule, problem, best.placement) <= rule.most
    assert feasible > len(seeds) // 4


@pytest.mark.parametrize("seeds", runs(range(80), range(80, 1200)))
def test_random_budgets_and_prices_like_brute_force(seeds: range) -> None:
    """All rules mixed, with budgets and prices."""
    assert_like_brute_force(seeds)
