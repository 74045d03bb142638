"""Problems and workloads with something else in the place of what they had, rules without some clusters."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar, assert_never

from fairlead.models.affinity_groups import settled_in
from fairlead.models.declared import FederatedUnit
from fairlead.models.kept import kept
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    BindingRule,
    Bounds,
    Candidates,
    Copies,
    CustomCost,
    Duplicated,
    Evenness,
    Grouped,
    GroupTotal,
    MovePrice,
    Moves,
    Price,
    Shares,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.shares import Group
from fairlead.models.workload import AffinityGroup, Workload

T = TypeVar("T")
R = TypeVar("R")
Rules = tuple[WorkloadRule, ...]


@kept
def in_full(problem: Problem) -> Problem:
    """Return a problem of which nothing gives way; the same one each time, with what is known of it."""
    return replace(problem, partial=False) if problem.partial else problem


def exchanged(every: Iterable[T], before: T, after: T) -> tuple[T, ...]:
    """Return clusters, workloads or rules with another one in the place of the very one that is given."""
    return tuple(after if each is before else each for each in every)


def with_each(every: Iterable[T], kind: type[R], change: Callable[[R], T]) -> tuple[T, ...]:
    """Return rules of which each of a kind was changed."""
    return tuple(change(each) if isinstance(each, kind) else each for each in every)


def sets_of_rules(workload: Workload) -> tuple[Rules, ...]:
    """Return the rules of a workload, then those of its affinity groups in order."""
    return (workload.rules, *(group.rules for group in workload.groups))


def every_rule(workload: Workload) -> Rules:
    """Return the rules of a workload and of all of its affinity groups."""
    return tuple(rule for rules in sets_of_rules(workload) for rule in rules)


def with_rules(workload: Workload, change: Callable[[Rules], Rules]) -> Workload:
    """Return a workload with changed rules, in every affinity group as well."""
    groups = tuple(replace(group, rules=change(group.rules)) for group in workload.groups)
    return replace(workload, rules=change(workload.rules), groups=groups)


def binding(rules: Rules) -> Rules:
    """Return the rules that must hold only."""
    return tuple(
        replace(rule, preferred=False) if isinstance(rule, Bounds) else rule
        for rule in rules
        if isinstance(rule, BindingRule)
    )


def without_preferences(workload: Workload) -> Workload:
    """Return a workload with the rules that must hold only, those of the affinity group that it has now."""
    return replace(workload, rules=binding(workload.rules), settled=True)


def among(problem: Problem, keys: Container[str]) -> Problem:
    """Return a problem of some of its workloads only."""
    return replace(problem, workloads=tuple(each for each in problem.workloads if each.key in keys))


def in_groups(problem: Problem, chosen: Mapping[str, AffinityGroup]) -> Problem:
    """Return a problem in which workloads have the affinity groups that were chosen for them, by key."""
    if not chosen:
        return problem
    workloads = tuple(
        settled_in(each, chosen[each.key]) if each.key in chosen else each for each in problem.workloads
    )
    return replace(problem, workloads=workloads)


def with_workload(problem: Problem, workload: Workload) -> Problem:
    """Return a problem with a workload in the place of the one that has its key."""
    return replace(problem, workloads=exchanged(problem.workloads, problem.workload(workload.key), workload))


V = TypeVar("V")
Closed = Mapping[str, Exclusion | None]
"""Clusters that take no replica of a workload any more, and why; None where they are gone."""


def without(rules: Rules, workload: Workload, closed: Closed) -> Rules:
    """Return the rules of a workload, or of one of its affinity groups, without some clusters.

    A rule that says nothing any more is left out, as the reader of manifests leaves it out.
    """
    reduced = (rule_without(rule, rules, workload, closed) for rule in rules)
    return tuple(rule for rule in reduced if rule is not None)


def rule_without(  # noqa: C901, PLR0912 - one case a rule
    rule: WorkloadRule, rules: Rules, workload: Workload, closed: Closed
) -> WorkloadRule | None:
    """Return one rule of several without some clusters; None where it says nothing any more."""
    names, gone = frozenset(closed), None in closed.values()
    match rule:
        case Candidates():
            return _candidates(rule, closed)
        case Duplicated():
            return replace(rule, copies=_left(rule.copies, names), ample=_left(rule.ample, names))
        case Bounds():
            return _bounds(rule, rules, names)
        case GroupTotal():
            return _group_total(rule, rules, names)
        case Grouped() | CustomCost():
            return rule.without(names, gone=gone)
        case Moves() | MovePrice():
            return _moved(rule, workload, names) if gone else rule
        case Tiers():
            return _tiers(rule, names)
        case Copies():
            return rule.without(names)
        case Price():
            return replace(rule, prices=_left(rule.prices, names))
        case Shares():
            return replace(rule, depths=_depths(rule.depths, names))
        case Weights():
            return _weights(rule, workload, names)
        case Evenness():
            return Evenness(tuple(name for name in rule.clusters if name not in names))
        case Total() | Aggregated():
            return rule
        case _:
            assert_never(rule)


def _candidates(rule: Candidates, closed: Closed) -> Candidates:
    """Exclude candidates; what was excluded before keeps its reason, now for good, unless it is gone."""
    names = tuple(name for name in rule.names if name not in closed)
    gone = {name for name, exclusion in closed.items() if exclusion is None}
    added = {name: why for name, why in closed.items() if why is not None and name in rule.names}
    before = {name: each.for_good() if name in closed else each for name, each in rule.excluded.items()}
    excluded = _left({**before, **added}, gone)
    return Candidates(
        names, {name: excluded[name] for name in sorted(excluded)}, _left(rule.held_only, closed.keys())
    )


def _bounds(rule: Bounds, rules: Rules, names: AbstractSet[str]) -> Bounds | None:
    """Drop the bounds of clusters; the minima of a tier that has become the first bind always."""
    minimum, maximum = _left(rule.minimum, names), _left(rule.maximum, names)
    if (rule.minimum or rule.maximum) and not (minimum or maximum):
        return None
    tiers = next((one.tiers for one in rules if isinstance(one, Tiers)), None)
    where_held = rule.where_held - names
    if tiers is not None and rule.where_held == _later(tiers):
        where_held = _later(_nonempty(tiers, names))
    preferred = rule.preferred and bool(minimum or not rule.minimum)
    return replace(rule, minimum=minimum, maximum=maximum, where_held=where_held, preferred=preferred)


def _later(tiers: Sequence[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*tiers[1:])


def _group_total(rule: GroupTotal, rules: Rules, names: AbstractSet[str]) -> GroupTotal | None:
    """Take clusters out of a set.

    A minimum that is stated for a set cannot be met once the set is empty, and stays, so that the conflict
    names it. One that is stated for every region (or zone, ...) binds the regions that there are.
    """
    left = rule.clusters - names
    if rule.clusters and not left and (not rule.minimum or one_of_many(rule, rules, names)):
        return None
    return replace(rule, clusters=left)


def one_of_many(rule: GroupTotal, rules: Rules, names: AbstractSet[str]) -> bool:
    """Tell whether a set that is emptied is one of several for which one line states the same bounds."""
    if not rule.clusters or rule.clusters - names or rule.source is None or not rule.grouped_by:
        return False  # parsed documents have no lines
    if rule.minimum == rule.maximum and any(isinstance(one, Evenness) for one in rules):
        return False  # specified replicas: every total counts by itself
    stated = rule.source, rule.minimum, rule.maximum, rule.grouped_by
    return any(
        stated == (one.source, one.minimum, one.maximum, one.grouped_by)
        for one in rules
        if isinstance(one, GroupTotal) and one is not rule
    )


def _moved(rule: Moves | MovePrice, workload: Workload, names: AbstractSet[str]) -> Moves | MovePrice | None:
    """Count what runs on clusters that are gone as stopped already."""
    present = rule.present - names
    if isinstance(rule, Moves) and present.isdisjoint(workload.current):
        return None
    return replace(rule, present=present)


def _tiers(rule: Tiers, names: AbstractSet[str]) -> Tiers | None:
    """Return the tiers that still have clusters; a single one puts nothing into order."""
    kept = [position for position, tier in enumerate(rule.tiers) if tier - names]
    if len(kept) < 2:
        return None
    sources = tuple(rule.sources[position] for position in kept if position < len(rule.sources))
    return Tiers(_nonempty(rule.tiers, names), sources)


def _nonempty(tiers: Sequence[frozenset[str]], names: AbstractSet[str]) -> tuple[frozenset[str], ...]:
    return tuple(tier - names for tier in tiers if tier - names)


def _weights(rule: Weights, workload: Workload, names: AbstractSet[str]) -> Weights:
    """Drop the weights of clusters; the room of the others stays as it is."""
    weights = _left(rule.weights, names)
    tiers = _nonempty(rule.tiers, names)
    # KubeAdmiral weighs workloads that request nothing by free cpu, and alike where nothing is free.
    by_cpu = rule.dynamic and not workload.requests and isinstance(workload.declared, FederatedUnit)
    if by_cpu and any(rule.weights.values()) and not any(weights.values()):
        weights = dict.fromkeys(weights, 1)
    return replace(rule, weights=weights, tiers=tiers if len(tiers) > 1 else ())


def _depths(depths: Sequence[tuple[Group, ...]], names: AbstractSet[str]) -> tuple[tuple[Group, ...], ...]:
    """Divide the share of groups that are gone among their siblings, in the ratio of these."""
    found: list[tuple[Group, ...]] = []
    around: Sequence[tuple[Group, Fraction]] = ()
    for groups in depths:
        whole = frozenset[str]().union(*(group.clusters for group in groups))
        shared = []
        for parent, share in around if found else ((Group("", whole, _sum(groups)), _sum(groups)),):
            inside = [group for group in groups if group.clusters and group.clusters <= parent.clusters]
            left = [group for group in inside if group.clusters - names]
            kept = share * (_sum(inside) / parent.share) if parent.share else Fraction(0)
            after = _sum(left)
            shared += [(group, kept * group.share / after if after else Fraction(0)) for group in left]
        found.append(tuple(replace(old, clusters=old.clusters - names, share=share) for old, share in shared))
        around = shared
    return tuple(found)


def _sum(groups: Sequence[Group]) -> Fraction:
    return sum((group.share for group in groups), Fraction(0))


def _left(values: Mapping[str, V], names: AbstractSet[str]) -> dict[str, V]:
    return {name: value for name, value in values.items() if name not in names}
