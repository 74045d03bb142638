"""Prices of batches by an interior point method."""

from dataclasses import replace

import pytest

from batch_levels import model_for
from batch_problems import linear_optimum, middling
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.solver.batch.arrays import batch_of
from fairlead.solver.batch.costs import costs_of
from fairlead.solver.batch.dual.bound import lower_bound
from fairlead.solver.batch.dual.interior import inner_prices
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.model import LevelModel, Prices, model_of
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search


def bound_of(model: LevelModel) -> int:
    """Return the exact bound at the prices that are found, in steps."""
    prices, precise = inner_prices(model, Deadline())
    assert prices is not None
    assert precise
    return lower_bound(model, prices, relax(model, prices).rows)


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_that_of_the_whole_linear_program(deviation: Deviation, seed: int) -> None:
    """No bound at prices is higher than the linear program of whole replicas; these reach it."""
    problem = middling(seed, deviation)
    batch = batch_of(problem)
    cost = costs_of(batch)[0]
    bound = bound_of(model_of(batch, cost)) / cost.scale + float(cost.constant)
    optimal = linear_optimum(problem)
    assert bound <= optimal + 1e-6
    assert bound == pytest.approx(optimal, rel=1e-4)


def pinned(slack: float, deviation: Deviation = Deviation.WEBSTER) -> tuple[Problem, LevelModel, float]:
    """Return the second of two priorities with the first within some slack of its best, and its most."""
    problem = middling(3, deviation, workloads=40, priorities=(100, 0))
    batch = batch_of(problem)
    first, second = costs_of(batch)
    most = linear_optimum(problem, priority=100) * slack
    pin = int((most - float(first.constant)) * first.scale)
    return problem, model_of(batch, second, [(first, pin)]), most


@pytest.mark.parametrize("slack", [1.02, 1.2])
def test_a_pinned_level_has_a_price_as_well(slack: float) -> None:
    """With little slack one unit of the first level is worth many of the second, with much slack few."""
    problem, model, most = pinned(slack)
    optimal = linear_optimum(problem, priority=0, pinned=(100, most))
    second = costs_of(model.batch)[1]
    bound = bound_of(model) / second.scale + float(second.constant)
    assert bound <= optimal + 1e-6
    assert bound == pytest.approx(optimal, rel=5e-3)


def test_a_pin_that_cannot_be_kept_has_no_prices_to_be_found() -> None:
    """No deviation is below 0: prices rise, and what is found at last is no answer."""
    _, model, _ = pinned(-20.0)
    assert inner_prices(model, Deadline()) == (None, False)


def test_without_time_there_are_no_prices() -> None:
    """The first turns are far from any answer."""
    assert inner_prices(model_for(Deviation.WEBSTER), Deadline.after(0)) == (None, False)


def test_what_serves_a_level_ends_with_it() -> None:
    """A guide is of no use any more once the level that it is for is good enough."""
    model = model_for(Deviation.L1)
    best = relax(model, Prices.none(model)).replicas
    level = replace(Incumbent.of(model, best, Search()), bound=100, cost=101)
    guided = level.surrogate(model, None, Deadline())
    assert not guided.closed
    level.lift(101)
    assert guided.closed
