"""The first prices of a level: an ascent, then linear programs; the bound there, and where to start from."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.ascent import climb
from fairlead.solver.batch.known import Known
from fairlead.solver.batch.relaxation import Model, Prices, relax
from fairlead.solver.batch.rounding import rounded
from fairlead.solver.batch.sifting import Sifting, sift
from fairlead.solver.search import Search

# Turns of the ascent, by places: more where they are cheap.
TURNS = ((400, 40), (20_000, 100), (200_000, 80))
TURNS_OF_LARGE = 60
# The same where costs do not grow within a piece: linear programs are quicker then, wherever they start.
TURNS_OF_STRAIGHT = 30
# Linear programs are solved for so many rows at most.
ROWS_OF_PROGRAM = 200_000
# For a guide prices that are about right will do.
BY_GUIDE = Sifting(close=1e-5)
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


def priced(known: Known, near: Prices | None, how: Sifting, *, climbing: int = 0) -> Whole:
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
    """
    model = known.model
    prices = near
    if prices is None or climbing:
        turns = _turns(model) * max(1, climbing)
        prices = climb(model, turns, known.deadline.part(SHARE_OF_CLIMBING), near).prices
    relaxed = relax(model, prices)
    known.raise_bound(prices, relaxed.rows)
    if len(model.batch.keys) > ROWS_OF_PROGRAM or known.over:
        return relaxed.replicas
    sifted = sift(model, prices, relaxed.rows, known.deadline.part(SHARE_OF_PROGRAMS), how)
    known.raise_bound(sifted.prices, sifted.rows)
    return relaxed.replicas if sifted.replicas is None else rounded(model, sifted.replicas)


def _turns(model: Model) -> int:
    """Return how many turns an ascent takes where nothing is known."""
    places = model.batch.lower.size
    if places > TURNS[-1][0]:
        return TURNS_OF_LARGE
    if not model.pins and not model.curve.grows:
        return TURNS_OF_STRAIGHT
    return next(turns for most, turns in TURNS if places <= most)


def best_of(model: Model, near: Sequence[Prices]) -> Prices | None:
    """Return the prices with the highest bound, without those of other pins; None where there are none."""
    free = np.zeros(len(model.pins))
    same = (each if len(each.pins) == len(free) else Prices(each.capacity, free) for each in near)
    return max(same, key=lambda each: relax(model, each).value, default=None)
