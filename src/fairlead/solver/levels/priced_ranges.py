"""What no placement holds that costs no more than a level may: told by prices (reduced costs)."""

from collections.abc import Iterator, Mapping
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
    if blend.priced is None or blend.priced.bound < ENOUGH * most:
        return
    spare = most * blend.priced.step - blend.priced.rest - sum(blend.priced.terms)
    shape = len(blend.mixes), len(blend.rows.names)
    inside, lower, upper = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for at, mix in enumerate(blend.mixes):
        known = [ranges.get(Place(mix.choice.key, name), Range(0, 0)) for name in mix.choice.names]
        inside[at] = mix.choice.counts(best.of(mix.choice.key))
        lower[at], upper[at] = np.array(known, dtype=np.int64).T
    fewest = inside - _within(blend, inside, -1, inside - lower, spare, until)
    greatest = inside + _within(blend, inside, 1, upper - inside, spare, until)
    for at, cluster in np.argwhere((fewest > lower) | (greatest < upper)).tolist():
        place = Place(blend.mixes[at].choice.key, blend.rows.names[cluster])
        yield place, Range(int(fewest[at, cluster]), int(greatest[at, cluster]))


def _within(
    blend: Blend, inside: Numbers, sign: int, end: Numbers, spare: Fraction, until: Deadline
) -> Numbers:
    """Return how many more replicas than the best placement's a place may hold, or fewer, up to an end.

    Where the end itself is not out of question, nothing before it is.
    """
    least, out = np.zeros_like(end), end + 1
    for turn in range(TURNS):
        places = np.argwhere(out - least > 1)
        if not places.size or not until.remaining():
            break
        middle = (end, least + 1)[turn] if turn < 2 else (least + out) // 2
        beyond = _beyond(blend, inside + sign * middle, sign, places, spare)
        at, clusters = places[beyond].T
        out[at, clusters] = middle[at, clusters]
        at, clusters = places[~beyond].T
        least[at, clusters] = middle[at, clusters]
    found: Numbers = out - 1
    return found


def _beyond(blend: Blend, ends: Numbers, sign: int, places: Numbers, spare: Fraction) -> Numbers:
    """Tell of places whether a workload costs too much that holds at least so many there, or at most."""
    asked = []
    for at, cluster in places.tolist():
        total = blend.mixes[at].choice.total
        least, most = np.zeros(ends.shape[1], dtype=np.int64), np.full(ends.shape[1], total)
        (least if sign > 0 else most)[cluster] = ends[at, cluster]
        asked.append((at, least, most))
    priced = blend.priced
    if priced is None:
        return np.zeros(len(places), dtype=bool)
    parts = blend.parts(priced, asked)
    return np.array([part is None or part.term - priced.terms[part.at] > spare for part in parts])
