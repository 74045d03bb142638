"""Prices of batches by an interior point method: nothing but time would tell if they were poor."""

import pytest

from batch_problems import linear_optimum, middling
from fairlead.models.levels import Deviation
from fairlead.solver.batch.arrays import batch_of
from fairlead.solver.batch.costs import costs_of
from fairlead.solver.batch.dual.bound import lower_bound
from fairlead.solver.batch.dual.interior import inner_prices
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.model import model_of
from fairlead.solver.running.deadline import Deadline


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
@pytest.mark.parametrize(("slack", "close"), [(None, 1e-4), (1.02, 5e-3), (1.2, 5e-3)])
def test_the_bound_is_that_of_the_whole_linear_program(
    deviation: Deviation, slack: float | None, close: float
) -> None:
    """Of the urgent level, or of the other beside the urgent one within some slack of its best.

    With little slack one unit of the first level is worth many of the second, with much slack few.
    """
    problem = middling(3, deviation, workloads=40, priorities=(100, 0))
    batch = batch_of(problem)
    first, second = costs_of(batch)
    most = linear_optimum(problem, priority=100) * (slack or 1)
    pins = [(first, int((most - float(first.constant)) * first.scale))] if slack else []
    cost, optimal = first, most
    if slack:
        cost, optimal = second, linear_optimum(problem, priority=0, pinned=(100, most))
    model = model_of(batch, cost, pins)
    prices, precise = inner_prices(model, Deadline())
    assert prices is not None
    assert precise
    bound = lower_bound(model, prices, relax(model, prices).rows) / cost.scale + float(cost.constant)
    assert optimal * (1 - close) <= bound <= optimal + 1e-6
