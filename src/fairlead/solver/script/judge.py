"""Placements judged: missing replicas, broken rules, and how full clusters are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from fairlead.models.check import in_kept_group, violations_of
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Duplicated, Quota, Weights, duplicated, quota, total
from fairlead.models.rules.weights import cost
from fairlead.models.usage import usage
from fairlead.models.workload import Workload
from fairlead.solver.script.moments import ScriptMoment
from fairlead.solver.script.question import Placed, as_it_stands, missing

_MISSING = (total.KIND, duplicated.KIND)


class PlacementQuality(NamedTuple):
    """Quality of the placement of one workload."""

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
class FleetQuality:
    """Quality of all placements after an event."""

    missing: Mapping[str, int]
    """Replicas that are wanted and stand nowhere, by workload."""
    broken: Mapping[str, int]
    """Replicas of workloads that break a rule of their own, or ask more of a quota than it allows."""
    rules: Mapping[str, int]
    """Replicas of such workloads by kind of rule; a workload that breaks several counts for each."""
    off: Fraction
    """Replicas off their static weights, see `PlacementQuality`."""
    clusters: Fraction | None
    """Mean of the clusters that a workload uses that should use few; None where there is none."""
    use: Mapping[str, tuple[float, ...]]
    """Used part of every cluster by resource; of what workloads may use together."""


@dataclass(slots=True)
class QualityJudge:
    """Judges one state after the other, and every workload anew only where it has changed."""

    known: dict[str, tuple[Workload, Mapping[str, int], PlacementQuality]] = field(default_factory=dict)

    def state(self, moment: ScriptMoment, placed: Placed) -> FleetQuality:
        """Judge what is placed."""
        fleet = moment.judged
        worths = {each.key: self._worth(each, placed.get(each.key, {}), fleet) for each in fleet.workloads}
        few = [one.clusters for one in worths.values() if one.clusters is not None]
        over = _over_quota(fleet, placed)
        rules: Counter[str] = Counter()
        broken: dict[str, int] = {}
        for key, one in worths.items():
            kinds = one.rules | ({quota.KIND} if key in over else frozenset())
            rules.update(dict.fromkeys(kinds, one.standing))
            if kinds and one.standing:
                broken[key] = one.standing
        return FleetQuality(
            {key: one.missing for key, one in worths.items() if one.missing},
            broken,
            dict(sorted(rules.items())),
            sum((one.off for one in worths.values()), Fraction(0)),
            Fraction(sum(few), len(few)) if few else None,
            _used(moment, placed),
        )

    def _worth(self, workload: Workload, placed: Mapping[str, int], fleet: Problem) -> PlacementQuality:
        """Judge one workload, unless that is known."""
        found = self.known.get(workload.key)
        if found is not None and found[0] is workload and found[1] == placed:
            return found[2]
        worth = judged(as_it_stands(workload, placed, fleet), placed)
        self.known[workload.key] = workload, placed, worth
        return worth


def judged(workload: Workload, placed: Mapping[str, int]) -> PlacementQuality:
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
    return PlacementQuality(
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


def _used(moment: ScriptMoment, placed: Placed) -> dict[str, tuple[float, ...]]:
    """Return the used part of every cluster by resource, of what workloads may use together."""
    rows = usage(moment.judged.workloads, placed, moment.judged)
    found: dict[str, list[float]] = {}
    for row, offered in sorted(moment.room.items()):
        if offered:
            found.setdefault(row[1], []).append(rows.get(row, 0) / offered)
    return {resource: tuple(parts) for resource, parts in found.items()}
