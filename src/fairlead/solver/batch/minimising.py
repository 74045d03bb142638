"""One level of a batch: a bound by prices, a placement by rounding and exchanges, proofs by CP-SAT."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fairlead.models.errors import InternalError
from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.ascent import climb
from fairlead.solver.batch.bound import lower_bound, ranges
from fairlead.solver.batch.core import sift
from fairlead.solver.batch.exchange import MANY_ROWS, Exchange
from fairlead.solver.batch.large import Hearer, Large
from fairlead.solver.batch.neighbourhood import Window, Work, divide_anew
from fairlead.solver.batch.relaxation import Floats, Model, Prices, relax, within
from fairlead.solver.deadline import Deadline

# Turns of the ascent: more where they are cheap.
TURNS = ((400, 40), (20_000, 100), (200_000, 80))
TURNS_OF_LARGE = 60
# Linear programs are solved for so many rows at most, and so often.
ROWS_OF_PROGRAM = 200_000
PROGRAMS = 16
# Of the time that is left, what linear programs may use.
SHARE_OF_PROGRAMS = 0.5
# How far from the price of a row exchanges look, in units of the level, in turn.
REACHES = (0.02, 0.05, 0.1, 0.2, 0.4)
# The same while limits are still broken.
FAR_REACHES = (1.0, 2.5, 8.0)
# What breaking a limit is charged, as a multiple of its price, in turn until a placement is found.
CHARGES = (3.0, 12.0, 48.0)
# The whole batch is given to CP-SAT where at most so many pieces are left open.
MOST_OPEN = 2500
# Parts that are divided anew: rows, reduced cost in units of the level, replicas away from now, and how much
# counted work one is worth.
ROWS_OF_PART = 60
PART_REACH = 0.3
PART_UNITS = 6
PART_WORK = 0.25
# Batches of at most so many places are divided anew as a whole, with so much counted work.
PLACES_OF_WHOLE = 1000
WORK_OF_WHOLE = 0.5
# Changes in vain after which nothing more is tried.
PATIENCE = 300
# Batches of more places are not divided anew in parts.
LARGEST_FOR_PARTS = 20_000
# Moves made by lot: how far from the price of a row, and how many.
SHAKEN_REACH = 0.1
MOST_SHAKEN = 12


@dataclass(frozen=True, slots=True, eq=False)
class Minimised:
    """What was found for a level.

    Parameters
    ----------
    replicas
        The best placement; None where none is known.
    bound
        What every placement costs at least, in steps.
    infeasible
        True where it is proven that there is no placement.
    interrupted
        True where somebody pressed Ctrl-C.
    """

    replicas: Whole | None
    bound: int
    infeasible: bool = False
    interrupted: bool = False


Tell = Callable[[int | None, int], None]
"""Hears the cost of the best placement and the bound, in steps, whenever one gets better."""


@dataclass(slots=True, eq=False)
class _Level:
    """What is known of a level."""

    model: Model
    deadline: Deadline
    workers: int
    seed: int
    best: Whole | None
    cost: int | None
    bound: int
    prices: Prices
    rows: Floats
    tell: Tell | None = None
    infeasible: bool = False
    interrupted: bool = False

    def offer(self, replicas: Whole) -> bool:
        """Take a placement if it keeps everything and is better."""
        cost = self.model.steps(replicas)
        if (self.cost is not None and cost >= self.cost) or not self.model.keeps(replicas):
            return False
        self.best, self.cost = replicas.copy(), cost
        self._told()
        return True

    def raise_bound(self, prices: Prices, rows: Floats) -> None:
        """Evaluate the bound at prices and keep them."""
        self.prices, self.rows = prices, rows
        self.lift(lower_bound(self.model, prices, rows))

    def lift(self, bound: int) -> None:
        """Take a bound if it is higher."""
        # Costs are multiples of the grain, so that a bound between two of them is the next one.
        bound = -(-bound // self.model.grain) * self.model.grain
        if bound > self.bound:
            self.bound = bound
            self._told()

    def _told(self) -> None:
        """Tell how far the level is."""
        if self.tell is not None:
            self.tell(self.cost, self.bound)

    @property
    def closed(self) -> bool:
        """Whether the placement is known to be the best."""
        return self.cost is not None and self.cost <= self.bound

    @property
    def over(self) -> bool:
        """Whether there is nothing left to do or no time."""
        return self.closed or self.deadline.remaining() <= 0


def minimise(
    model: Model,
    start: Whole | None,
    deadline: Deadline,
    workers: int,
    seed: int,
    tell: Tell | None = None,
    near: Prices | None = None,
) -> Minimised:
    """Minimise one level.

    Parameters
    ----------
    model
        The level, with the levels before it pinned.
    start
        A placement that keeps everything; None where none is known.
    deadline
        When to stop.
    workers, seed
        Threads and random seed.
    tell
        Hears of every step forward.
    near
        Prices that are about right; None where none are known.
    """
    model = replace(model, threads=max(1, workers))
    free = Prices.none(model)
    alone = relax(model, free)
    level = _Level(
        model,
        deadline,
        workers,
        seed,
        start,
        None if start is None else model.steps(start),
        -(2**62),
        free,
        alone.rows,
        tell,
    )
    try:
        level.lift(lower_bound(model, free, alone.rows))
        level.offer(alone.replicas)
        if not level.closed:
            _search(level, near)
    except KeyboardInterrupt:
        level.interrupted = True
    return Minimised(level.best, level.bound, level.infeasible, level.interrupted)


def _search(level: _Level, near: Prices | None) -> None:
    """Find prices, then placements near the bound."""
    model = level.model
    if len(model.batch.keys) > MANY_ROWS:
        Large(model, level.deadline, Hearer(level.raise_bound, level.offer)).search(near)
        return
    places = model.batch.lower.size
    turns = next((turns for most, turns in TURNS if places <= most), TURNS_OF_LARGE)
    climbed = climb(model, turns if near is None else 2 * turns, level.deadline, near)
    relaxed = relax(model, climbed.prices, climbed.rows)
    start: Whole = relaxed.replicas
    level.raise_bound(climbed.prices, relaxed.rows)
    if len(model.batch.keys) <= ROWS_OF_PROGRAM and not level.over:
        sifted = sift(model, climbed.prices, relaxed.rows, PROGRAMS, level.deadline.part(SHARE_OF_PROGRAMS))
        level.raise_bound(sifted.prices, sifted.rows)
        if sifted.replicas is not None:
            start = rounded(model, sifted.replicas)
    level.offer(start)
    _exchange(level, start)
    _divide_whole(level)
    _prove(level)
    _vary(level)


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


def _exchange(level: _Level, start: Whole) -> None:
    """Exchange replicas until nothing is won any more; charge more for broken limits until none is."""
    replicas = start
    for charge in CHARGES:
        exchange = Exchange.start(level.model, level.prices, level.rows, replicas, charge)
        for reach in (*REACHES, *FAR_REACHES):
            if level.over:
                return
            if reach not in REACHES and exchange.valid:
                break
            _improve(level, exchange, reach)
        if exchange.valid:
            return
        replicas = exchange.replicas


def _improve(level: _Level, exchange: Exchange, reach: float) -> None:
    """Make exchanges of one reach for as long as they win anything and there is time."""
    while exchange.improve(reach * level.model.unit, level.deadline) > 0:
        level.offer(exchange.replicas)
        if level.over:
            return


def _divide_whole(level: _Level) -> None:
    """Divide all rows of a small batch anew, as far as a fixed amount of work goes."""
    if level.over or level.best is None or level.best.size > PLACES_OF_WHOLE:
        return
    everything = np.arange(len(level.model.batch.keys))
    work = Work(level.deadline, 1, level.seed, WORK_OF_WHOLE)
    found = divide_anew(level.model, level.best, _window(level, everything, level.best), work, exact=True)
    if found.replicas is not None:
        level.offer(found.replicas)


def _prove(level: _Level) -> None:
    """Give what is left open to CP-SAT, with bounds that no better placement leaves."""
    if level.over:
        return
    model = level.model
    if level.cost is None:
        lower, upper = model.batch.lower, model.batch.upper
    else:
        lower, upper = ranges(model, level.prices, level.rows, level.cost)
    if int((upper - lower).clip(0, 3).sum()) > MOST_OPEN:
        return
    everything = np.arange(len(model.batch.keys))
    replicas = model.batch.lower if level.best is None else level.best
    work = Work(level.deadline, level.workers, level.seed)
    found = divide_anew(model, replicas, Window(everything, lower, upper), work, exact=True)
    if found.replicas is not None:
        level.offer(found.replicas)
    elif found.complete and level.cost is not None:
        raise InternalError("CP-SAT calls a part of a batch infeasible of which a placement is known")
    if level.cost is None:
        level.infeasible = found.complete
    if found.bound is not None and level.cost is not None:
        level.lift(min(found.bound, level.cost))


def _vary(level: _Level) -> None:
    """Change the best placement here and there, again and again, and keep what is better."""
    chance = np.random.default_rng(level.seed)
    if level.best is None or len(level.model.batch.keys) < 2:
        return
    failures, turn = 0, 0
    while not level.over and failures < PATIENCE:
        before = level.cost
        if turn % 3 == 0 and level.model.batch.lower.size <= LARGEST_FOR_PARTS:
            _divide_part(level, chance, level.best, turn)
        else:
            _shake(level, chance, level.best)
        failures = 0 if level.cost != before else failures + 1
        turn += 1


def _shake(level: _Level, chance: np.random.Generator, best: Whole) -> None:
    """Move some replicas by lot, and exchange from there."""
    exchange = Exchange.start(level.model, level.prices, level.rows, best, CHARGES[1])
    exchange.shake(chance, SHAKEN_REACH * level.model.unit, int(chance.integers(2, MOST_SHAKEN)))
    for reach in REACHES[1:4]:
        while exchange.improve(reach * level.model.unit, level.deadline) > 0:
            level.offer(exchange.replicas)
            if level.over:
                return


def _divide_part(level: _Level, chance: np.random.Generator, best: Whole, turn: int) -> None:
    """Divide some rows anew: those that meet on a few clusters, or any."""
    chosen = _chosen(level, chance, best, turn)
    work = Work(level.deadline, 1, turn, PART_WORK)
    found = divide_anew(level.model, best, _window(level, chosen, best), work, exact=False)
    if found.replicas is not None:
        level.offer(found.replicas)


def _chosen(level: _Level, chance: np.random.Generator, best: Whole, turn: int) -> Whole:
    """Return the rows of a part: every other time any, else those with much to choose on a few clusters."""
    batch = level.model.batch
    count = min(len(batch.keys), ROWS_OF_PART)
    if turn % 2 or len(batch.clusters) < 4:
        return np.sort(chance.choice(len(batch.keys), count, replace=False))
    columns = chance.choice(len(batch.clusters), min(3, len(batch.clusters)), replace=False)
    weight = (best[:, columns] > batch.lower[:, columns]).sum(axis=1) + 0.01
    return np.sort(chance.choice(len(batch.keys), count, replace=False, p=weight / weight.sum()))


def _window(level: _Level, chosen: Whole, best: Whole) -> Window:
    """Return the places of some rows that are worth looking at: those of small reduced cost, and what is."""
    model = level.model
    low, high = within(model, level.prices, chosen, level.rows[chosen], PART_REACH * model.unit)
    now = best[chosen]
    low, high = np.minimum(low, now), np.maximum(high, now)
    return Window(chosen, np.maximum(low, now - PART_UNITS), np.minimum(high, now + PART_UNITS))
