"""Linear programs of batches: handed to GLOP as numbers, and sifted to their optimum, also beside a pin."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from batch_levels import known_of, model_for
from batch_problems import linear_optimum, middling
from fairlead.models.levels import Deviation
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole, batch_of
from fairlead.solver.batch.costs import costs_of
from fairlead.solver.batch.dual import restricted_master
from fairlead.solver.batch.dual.bound import lower_bound
from fairlead.solver.batch.dual.linear_program import Basis, LinearProgram, Optimum, optimum
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.restricted_master import region_of, segments_of
from fairlead.solver.batch.dual.sifting import Sifting, sift
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.model import LevelModel, Prices, model_of, place_prices
from fairlead.solver.batch.primal.exchange import Exchange
from fairlead.solver.batch.primal.repair import exchange_all, rounded
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search


def program(keys: tuple[int, ...] = (10, 20, 30), first: float = 1.0) -> LinearProgram:
    """Return x + y + z = 3 with x, y at most 2, where z is dear, and y + w = 1.5 where w is what y leaves."""
    return LinearProgram(
        np.array([*keys, 99]),
        np.array([2.0, 2.0, np.inf, np.inf]),
        np.array([first, 3.0, 50.0, 0.0]),
        np.array([5, 8]),
        np.array([3.0, 1.5]),
        (np.array([1, 0, 0, 0, 1]), np.array([1, 0, 1, 2, 3]), np.ones(5)),
    )


def test_a_program_has_the_optimum_that_one_finds_by_hand() -> None:
    """Two of x at 1 and one of y at 3 are 5; one more in all would be a y, so the first row is worth 3."""
    found = optimum(program(), Deadline())
    assert found is not None
    assert found.primal == pytest.approx([2.0, 1.0, 0.0, 0.5])
    assert found.dual == pytest.approx([3.0, 0.0])
    assert found.cost == pytest.approx(5.0)


def test_a_start_from_other_variables_changes_nothing() -> None:
    """Variables that are gone leave their places to rows; new ones stand at their lower bound."""
    before = optimum(program(), Deadline())
    assert before is not None
    assert before.basis is not None
    # With x as dear as 4 two of y would be cheapest, but the second row leaves 1.5: 6 and 4.5 are 10.5.
    found = optimum(program((11, 20, 31), first=4.0), Deadline(), before.basis)
    assert found is not None
    assert found.cost == pytest.approx(10.5)
    assert found.primal == pytest.approx([1.5, 1.5, 0.0, 0.0])


def test_a_start_from_which_nothing_follows_does_not_hurt() -> None:
    """X and z stand in one row only, so they cannot be basic for two: GLOP has to find its own way."""
    basic, at_zero = 5, 2
    rows = np.array([5, 8])
    singular = Basis(np.array([10, 30]), np.array([basic, basic]), rows, np.array([at_zero, at_zero]))
    found = optimum(program(), Deadline(), singular)
    assert found is not None
    assert found.cost == pytest.approx(5.0)


def test_a_program_without_a_solution_has_no_optimum() -> None:
    """X alone cannot be 3 where it is at most 2."""
    alone = LinearProgram(
        np.array([1]),
        np.array([2.0]),
        np.array([1.0]),
        np.array([0]),
        np.array([3.0]),
        (np.array([0]), np.array([0]), np.ones(1)),
    )
    assert optimum(alone, Deadline()) is None


def cheapest(model: LevelModel, prices: Prices) -> Iterator[tuple[int, float]]:
    """Yield, for every row, its number and what the cheapest division costs, unit by unit."""
    extra = place_prices(model, prices, slice(None))
    batch, shape = model.batch, model.shapes[0]
    steps = [shape.value(batch.lower + more) for more in range(int(batch.totals.max()) + 1)]
    for row, total in enumerate(batch.totals.tolist()):
        units: list[float] = []
        for column in range(len(batch.clusters)):
            room = int(batch.upper[row, column] - batch.lower[row, column])
            costs = [float(step[row, column]) for step in steps[: room + 1]]
            units += [high - low + extra[row, column] for low, high in itertools.pairwise(costs)]
        least = float((steps[0][row] + extra[row] * batch.lower[row]).sum())
        yield row, least + sum(sorted(units)[: total - int(batch.lower[row].sum())])


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
def test_rows_are_divided_as_cheaply_as_unit_by_unit(deviation: Deviation) -> None:
    """Costs are convex, so the cheapest units of a row are a division of it."""
    model = model_for(deviation, workloads=12)
    chance = np.random.default_rng(5)
    for _ in range(5):
        prices = Prices(
            chance.random(len(model.batch.coupling.limit)) * model.unit / 1000, np.zeros(len(model.pins))
        )
        found = relax(model, prices)
        cost = (
            model.shapes[0].value(found.replicas) + place_prices(model, prices, slice(None)) * found.replicas
        )
        assert (found.replicas.sum(axis=1) == model.batch.totals).all()
        for row, least in cheapest(model, prices):
            assert float(cost[row].sum()) == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
@pytest.mark.parametrize("slack", [0.001, 0.05])
def test_the_bound_beside_a_pin_is_that_of_the_whole_program(deviation: Deviation, slack: float) -> None:
    """One unit of the urgent level is worth many of the other: prices of all sizes have to be found."""
    problem = middling(8, deviation, workloads=60, priorities=(100, 0))
    batch = batch_of(problem)
    first, second = costs_of(batch)
    most = linear_optimum(problem, priority=100) * (1 + slack)
    pin = int((most - float(first.constant)) * first.scale)
    model = model_of(batch, second, [(first, pin)])
    free = Prices.none(model)
    sifted = sift(model, free, relax(model, free).rows, Deadline(), Sifting(turns=400, close=1e-7))
    bound = float(second.bound(lower_bound(model, sifted.prices, sifted.rows)))
    optimal = linear_optimum(problem, priority=0, pinned=(100, most))
    assert bound <= optimal + 1e-6
    assert bound == pytest.approx(optimal, rel=1e-4)
    # Without the pin the other workloads would come off better.
    assert bound > linear_optimum(problem, priority=0) * 1.0001


def test_time_beyond_the_limit_ends_with_the_first_placement(monkeypatch: pytest.MonkeyPatch) -> None:
    """A late placement is better than none; once there is one, the search that is late is over."""
    model = model_for(Deviation.L1)
    known = known_of(model)
    sifted = sift(model, known.prices, known.rows, Deadline())
    improved: list[bool] = []
    improve = Exchange.improve

    def counted(exchange: Exchange, reach: float, deadline: Deadline | None = None) -> float:
        gained = improve(exchange, reach, deadline)
        improved.append(exchange.valid)
        return gained

    monkeypatch.setattr(Exchange, "improve", counted)
    now = time.monotonic()
    late = replace(Incumbent.of(model, None, Search(Deadline(now), 1)), started=now - 600)
    late.raise_bound(sifted.prices, sifted.rows)
    exchange_all(late, broken(model, sifted.replicas))
    assert late.best is not None
    # Nothing is exchanged after the first placement that keeps all limits.
    assert improved.index(True) == len(improved) - 1


def broken(model: LevelModel, replicas: Floats | None) -> Whole:
    """Return a placement near a linear program that breaks limits."""
    assert replicas is not None
    found = rounded(model, replicas)
    assert not model.keeps(found)
    return found


def test_a_wider_region_opens_more_pieces() -> None:
    """Twice as far for every price, so more pieces may come to cost the price of their row."""
    model = model_for(Deviation.WEBSTER)
    known = known_of(model)
    region = region_of(model, 0.05 * model.unit, known.prices)
    near = segments_of(model, known.prices, known.rows, region)
    far = segments_of(model, known.prices, known.rows, region * 2.0)
    assert len(near.row) < len(far.row)


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
def test_a_part_of_the_rows_stands_for_all(deviation: Deviation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A core of fewer pieces than there are rows finds the bound of the whole program all the same."""
    problem = middling(5, deviation, workloads=200)
    cost = costs_of(batch := batch_of(problem))[0]
    model = model_of(batch, cost)
    monkeypatch.setattr(tuning, "WHOLE_PROGRAM", 0)
    monkeypatch.setattr(tuning, "MOST_SEGMENTS", 100)
    free = Prices.none(model)
    sifted = sift(model, free, relax(model, free).rows, Deadline())
    bound = float(cost.bound(lower_bound(model, sifted.prices, sifted.rows)))
    assert bound == pytest.approx(linear_optimum(problem, priority=0), rel=1e-4)


