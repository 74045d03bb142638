"""What no placement holds that costs no more than a level may: told by prices (reduced costs)."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

import numpy as np

from fairlead.encoders.variables import Place, Range
from fairlead.models.placement import Placement
from fairlead.solver.levels.blending import Blend
from fairlead.solver.levels.choice import Numbers
from fairlead.solver.running.deadline import Deadline

TURNS = 5
"""How many numbers of replicas are looked at by place, on each side."""
ENOUGH = Fraction(9, 10)
"""The part of what a level may cost by which it has to be bounded for little to be left out of too much."""

Beyond = Callable[[Numbers, Numbers, int], Numbers]
"""Tells of places whether so many replicas there, or more, are out of question; with sign -1, or fewer."""


def ranges_at_prices(
    blend: Blend, most: Fraction, best: Placement, ranges: Mapping[Place, Range], until: Deadline
) -> Iterator[tuple[Place, Range]]:
    """Yield what places may hold in placements that cost so much at most, where it is less than was known.

    At the prices that bound best, a workload that has to hold more on a cluster, or less, costs more by so
    much at least, whatever all others do: what the bound is raised by to more than `most` is out of question.

    Parameters
    ----------
    blend
        All that is bounded.
    most
        What the level that is minimised may cost.
    best
        A placement that costs no more.
    ranges
        What places may hold, as far as that is known.
    until
        When to stop.
    """
    priced = blend.priced
    if priced is None or priced.bound < ENOUGH * most:
        return
    # What every workload may cost at these prices.
    spare = most * priced.step - priced.rest - sum(priced.terms)
    limits = [term + spare for term in priced.terms]
    shape = len(blend.mixes), len(blend.rows.names)
    inside, lower, upper = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for at, mix in enumerate(blend.mixes):
        known = [ranges.get(Place(mix.choice.key, name), Range(0, 0)) for name in mix.choice.names]
        inside[at] = mix.choice.counts(best.of(mix.choice.key))
        lower[at], upper[at] = np.array(known, dtype=np.int64).T

    def beyond(places: Numbers, ends: Numbers, sign: int) -> Numbers:
        """Tell of places whether a workload costs too much that holds at least so many there, or at most."""
        asked = [
            (at, *blend.mixes[at].bounds(cluster, *((end,) if sign > 0 else (0, end))))
            for (at, cluster), end in zip(places.tolist(), ends.tolist(), strict=True)
        ]
        parts = blend.parts(priced, asked)
        return np.array([part is None or part.term > limits[part.at] for part in parts])

    fewest = inside - _within(inside, -1, inside - lower, beyond, until)
    greatest = inside + _within(inside, 1, upper - inside, beyond, until)
    for at, cluster in np.argwhere((fewest > lower) | (greatest < upper)).tolist():
        place = Place(blend.mixes[at].choice.key, blend.rows.names[cluster])
        yield place, Range(int(fewest[at, cluster]), int(greatest[at, cluster]))


def _within(inside: Numbers, sign: int, end: Numbers, beyond: Beyond, until: Deadline) -> Numbers:
    """Return how many more replicas than the best placement's a place may hold, or fewer, up to an end.

    Where the end itself is not out of question, nothing before it is.
    """
    least, out = np.zeros_like(end), end + 1
    for turn in range(TURNS):
        places = np.argwhere(out - least > 1)
        if not places.size or not until.remaining():
            break
        middle = (end, least + 1)[turn] if turn < 2 else (least + out) // 2
        at, clusters = places.T
        is_out = beyond(places, (inside + sign * middle)[at, clusters], sign)
        looked = middle[at, clusters]
        out[at, clusters] = np.where(is_out, looked, out[at, clusters])
        least[at, clusters] = np.where(is_out, least[at, clusters], looked)
    found: Numbers = out - 1
    return found
