"""Targets: what levels may cost without having to get better."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.levels import Level
from fairlead.models.outcome import Attained
from fairlead.models.problem import Problem
from fairlead.models.score import levels_of


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


Targets = Mapping[Level, Target]
"""What levels may cost, by level."""


def ranked(problem: Problem, levels: Sequence[Attained], targets: Targets) -> tuple[int | Fraction, ...]:
    """Return the levels of a placement as numbers by which placements compare; below a target all are one."""
    return tuple(
        max(each.value, targets[level].value) if level in targets else each.value
        for level, each in zip(levels_of(problem), levels, strict=True)
    )
