"""Targets: what levels may cost without having to get better, and which levels have one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from fairlead.models.levels import BALANCE, Level
from fairlead.models.problem import Problem
from fairlead.models.score import levels_of
from fairlead.solver.attainment import Note

MOST_PLACES = 30_000
"""Workloads times clusters that are searched together; of more, replicas are only exchanged."""
FEWEST_PRICED = 2_000
"""The same from which on prices hear of tolerances, where everything is placed for the first time."""


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

    def raised(self, bound: int | Fraction) -> "Target":
        """Return the target with a bound that was proven, where the best is not known."""
        return replace(self, bound=max(self.bound, bound))

    def note(self, value: int | Fraction, known: Iterable[int | Fraction]) -> Note:
        """Return how far a level got of which bounds are known: proven where it is within the tolerance."""
        least = min(value, max(self.bound, *known))
        return Note(least, proven=value <= least + self.tolerance, tolerance=self.tolerance)


Targets = Mapping[Level, Target]
"""What levels may cost, by level."""


def loose_levels(problem: Problem) -> frozenset[Level]:
    """Return the levels of a problem that need not be best."""
    given = problem.tolerances
    return frozenset(
        level
        for level in levels_of(problem)
        if level == BALANCE or (level.key in given and given[level.key].amount)
    )


def strict(problem: Problem) -> Problem:
    """Return a problem of which every level has to be best, balance left out.

    Only where many workloads are placed for the first time tolerances stay: prices hear of them.
    """
    places = len(problem.workloads) * len(problem.clusters)
    new = not any(each.current for each in problem.workloads)
    heard = places > (FEWEST_PRICED if new else MOST_PLACES)
    return replace(problem, tolerances=problem.tolerances if heard else {}, balances=())


def unheard(problem: Problem, searched: Problem) -> frozenset[Level]:
    """Return the loose levels that a search heard nothing of, balance left out."""
    return loose_levels(problem) - loose_levels(searched) - {BALANCE}
