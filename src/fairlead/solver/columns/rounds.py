"""Rounds of prices: as good a bound as the restricted master gives."""

from fractions import Fraction

from fairlead.solver.columns.master import MixMaster
from fairlead.solver.running.deadline import Deadline

ROUNDS = 24
"""Rounds in which every workload chooses anew, at most, before anything is cut in two."""
AGAIN = 6
"""Rounds after each cut, at most."""
STALE = 5
"""Rounds without a better bound after which no more are worth while."""
ENOUGH = 2.0**-10
"""Part of the mix's cost that a bound has to promise more to be looked for."""
CLOSE = 0.125
"""Part of what is missing to the wanted bound that a bound has to promise more."""


def raised(
    master: MixMaster, wanted: Fraction, rounds: int, until: Deadline, *, closely: bool = False
) -> Fraction | None:
    """Return the best bound of some rounds; None where none is known, and what is wanted of an empty part.

    As long as the mix is above what a level is pinned to, other weights bound better, unless nothing is won
    any more. Where nothing can be cut, closely, not about.
    """
    won: list[float] = []
    for _ in range(rounds):
        if master.priced is not None:
            value, best = master.value(), master.priced.bound
            missing = float(wanted - best)
            close = (ENOUGH if rounds == ROUNDS else CLOSE) * missing
            near = close if closely else max(ENOUGH * abs(value), close)
            kept = master.keeps(0) if closely else master.keeps()
            if missing <= 0 or (kept and value - float(best) <= near):
                break
            won.append(missing)
            if len(won) > STALE and won[-1 - STALE] - missing <= ENOUGH * missing:
                break
            master.even()
        if not until.remaining():
            break
        if not master.price():
            return wanted
    return None if master.priced is None else master.priced.bound
