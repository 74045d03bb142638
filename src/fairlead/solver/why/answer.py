"""Why a workload runs where it runs, and what any other placement would cost. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from fairlead.models.answer import Answer
from fairlead.models.outcome import ClusterDecision, Outcome
from fairlead.models.rules import Candidates, candidates
from fairlead.models.source import Source
from fairlead.models.workload import Workload


class Possible(StrEnum):
    """Whether a placement with one replica more, or one less, on a cluster exists.

    ``YES``: the best such placement is known. ``NO``: proven that there is none. ``UNKNOWN``: not looked at,
    or not settled, in time.
    """

    YES = "Yes"
    NO = "No"
    UNKNOWN = "Unknown"


class Shift(NamedTuple):
    """Replicas of one workload that run elsewhere in the other placement."""

    workload: str
    """Key of the workload."""
    replicas: int
    """Number of replicas."""
    start: str | None
    """Cluster that gives them up; None where they are placed in addition."""
    end: str | None
    """Cluster that takes them; None where they are not placed at all."""


class Step(NamedTuple):
    """The best placement in which a cluster holds at least one replica more, or at least one less."""

    possible: Possible
    """Whether there is one."""
    replicas: int | None = None
    """Replicas on the cluster in it; None where none is known. They may differ by more than one, where a
    minimum binds as soon as anything is held."""
    level: str | None = None
    """Name of the most important level that changes; None where none does, or where none is known."""
    before: int | Fraction | None = None
    """Value of that level in the answer; None where `level` is."""
    change: int | Fraction | None = None
    """Amount by which it is worse in the other placement; 0 where no level changes, None where nothing is
    known. Negative only where the answer was not proven best."""
    proven: bool = False
    """True where no placement of that kind costs less, and the answer itself is proven best that far."""
    shifts: tuple[Shift, ...] = ()
    """Replicas that run elsewhere then, the workload's own first."""
    reason: str = ""
    """Reason in the user's words why it is not possible or not known; else empty."""
    source: Source | None = None
    """Where the rule that forbids it was declared; None where no single one does."""

    @property
    def after(self) -> int | Fraction | None:
        """Value of the level in the other placement; None where `before` is."""
        return None if self.before is None or self.change is None else self.before + self.change


@dataclass(frozen=True, slots=True)
class ClusterWhy:
    """One cluster: the decision there, and the cost of one replica more or less."""

    decision: ClusterDecision
    """Decision with its reason, as `Outcome.decisions` has it."""
    candidate: bool
    """False where the cluster is not eligible; the decision says why."""
    more: Step | None = None
    """The best placement with one replica more; None where the cluster is not eligible, or where there is no
    placement at all."""
    less: Step | None = None
    """The best placement with one replica less; None as for `more`."""


@dataclass(frozen=True, slots=True)
class Gain:
    """A bound that, moved by one, improves the answer."""

    action: str
    """Change of the bound, such as ``raising the maximum of member1 from 4 to 5``."""
    level: str
    """Name of the most important level that changes."""
    before: int | Fraction
    """Value of that level now."""
    gain: int | Fraction
    """Amount by which it is lower then; positive."""
    proven: bool = True
    """True where that is the best possible; False where it could be even lower."""
    source: Source | None = None
    """Where the bound was declared."""
    cluster: str | None = None
    """Cluster whose bound it is; None where it is no single cluster's."""

    @property
    def after(self) -> int | Fraction:
        """Value of that level then."""
        return self.before - self.gain


@dataclass(frozen=True, repr=False)
class Why(Answer):
    """Why a workload runs where it runs."""

    outcome: Outcome
    """The answer that is explained."""
    key: str
    """Key of the workload."""
    clusters: tuple[ClusterWhy, ...]
    """Every cluster of the problem in name order, or the one that was asked for."""
    gains: tuple[Gain, ...] = ()
    """Bounds that improve the answer when moved by one, the most important level and the greatest gain
    first."""
    tried: int = 0
    """Number of bounds that were tried."""
    untried: int = 0
    """Number of bounds that were left for lack of time, or because the answer itself is not proven best."""
    asked: str | None = None
    """The cluster that was asked for; None where all were."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Time by step: ``solve``, ``why``."""

    @property
    def workload(self) -> Workload:
        """The workload, with the rules of its affinity group."""
        return self.outcome.problem.workload(self.key)

    @property
    def available(self) -> str:
        """Karmada's sentence ``1/3 clusters are available: 2 cluster(s) ...``; empty where all are."""
        rule = self.workload.rule(Candidates)
        if rule is None or (rule.names and not rule.excluded):
            return ""
        return candidates.summarise(rule)
