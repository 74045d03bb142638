"""Rules of a workload once clusters are closed to it, or gone: what every kind of rule still says."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar, assert_never

from fairlead.models.declared import FederatedUnit
from fairlead.models.rules import (
    Aggregated,
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
from fairlead.models.statement import Statement
from fairlead.models.words import counted
from fairlead.models.workload import Workload

V = TypeVar("V")
Rules = tuple[WorkloadRule, ...]


@dataclass(frozen=True, slots=True)
class Closing:
    """Clusters that take no replica of a workload any more.

    Parameters
    ----------
    clusters
        Their names.
    exclusion
        Why they are no candidates, where they stay in the problem; None where they are gone from it.
    words
        What becomes of them, such as ``is being drained`` or ``is lost``.
    """

    clusters: frozenset[str]
    exclusion: Exclusion | None
    words: str


def without(rules: Rules, workload: Workload, closing: Closing) -> Rules:
    """Return the rules of a workload, or of one of its affinity groups, without some clusters.

    A rule that says nothing any more is left out, as the reader of manifests leaves it out.
    """
    reduced = (_without(rule, rules, workload, closing) for rule in rules)
    return tuple(rule for rule in reduced if rule is not None)


def holding_only(rules: Rules, held: AbstractSet[str], exclusion: Exclusion) -> Rules:
    """Return rules under which candidates take nothing new; each keeps at most what it holds now."""
    return tuple(_held(rule, held, exclusion) if isinstance(rule, Candidates) else rule for rule in rules)


def lost_requirements(rules: Rules, workload: Workload, closing: Closing) -> Iterator[Statement]:
    """Tell of minima that cannot bind any more because their clusters are closed or gone."""
    stuck = tuple(_stuck(rules, workload, closing))
    yield from stuck
    for rule in rules if workload.replicas and not stuck else ():
        if isinstance(rule, Bounds):
            for name, (fewest, source, _) in rule.minimum.items():
                if name in closing.clusters and fewest:
                    why = f"{name} {closing.words}"
                    text = f"{workload.key}: the minimum of {fewest} on {name} has no effect: {why}"
                    yield Statement("bounds", text, source, workload.key, name)
        elif isinstance(rule, GroupTotal) and _one_of_many(rule, rules, closing.clusters) and rule.minimum:
            why = f"every cluster in it {closing.words}"
            text = f"{workload.key}: the minimum of {rule.minimum} in {rule.name} has no effect: {why}"
            yield Statement("group-total", text, rule.source, workload.key)


def _stuck(rules: Rules, workload: Workload, closing: Closing) -> Iterator[Statement]:
    """Tell of replicas that are not started elsewhere, because nothing of the workload may change."""
    sticky = isinstance(workload.declared, FederatedUnit)
    if not sticky or any(isinstance(rule, Total | Duplicated) for rule in rules):
        return
    left = (set(rule.names) - closing.clusters for rule in rules if isinstance(rule, Candidates))
    if not any(left):
        return  # it runs nowhere any more, and is scheduled anew
    for name in sorted(closing.clusters & workload.current.keys()):
        text = (
            f"{workload.key}: {counted(workload.current[name], 'replica')} on {name}, which {closing.words}, "
            f"will not be started elsewhere: {workload.policy or 'its policy'} disables rescheduling"
        )
        yield Statement("rescheduling", text, workload.source, workload.key, name)


def _held(rule: Candidates, held: AbstractSet[str], exclusion: Exclusion) -> Candidates:
    """Let candidates take nothing new; where that is so already, the reason stays."""
    limited = {name: exclusion for name in rule.names if name in held}
    return replace(rule, held_only=_sorted({**limited, **rule.held_only}))


def _without(rule: WorkloadRule, rules: Rules, workload: Workload, closing: Closing) -> WorkloadRule | None:
    """Return one rule without clusters; None where it says nothing any more."""
    names = closing.clusters
    match rule:
        case Candidates():
            return _candidates(rule, closing)
        case Duplicated():
            return replace(rule, copies=_left(rule.copies, names), ample=_left(rule.ample, names))
        case Bounds():
            return _bounds(rule, rules, names)
        case GroupTotal():
            return _group_total(rule, rules, names)
        case Grouped() | CustomCost():
            return rule.without(names, gone=closing.exclusion is None)
        case Total() | Aggregated():
            return rule
        case Moves() | MovePrice() | Tiers() | Copies() | Price() | Shares() | Weights() | Evenness():
            return _preference(rule, workload, closing)
        case _:
            assert_never(rule)


Preference = Moves | MovePrice | Tiers | Copies | Price | Shares | Weights | Evenness
"""Rules about what is better."""


def _preference(rule: Preference, workload: Workload, closing: Closing) -> WorkloadRule | None:
    """Return one rule about what is better without clusters; None where it says nothing any more."""
    names = closing.clusters
    match rule:
        case Moves():
            return rule if closing.exclusion else _moves(rule, workload, names)
        case MovePrice():
            return rule if closing.exclusion else replace(rule, present=rule.present - names)
        case Tiers():
            return _tiers(rule, names)
        case Copies():
            return Copies(tuple(name for name in rule.ranking if name not in names))
        case Price():
            return replace(rule, prices=_left(rule.prices, names))
        case Shares():
            return replace(rule, depths=_depths(rule.depths, names))
        case Weights():
            return _weights(rule, workload, names)
        case Evenness():
            return Evenness(tuple(name for name in rule.clusters if name not in names))
        case _:
            assert_never(rule)


def _candidates(rule: Candidates, closing: Closing) -> Candidates:
    """Exclude candidates; what was excluded before keeps its reason."""
    names = tuple(name for name in rule.names if name not in closing.clusters)
    held_only = _left(rule.held_only, closing.clusters)
    if closing.exclusion is None:
        return Candidates(names, _left(rule.excluded, closing.clusters), held_only)
    added = {name: closing.exclusion for name in rule.names if name in closing.clusters}
    return Candidates(names, _sorted({**rule.excluded, **added}), held_only)


def _bounds(rule: Bounds, rules: Rules, names: AbstractSet[str]) -> Bounds | None:
    """Drop the bounds of clusters; the minima of a tier that has become the first bind always."""
    minimum, maximum = _left(rule.minimum, names), _left(rule.maximum, names)
    if (rule.minimum or rule.maximum) and not (minimum or maximum):
        return None
    later = next((_later(one.tiers) for one in rules if isinstance(one, Tiers)), None)
    where_held = rule.where_held - names
    if later is not None and rule.where_held == later:
        where_held = next(_later(_nonempty(one.tiers, names)) for one in rules if isinstance(one, Tiers))
    preferred = rule.preferred and bool(minimum or not rule.minimum)
    return replace(rule, minimum=minimum, maximum=maximum, where_held=where_held, preferred=preferred)


def _later(tiers: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the clusters beyond the first tier."""
    return frozenset[str]().union(*tiers[1:])


