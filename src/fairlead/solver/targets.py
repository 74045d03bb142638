"""Targets: what levels may cost without having to get better."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from fairlead.encoders.balance import error
from fairlead.encoders.costs import LevelCost
from fairlead.models.levels import Level
from fairlead.solver.attainment import Note


@dataclass(frozen=True, slots=True)
class Target:
    """What a level may cost: so much more than a bound that only depends on the problem.

    Parameters
    ----------
    bound
        No placement is below it on the level, as far as single workloads and what they can hold tell.
    tolerance
        How much worse the level may be.
    """

    bound: int | Fraction
    tolerance: int | Fraction

    @property
    def value(self) -> int | Fraction:
        """What the level may cost."""
        return self.bound + self.tolerance

    def steps(self, cost: LevelCost) -> int:
        """Return what the level may cost in steps of a model, whose costs may be rounded down."""
        return math.floor((self.value - cost.constant - error(cost)) * cost.scale)

    def raised(self, bound: int | Fraction) -> "Target":
        """Return the target with a bound that was proven, where the best is not known."""
        return replace(self, bound=max(self.bound, bound))

    def note(self, value: int | Fraction, known: Iterable[int | Fraction]) -> Note:
        """Return how far a level got of which bounds are known: proven where it is within the tolerance."""
        least = min(value, max(self.bound, *known))
        return Note(least, proven=value <= least + self.tolerance, tolerance=self.tolerance)


Targets = Mapping[Level, Target]
"""What levels may cost, by level."""
