"""Rounds of prices: as good a bound as a blend of mixes gives."""

from fractions import Fraction

from fairlead.solver.levels.blending import Blend
from fairlead.solver.running.deadline import Deadline

ROUNDS = 24
"""How often every workload chooses at most before anything is cut in two."""
AGAIN = 6
"""The same after each cut."""
STALE = 5
"""After how many rounds without a better bound no more of them are worth while."""
ENOUGH = 2.0**-10
"""Of what the mix costs, how much more a bound has to promise to be looked for."""
CLOSE = 0.125
"""The same, as a part of what is missing to what is wanted."""


def raised(
    blend: Blend, wanted: Fraction, rounds: int, until: Deadline, *, closely: bool = False
) -> Fraction | None:
    """Return the best bound of some rounds; None where none is known, and what is wanted of an empty part.

    As long as the mix is above what a level is pinned to, other weights bound better, unless nothing is won
    any more. Where nothing can be cut, closely, not about.
    """
    won: list[float] = []
    for _ in range(rounds):
        if blend.priced is not None:
            value, best = blend.value(), blend.priced.bound
            missing = float(wanted - best)
            close = (ENOUGH if rounds == ROUNDS else CLOSE) * missing
            near = close if closely else max(ENOUGH * abs(value), close)
            kept = blend.keeps(0) if closely else blend.keeps()
            if missing <= 0 or (kept and value - float(best) <= near):
                break
            won.append(missing)
            if len(won) > STALE and won[-1 - STALE] - missing <= ENOUGH * missing:
                break
            blend.even()
        if not until.remaining():
            break
        if not blend.price():
            return wanted
    return None if blend.priced is None else blend.priced.bound
