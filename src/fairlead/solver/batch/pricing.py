"""The first prices of a level: an ascent, then linear programs; the bound there, and where to start from."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.ascent import climb
from fairlead.solver.batch.core import Sifting, sift
from fairlead.solver.batch.known import Known
from fairlead.solver.batch.leading import relieve
from fairlead.solver.batch.relaxation import Model, Prices, relax
from fairlead.solver.batch.rounding import rounded
from fairlead.solver.search import Search

# Turns of the ascent: more where they are cheap.
TURNS = ((400, 40), (20_000, 100), (200_000, 80))
TURNS_OF_LARGE = 60
# Linear programs are solved for so many rows at most.
ROWS_OF_PROGRAM = 200_000
# For a guide prices that are about right will do.
BY_GUIDE = Sifting(turns=12, most=12_000, close=1e-4)
# Of the time that is left, what the ascent to the first prices may use.
SHARE_OF_CLIMBING = 0.4
# Of the time that is left, what linear programs may use.
SHARE_OF_PROGRAMS = 0.5


def nothing_known(model: Model, start: Whole | None, search: Search) -> Known:
    """Return a level of which nothing but a placement is known, perhaps; the rows have no prices yet."""
    model = replace(model, threads=search.threads)
    cost = None if start is None else model.steps(start)
    rows = np.zeros(len(model.batch.keys))
    return Known(model, search, start, cost, -(2**62), Prices.none(model), rows)


def priced(
    known: Known, near: Prices | None, how: Sifting, *, climbing: int = 0, early: bool = False
) -> Whole:
    """Find prices and the bound there; return a placement that may break limits.

    Parameters
    ----------
    known
        The level.
    near
        Prices to start from; None for those of an ascent.
    how
        How linear programs go on from there.
    climbing
        How many times as many turns as usual an ascent takes; 0 for an ascent only where there are no prices
        to start from.
    early
        Whether a rough placement, where none is known, is wanted before the linear programs.
    """
    model = known.model
    prices = near
    if prices is None or climbing:
        places = model.batch.lower.size
        turns = next((turns for most, turns in TURNS if places <= most), TURNS_OF_LARGE)
        prices = climb(model, turns * max(1, climbing), known.deadline.part(SHARE_OF_CLIMBING), near).prices
    relaxed = relax(model, prices)
    known.raise_bound(prices, relaxed.rows)
    if early and known.best is None:
        relieve(known, relaxed.replicas)
    if len(model.batch.keys) > ROWS_OF_PROGRAM or known.over:
        return relaxed.replicas
    sifted = sift(model, prices, relaxed.rows, known.deadline.part(SHARE_OF_PROGRAMS), how)
    known.raise_bound(sifted.prices, sifted.rows)
    return relaxed.replicas if sifted.replicas is None else rounded(model, sifted.replicas)


def best_of(model: Model, near: Sequence[Prices]) -> Prices | None:
    """Return the prices with the highest bound, without those of other pins; None where there are none."""
    free = np.zeros(len(model.pins))
    same = (each if len(each.pins) == len(free) else Prices(each.capacity, free) for each in near)
    return max(same, key=lambda each: relax(model, each).value, default=None)
