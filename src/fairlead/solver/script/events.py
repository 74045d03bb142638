"""Scripts: dated events, each with the changes of the fleet then. Pure data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from operator import attrgetter

from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.solver.simulate.changes import At, Scale


class Closure(StrEnum):
    """Ways to close clusters, or to open them again."""

    CORDON = "cordon"
    DRAIN = "drain"
    LOSE = "lose"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class ClosedClusters:
    """Clusters are closed in one way, until they are restored."""

    turn: Closure
    """Way in which they are closed, or ``restore``."""
    name: str
    """Name of the cluster; of the region, zone or provider; value of the label."""
    field: str = "cluster"
    """``cluster``, ``region``, ``zone``, ``provider`` or the key of a label."""


@dataclass(frozen=True, slots=True)
class OtherManifests:
    """From now on the fleet is what other manifests describe together.

    What runs in them counts only for workloads that are new. What the script has scaled stays scaled, and
    what it has closed stays closed.
    """

    problem: Problem


@dataclass(frozen=True, slots=True)
class Rebalance:
    """Whoever plans may move replicas that are not due: so many, or a share of what runs such as ``2%``."""

    budget: int | str


ScriptChange = ClosedClusters | Scale | At | OtherManifests | Rebalance
"""Changes that a script can ask for; closed."""


@dataclass(frozen=True, slots=True)
class ScriptEvent:
    """Event of a script: its time, its changes in order, and a name, which may be empty."""

    at: datetime
    steps: tuple[ScriptChange, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """Events in the order of time.

    Raises `UsageError` where there is no event, or one comes too late.
    """

    name: str
    """Name of the script, as people call it."""
    events: tuple[ScriptEvent, ...]
    """At least one; none before the one it follows."""
    end: datetime
    """Up to when the last state counts; not before the last event."""

    def __post_init__(self) -> None:
        times = [event.at for event in self.events]
        if not times:
            raise UsageError("a script needs at least one event")
        if [*times, self.end] != sorted([*times, self.end]):
            raise UsageError("the events of a script come in the order of time, the end after the last one")

    @property
    def hours(self) -> float:
        """Hours from the first event to the end."""
        return (self.end - self.events[0].at).total_seconds() / 3600

    def by_time(self) -> Iterator[tuple[ScriptEvent, float]]:
        """Yield events with the hours until the next one; those of one moment are one event."""
        together = [
            ScriptEvent(
                at,
                tuple(step for event in same for step in event.steps),
                ", ".join(dict.fromkeys(event.name for event in same if event.name)),
            )
            for at, same in ((at, list(same)) for at, same in groupby(self.events, key=attrgetter("at")))
        ]
        ends = [*(event.at for event in together[1:]), self.end]
        for event, end in zip(together, ends, strict=True):
            yield event, (end - event.at).total_seconds() / 3600
