"""Levels whose costs are straight, such as replicas that stay unplaced: the bound is quick, the rest matters.

The linear program of such a level is solved whole, but says nothing on where replicas stand, and ends with
heaps of them. So placements are searched by a guide that counts the deviation as well, and only in the end by
the level itself, among places that the guide's prices call near.
"""

from collections.abc import Sequence

from fairlead.solver.batch.core import Sifting, sift
from fairlead.solver.batch.guide import Guide
from fairlead.solver.batch.known import Known
from fairlead.solver.batch.leading import exchange_all, is_far, lead
from fairlead.solver.batch.pricing import BY_GUIDE, best_of, priced
from fairlead.solver.batch.proving import divide_whole, prove
from fairlead.solver.batch.relaxation import Prices, relax
from fairlead.solver.batch.varying import vary

# Of the time that is left, what changes by a guide may use before the level itself is looked at again.
SHARE_OF_GUIDE = 0.4


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
    start = priced(guided, best_of(guided.model, (*near, sifted.prices)), BY_GUIDE, climbing=not near)
    if not guided.offer(start) and is_far(guided):
        lead(guided, start)
    if known.best is None:
        exchange_all(known, start)
    divide_whole(known)
    prove(known)
    guided.deadline = known.deadline.part(SHARE_OF_GUIDE)
    vary(guided, lambda: known.closed)
    vary(known, near=guided)