def _group_total(rule: GroupTotal, rules: Rules, names: AbstractSet[str]) -> GroupTotal | None:
    """Take clusters out of a set.

    A minimum that is stated for a set cannot be met once the set is empty, and stays, so that the conflict
    names it. One that is stated for every region (or zone, ...) binds the regions that there are.
    """
    left = rule.clusters - names
    if rule.clusters and not left and (not rule.minimum or _one_of_many(rule, rules, names)):
        return None
    return replace(rule, clusters=left)


def _one_of_many(rule: GroupTotal, rules: Rules, names: AbstractSet[str]) -> bool:
    """Tell whether a set that is emptied is one of several for which one line states the same bounds."""
    if not rule.clusters or rule.clusters - names or rule.source is None:
        return False
    if rule.minimum == rule.maximum and any(isinstance(one, Evenness) for one in rules):
        return False  # specified replicas: every total counts by itself
    return any(_stated_together(rule, one) for one in rules if one is not rule)


def _stated_together(rule: GroupTotal, other: WorkloadRule) -> bool:
    """Tell whether two totals were stated at once, as for every region; parsed documents have no lines."""
    if not isinstance(other, GroupTotal) or not rule.grouped_by:
        return False
    stated = ((each.source, each.minimum, each.maximum, each.grouped_by) for each in (rule, other))
    return len(set(stated)) == 1


def _moves(rule: Moves, workload: Workload, names: AbstractSet[str]) -> Moves | None:
    """Count what runs on clusters that are gone as stopped already."""
    present = rule.present - names
    if present.isdisjoint(workload.current):
        return None
    return replace(rule, present=present)


def _tiers(rule: Tiers, names: AbstractSet[str]) -> Tiers | None:
    """Return the tiers that still have clusters; a single one puts nothing into order."""
    kept = [position for position, tier in enumerate(rule.tiers) if tier - names]
    if len(kept) < 2:
        return None
    sources = tuple(rule.sources[position] for position in kept if position < len(rule.sources))
    return Tiers(tuple(rule.tiers[position] - names for position in kept), sources)


def _nonempty(tiers: Sequence[frozenset[str]], names: AbstractSet[str]) -> tuple[frozenset[str], ...]:
    """Return tiers without clusters, those that are not empty then."""
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
    for number, groups in enumerate(depths):
        whole = frozenset[str]().union(*(group.clusters for group in groups))
        parents = around if number else ((Group("", whole, _sum(groups)), _sum(groups)),)
        shared = [one for parent, share in parents for one in _siblings(parent, share, groups, names)]
        found.append(tuple(replace(old, clusters=old.clusters - names, share=share) for old, share in shared))
        around = shared
    return tuple(found)


def _siblings(
    parent: Group, share: Fraction, groups: Sequence[Group], names: AbstractSet[str]
) -> Iterator[tuple[Group, Fraction]]:
    """Yield the groups inside another one that still have clusters, with their part of its share."""
    inside = [group for group in groups if group.clusters and group.clusters <= parent.clusters]
    left = [group for group in inside if group.clusters - names]
    before, after = _sum(inside), _sum(left)
    kept = share * (before / parent.share) if parent.share else Fraction(0)
    for group in left:
        yield group, kept * group.share / after if after else Fraction(0)


def _sum(groups: Sequence[Group]) -> Fraction:
    """Return what groups have together."""
    return sum((group.share for group in groups), Fraction(0))


def _left(values: Mapping[str, V], names: AbstractSet[str]) -> dict[str, V]:
    """Return what is said of other clusters."""
    return {name: value for name, value in values.items() if name not in names}


def _sorted(values: Mapping[str, V]) -> dict[str, V]:
    """Return the same mapping in name order."""
    return {name: values[name] for name in sorted(values)}
