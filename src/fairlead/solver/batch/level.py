"""One level of a batch: a bound by prices, a placement by rounding and exchanges, proofs by CP-SAT."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.sifting import Sifted, Sifting, sift
from fairlead.solver.batch.dual.subgradient import climb
from fairlead.solver.batch.incumbent import Known, Tell
from fairlead.solver.batch.large import Hearer, Large
from fairlead.solver.batch.model import Floats, Model, Prices
from fairlead.solver.batch.primal.exchange import MANY_ROWS
from fairlead.solver.batch.primal.large_neighbourhood import divide_whole, prove, vary
from fairlead.solver.batch.primal.repair import exchange_all, exchange_rounded, is_far, lead, relieve, rounded
from fairlead.solver.batch.surrogate import Guide
from fairlead.solver.search import Search

# Where other levels come after that wait for time, so near to the bound of the linear program will do.
FOR_A_BOUND = Sifting(close=1e-5)


# Of the time that is left, what exchanges may use where a placement was known.
SHARE_OF_EXCHANGES = 0.4


# With workloads of lower priority that count little, an ascent takes so many times as many turns as usual.
LONGER = 2


# Of the time that is left, what the linear programs for that bound may use.
SHARE_OF_BOUND = 0.8


# Of the time that is left, what the search with frozen workloads may use.
SHARE_OF_FROZEN = 0.7


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
    counted
        Steps of the guide that one unit of the next level counted.
    prices, rows
        Prices of what is shared and of the rows' totals at which the bound was evaluated last.
    """

    replicas: Whole | None
    bound: int
    infeasible: bool = False
    interrupted: bool = False
    guided: Prices | None = None
    counted: float = 1.0
    prices: Prices | None = None
    rows: Floats | None = None


