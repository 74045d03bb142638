"""Levels whose costs are straight, such as replicas that stay unplaced: the bound is quick, the rest matters.

The linear program of such a level is solved whole, but says nothing on where replicas stand, and ends with
heaps of them. So placements are searched by a guide that counts the deviation as well, and only in the end by
the level itself, among places that the guide's prices call near.
"""

from collections.abc import Sequence

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.guide import Guide
from fairlead.solver.batch.known import Known
from fairlead.solver.batch.leading import exchange_all, is_far, lead
from fairlead.solver.batch.pricing import BY_GUIDE, best_of, nothing_known, priced
from fairlead.solver.batch.proving import divide_whole, prove
from fairlead.solver.batch.relaxation import Model, Prices, relax
from fairlead.solver.batch.rounding import rounded
from fairlead.solver.batch.sifting import Sifted, Sifting, sift
from fairlead.solver.batch.varying import vary

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
