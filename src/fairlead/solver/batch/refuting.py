"""Proofs that there is no placement: prices at which even a batch that costs nothing would cost something.

That is J. Farkas's lemma (1902) with the exact bound of `fairlead.solver.batch.bound` as the judge: whatever
prices are tried, what is above 0 there is a proof.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from fairlead.solver.batch.arrays import Batch
from fairlead.solver.batch.ascent import climb
from fairlead.solver.batch.bound import lower_bound
from fairlead.solver.batch.costs import FINEST, LevelCost, nothing
from fairlead.solver.batch.relaxation import Floats, Model, Prices, model_of, relax
from fairlead.solver.deadline import Deadline

TURNS = 40
# Prices are made so large that rounding them to whole steps loses next to nothing.
LARGE = 2.0**40


def refuted(batch: Batch, rows: Sequence[tuple[LevelCost, int]], deadline: Deadline) -> bool:
    """Tell whether prices prove that a batch has no placement; False says nothing.

    Parameters
    ----------
    batch
        The batch.
    rows
        What every placement has to keep beside capacity, such as budgets.
    deadline
        When to stop.
    """
    model = model_of(batch, replace(nothing(batch), scale=FINEST), rows)
    starts = [Prices(prices, np.zeros(len(rows))) for prices in _one_resource_each(model)]
    if not starts:
        return False
    # Where no price costs anything there is no way up: a resource that all clusters run out of is one.
    start = max(starts, key=lambda prices: relax(model, prices).value)
    found = relax(model, start)
    if found.value > 0:
        return _above_nothing(model, start, found.rows, found.value)
    climbed = climb(model, TURNS, deadline, start)
    return climbed.value > 0 and _above_nothing(model, climbed.prices, climbed.rows, climbed.value)


def _above_nothing(model: Model, prices: Prices, rows: Floats, value: float) -> bool:
    """Tell whether the exact bound at prices is above 0 as well."""
    factor = LARGE / value
    larger = Prices(prices.capacity * factor, prices.pins * factor)
    return lower_bound(model, larger, rows * factor) > 0


def _one_resource_each(model: Model) -> Iterator[Floats]:
    """Yield, for every resource, prices that are the same everywhere and 0 for all others."""
    coupling, needs = model.batch.coupling, model.batch.needs
    for resource in np.unique(coupling.resource).tolist():
        typical = max(1.0, float(needs[:, resource].mean()))
        yield np.where(coupling.resource == resource, model.unit / typical, 0.0)
