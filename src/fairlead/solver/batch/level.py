"""One level of a batch: a bound by prices, a placement by rounding and exchanges, proofs by CP-SAT."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.dual.relaxation import Evaluated, relax
from fairlead.solver.batch.dual.restricted_master import settled
from fairlead.solver.batch.dual.sifting import Sifting, sift
from fairlead.solver.batch.dual.subgradient import climb
from fairlead.solver.batch.incumbent import Incumbent, OnProgress
from fairlead.solver.batch.model import Model, Prices
from fairlead.solver.batch.primal.large_neighbourhood import divide_whole, prove, search_neighbourhoods
from fairlead.solver.batch.primal.repair import (
    exchange_all,
    exchange_rounded,
    is_far,
    relieve,
    repair_rounded,
    rounded,
)
from fairlead.solver.batch.surrogate import Guide, Guided, Rows, frozen_at
from fairlead.solver.running.search import Search

# For a guide, or where other levels come after that wait for time, prices that are about right will do.
ABOUT_RIGHT = Sifting(close=1e-5)


def minimise(
    model: Model,
    start: Whole | None,
    search: Search,
    on_progress: OnProgress | None = None,
    near: Sequence[Prices] = (),
    guide: Guide | None = None,
    enough: Callable[[int], int] = int,
) -> Incumbent:
    """Minimise one level; return what is known of it in the end.

    The start keeps everything, and some of the prices may be about right. Placements are searched by the
    guide instead of the level, if there is one. Enough tells of a bound what a placement may cost to be good
    enough, both in steps; then the guide decides.
    """
    level = replace(Incumbent.of(model, start, search), enough=enough, on_progress=on_progress)
    guided = None
    try:
        alone = relax(level.model, level.prices)
        level.raise_bound(level.prices, alone.rows)
        level.offer(alone.replicas)
        if not level.done:
            if guide is None:
                _search(level)
            else:
                until = search.deadline if guide.straight is None else guide.latest
                guided = level.surrogate(guide.model, level.best, until)
                by_guide = _search_guided if guide.straight is None else _search_straight
                by_guide(level, guided, guide, near)
    except KeyboardInterrupt:
        level.interrupted = True
    if guide is not None and guided is not None:
        level.guided = Guided(guide, guided.prices)
        if guided.best is not None and level.model.steps(guided.best) <= enough(level.bound):
            level.best = guided.best
    return level


def _search(level: Incumbent) -> None:
    """Find prices, then placements near the bound."""
    # Where a placement was known changes to it may be worth more than long exchanges from another start.
    share = 1.0 if level.best is None else tuning.SHARE_OF_EXCHANGES
    start = priced(level, None, Sifting())
    relieve(level, start)
    exchange_all(level, start, level.deadline.part(share))
    divide_whole(level)
    prove(level)
    search_neighbourhoods(level)


def _search_guided(level: Incumbent, guided: Incumbent, guide: Guide, near: Sequence[Prices]) -> None:
    """Find placements by a guide, the most urgent ones settled first, and the bound of the level."""
    climbing = 0 if near else tuning.LEVEL_LONGER
    start = priced(guided, _best_of(guided.model, near), ABOUT_RIGHT, climbing=climbing)
    _raise_bound(level, [*near, guided.prices])
    if level.done:
        return
    if guide.urgent is not None and guide.settled is not None:
        _settle(guided, guide.urgent, guide.settled)
    else:
        first = guided
        if guided.best is not None:
            first = guided.until(level.deadline.part(tuning.SHARE_OF_FROZEN))
        first.offer(start)
        exchange_rounded(first, start)
    if level.over:
        return
    divide_whole(level)
    prove(level)
    # What waits wins more by time than this level by changes.
    share = tuning.SHARE_OF_GUIDE if guide.followed else 1.0
    search_neighbourhoods(guided.until(level.deadline.part(share)), lambda: level.closed)


def _settle(guided: Incumbent, urgent: Rows, before: Rows) -> None:
    """Settle urgent rows beside the linear program of all others, then place those; rows before them stay.

    What a whole replica leaves unused of a pin is dear to all others. So of the placements of the urgent rows
    that keep their pins the one is looked for that leaves most to the others, unless the one that is known is
    better already.
    """
    known, best = guided, guided.best
    if best is not None and before.any():
        model, prices = frozen_at(guided.model, before, best, guided.prices)
        known = guided.surrogate(model, best, guided.deadline)
        priced(known, prices, ABOUT_RIGHT)
    due = guided.deadline.part(tuning.SHARE_OF_SETTLING)
    found = settled(known.model, known.prices, known.rows, urgent, due)
    if found is not None and (known.cost is None or found[1] < known.cost):
        best = found[0]
    if best is None:
        return
    model, prices = frozen_at(known.model, urgent, best, known.prices)
    first = guided.surrogate(model, guided.best, guided.deadline.part(tuning.SHARE_OF_FROZEN))
    start = priced(first, prices, ABOUT_RIGHT)
    if not first.offer(start):
        exchange_rounded(first, start)


def _search_straight(level: Incumbent, guided: Incumbent, guide: Guide, near: Sequence[Prices]) -> None:
    """Find the bound of a straight level, and placements by a guide that counts the deviation as well.

    The linear program of a straight level, such as replicas that stay unplaced, is solved whole, but says
    nothing on where replicas stand, and ends with heaps of them. So only in the end placements are searched
    by the level itself, among places that the guide's prices call near.
    """
    priced(level, _best_of(level.model, near), Sifting())
    if level.over:
        return
    straight = guide.straight or level.model
    sifted = sift(straight, level.prices, relax(straight, level.prices).rows, level.deadline)
    if level.best is None:
        _lead_any(level, guided, straight, sifted)
    tried = _best_of(guided.model, (*near, sifted.prices))
    start = priced(guided, tried, ABOUT_RIGHT, climbing=0 if near else 1)
    if not guided.offer(start) and is_far(guided):
        repair_rounded(guided, start)
    if level.best is None:
        exchange_all(level, start)
    divide_whole(level)
    prove(level)
    guided = guided.until(level.deadline.part(tuning.SHARE_OF_GUIDE))
    search_neighbourhoods(guided, lambda: level.closed)
    _vary_from_guided(level, guided, guide)


def _vary_from_guided(level: Incumbent, guided: Incumbent, guide: Guide) -> None:
    """Change the placement of the guide until the level is as low as can be; of equals the guide decides."""
    best = guided.best
    if guide.strict is not None:
        strict = level.surrogate(guide.strict, best, level.deadline.part(tuning.SHARE_OF_STRICT))
        search_neighbourhoods(strict, lambda: level.closed, near=guided)
        best = strict.best
    itself = level.surrogate(level.model, best, level.deadline)
    itself.lift(level.bound)
    search_neighbourhoods(itself, near=guided)
    if itself.best is None or level.best is None or itself.cost != level.cost:
        return
    if guided.model.steps(itself.best) < guided.model.steps(level.best):
        level.best = itself.best


def _lead_any(level: Incumbent, guided: Incumbent, straight: Model, sifted: Evaluated) -> None:
    """Lead the linear program of a straight guide to any placement at all; heaps are better than none."""
    if sifted.replicas is None:
        return
    first = Incumbent.of(straight, None, level.search.part(tuning.SHARE_OF_ANY))
    first.raise_bound(sifted.prices, sifted.rows)
    repair_rounded(first, rounded(straight, sifted.replicas))
    if first.best is not None:
        level.offer(first.best)
        guided.offer(first.best)


def priced(level: Incumbent, near: Prices | None, how: Sifting, *, climbing: int = 0) -> Whole:
    """Find prices and the bound there; return a placement that may break limits.

    Without prices to start from they come from an ascent; with some it takes so many times as many turns as
    usual, and none for 0. From there linear programs go on.
    """
    model = level.model
    prices = near
    if prices is None or climbing:
        turns = _turns(model) * max(1, climbing)
        prices = climb(model, turns, level.deadline.part(tuning.SHARE_OF_CLIMBING), near).prices
    relaxed = relax(model, prices)
    level.raise_bound(prices, relaxed.rows)
    if len(model.batch.keys) > tuning.ROWS_OF_PROGRAM or level.over:
        return relaxed.replicas
    sifted = sift(model, prices, relaxed.rows, level.deadline.part(tuning.SHARE_OF_PROGRAMS), how)
    level.raise_bound(sifted.prices, sifted.rows)
    return relaxed.replicas if sifted.replicas is None else rounded(model, sifted.replicas)


def _raise_bound(level: Incumbent, near: Sequence[Prices]) -> None:
    """Raise the bound of a level, starting from the best of some prices."""
    prices = _best_of(level.model, near) or level.prices
    rows = relax(level.model, prices).rows
    sifted = sift(level.model, prices, rows, level.deadline.part(tuning.SHARE_OF_BOUND), ABOUT_RIGHT)
    level.raise_bound(sifted.prices, sifted.rows)


def _turns(model: Model) -> int:
    """Return how many turns an ascent takes where nothing is known."""
    places = model.batch.lower.size
    if places > tuning.LEVEL_TURNS[-1][0]:
        return tuning.TURNS_OF_LARGE
    if not model.pins and not model.curve.grows:
        return tuning.TURNS_OF_STRAIGHT
    return next(turns for most, turns in tuning.LEVEL_TURNS if places <= most)


def _best_of(model: Model, near: Sequence[Prices]) -> Prices | None:
    """Return the prices with the highest bound, without those of other pins; None where there are none."""
    free = np.zeros(len(model.pins))
    same = (each if len(each.pins) == len(free) else Prices(each.capacity, free) for each in near)
    return max(same, key=lambda each: relax(model, each).value, default=None)
