"""Whole placements from linear programs."""

import numpy as np

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.relaxation import Floats, Model


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
