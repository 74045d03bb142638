"""One level of a batch: a bound by prices, a placement by rounding and exchanges, proofs by CP-SAT."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Flags, Whole
from fairlead.solver.batch.dual.interior import inner_prices
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.sifting import Sifting, sift
from fairlead.solver.batch.dual.subgradient import climb
from fairlead.solver.batch.first_placement import place_near
from fairlead.solver.batch.incumbent import Incumbent, OnProgress
from fairlead.solver.batch.model import LevelModel, Prices
from fairlead.solver.batch.primal.kicks import kick_and_merge
from fairlead.solver.batch.primal.large_neighbourhood import divide_whole, search_neighbourhoods, window_near
from fairlead.solver.batch.primal.neighbourhood import divide_anew
from fairlead.solver.batch.primal.proof import prove, search_and_prove, size_of
from fairlead.solver.batch.primal.repair import (
    exchange_all,
    is_far,
    relieve,
    repair_rounded,
    rounded,
)
from fairlead.solver.batch.surrogate import Surrogate, SurrogateResult, by_themselves, frozen_at
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import RunLimits, Search

# For a guide, or where other levels come after that wait for time, prices that are about right will do.
ABOUT_RIGHT = Sifting(close=1e-4)
# Where prices of the whole are known, what is left to win by those of a part is no gain of the whole.
CLOSELY = Sifting(close=1e-5)
# Where rows were settled near a program, its prices are as good as those that many more programs would find.
NEARLY = Sifting(3, close=1e-4)


def minimise(
    model: LevelModel,
    start: Whole | None,
    search: Search,
    on_progress: OnProgress | None = None,
    near: Sequence[Prices] = (),
    guide: Surrogate | None = None,
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
                _search(level, near)
            else:
                until = search.deadline if guide.straight is None else guide.latest
                guided = level.surrogate(guide.model, level.best, until)
                by_guide = _search_guided if guide.straight is None else _search_straight
                by_guide(level, guided, guide, near)
    except KeyboardInterrupt:
        level.interrupted = True
    if guide is not None and guided is not None:
        level.guided = SurrogateResult(guide, guided.prices)
        if guided.best is not None and level.model.steps(guided.best) <= enough(level.bound):
            level.best = guided.best
    return level


def _search(level: Incumbent, near: Sequence[Prices]) -> None:
    """Find prices, then placements near the bound."""
    # Where a placement was known changes to it may be worth more than long exchanges from another start.
    share = 1.0 if level.best is None else tuning.SHARE_OF_EXCHANGES
    start = priced(level, _best_of(level.model, near), CLOSELY if near else Sifting())
    if not near:
        relieve(level, start)
    else:
        # Near good prices nobody is far from his place, and exchanges have less to mend than what was filled.
        _fill_near(level, start)
    exchange_all(level, start, level.deadline.part(share))
    divide_whole(level)
    kick_and_merge(level.until(level.deadline.part(tuning.SHARE_OF_KICKS)))
    search_and_prove(level)


def _fill_near(level: Incumbent, start: Whole) -> None:
    """Offer a placement near to one that may break limits, where one is found at once."""
    filled = place_near(level.model.batch, start)
    if filled is not None:
        level.offer(filled)


def _search_guided(level: Incumbent, guided: Incumbent, guide: Surrogate, near: Sequence[Prices]) -> None:
    """Find placements by a guide, the most urgent ones settled first, and the bound of the level."""
    climbing = 0 if near else tuning.LEVEL_LONGER
    start = priced(guided, _best_of(guided.model, near), ABOUT_RIGHT, climbing=climbing)
    if guided.best is None:
        _fill_near(guided, start)
    if guide.urgent is not None:
        _settle(guided, guide, guide.urgent, start)
    if guide.followed:
        _raise_bound(level, [*near, guided.prices])
    else:
        level.raise_bound(guided.prices, guided.rows)
    if level.done:
        return
    if guide.urgent is None:
        first = guided
        if guided.best is not None:
            first = guided.until(level.deadline.part(tuning.SHARE_OF_FROZEN))
        first.offer(start)
        exchange_all(first, start)
    if level.over:
        return
    divide_whole(level)
    prove(level)
    # What waits wins more by time than this level by changes.
    share = tuning.SHARE_OF_GUIDE if guide.followed else 1.0
    search_neighbourhoods(guided.until(level.deadline.part(share)))


def _settle(guided: Incumbent, guide: Surrogate, urgent: Flags, start: Whole) -> None:
    """Make urgent rows whole beside the linear program of all others, then place those; rows before stay.

    What a whole replica leaves unused of a pin is dear to all others. So urgent rows are settled first, where
    others may still be cut and make up for it.
    """
    known, best = guided, guided.best
    if best is not None and guide.settled is not None and guide.settled.any():
        model, prices = frozen_at(guided.model, guide.settled, best, guided.prices)
        known = guided.surrogate(model, best, guided.deadline)
        start = priced(known, prices, ABOUT_RIGHT)
    found = settled(known, urgent, start, guided.deadline.part(tuning.SHARE_OF_SETTLING))
    if found is None:
        found = best
    if found is None:
        return
    model, prices = frozen_at(known.model, urgent, found, known.prices)
    first = guided.surrogate(model, best, guided.deadline.part(tuning.SHARE_OF_FROZEN))
    start = priced(first, prices, NEARLY)
    if not first.offer(start):
        exchange_all(first, start)


def settled(known: Incumbent, rows: Flags, start: Whole, due: Deadline) -> Whole | None:
    """Return a placement in which some rows are whole and keep the pins, at the prices of all others.

    Where none is found among moves that are near, those are looked at that are near beside a dear pin.
    """
    model = by_themselves(known.model, rows, known.prices)
    dearest = max([model.unit, *(known.prices.pins * np.array(model.pin_units)).tolist()])
    for unit in (model.unit, dearest):
        alone = Incumbent.of(replace(model, unit=unit), None, known.search.until(due))
        alone.raise_bound(Prices(Prices.none(model).capacity, known.prices.pins), known.rows[rows])
        if not alone.offer(start[rows]):
            exchange_all(alone, start[rows], charged=known.prices)
        if alone.best is not None:
            found = known.model.batch.lower.copy()
            found[rows] = alone.best
            return found
    return None


def _search_straight(level: Incumbent, guided: Incumbent, guide: Surrogate, near: Sequence[Prices]) -> None:
    """Find the bound of a straight level, and placements by a guide that counts the deviation as well.

    The linear program of a straight level, such as replicas that stay unplaced, is solved whole, but says
    nothing on where replicas stand, and ends with heaps of them. So only in the end placements are searched
    by the level itself, among places that the guide's prices call near.
    """
    start = priced(level, _best_of(level.model, near), Sifting())
    if level.over:
        return
    prices = level.prices
    if guide.straight is not None and guide.followed:
        sifted = sift(guide.straight, prices, relax(guide.straight, prices).rows, level.deadline)
        prices = sifted.prices
        start = start if sifted.replicas is None else rounded(guide.straight, sifted.replicas)
    if level.best is None:
        _lead_any(level, guided, guide.straight or level.model, prices, start)
    tried = _best_of(guided.model, (*near, prices))
    start = priced(guided, tried, ABOUT_RIGHT, climbing=0 if near else 1)
    if not guided.offer(start) and is_far(guided):
        repair_rounded(guided, start)
    if level.best is None:
        exchange_all(level, start)
    _divide_near_guided(level, guided)
    prove(level)
    _vary_from_guided(level, guided)


def _divide_near_guided(level: Incumbent, guided: Incumbent) -> None:
    """Divide all rows anew by the level itself, among places that the guide's prices call near, then more.

    They are so few that one program has them all; what it finds among them is good for the guide as well.
    """
    for reach in tuning.GUIDED_REACHES:
        if level.over or guided.best is None:
            return
        window = window_near(guided, guided.best, reach)
        if size_of(level.model, window) > tuning.MOST_OPEN:
            return
        effort = RunLimits(level.deadline.part(tuning.SHARE_OF_GUIDED), 1, level.search.seed)
        found = divide_anew(level.model, guided.best, window, effort)
        if found.replicas is None or not level.offer(found.replicas):
            return
        guided.best, guided.cost = found.replicas, guided.model.steps(found.replicas)


def _vary_from_guided(level: Incumbent, guided: Incumbent) -> None:
    """Change the placement of the guide until the level is as low as can be; of equals the guide decides."""
    # Levels that wait for time win more by it than this one by the last replicas.
    itself = level.surrogate(level.model, guided.best, level.deadline.part(tuning.SHARE_OF_GUIDE))
    itself.lift(level.bound)
    search_neighbourhoods(itself, near=guided)
    if itself.best is None or level.best is None or itself.cost != level.cost:
        return
    if guided.model.steps(itself.best) < guided.model.steps(level.best):
        level.best = itself.best


def _lead_any(
    level: Incumbent, guided: Incumbent, straight: LevelModel, prices: Prices, start: Whole
) -> None:
    """Lead the linear program of a straight guide to any placement at all; heaps are better than none."""
    first = Incumbent.of(straight, None, level.search.part(tuning.SHARE_OF_ANY))
    first.raise_bound(prices, relax(straight, prices).rows)
    repair_rounded(first, start)
    if first.best is not None:
        level.offer(first.best)
        guided.offer(first.best)


def priced(level: Incumbent, near: Prices | None, how: Sifting, *, climbing: int = 0) -> Whole:
    """Find prices and the bound there; return a placement that may break limits.

    An interior point method finds them, see `_inner`, unless those to start from are better, or their bound
    is near the best placement. Otherwise, without prices to start from, they come from an ascent; with some
    it takes so many times as many turns as usual, and none for 0. From there linear programs go on.
    """
    model = level.model
    if near is not None:
        level.raise_bound(near, relax(model, near).rows)
    inner, precise = _inner(level) if near is None or is_far(level) else (near, False)
    prices = _best_of(model, [each for each in (inner, near) if each is not None])
    if prices is not None and prices is inner:
        how = replace(how, radius=tuning.RADIUS_OF_INNER) if precise else how
    elif prices is None or climbing:
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


def _inner(level: Incumbent) -> tuple[Prices | None, bool]:
    """Return prices by the interior point method, and whether they are about the best.

    None of very many places, and of few whose costs do not grow, as linear programs are as quick then.
    """
    model = level.model
    few = 0 if model.curve.grows else tuning.PLACES_OF_SIMPLEX
    if not few < model.batch.lower.size <= tuning.PLACES_OF_INTERIOR:
        return None, False
    return inner_prices(model, level.deadline.part(tuning.SHARE_OF_CLIMBING))


def _turns(model: LevelModel) -> int:
    """Return how many turns an ascent takes where nothing is known."""
    places = model.batch.lower.size
    if places > tuning.LEVEL_TURNS[-1][0]:
        return tuning.TURNS_OF_LARGE
    if not model.pins and not model.curve.grows:
        return tuning.TURNS_OF_STRAIGHT
    return next(turns for most, turns in tuning.LEVEL_TURNS if places <= most)


def _best_of(model: LevelModel, near: Sequence[Prices]) -> Prices | None:
    """Return the prices with the highest bound, without those of other pins; None where there are none."""
    free = np.zeros(len(model.pins))
    same = (each if len(each.pins) == len(free) else Prices(each.capacity, free) for each in near)
    return max(same, key=lambda each: relax(model, each).value, default=None)
