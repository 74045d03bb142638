"""Partial placements: rules that may give way, in which order, and rules that were broken before.

Candidates, maxima, capacity, quotas and companionship never give way. What gives way, the least important
first: replicas stay unplaced, then minima (of clusters and of sets of clusters) are missed, then spread and
survival. The workloads of a higher priority come before all others. Whatever runs now breaks a minimum
already: it is not made worse.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple, assert_never

from fairlead.models.check import check, in_kept_group, own_violations, required_by, sound, violations_of
from fairlead.models.in_order import Clusters, keep, kept
from fairlead.models.levels import BALANCE, MADE_WORSE, SHORTFALLS, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.requirement import GivesWay
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Duplicated,
    Grouped,
    GroupTotal,
    Preference,
    Total,
    WorkloadRule,
    duplicated,
    move_budget,
    total,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.statement import Violation
from fairlead.models.workload import Workload, Workloads, as_scheduled, running

# A workload that is being scaled breaks nothing, and budgets are about moves, of which there are none yet.
UNBROKEN = frozenset({total.KIND, duplicated.KIND, move_budget.KIND})
"""Kinds of rules that what runs now does not break."""

About = tuple[object, ...]
"""Which rule is broken where, see `Violation.about`."""


def refused(problem: Problem, placement: Placement) -> tuple[Violation, ...]:
    """Return the violations that a placement must not have; in a partial problem some rules give way."""
    found = check(problem, placement)
    return tuple(each for each in found if not each.gives_way) if problem.partial else found


class Shortfall(NamedTuple):
    """Rule of a workload that gave way in a placement, with the missing amount."""

    workload: Workload
    rule: WorkloadRule
    violation: Violation


def unmet(problem: Problem, placement: Placement) -> tuple[Violation, ...]:
    """Return the shortfalls of a placement, workload by workload."""
    return tuple(each.violation for each in lacking(problem, placement))


def lacking(problem: Problem, placement: Placement) -> Iterator[Shortfall]:
    """Yield the rules that gave way in a placement, workload by workload."""
    short = {each.workload for each in own_violations(problem, placement) if each.gives_way}
    for workload in problem.workloads if short else ():
        for rule in workload.rules if workload.key in short else ():
            for violation in violations_of(workload, placement.of(workload.key), (rule,)):
                if violation.gives_way:
                    yield Shortfall(workload, rule, violation)


def loosened(workload: Workload, names: Iterable[str]) -> Workload:
    """Return a workload without what its rules ask at least; what they allow at most stays."""
    everywhere = frozenset(names)
    rules = (_loosened(rule, workload, everywhere) for rule in workload.rules)
    return replace(workload, rules=tuple(rule for rule in rules if rule is not None))


def _loosened(rule: WorkloadRule, workload: Workload, everywhere: frozenset[str]) -> WorkloadRule | None:
    """Return one rule without what it asks at least; None where nothing is left of it."""
    if isinstance(rule, Preference):
        return rule
    match rule:
        case Total():
            return GroupTotal("all clusters", everywhere, 0, workload.replicas, rule.source, several=True)
        case Bounds():
            # A minimum of one where something is held binds nothing, but still tells which clusters have one.
            least = {
                name: Bound(min(1, bound.replicas), bound.source) for name, bound in rule.minimum.items()
            }
            return replace(rule, minimum=least, where_held=frozenset(least))
        case GroupTotal():
            return replace(rule, minimum=0)
        case Grouped():
            return rule.loosened()
        case Duplicated():
            return None
        case Candidates():
            return rule
        case _:
            assert_never(rule)


@kept
def shortfall_levels(problem: Problem) -> tuple[Level, ...]:
    """Return the levels that come before all others in a partial problem; none in any other."""
    if not problem.partial:
        return ()
    found = [MADE_WORSE] if broken_amounts(problem) else []
    told = problem.all_workloads.once(_may_fall_short)
    for priority in sorted({priority for priority, _ in told}, reverse=True):
        found.extend(Level(key, priority=priority) for key in SHORTFALLS if (priority, key) in told)
    return tuple(found)


def is_shortfall(level: Level) -> bool:
    """Tell whether a level counts what gave way."""
    return level.key in SHORTFALLS or level == MADE_WORSE


def name_of(level: Level, problem: Problem) -> str:
    """Return the name that people read: with the priority where the workloads of a problem have several."""
    several = len({workload.priority for workload in problem.workloads}) > 1
    return (
        f"{level.name} (priority {level.priority})"
        if several and level not in (MADE_WORSE, BALANCE)
        else level.name
    )


def shortfall_values(problem: Problem, placement: Placement) -> dict[Level, int]:
    """Return how much gave way in a placement.

    By level the sum of what is missing (replicas; groups where it is about spread); levels on which nothing
    is missing are absent. On the level ``made worse``: by how much every rule that what runs now breaks is
    broken more than now.
    """
    missing = tuple(lacking(problem, placement))
    found = {MADE_WORSE: made_worse(broken_amounts(problem), (each.violation for each in missing))}
    for workload, rule, violation in missing:
        level = Level(_falls_short_on(rule, workload), priority=workload.priority)
        found[level] = found.get(level, 0) + violation.amount
    return found


def made_worse(before: Mapping[About, int], after: Iterable[Violation]) -> int:
    """Return by how much rules that were broken before are broken more now."""
    now = amounts(after)
    return sum(max(0, now.get(about, 0) - amount) for about, amount in before.items())


def amounts(violations: Iterable[Violation]) -> dict[About, int]:
    """Return by how much rules are broken, by `Violation.about`."""
    found: dict[About, int] = {}
    for violation in violations:
        found[violation.about] = found.get(violation.about, 0) + violation.amount
    return found


@kept
def broken_amounts(problem: Problem) -> Mapping[About, int]:
    """Return by how much what runs now breaks rules that give way; all others are repaired in any answer."""
    return problem.all_workloads.once(_broken_by, problem.all_clusters)


def _broken_by(workloads: Workloads, clusters: Clusters) -> Mapping[About, int]:
    known, there = sound(workloads), clusters.by_name
    some = (each for each in workloads if each.groups or each.key not in known)
    return amounts(violation for workload in some for violation in _lacking_before(workload, there))


def _lacking_before(workload: Workload, clusters: Container[str]) -> Iterator[Violation]:
    """Yield the shortfalls where a workload runs now; as in `broken_before`."""
    held = running(workload, clusters)
    if not held:
        return
    scheduled = in_kept_group(as_scheduled(workload), held)
    asking = (rule for rule in scheduled.rules if not isinstance(rule, Total | Duplicated | Candidates))
    for violation in violations_of(scheduled, held, asking):
        if violation.gives_way:
            yield violation


def broken_before(problem: Problem) -> tuple[Violation, ...]:
    """Return the rules that what runs now breaks.

    Totals are left out, as scaling is no breach; so is everything about workloads of which nothing runs, and
    what runs on clusters that are not in the input.
    """
    held = Placement({each.key: running(each, problem.cluster_by_name) for each in problem.workloads})
    if not any(held.values()):
        return ()
    return tuple(
        violation
        for violation in check(all_as_scheduled(problem), held)
        if violation.rule not in UNBROKEN and (violation.workload is None or held.of(violation.workload))
    )


def still_broken(problem: Problem, placement: Placement) -> tuple[Violation, ...]:
    """Return the violations of a placement that the replicas running now have as well."""
    before = {violation.about for violation in broken_before(problem)}
    return tuple(each for each in check(problem, placement) if each.about in before) if before else ()


def all_as_scheduled(problem: Problem) -> Problem:
    """Return a problem of which is judged what runs now; the same one where nobody chooses among groups."""
    if not any(workload.groups for workload in problem.workloads):
        return problem
    judged = Workloads(as_scheduled(each) for each in problem.workloads)
    keep(judged, sound, sound(problem.all_workloads))  # that looks at no other group
    return replace(problem, workloads=judged)


def _may_fall_short(workloads: Workloads) -> frozenset[tuple[int, str]]:
    """Return priorities, and levels on which rules of theirs may give way; those of a kind share one."""
    found: dict[tuple[int, type], str] = {}
    for each in workloads:
        for rule in each.rules:
            if not found.get((each.priority, type(rule))):
                found[each.priority, type(rule)] = _falls_short_on(rule, each)
    return frozenset((priority, key) for (priority, _), key in found.items() if key)


def _falls_short_on(rule: WorkloadRule, workload: Workload) -> str:
    """Return the key of the level on which counts what a rule is short of; empty where it never gives way."""
    if isinstance(rule, Bounds) and not rule.minimum:
        return ""  # what is required at most never gives way, and is much where many clusters have a maximum
    asked = required_by(rule, workload, ())
    return next((each.kind.level for each in asked if each.gives_way is not GivesWay.NEVER), "")
