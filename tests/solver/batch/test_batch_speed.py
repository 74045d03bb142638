"""What makes large batches fast gives the same answers, and bounds and placements that count."""

from dataclasses import replace

import numpy as np
import pytest

from batch_problems import middling
from fairlead.models.levels import Deviation
from fairlead.solver.batch.arrays import batch_of
from fairlead.solver.batch.costs import costs_of
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.model import LevelModel, Prices, model_of, sample_of


def model_for(workloads: int, clusters: int, deviation: Deviation = Deviation.L1) -> LevelModel:
    """Return the first level of a batch of middle size."""
    batch = batch_of(middling(3, deviation, workloads=workloads, clusters=clusters))
    return model_of(batch, costs_of(batch)[0])


def some_prices(model: LevelModel) -> Prices:
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
