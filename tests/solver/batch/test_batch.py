"""Many workloads on shared capacity: bounds, proofs and placements against brute force and other programs."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from batch_problems import linear_optimum, middling, random_batch
from brute_force import brute_force
from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import Progress
from fairlead.models.rules import Bounds, Candidates, Capacity, Moves, Spread, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.score import score
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import LexicographicResult
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import batch_of
from fairlead.solver.batch.costs import BatchLevel, costs_of
from fairlead.solver.batch.dual.bound import lower_bound, ranges
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.sifting import sift
from fairlead.solver.batch.dual.subgradient import climb, refuted
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.model import LevelModel, Prices, model_of
from fairlead.solver.batch.primal.exchange import Exchange
from fairlead.solver.batch.primal.repair import rounded
from fairlead.solver.batch.separable import applies
from fairlead.solver.dispensers import reference
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

DIVIDED = (Deviation.L1, Deviation.WEBSTER)


def solved(
    problem: Problem, workers: int = 1, seconds: float = 60.0, floor: Placement | None = None
) -> LexicographicResult:
    """Solve a batch and check what comes out."""
    result = solve_batch(problem, Search(Deadline.after(seconds), workers), floor=floor)
    if result.placement is not None:
        assert not check(problem, result.placement)
        assert tuple(each.value for each in result.attained) == tuple(
            each.value for each in score(problem, result.placement)
        )
    return result


def model_for(problem: Problem) -> tuple[LevelModel, BatchLevel]:
    """Return the first level of a batch without anything pinned."""
    batch = batch_of(problem)
    cost = costs_of(batch)[0]
    return model_of(batch, cost), cost


def assert_best(problem: Problem, result: LexicographicResult) -> None:
    """Compare with brute force: proven where it says so, never above what is best."""
    best = brute_force(problem)
    if best is None:
        assert result.status is Status.INFEASIBLE
        return
    assert result.status is Status.OPTIMAL
    assert tuple(level.value for level in result.attained) == best.values
    assert all(level.bound == level.value for level in result.attained)
    assert result.placement == best.placement or not result.settled


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("seeds", [range(8), range(8, 16)])
def test_agrees_with_brute_force(deviation: Deviation, seeds: range) -> None:
    """Small batches, some with more asked for than there is: every level is the best, or none can be met."""
    for seed in seeds:
        problem = random_batch(seed, deviation)
        assert applies(problem)
        assert_best(problem, solved(problem))


@pytest.mark.long
@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("batch", range(10))
def test_agrees_with_brute_force_at_length(deviation: Deviation, batch: int) -> None:
    """The same for many more, and larger ones."""
    for seed in range(1000 + 60 * batch, 1060 + 60 * batch):
        problem = random_batch(seed, deviation, workloads=4, clusters=3, most_replicas=6)
        assert_best(problem, solved(problem))


@pytest.mark.parametrize("deviation", DIVIDED)
def test_bound_holds_at_any_prices(deviation: Deviation) -> None:
    """Whatever the prices, the bound in whole numbers is at most the best value."""
    chance = np.random.default_rng(1)
    compared = 0
    for seed in range(20):
        problem = random_batch(seed, deviation)
        best = brute_force(problem)
        if best is None or not best.values:
            continue
        model, cost = model_for(problem)
        for size in (0.0, 0.01, 1.0, 1e6):
            capacity = chance.random(len(model.batch.coupling.limit)) * size * model.unit
            prices = Prices(capacity, np.zeros(0))
            rows = chance.normal(size=len(model.batch.keys)) * model.unit
            for each in (rows, relax(model, prices).rows):
                assert cost.bound(lower_bound(model, prices, each)) <= best.values[0]
                compared += 1
    assert compared > 50


@pytest.mark.parametrize("deviation", DIVIDED)
def test_steps_of_a_level_are_its_score(deviation: Deviation) -> None:
    """What arrays say a placement costs is what the scorer says, and never more."""
    for seed in range(60):
        problem = random_batch(seed, deviation)
        batch = batch_of(problem)
        placement = reference.place(problem)
        replicas = batch.matrix(placement)
        assert batch.placement(replicas) == placement
        for cost, level in zip(costs_of(batch), score(problem, placement), strict=True):
            assert cost.grain > 0
            assert Fraction(cost.steps(replicas), cost.scale) + cost.constant == level.value


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("seed", range(3))
def test_bound_reaches_the_linear_program(deviation: Deviation, seed: int) -> None:
    """Prices raise the bound to the optimum of a linear program that is written down by itself here."""
    problem = middling(seed, deviation)
    model, cost = model_for(problem)
    climbed = climb(model, 150, Deadline())
    sifted = sift(model, climbed.prices, climbed.rows, Deadline())
    bound = float(cost.bound(lower_bound(model, sifted.prices, sifted.rows)))
    assert bound == pytest.approx(linear_optimum(problem), rel=1e-5)
    assert bound <= linear_optimum(problem) + 1e-6


@pytest.mark.parametrize("deviation", DIVIDED)
def test_exchanges_lead_to_a_placement(deviation: Deviation) -> None:
    """From a rounded placement that breaks limits, exchanges alone reach one within 1 % of the bound."""
    problem = middling(5, deviation, workloads=60)
    model, cost = model_for(problem)
    climbed = climb(model, 150, Deadline())
    sifted = sift(model, climbed.prices, climbed.rows, Deadline())
    assert sifted.replicas is not None
    start = rounded(model, sifted.replicas)
    assert (start.sum(axis=1) == model.batch.totals).all()
    assert not model.keeps(start)
    exchange = Exchange.start(model, sifted.prices, sifted.rows, start, 12.0)
    for reach in (0.05, 0.2, 1.0, 5.0):
        while exchange.improve(reach * model.unit) > 0:
            pass
    assert exchange.valid
    value = float(cost.bound(cost.steps(exchange.replicas)))
    bound = float(cost.bound(lower_bound(model, sifted.prices, sifted.rows)))
    assert bound <= value <= 1.01 * bound


def test_ranges_keep_every_good_placement() -> None:
    """Ranges leave room for every placement that costs at most the bound and the slack."""
    compared = 0
    for seed in range(40):
        problem = random_batch(seed, Deviation.L1)
        best = brute_force(problem)
        if best is None or not best.values:
            continue
        model, _ = model_for(problem)
        climbed = climb(model, 30, Deadline())
        replicas = model.batch.matrix(best.placement)
        low, high = ranges(model, climbed.prices, climbed.rows, model.steps(replicas))
        assert ((low <= replicas) & (replicas <= high)).all()
        compared += 1
    assert compared > 20


def test_moves_come_before_the_deviation() -> None:
    """What runs stays although the weights would divide it, and only what has to go goes."""
    # b has room for 1000m: one replica of each, so that one of the two that run there has to leave.
    members = (Cluster("a", free={CPU: 4000}), Cluster("b", free={CPU: -500}))
    rules = (
        Candidates(("a", "b")),
        Total(),
        Weights({"a": 1, "b": 1}),
        Moves(frozenset({"a", "b"}), keep=True),
    )
    made = tuple(
        Workload(name, name, 3, requests={CPU: 500}, current={"b": 2}, rules=rules) for name in ("one", "two")
    )
    problem = Problem(members, made, (Capacity(),), deviation=Deviation.L1)
    result = solved(problem)
    assert_best(problem, result)
    assert [level.value for level in result.attained] == [1, 2]


def test_more_than_there_is_is_infeasible() -> None:
    """Nothing is placed where the clusters cannot hold all; that is proven."""
    members = (Cluster("a", free={CPU: 1000}), Cluster("b", free={CPU: 900}))
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    made = tuple(Workload(name, name, 2, requests={CPU: 500}, rules=rules) for name in ("one", "two"))
    # 4 replicas of 500m; a takes 2, b only 1.
    assert solved(Problem(members, made, (Capacity(),))).status is Status.INFEASIBLE


@pytest.mark.parametrize(("room", "full"), [(19_000, True), (21_000, False)])
def test_what_refutes_a_sample_is_asked_of_all(
    room: int, full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 workloads of 1 CPU each may use a and b only; c has room that helps none of them."""
    monkeypatch.setattr(tuning, "SAMPLE", 5)
    members = tuple(
        Cluster(name, free={CPU: size}) for name, size in (("a", room), ("b", room), ("c", 10**6))
    )
    names = [f"w{number:02d}" for number in range(40)]
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    made = tuple(Workload(name, name, 1, requests={CPU: 1000}, rules=rules) for name in names)
    batch = batch_of(Problem(members, made, (Capacity(),)))
    assert refuted(batch, (), Deadline()) is full