def test_a_smaller_program_follows_one_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs of more than 60 pieces find nothing in time; smaller ones find the bound all the same."""
    sizes: list[int] = []

    def hurried(program: LinearProgram, *others: Any) -> Optimum | None:
        sizes.append(len(program.keys))
        return optimum(program, *others) if len(program.keys) < 60 else None

    problem = middling(5, Deviation.L1, workloads=200)
    cost = costs_of(batch := batch_of(problem))[0]
    model = model_of(batch, cost)
    monkeypatch.setattr(tuning, "WHOLE_PROGRAM", 0)
    monkeypatch.setattr(restricted_master, "optimum", hurried)
    free = Prices.none(model)
    sifted = sift(model, free, relax(model, free).rows, Deadline())
    bound = float(cost.bound(lower_bound(model, sifted.prices, sifted.rows)))
    assert sizes[0] >= 60
    assert bound == pytest.approx(linear_optimum(problem, priority=0), rel=0.05)


def test_a_pin_that_cannot_be_kept_has_no_end_but_ends() -> None:
    """Below its optimum a level cannot be pinned: prices would rise for ever, and numbers with them."""
    problem = middling(8, Deviation.L1, workloads=60, priorities=(100, 0))
    batch = batch_of(problem)
    first, second = costs_of(batch)
    most = linear_optimum(problem, priority=100) * 0.9
    pin = int((most - float(first.constant)) * first.scale)
    model = model_of(batch, second, [(first, pin)])
    prices, values = Prices.none(model), []
    for _ in range(4):
        sifted = sift(model, prices, relax(model, prices).rows, Deadline(), Sifting(turns=400))
        prices = sifted.prices
        values.append(sifted.value / model.unit)
    # No placement of some thousand replicas costs so much; that the level has none follows.
    assert values[-1] > 2.0**30
    assert np.isfinite(prices.pins).all()
