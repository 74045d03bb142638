"""One level of a batch: a bound by prices, a placement by rounding and exchanges, proofs by CP-SAT."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.exchange import MANY_ROWS
from fairlead.solver.batch.guide import Guide
from fairlead.solver.batch.known import Known, Tell
from fairlead.solver.batch.large import Hearer, Large
from fairlead.solver.batch.leading import exchange_all, exchange_rounded, relieve
from fairlead.solver.batch.pricing import BY_GUIDE, best_of, nothing_known, priced
from fairlead.solver.batch.proving import divide_whole, prove
from fairlead.solver.batch.relaxation import Floats, Model, Prices, relax
from fairlead.solver.batch.sifting import Sifting, sift
from fairlead.solver.batch.straight import search_straight
from fairlead.solver.batch.varying import vary
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