def test_never_worse_than_the_floor() -> None:
    """Without any time the floor itself comes back."""
    problem = middling(1, Deviation.L1, load=0.6)
    floor = reference.place(problem)
    assert not check(problem, floor)
    hurried = solve_batch(problem, Search(Deadline.after(0.0)), floor=floor)
    assert hurried.status is Status.FEASIBLE
    assert hurried.attained[0].value <= score(problem, floor)[0].value
    assert solved(problem, seconds=2.0, floor=floor).attained[0].value <= score(problem, floor)[0].value


@pytest.mark.parametrize("deviation", DIVIDED)
def test_levels_do_not_depend_on_order_or_workers(deviation: Deviation) -> None:
    """Workloads given in another order, or one worker more: the same levels where they are proven."""
    for seed in range(8):
        problem = random_batch(seed, deviation)
        turned = replace(problem, workloads=tuple(reversed(problem.workloads)))
        assert turned.workloads == problem.workloads
        first, second = solved(problem, workers=1), solved(turned, workers=2)
        assert first.status is second.status
        assert first.attained == second.attained
        assert first.placement == second.placement


def test_interrupt_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during the exchanges gives the placement that was known then."""

    def interrupted(*_: object) -> float:
        raise KeyboardInterrupt

    problem = middling(1, Deviation.L1, load=0.6)
    floor = reference.place(problem)
    monkeypatch.setattr(Exchange, "improve", interrupted)
    result = solved(problem, floor=floor)
    assert result.status is Status.FEASIBLE
    assert result.attained[0].value <= score(problem, floor)[0].value


def test_progress_is_told() -> None:
    """Values fall, bounds rise, and the last report is what comes out."""
    told: list[Progress] = []
    problem = middling(2, Deviation.L1)
    result = solve_batch(problem, Search(Deadline.after(2.0), progress=told.append))
    assert told
    values = [each.value for each in told if each.value is not None]
    assert values == sorted(values, reverse=True)
    bounds = [each.bound for each in told if each.bound is not None]
    assert bounds == sorted(bounds)
    assert told[-1].level == "deviation"
    # Reports count in whole steps, the result exactly.
    assert float(values[-1]) == pytest.approx(float(result.attained[0].value))


def test_applies_to_boxes_only() -> None:
    """Rules that tie places together, minimax, and minima that may be left out are not for batches."""
    problem = middling(1, Deviation.L1)
    assert applies(problem)
    assert not applies(replace(problem, deviation=Deviation.MINIMAX))
    (first, *others) = problem.workloads
    candidates = first.rule(Candidates)
    assert candidates is not None
    names = candidates.names
    spread = Spread("cluster", {name: frozenset({name}) for name in names}, 1, 2)
    held = Bounds({names[0]: Bound(2)}, where_held=frozenset({names[0]}))
    for rule in (spread, held):
        changed = replace(first, rules=(*first.rules, rule))
        assert not applies(replace(problem, workloads=(changed, *others)))
