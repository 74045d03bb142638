"""Results of a script: every event as it was handled, and sums over all, by scheduler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cached_property

from fairlead.models.answer import Answer
from fairlead.solver.script.events import Script
from fairlead.solver.script.judge import FleetQuality

GOOD_ENOUGH = Fraction(1, 100)
"""Gap up to which an answer counts as near enough to the best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandledEvent:
    """One event, as one scheduler handled it."""

    at: datetime
    name: str
    """Time and name of the event."""
    hours: float
    """Hours until the next one."""
    due: int
    """Workloads that were looked at."""
    moved: int
    """Replicas that were moved although they could have stayed, those of a plan not counted."""
    forced: int
    """Replicas that were evicted."""
    planned: int
    """Replicas that a plan moved."""
    planning: bool
    """Whether a plan was made."""
    state: FleetQuality
    waits: Mapping[str, int]
    """Replicas that are placed where there is no room for them, by workload."""
    reasons: Mapping[str, str]
    """Why not all of a workload was placed when it was looked at last, by workload."""
    disturbed: int
    """Workloads that were neither due nor evicted nor planned, and stand otherwise all the same."""
    seconds: float
    """Seconds that the answer took."""
    cpu: float
    """Seconds of all processors that the answer took."""
    gap: Fraction | None
    """The greatest gap of the answer; None where it comes without bounds, or nothing was due."""
    gap_above: Fraction | None
    """The greatest gap of the levels above balance; None as for `gap`."""

    @property
    def missing(self) -> int:
        """Replicas that are wanted and stand nowhere."""
        return sum(self.state.missing.values())

    @property
    def waiting(self) -> int:
        """Replicas that are placed where there is no room for them."""
        return sum(self.waits.values())

    @property
    def broken(self) -> int:
        """Replicas of workloads that break a rule."""
        return sum(self.state.broken.values())

    @property
    def pending(self) -> dict[str, int]:
        """Replicas that do not run by workload, missing or waiting."""
        return dict(sorted((Counter(self.state.missing) + Counter(self.waits)).items()))


@dataclass(frozen=True)
class Handled:
    """A whole script, as one scheduler handled it: all events."""

    scheduler: str
    steps: tuple[HandledEvent, ...]

    def _over_time(self, value: Callable[[HandledEvent], float]) -> float:
        """Add a number up over time."""
        return sum(value(step) * step.hours for step in self.steps)

    @cached_property
    def pending_hours(self) -> float:
        """Replica-hours that did not run: nowhere placed, or placed where there was no room."""
        return self._over_time(lambda step: step.missing + step.waiting)

    @cached_property
    def waiting_hours(self) -> float:
        """Replica-hours that were placed above what clusters have."""
        return self._over_time(lambda step: step.waiting)

    @cached_property
    def broken_hours(self) -> float:
        """Replica-hours of workloads that broke a rule of their own, or a quota."""
        return self._over_time(lambda step: step.broken)

    @cached_property
    def broken_by_rule(self) -> dict[str, float]:
        """Replica-hours of `broken_hours` by kind of rule; a workload that breaks several counts for each."""
        found: Counter[str] = Counter()
        for step in self.steps:
            found.update({kind: count * step.hours for kind, count in step.state.rules.items()})
        return dict(sorted(found.items()))

    @cached_property
    def moved(self) -> int:
        """Replicas that were moved although they could have stayed, those of plans among them."""
        return sum(step.moved + step.planned for step in self.steps)

    @cached_property
    def forced(self) -> int:
        """Replicas that were evicted."""
        return sum(step.forced for step in self.steps)

    @cached_property
    def disturbed(self) -> int:
        """Workloads that stood otherwise after an event without being due, summed over the events."""
        return sum(step.disturbed for step in self.steps)

    @cached_property
    def off(self) -> float:
        """Replicas off their static weights, on average over time."""
        return self._mean([(float(step.state.off), step.hours) for step in self.steps])

    @cached_property
    def clusters(self) -> float | None:
        """Clusters of a workload that should use few, on average over time; None where there is none."""
        counted = ((step.state.clusters, step.hours) for step in self.steps)
        found = [(float(count), hours) for count, hours in counted if count is not None]
        return self._mean(found) if found else None

    @cached_property
    def seconds(self) -> tuple[float, ...]:
        """Seconds of computing by event where anything was due, the shortest first."""
        return tuple(sorted(step.seconds for step in self.steps if step.due or step.planning))

    @cached_property
    def proven(self) -> float | None:
        """Share of answers that are proven or within 1 % of the best; None for answers without bounds."""
        return _share_of_good([step.gap for step in self.steps])

    @cached_property
    def proven_above(self) -> float | None:
        """Share of answers that are proven, or nearly, on the levels above balance; None as for `proven`."""
        return _share_of_good([step.gap_above for step in self.steps])

    def use(self, share: float) -> dict[str, float]:
        """Return how full clusters were by resource for this share of cluster-hours; 1 for the peak."""
        resources = sorted({resource for step in self.steps for resource in step.state.use})
        return {
            resource: weighted_quantile(
                ((part, step.hours) for step in self.steps for part in step.state.use.get(resource, ())),
                share,
            )
            for resource in resources
        }

    @staticmethod
    def _mean(values: Iterable[tuple[float, float]]) -> float:
        """Return an average over hours."""
        found = list(values)
        hours = sum(each for _, each in found)
        return sum(value * each for value, each in found) / hours if hours else 0.0


def _share_of_good(gaps: Iterable[Fraction | None]) -> float | None:
    """Return the share of the gaps that are small; None of none."""
    known = [gap for gap in gaps if gap is not None]
    return sum(gap <= GOOD_ENOUGH for gap in known) / len(known) if known else None


def quantile(ordered: tuple[float, ...], share: float) -> float:
    """Return the value that so large a share of ordered values does not exceed; 0 of none."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def weighted_quantile(samples: Iterable[tuple[float, float]], share: float) -> float:
    """Return the value that so large a share of the weight does not exceed; 0 of none."""
    ordered = sorted(samples)
    left = share * sum(weight for _, weight in ordered)
    value = 0.0
    for value, weight in ordered:  # noqa: B007 - the last one counts
        left -= weight
        if left <= 0:
            break
    return value


@dataclass(frozen=True, repr=False)
class Played(Answer):
    """A script, as several schedulers handled it, in the order asked for."""

    script: Script
    handled: tuple[Handled, ...]
