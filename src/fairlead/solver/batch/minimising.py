"""One level of a batch: a bound by prices, a placement by rounding and exchanges, proofs by CP-SAT."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairlead.models.errors import InternalError
from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.ascent import climb
from fairlead.solver.batch.bound import ranges
from fairlead.solver.batch.core import Sifting, sift
from fairlead.solver.batch.exchange import MANY_ROWS, Exchange
from fairlead.solver.batch.guide import Guide
from fairlead.solver.batch.known import Known, Tell
from fairlead.solver.batch.large import Hearer, Large
from fairlead.solver.batch.neighbourhood import Window, Work, divide_anew
from fairlead.solver.batch.relaxation import Floats, Model, Prices, relax
from fairlead.solver.batch.rounding import rounded, rounded_firmly
from fairlead.solver.batch.varying import lead_back, vary, window_of
from fairlead.solver.deadline import Deadline

# Turns of the ascent: more where they are cheap.
TURNS = ((400, 40), (20_000, 100), (200_000, 80))
TURNS_OF_LARGE = 60
# Linear programs are solved for so many rows at most.
ROWS_OF_PROGRAM = 200_000
# For a guide prices that are about right will do.
BY_GUIDE = Sifting(turns=12, most=12_000, close=1e-4)
# Where other levels come after that wait for time, so near to the bound of the linear program will do.
FOR_A_BOUND = Sifting(close=1e-5)
# Of the time that is left, what the search with frozen workloads may use.
SHARE_OF_FROZEN = 0.5
# Of the time that is left, what the ascent to the first prices may use.
SHARE_OF_CLIMBING = 0.4
# Of the time that is left, what linear programs may use.
SHARE_OF_PROGRAMS = 0.5
# How far from the price of a row exchanges look, in units of the level, in turn.
REACHES = (0.02, 0.05, 0.1, 0.2, 0.4)
# The same after a placement by a guide was rounded.
REACHES_AFTER_ROUNDING = REACHES[:2]
# How far they look while limits are still broken.
FAR_REACHES = (1.0, 2.5, 8.0)
# What a round of exchanges has to win, in units of the level, for another one.
WORTHWHILE = 0.05
# What breaking a limit is charged, as a multiple of its price, in turn until a placement is found.
CHARGES = (3.0, 12.0, 48.0)
# The whole batch is given to CP-SAT where at most so many pieces are left open.
MOST_OPEN = 2500
# Batches of at most so many places are divided anew as a whole, with so much counted work.
PLACES_OF_WHOLE = 1000
WORK_OF_WHOLE = 0.5


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
    guided
        Prices of the guide; None where there was none.
    prices, rows
        Prices of what is shared and of the rows' totals at which the bound was evaluated last.
    """

    replicas: Whole | None
    bound: int
    infeasible: bool = False
    interrupted: bool = False
    guided: Prices | None = None
    prices: Prices | None = None
    rows: Floats | None = None


