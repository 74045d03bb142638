"""Whole placements from linear programs: rounded, and again with less room where too much was asked for."""

from dataclasses import replace

import numpy as np

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.core import REACH, not_too_many, region_of, solve_core
from fairlead.solver.batch.relaxation import Floats, Model, Prices
from fairlead.solver.deadline import Deadline

# How often the program is solved again with less room.
TURNS = 16
# Pieces of the program, about, and how far its prices may go, in units of the level.
MOST_SEGMENTS = 12_000
RADIUS = 5.0
# What a limit is lowered by, as a multiple of what was asked for beyond it.
LOWERED = 1.25


def rounded(model: Model, replicas: Floats) -> Whole:
    """Round a placement so that all totals hold: down, then up where the most was cut off."""
    batch = model.batch
    down = np.clip(np.floor(replicas + 1e-6).astype(np.int64), batch.lower, batch.upper)
    rest = np.where(down < batch.upper, replicas - down, -1.0)
    left = batch.totals - down.sum(axis=1)
    order = np.argsort(-rest, axis=1, kind="stable")
    for row in np.flatnonzero(left):
        if left[row] < 0:
            down[row] = _lowered(down[row], batch.lower[row], int(-left[row]))
            continue
        missing = int(left[row])
        while missing:
            for column in order[row].tolist():
                if missing and down[row, column] < batch.upper[row, column]:
                    down[row, column] += 1
                    missing -= 1
    return down


def _lowered(counts: Whole, lower: Whole, many: int) -> Whole:
    """Take replicas away, from the first place that has any to give."""
    room = counts - lower
    before = np.cumsum(room) - room
    lowered: Whole = counts - np.clip(many - before, 0, room)
    return lowered


def rounded_firmly(model: Model, prices: Prices, rows: Floats, deadline: Deadline) -> Whole | None:
    """Round the linear program near some prices until few limits are broken by that, or none.

    Parameters
    ----------
    model
        What is minimised.
    prices, rows
        Prices of what is shared and of the rows' totals.
    deadline
        When to stop.

    Returns
    -------
    matrix or None
        The placement by which limits were broken least; None where no program was solved.
    """
    segments, _ = not_too_many(model, prices, rows, REACH * model.unit, MOST_SEGMENTS)
    region = region_of(model, RADIUS * model.unit, prices)
    firm, basis, best, least = model, None, None, np.inf
    for _ in range(TURNS):
        solved = solve_core(firm, segments, prices, region, deadline, basis)
        if solved is None:
            break
        basis = solved.basis
        found = rounded(model, solved.replicas)
        beyond, over = model.beyond(found)
        broken = float((beyond / np.maximum(1, model.batch.coupling.limit)).sum())
        broken += sum(each / max(1, abs(pin)) for each, pin in zip(over, model.pins, strict=True))
        if broken < least:
            best, least = found, broken
        if not broken:
            break
        firm = _firmer(firm, beyond, over)
    return best


def _firmer(model: Model, beyond: Whole, over: list[int]) -> Model:
    """Return a model with lower limits where rounding has broken them."""
    coupling = model.batch.coupling
    limit = coupling.limit - np.ceil(LOWERED * beyond).astype(np.int64)
    return replace(
        model,
        batch=replace(model.batch, coupling=replace(coupling, limit=limit)),
        pins=tuple(pin - int(LOWERED * each) for pin, each in zip(model.pins, over, strict=True)),
    )
