"""From a placement that breaks limits to one that keeps them: exchanges, moves to free room, CP-SAT."""

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.model import LevelModel, Prices
from fairlead.solver.batch.primal.exchange import Exchange
from fairlead.solver.batch.primal.large_neighbourhood import repair_by_neighbourhoods
from fairlead.solver.running.deadline import Deadline


def exchange_all(
    level: Incumbent, start: Whole, latest: Deadline | None = None, charged: Prices | None = None
) -> None:
    """Exchange replicas until little is won any more; charge more for broken limits until none is.

    Where a placement is known that ends at the latest time, if there is one; where none is known yet the
    search may go on a little longer than the level, see `Incumbent.due`. Broken limits are charged by other
    prices than those of the level, if some are given.
    """
    replicas = start
    for charge in tuning.REPAIR_CHARGES:
        exchange = Exchange.start(level.model, level.prices, level.rows, replicas, charge, charged)
        for reach in (
            (*tuning.REPAIR_REACHES, *tuning.FAR_REACHES)
            if charge == tuning.REPAIR_CHARGES[-1]
            else tuning.REPAIR_REACHES
        ):
            if exchange.valid and reach in tuning.FAR_REACHES:
                break
            if not _improve(level, exchange, reach, latest):
                return
        if exchange.valid:
            return
        replicas = exchange.replicas


def _improve(level: Incumbent, exchange: Exchange, reach: float, latest: Deadline | None = None) -> bool:
    """Make exchanges of one reach for as long as they win much; tell whether there is time for more."""
    while True:
        due = level.due if level.best is None or latest is None else latest
        if level.closed or due.remaining() <= 0:
            return False
        gained = exchange.improve(reach * level.model.unit, due)
        level.offer(exchange.replicas)
        if gained <= tuning.REPAIR_WORTHWHILE * level.model.unit:
            return True


def is_far(level: Incumbent) -> bool:
    """Tell whether the placement is far from the bound, so that rounding the program may well be better."""
    return not level.over and (level.cost is None or level.cost - level.bound > tuning.FAR * abs(level.cost))


def repair_rounded(level: Incumbent, start: Whole) -> None:
    """Lead a rounded program back to what is allowed, at most for a part of the time."""
    rest = relieve(level, start)
    if rest is not None:
        repair_by_neighbourhoods(level, rest, level.deadline.part(tuning.SHARE_OF_LEADING))


def relieve(level: Incumbent, start: Whole) -> Whole | None:
    """Offer a placement, with replicas moved off overfull clusters if need be, then to what is left; quickly.

    What it comes to is returned where it is no better placement; None where one was taken.
    """
    if level.offer(start):
        return None
    exchange = Exchange.start(level.model, level.prices, level.rows, start, tuning.RELIEVING_CHARGE)
    for reach in tuning.RELIEVING_REACHES:
        gained = 1.0
        while gained > 0 and not exchange.valid and not level.over:
            gained = exchange.sweep(reach * level.model.unit)
    if not level.offer(exchange.replicas):
        return exchange.replicas
    for reach in tuning.FILLING_REACHES:
        while not level.over and exchange.sweep(reach * level.model.unit) > level.model.unit:
            level.offer(exchange.replicas)
    return None


def rounded(model: LevelModel, replicas: Floats) -> Whole:
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