def minimise(
    model: Model,
    start: Whole | None,
    deadline: Deadline,
    workers: int,
    seed: int,
    tell: Tell | None = None,
    near: Sequence[Prices] = (),
    guide: Guide | None = None,
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
        Prices of which some may be about right.
    guide
        What placements are searched by instead of the level; None for the level itself.
    """
    known = _nothing_known(model, start, deadline, workers, seed)
    known.tell = tell
    alone = relax(known.model, known.prices)
    guided = None
    try:
        known.raise_bound(known.prices, alone.rows)
        known.offer(alone.replicas)
        if not known.closed and guide is None:
            _search(known, near[0] if near else None)
        elif not known.closed and guide is not None:
            guided = _nothing_known(guide.model, known.best, deadline, workers, seed)
            guided.hear = known.offer
            _search_guided(known, guided, guide, near)
    except KeyboardInterrupt:
        known.interrupted = True
    prices = None if guided is None else guided.prices
    return Minimised(
        known.best, known.bound, known.infeasible, known.interrupted, prices, known.prices, known.rows
    )


def _nothing_known(model: Model, start: Whole | None, deadline: Deadline, workers: int, seed: int) -> Known:
    """Return a level of which nothing but a placement is known, perhaps; the rows have no prices yet."""
    model = replace(model, threads=max(1, workers))
    cost = None if start is None else model.steps(start)
    rows = np.zeros(len(model.batch.keys))
    return Known(model, deadline, workers, seed, start, cost, -(2**62), Prices.none(model), rows)


def _search(known: Known, near: Prices | None) -> None:
    """Find prices, then placements near the bound."""
    model = known.model
    if len(model.batch.keys) > MANY_ROWS:
        Large(model, known.deadline, Hearer(known.raise_bound, known.offer)).search(near)
        return
    start = _priced(known, near, Sifting())
    known.offer(start)
    _exchange(known, start)
    _divide_whole(known)
    _prove(known)
    vary(known)


def _search_guided(known: Known, guided: Known, guide: Guide, near: Sequence[Prices]) -> None:
    """Find placements by a guide, and the bound of the level itself."""
    guided.prices = _first_by_guide(known, guided, guide, near)
    rows = relax(known.model, guided.prices).rows
    sifted = sift(known.model, guided.prices, rows, known.deadline.part(SHARE_OF_PROGRAMS), FOR_A_BOUND)
    known.raise_bound(sifted.prices, sifted.rows)
    if near:
        capacity = np.maximum(sifted.prices.capacity, guided.prices.capacity)
        guided.prices = Prices(capacity, sifted.prices.pins)
    guided.rows = relax(guided.model, guided.prices).rows
    if known.over:
        return
    _divide_whole(known)
    _prove(known)
    vary(guided, lambda: known.closed)


def _first_by_guide(known: Known, guided: Known, guide: Guide, near: Sequence[Prices]) -> Prices:
    """Find a placement by a guide, where there is time with what is settled frozen; return prices."""
    if guide.frozen is None:
        guided.offer(_priced(guided, _best_of(guided.model, near), BY_GUIDE))
        return guided.prices
    due = guide.latest if guided.best is None else known.deadline.part(SHARE_OF_FROZEN)
    first = _nothing_known(guide.frozen, guided.best, due, known.workers, known.seed)
    first.hear = guided.offer
    start = _priced(first, _best_of(guide.frozen, near), BY_GUIDE)
    first.offer(start)
    if not first.over:
        _round_and_exchange(first, start)
    joined = (Prices(np.maximum(each.capacity, first.prices.capacity), each.pins) for each in near)
    return _best_of(known.model, (*near, *joined, first.prices)) or first.prices


def _best_of(model: Model, near: Sequence[Prices]) -> Prices | None:
    """Return the prices with the highest bound, without those of other pins; None where there are none."""
    free = np.zeros(len(model.pins))
    same = (each if len(each.pins) == len(free) else Prices(each.capacity, free) for each in near)
    return max(same, key=lambda each: relax(model, each).value, default=None)


def _round_and_exchange(known: Known, start: Whole) -> None:
    """Round the linear program until few limits are broken, and lead that back to what is allowed."""
    firm = rounded_firmly(known.model, known.prices, known.rows, known.deadline)
    now = start if firm is None else firm
    exchange = Exchange.start(known.model, known.prices, known.rows, now, CHARGES[1])
    known.offer(exchange.replicas)
    for reach in REACHES_AFTER_ROUNDING:
        if known.over:
            return
        exchange.improve(reach * known.model.unit, known.deadline)
        known.offer(exchange.replicas)
    if known.best is None and not known.over:
        lead_back(known, exchange.replicas, known.deadline)


def _priced(known: Known, near: Prices | None, how: Sifting) -> Whole:
    """Find prices and the bound there; return a placement that may break limits."""
    model = known.model
    prices = near
    if prices is None:
        places = model.batch.lower.size
        turns = next((turns for most, turns in TURNS if places <= most), TURNS_OF_LARGE)
        prices = climb(model, turns, known.deadline.part(SHARE_OF_CLIMBING)).prices
    relaxed = relax(model, prices)
    known.raise_bound(prices, relaxed.rows)
    if len(model.batch.keys) > ROWS_OF_PROGRAM or known.over:
        return relaxed.replicas
    sifted = sift(model, prices, relaxed.rows, known.deadline.part(SHARE_OF_PROGRAMS), how)
    known.raise_bound(sifted.prices, sifted.rows)
    return relaxed.replicas if sifted.replicas is None else rounded(model, sifted.replicas)


def _exchange(known: Known, start: Whole) -> None:
    """Exchange replicas until little is won any more; charge more for broken limits until none is."""
    replicas = start
    for charge in CHARGES:
        exchange = Exchange.start(known.model, known.prices, known.rows, replicas, charge)
        for reach in (*REACHES, *FAR_REACHES):
            if known.closed or known.due.remaining() <= 0:
                return
            if exchange.valid and reach in FAR_REACHES:
                break
            _improve(known, exchange, reach)
        if exchange.valid:
            return
        replicas = exchange.replicas


def _improve(known: Known, exchange: Exchange, reach: float) -> None:
    """Make exchanges of one reach for as long as they win much and there is time."""
    while True:
        gained = exchange.improve(reach * known.model.unit, known.due)
        known.offer(exchange.replicas)
        if known.closed or known.due.remaining() <= 0 or gained <= WORTHWHILE * known.model.unit:
            return


def _divide_whole(known: Known) -> None:
    """Divide all rows of a small batch anew, as far as a fixed amount of work goes."""
    if known.over or known.best is None or known.best.size > PLACES_OF_WHOLE:
        return
    everything = np.arange(len(known.model.batch.keys))
    work = Work(known.deadline, 1, known.seed, WORK_OF_WHOLE)
    found = divide_anew(known.model, known.best, window_of(known, everything, known.best), work, exact=True)
    if found.replicas is not None:
        known.offer(found.replicas)


def _prove(known: Known) -> None:
    """Give what is left open to CP-SAT, with bounds that no better placement leaves."""
    if known.over:
        return
    model = known.model
    if known.cost is None:
        lower, upper = model.batch.lower, model.batch.upper
    else:
        lower, upper = ranges(model, known.prices, known.rows, known.cost)
    if int((upper - lower).clip(0, 3).sum()) > MOST_OPEN:
        return
    everything = np.arange(len(model.batch.keys))
    replicas = model.batch.lower if known.best is None else known.best
    work = Work(known.deadline, known.workers, known.seed)
    found = divide_anew(model, replicas, Window(everything, lower, upper), work, exact=True)
    if found.replicas is not None:
        known.offer(found.replicas)
    elif found.complete and known.cost is not None:
        raise InternalError("CP-SAT calls a part of a batch infeasible of which a placement is known")
    if known.cost is None:
        known.infeasible = found.complete
    if found.bound is not None and known.cost is not None:
        known.lift(min(found.bound, known.cost))