def minimise(
    model: Model,
    start: Whole | None,
    search: Search,
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
    search
        How to search, and until when.
    tell
        Hears of every step forward.
    near
        Prices of which some may be about right.
    guide
        What placements are searched by instead of the level; None for the level itself.
    """
    known = nothing_known(model, start, search)
    known.tell = tell
    alone = relax(known.model, known.prices)
    guided = None
    try:
        known.raise_bound(known.prices, alone.rows)
        known.offer(alone.replicas)
        if known.done:
            pass
        elif guide is None:
            _search(known, near[0] if near else None)
        else:
            until = search.deadline if guide.straight is None else guide.latest
            guided = nothing_known(guide.model, known.best, search.until(until))
            guided.hear = known.offer
            by_guide = _search_guided if guide.straight is None else search_straight
            by_guide(known, guided, guide, near)
    except KeyboardInterrupt:
        known.interrupted = True
    found = Minimised(known.best, known.bound, known.infeasible, known.interrupted)
    if guide is not None and guided is not None:
        found = replace(found, guided=guided.prices, counted=guide.counted)
    return replace(found, prices=known.prices, rows=known.rows)


def _search(known: Known, near: Prices | None) -> None:
    """Find prices, then placements near the bound."""
    model = known.model
    if len(model.batch.keys) > MANY_ROWS:
        Large(model, known.deadline, Hearer(known.raise_bound, known.offer)).search(near)
        return
    # Where a placement was known changes to it may be worth more than long exchanges from another start.
    share = 1.0 if known.best is None else SHARE_OF_EXCHANGES
    start = priced(known, near, Sifting())
    relieve(known, start)
    exchange_all(known, start, known.deadline.part(share))
    divide_whole(known)
    prove(known)
    vary(known)


def _search_guided(known: Known, guided: Known, guide: Guide, near: Sequence[Prices]) -> None:
    """Find placements by a guide, and the bound of the level itself."""
    first = _first_by_guide(known, guided, guide)
    start = priced(
        first, best_of(first.model, near), BY_GUIDE, climbing=0 if guide.frozen is None else LONGER
    )
    if not near:
        # The first level is far from its bound for long, so that what comes after would have no time for it.
        _raise_bound(known, first.prices)
    first.offer(start)
    if guide.frozen is not None and not first.over:
        exchange_rounded(first, start)
    if known.done:
        return
    if near:
        _raise_bound(known, _joined(known, near, first.prices))
        capacity = np.maximum(known.prices.capacity, first.prices.capacity)
        guided.prices = Prices(capacity, known.prices.pins)
    else:
        guided.prices = first.prices
    guided.rows = relax(guided.model, guided.prices).rows
    if known.over:
        return
    divide_whole(known)
    prove(known)
    vary(guided, lambda: known.closed)


def _raise_bound(known: Known, prices: Prices) -> None:
    """Raise the bound of a level, starting from prices that are about right."""
    rows = relax(known.model, prices).rows
    sifted = sift(known.model, prices, rows, known.deadline.part(SHARE_OF_BOUND), FOR_A_BOUND)
    known.raise_bound(sifted.prices, sifted.rows)


def _first_by_guide(known: Known, guided: Known, guide: Guide) -> Known:
    """Return by what a first placement is searched: the guide, with what is settled frozen if possible."""
    if guide.frozen is None:
        return guided
    due = guide.latest if guided.best is None else known.deadline.part(SHARE_OF_FROZEN)
    first = nothing_known(guide.frozen, guided.best, known.search.until(due))
    first.hear = guided.offer
    return first


def _joined(known: Known, near: Sequence[Prices], found: Prices) -> Prices:
    """Return the best prices of those that were near, those that were found, and both together."""
    joined = (Prices(np.maximum(each.capacity, found.capacity), each.pins) for each in near)
    return best_of(known.model, (*near, *joined, found)) or found


# Of the time that is left, what changes by a guide may use before the level itself is looked at again.
SHARE_OF_GUIDE = 0.4


# After that, of the time that is left, what changes by a guide that hardly counts the deviation may use.
SHARE_OF_STRICT = 0.5


# The same of the way to a first placement, where none is known.
SHARE_OF_ANY = 0.5


def search_straight(known: Known, guided: Known, guide: Guide, near: Sequence[Prices]) -> None:
    """Find the bound of a straight level, and placements by a guide that counts the deviation as well.

    Parameters
    ----------
    known
        The level.
    guided
        The guide, which hands better placements on.
    guide
        What the guide is made of.
    near
        Prices of which some may be about right.
    """
    priced(known, best_of(known.model, near), Sifting())
    if known.over:
        return
    straight = guide.straight or known.model
    sifted = sift(straight, known.prices, relax(straight, known.prices).rows, known.deadline)
    if known.best is None:
        _lead_any(known, guided, straight, sifted)
    start = priced(guided, best_of(guided.model, (*near, sifted.prices)), BY_GUIDE, climbing=0 if near else 1)
    if not guided.offer(start) and is_far(guided):
        lead(guided, start)
    if known.best is None:
        exchange_all(known, start)
    divide_whole(known)
    prove(known)
    guided.search = known.search.part(SHARE_OF_GUIDE)
    vary(guided, lambda: known.closed)
    _vary_from_guided(known, guided, guide)


def _vary_from_guided(known: Known, guided: Known, guide: Guide) -> None:
    """Change the placement of the guide until the level is as low as can be; of equals the guide decides."""
    itself = nothing_known(known.model, _vary_strictly(known, guided, guide), known.search)
    itself.bound, itself.hear = known.bound, known.offer
    vary(itself, near=guided)
    if itself.best is None or known.best is None or itself.cost != known.cost:
        return
    if guided.model.steps(itself.best) < guided.model.steps(known.best):
        known.best = itself.best


def _vary_strictly(known: Known, guided: Known, guide: Guide) -> Whole | None:
    """Change the placement of the guide so that the level gets lower, and what is equal better; return it."""
    if guide.strict is None:
        return guided.best
    strict = nothing_known(guide.strict, guided.best, known.search.part(SHARE_OF_STRICT))
    strict.hear = known.offer
    vary(strict, lambda: known.closed, near=guided)
    return strict.best


def _lead_any(known: Known, guided: Known, straight: Model, sifted: Sifted) -> None:
    """Lead the linear program of a straight guide to any placement at all; heaps are better than none."""
    if sifted.replicas is None:
        return
    first = nothing_known(straight, None, known.search.part(SHARE_OF_ANY))
    first.raise_bound(sifted.prices, sifted.rows)
    lead(first, rounded(straight, sifted.replicas))
    if first.best is not None:
        known.offer(first.best)
        guided.offer(first.best)


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
