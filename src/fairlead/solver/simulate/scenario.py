"""One of many losses or drains that were tried, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import assert_never

from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.score import levels_of
from fairlead.models.shortfall import is_shortfall
from fairlead.models.utilisation import utilisation
from fairlead.solver.simulate.changes import At, Drain, Lose, Trial


@dataclass(frozen=True, slots=True)
class Scenario:
    """One of many losses or drains that were tried."""

    change: Trial
    """Change that was tried."""
    clusters: tuple[str, ...]
    """Clusters that it takes."""
    status: str
    """Status of the answer; of one that was not found in time nothing else is known."""
    unplaced: Mapping[str, int] = field(default_factory=dict)
    """Unplaced replicas by workload; those with none are absent."""
    broken: tuple[str, ...] = ()
    """Rules that give way, in words, without what `unplaced` says already."""
    moved: int = 0
    """Replicas that move, of all workloads to which it makes a difference; see `Effect`."""
    started: int = 0
    """Replicas that are started, likewise."""
    lost: int = 0
    """Replicas that are lost, likewise."""
    fullness: Mapping[str, Fraction] = field(default_factory=dict)
    """The used part of the fullest resource of every cluster, by others too; clusters that are gone, or of
    unknown capacity, are absent."""
    known: bool = True
    """False where not everything was placed in time, but a better placement might."""
    least: bool = True
    """False where less might give way: time was over before that was proven."""

    @property
    def name(self) -> str:
        """Name of what is lost or drained; of the autoscalers' limit."""
        match self.change:
            case Drain(name) | Lose(name):
                return name
            case At(limit):
                return limit
            case _:
                assert_never(self.change)

    @property
    def answered(self) -> bool:
        """Whether the result is known."""
        return self.status != Status.UNKNOWN

    @property
    def certainty(self) -> tuple[bool, bool, bool]:
        """Whether it was answered, whether that is known, and whether nothing less gives way."""
        return self.answered, self.known, self.least

    @property
    def fits(self) -> bool:
        """Whether it is known that every replica is placed and every rule holds."""
        return self.answered and not self.unplaced and not self.broken

    @property
    def rank(self) -> tuple[bool, bool, bool, int, int, int, int, str]:
        """Sort key, the worst first: unplaced replicas, workloads, rules, replicas that start.

        What is not known comes after what does not fit, what was not answered after that.
        """
        missing = sum(self.unplaced.values())
        return (
            self.fits,
            not self.answered,
            not self.known,
            -missing,
            -len(self.unplaced),
            -len(self.broken),
            -(self.lost + self.moved),
            str(self.change),
        )


def gives_way_least(outcome: Outcome) -> bool:
    """Tell whether it is proven that nothing less gives way than in an answer."""
    levels = zip(levels_of(outcome.problem), outcome.objectives, strict=False)
    return all(found.proven for level, found in levels if is_shortfall(level))


def fullness_of(outcome: Outcome) -> dict[str, Fraction]:
    """Return the used part of the fullest resource of every cluster of known capacity."""
    found: dict[str, Fraction] = {}
    for one in utilisation(outcome.problem, outcome.placement or Placement({})):
        if one.fullness is not None:
            found[one.cluster] = max(one.fullness, found.get(one.cluster, Fraction(0)))
    return found
