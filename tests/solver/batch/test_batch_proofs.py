"""Proofs of a batch: what is left open is given to CP-SAT, beside changes to the placement."""

from dataclasses import replace

import pytest

from batch_levels import known_of, model_for
from fairlead.models.levels import Deviation
from fairlead.solver.batch import tuning
from fairlead.solver.batch.dual.sifting import sift
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.primal.proof import prove, search_and_prove
from fairlead.solver.batch.primal.repair import exchange_all, rounded
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search


def begun(workers: int) -> Incumbent:
    """Return a level with a placement, and the bound of its linear program, which no placement meets."""
    model = model_for(Deviation.L1, workloads=12)
    level = replace(known_of(model), search=Search(Deadline.after(60), workers))
    sifted = sift(model, level.prices, level.rows, Deadline())
    assert sifted.replicas is not None
    exchange_all(level, rounded(model, sifted.replicas))
    assert level.cost is not None
    assert level.bound < level.cost
    return level


@pytest.mark.parametrize("few", [0, tuning.FEW_OPEN])
@pytest.mark.parametrize("workers", [1, 2])
def test_every_way_to_prove_ends_with_the_same_cost(
    workers: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread or two, upwards or as usual: value and bound meet where CP-SAT alone ends."""
    usual = begun(1)
    prove(usual)
    monkeypatch.setattr(tuning, "WORK_OF_FIRST_PROOF", 0.0)
    monkeypatch.setattr(tuning, "PATIENCE_BEFORE_PROOF", 0)
    # So a proof of one thread has the time of changes as well.
    monkeypatch.setattr(tuning, "SHARE_OF_PROOF", 1.0)
    monkeypatch.setattr(tuning, "FEW_OPEN", few)
    level = begun(workers)
    search_and_prove(level)
    assert level.best is not None
    assert level.model.keeps(level.best)
    assert level.model.steps(level.best) == level.cost == level.bound == usual.cost == usual.bound
