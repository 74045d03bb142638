"""Levels of batches as the search sees them, with the prices of their linear programs."""

from batch_problems import middling
from fairlead.models.levels import Deviation
from fairlead.solver.batch.arrays import Whole, batch_of
from fairlead.solver.batch.costs import costs_of
from fairlead.solver.batch.dual.sifting import sift
from fairlead.solver.batch.dual.subgradient import climb
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.model import LevelModel, model_of
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search


def known_of(model: LevelModel, best: Whole | None = None, workers: int = 1) -> Incumbent:
    """Return a level with the prices of its linear program."""
    climbed = climb(model, 100, Deadline())
    sifted = sift(model, climbed.prices, climbed.rows, Deadline())
    level = Incumbent.of(model, best, Search(Deadline(), workers))
    level.raise_bound(sifted.prices, sifted.rows)
    return level


def model_for(deviation: Deviation, seed: int = 5, workloads: int = 60) -> LevelModel:
    """Return the deviation of a batch of middle size."""
    batch = batch_of(middling(seed, deviation, workloads=workloads))
    return model_of(batch, costs_of(batch)[0])
