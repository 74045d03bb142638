"""What makes large batches fast gives the same answers, and bounds and placements that count."""

from dataclasses import replace

import numpy as np
import pytest

from batch_problems import middling
from fairlead.models.levels import Deviation
from fairlead.solver.batch.arrays import batch_of
from fairlead.solver.batch.costs import costs_of
from fairlead.solver.batch.dual.bound import lower_bound
from fairlead.solver.batch.dual.column_generation import Blend, groups_of, run
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.sifting import sift
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.large import Large
from fairlead.solver.batch.model import Model, Prices, model_of, sample_of
from fairlead.solver.deadline import Deadline
from fairlead.solver.search import Search


def model_for(workloads: int, clusters: int, deviation: Deviation = Deviation.L1) -> Model:
    """Return the first level of a batch of middle size."""
    batch = batch_of(middling(3, deviation, workloads=workloads, clusters=clusters))
    return model_of(batch, costs_of(batch)[0])


def some_prices(model: Model) -> Prices:
    """Return prices by lot."""
    chance = np.random.default_rng(1)
    return Prices(chance.random(len(model.batch.coupling.limit)) * model.unit * 0.01, np.zeros(0))


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
def test_threads_change_nothing(deviation: Deviation) -> None:
    """Chunks of rows in two threads: the same division, prices and value, bit by bit."""
    model = model_for(700, 6, deviation)
    one = relax(model, some_prices(model))
    two = relax(replace(model, threads=2), some_prices(model))
    assert one.value == two.value
    assert (one.rows == two.rows).all()
    assert (one.replicas == two.replicas).all()


def test_a_sample_is_a_model() -> None:
    """Costs of a sampled placement are those of its rows, and limits shrink with what is asked for."""
    model = model_for(60, 6)
    sample = sample_of(model, 4)
    whole = relax(model, Prices.none(model)).replicas
    assert sample.steps(whole[2::4]) == int(model.shapes[0].value(whole)[2::4].sum())
    assert (sample.batch.coupling.limit < model.batch.coupling.limit / 2).all()


def test_groups_ask_for_the_same() -> None:
    """Rows are in one group exactly where their requests are equal."""
    model = model_for(60, 6)
    group = groups_of(model)
    needs = model.batch.needs
    for one in range(60):
        same = (needs == needs[one]).all(axis=1)
        assert ((group == group[one]) == same).all()


def test_blends_reach_the_linear_program() -> None:
    """The shares of groups lead to the same bound as the linear program over all rows, and never above it."""
    model = model_for(400, 6)
    none = Prices.none(model)
    blend = Blend.start(model, none)
    run(blend, 150, 0.05, Deadline())
    sifted = sift(model, none, relax(model, none).rows, Deadline())
    rows = relax(model, blend.prices).rows
    bound = lower_bound(model, blend.prices, rows)
    best = lower_bound(model, sifted.prices, sifted.rows)
    # No prices give more than the optimum of the linear program; the blend is within a thousandth of it.
    assert bound <= best * (1 + 1e-6)
    assert bound >= best * 0.999


def test_large_batches_get_a_placement() -> None:
    """The way for very many rows, on fewer: every limit is kept, within 1 % of the bound."""
    model = model_for(400, 6)
    level = Incumbent.of(model, None, Search(Deadline(), 1))
    Large(level).search()
    assert level.best is not None
    assert level.cost is not None
    assert (level.best.sum(axis=1) == model.batch.totals).all()
    assert model.keeps(level.best)
    assert level.bound <= level.cost <= 1.01 * level.bound
