"""Placements found choice by choice: every mix becomes one of its choices, at prices that are found anew.

A bound says nothing of where a placement is, and what there is most of in every mix often costs far more, or
a bit more on a pinned level than it may. So mixes are settled one after the other, first where mixing saves
most, with what there is most of first (diving), as long as the bound stays below what is wanted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.placement import Placement
from fairlead.solver.columns.master import MixMaster
from fairlead.solver.columns.rounding import together
from fairlead.solver.columns.rounds import AGAIN, raised
from fairlead.solver.running.deadline import Deadline

FAR = 2.0**-5
"""Part of the wanted bound that has to be missing for a search of placements."""
MOST_TRIED = 24
"""How many choices are tried at most."""
ENDS = 4
"""How many times placements are put together at most where nothing is mixed any more."""


@dataclass(slots=True, eq=False)
class Diving:
    """A search for a placement.

    Parameters
    ----------
    whole
        The mixes of all that can be chosen.
    tell
        Is told of a placement, and says which bound is enough then.
    wanted
        Which bound is enough; what is bounded by more is not looked at.
    until
        When to end.
    tried, ends
        How many choices were tried, and how often nothing was mixed any more.
    """

    whole: MixMaster
    tell: Callable[[Placement | None], Fraction]
    wanted: Fraction
    until: Deadline
    tried: int = 0
    ends: int = 0

    def searched(self, bound: Fraction | None) -> Fraction:
        """Search where what is wanted is far above a bound; return what is wanted then."""
        if bound is not None and self.wanted - bound > FAR * self.wanted:
            self._settle(self.whole)
        return self.wanted

    def _settle(self, master: MixMaster) -> None:
        """Settle one mix of a master after the other; tell of what comes of it.

        In the end all choices that are known of the whole may be exchanged for those that were settled.
        """
        at = master.most_mixed()
        if at is None:
            self.ends += 1
            for some in (master, self.whole.beginning(master)):
                self.wanted = self.tell(together(some, self.until))
            return
        for half in master.settled(at):
            if self.tried == MOST_TRIED or self.ends == ENDS or not self.until.remaining():
                return
            if half.priced is None or half.priced.bound >= self.wanted:
                continue
            self.tried += 1
            bound = raised(half, self.wanted, AGAIN, self.until)
            if bound is not None and bound < self.wanted:
                self._settle(half)
