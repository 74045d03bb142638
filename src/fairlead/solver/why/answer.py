"""Why a workload runs where it runs, and what anything else would cost. Pure data."""

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
    """Replicas of one workload that run elsewhere in the other placement.

    Attributes
    ----------
    workload
        Key of the workload.
    replicas
        How many.
    start
        Cluster that gives them up; None where they are placed in addition.
    end
        Cluster that takes them; None where they are not placed at all.
    """

    workload: str
    replicas: int
    start: str | None
    end: str | None


class Step(NamedTuple):
    """The best placement in which a cluster holds at least one replica more, or at least one less.

    Attributes
    ----------
    possible
        Whether there is one.
    replicas
        What the cluster holds in it; None where none is known. It may differ by more than one, where a
        minimum binds as soon as anything is held.
    level
        Name of the most important level that changes; None where none does, or where none is known.
    before
        Value of that level in the answer; None where `level` is.
    change
        By how much it is worse in the other placement; 0 where no level changes, None where nothing is known.
        Negative only where the answer was not proven best.
    proven
        True where no placement of that kind costs less, and the answer itself is proven best that far.
    shifts
        What runs elsewhere then, the workload's own replicas first.
    reason
        Where it is not possible or not known: why, in the user's words.
    source
        Where the rule that forbids it was declared; None where no single one does.
    """

    possible: Possible
    replicas: int | None = None
    level: str | None = None
    before: int | Fraction | None = None
    change: int | Fraction | None = None
    proven: bool = False
    shifts: tuple[Shift, ...] = ()
    reason: str = ""
    source: Source | None = None

    @property
    def after(self) -> int | Fraction | None:
        """Value of the level in the other placement; None where `before` is."""
        return None if self.before is None or self.change is None else self.before + self.change


@dataclass(frozen=True, slots=True)
class ClusterWhy:
    """One cluster: what was decided there, and what one replica more or less would cost.

    Parameters
    ----------
    decision
        What was decided and why, as `Outcome.decisions` has it.
    candidate
        False where the cluster is not eligible; the decision says why.
    more, less
        The best placement with one replica more, and with one less; None where the cluster is no candidate,
        or where there is no placement at all.
    """

    decision: ClusterDecision
    candidate: bool
    more: Step | None = None
    less: Step | None = None


@dataclass(frozen=True, slots=True)
class Gain:
    """A bound that, moved by one, improves the answer.

    Parameters
    ----------
    action
        What would be done, such as ``raising the maximum of member1 from 4 to 5``.
    level
        Name of the most important level that changes.
    before
        Its value now.
    gain
        By how much it is lower then; positive.
    proven
        True where that is the best possible; False where it could be even lower.
    source
        Where the bound was declared.
    cluster
        Cluster whose bound it is; None where it is no single cluster's.
    """

    action: str
    level: str
    before: int | Fraction
    gain: int | Fraction
    proven: bool = True
    source: Source | None = None
    cluster: str | None = None

    @property
    def after(self) -> int | Fraction:
        """Its value then."""
        return self.before - self.gain


@dataclass(frozen=True, repr=False)
class Why(Answer):
    """Why a workload runs where it runs.

    Parameters
    ----------
    outcome
        The answer that is explained.
    key
        Key of the workload.
    clusters
        Every cluster of the problem in name order, or the one that was asked for.
    gains
        Bounds that improve the answer when moved by one, the most important level and the greatest gain
        first.
    tried
        How many bounds were tried.
    untried
        How many were left for lack of time, or because the answer itself is not proven best.
    asked
        The cluster that was asked for; None where all were.
    seconds
        Time by step: ``solve``, ``why``.
    """

    outcome: Outcome
    key: str
    clusters: tuple[ClusterWhy, ...]
    gains: tuple[Gain, ...] = ()
    tried: int = 0
    untried: int = 0
    asked: str | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

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
