"""What a script came to: the state after every event, its worth, and what it adds up to, by scheduler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from fairlead.models.answer import Answer
from fairlead.models.check import in_kept_group, violations_of
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Duplicated, Quota, Weights, duplicated, quota, total
from fairlead.models.rules.weights import cost
from fairlead.models.usage import usage
from fairlead.models.workload import Workload
from fairlead.solver.script.events import Script
from fairlead.solver.script.moments import Moment
from fairlead.solver.script.question import Placed, missing

GOOD_ENOUGH = Fraction(1, 100)
"""Gap up to which an answer counts as near enough to the best."""

Samples = Mapping[str, tuple[tuple[float, float], ...]]
"""By resource: used part of a cluster and for how many hours it was so."""


@dataclass(frozen=True, slots=True)
class Step:
    """One event, as one scheduler handled it."""

    at: datetime
    name: str
    """When it was, and what it is called."""
    hours: float
    """Hours until the next one."""
    due: int
    moved: int
    forced: int
    planned: int
    """Workloads that were looked at; replicas that were moved although they could have stayed, that were
    evicted, and that were moved by a plan."""
    planning: bool
    """Whether a plan was made."""
    missing: int
    waiting: int
    broken: int
    off: Fraction
    rules: Mapping[str, int]
    clusters: Fraction | None
    """See `fairlead.solver.script.judging.State`; `waiting` are replicas that are placed where there is no
    room for them."""
    disturbed: int
    """Workloads that were neither due nor evicted nor planned, and stand otherwise all the same."""
    seconds: float
    cpu: float
    """Seconds that the answer took, and seconds of all processors."""
    gap: Fraction | None
    gap_above: Fraction | None
    """The greatest gap of the answer, and of its levels above balance; None where it comes without bounds, or
    nothing was due."""


@dataclass(frozen=True)
class Handled:
    """A whole script, as one scheduler handled it: all events, and how full clusters were."""

    scheduler: str
    steps: tuple[Step, ...]
    samples: Samples = field(default_factory=dict)

    def _over_time(self, value: Callable[[Step], float]) -> float:
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
        """The same by kind of rule; a workload that breaks several counts for each."""
        kinds = sorted({kind for step in self.steps for kind in step.rules})
        return {kind: sum(step.rules.get(kind, 0) * step.hours for step in self.steps) for kind in kinds}

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
        return self._mean([(float(step.off), step.hours) for step in self.steps])

    @cached_property
    def clusters(self) -> float | None:
        """Clusters of a workload that should use few, on average over time; None where there is none."""
        found = [(float(step.clusters), step.hours) for step in self.steps if step.clusters is not None]
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
        """The same of the levels above balance."""
        return _share_of_good([step.gap_above for step in self.steps])

    def use(self, share: float) -> dict[str, float]:
        """Return how full clusters were by resource for this share of cluster-hours; 1 for the peak."""
        return {resource: weighted_quantile(samples, share) for resource, samples in self.samples.items()}

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


_MISSING = (total.KIND, duplicated.KIND)


class Worth(NamedTuple):
    """What the placement of one workload is worth."""

    missing: int = 0
    """Replicas that are wanted and stand nowhere."""
    standing: int = 0
    """Replicas that are placed."""
    rules: frozenset[str] = frozenset()
    """Kinds of its own rules that it breaks; that replicas are missing is not counted here."""
    off: Fraction = Fraction(0)
    """Replicas that would have to move for its static weights to hold, fractions among them."""
    clusters: int | None = None
    """Clusters that it uses, where it should use few; None where that does not matter."""


@dataclass(frozen=True, slots=True)
class State:
    """What runs, judged.

    Parameters
    ----------
    missing, off
        Summed over all workloads, see `Worth`.
    broken, rules
        Replicas of workloads that break a rule of their own, or ask more of a quota than it allows, in all
        and by kind of rule; one that breaks several counts for each.
    clusters
        Mean of the clusters that a workload uses that should use few; None where there is none.
    use
        Used part by cluster and resource; of what workloads may use together.
    """

    missing: int
    broken: int
    off: Fraction
    rules: Mapping[str, int]
    clusters: Fraction | None
    use: Mapping[tuple[str, str], Fraction]


@dataclass(slots=True)
class Judge:
    """Judges one state after the other, and every workload anew only where it has changed."""

    known: dict[str, tuple[Workload, Mapping[str, int], Worth]] = field(default_factory=dict)

    def state(self, moment: Moment, placed: Placed) -> State:
        """Judge what is placed."""
        fleet = moment.judged
        worths = {each.key: self._worth(each, placed.get(each.key, {})) for each in fleet.workloads}
        few = [one.clusters for one in worths.values() if one.clusters is not None]
        rows = usage(fleet.workloads, placed, fleet)
        over = _over_quota(fleet, placed)
        rules: Counter[str] = Counter()
        broken = 0
        for key, one in worths.items():
            kinds = one.rules | ({quota.KIND} if key in over else frozenset())
            rules.update(dict.fromkeys(kinds, one.standing))
            broken += one.standing if kinds else 0
        return State(
            sum(one.missing for one in worths.values()),
            broken,
            sum((one.off for one in worths.values()), Fraction(0)),
            dict(sorted(rules.items())),
            Fraction(sum(few), len(few)) if few else None,
            {row: Fraction(rows.get(row, 0), offered) for row, offered in moment.room.items() if offered},
        )

    def _worth(self, workload: Workload, placed: Mapping[str, int]) -> Worth:
        """Judge one workload, unless that is known."""
        found = self.known.get(workload.key)
        if found is not None and found[0] is workload and found[1] == placed:
            return found[2]
        worth = judged(workload, placed)
        self.known[workload.key] = workload, placed, worth
        return worth


def judged(workload: Workload, placed: Mapping[str, int]) -> Worth:
    """Judge one workload by the affinity group whose rules it keeps, whichever that is."""
    kept = in_kept_group(replace(workload, fresh=True, settled=False), placed)
    wrong = frozenset(one.rule for one in violations_of(kept, placed) if one.rule not in _MISSING)
    weights = kept.rule(Weights)
    standing = sum(placed.values())
    off = Fraction(0)
    if weights is not None and not weights.dynamic and kept.rule(Duplicated) is None:
        whole = replace(kept, replicas=standing)
        off = cost(weights, whole, placed, Deviation.L1) / 2
    few = kept.rule(Aggregated) is not None and standing > 0
    return Worth(
        missing(kept, placed),
        standing,
        wrong,
        off,
        sum(1 for count in placed.values() if count) if few else None,
    )


def _over_quota(fleet: Problem, placed: Placed) -> frozenset[str]:
    """Return the workloads that ask something of a quota that allows less than is placed."""
    placement = Placement(placed)
    return frozenset(
        workload.key
        for rule in fleet.rules
        if isinstance(rule, Quota) and any(True for _ in rule.violations(fleet, placement))
        for workload in fleet.workloads_in(rule.namespace)
        if quota.asked(rule, workload, placed.get(workload.key, {}))
    )
