"""Rules of a workload after clusters are closed to it, and after they are opened."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar, assert_never

from fairlead.models.cluster import Cluster
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
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.capacity import room
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.source import FederatedUnit
from fairlead.models.variants import Rules
from fairlead.models.workload import Workload

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
            sizes, ample = _left(rule.copies, names), _left(rule.ample, names)
            return replace(rule, copies=sizes, ample=ample, least=_left(rule.least, names))
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


def _depths(
    depths: Sequence[tuple[ShareGroup, ...]], names: AbstractSet[str]
) -> tuple[tuple[ShareGroup, ...], ...]:
    """Divide the share of groups that are gone among their siblings, in the ratio of these."""
    found: list[tuple[ShareGroup, ...]] = []
    around: Sequence[tuple[ShareGroup, Fraction]] = ()
    for groups in depths:
        whole = frozenset[str]().union(*(group.clusters for group in groups))
        shared = []
        for parent, share in around if found else ((ShareGroup("", whole, _sum(groups)), _sum(groups)),):
            inside = [group for group in groups if group.clusters and group.clusters <= parent.clusters]
            left = [group for group in inside if group.clusters - names]
            kept = share * (_sum(inside) / parent.share) if parent.share else Fraction(0)
            after = _sum(left)
            shared += [(group, kept * group.share / after if after else Fraction(0)) for group in left]
        found.append(tuple(replace(old, clusters=old.clusters - names, share=share) for old, share in shared))
        around = shared
    return tuple(found)


def _sum(groups: Sequence[ShareGroup]) -> Fraction:
    return sum((group.share for group in groups), Fraction(0))


def _left(values: Mapping[str, V], names: AbstractSet[str]) -> dict[str, V]:
    return {name: value for name, value in values.items() if name not in names}


def rule_opened(  # noqa: C901 - one case a rule
    rule: WorkloadRule, before: Candidates, clusters: Mapping[str, Cluster], workload: Workload
) -> WorkloadRule:
    """Return a rule that knows some more clusters, as far as it tells of itself what holds there."""
    if not clusters:
        return rule
    new, names = tuple(clusters), before.names
    match rule:
        case Bounds():
            lowest, highest = _common(rule.minimum, names), _common(rule.maximum, names)
            chosen = bool(rule.where_held) and rule.where_held.issuperset(names)
            return replace(
                rule,
                minimum={**rule.minimum, **(dict.fromkeys(new, lowest) if lowest else {})},
                maximum={**rule.maximum, **(dict.fromkeys(new, highest) if highest else {})},
                where_held=rule.where_held.union(new) if chosen else rule.where_held,
            )
        case Grouped() | CustomCost():
            return rule.opened(clusters.values())
        case GroupTotal():
            inside = (rule.closed or frozenset()).intersection(clusters)
            return replace(rule, clusters=rule.clusters | inside)
        case Tiers():
            return replace(rule, tiers=(*rule.tiers[:-1], rule.tiers[-1].union(new)))
        case Copies():
            return replace(rule, ranking=(*rule.ranking, *((name,) for name in new)))
        case Evenness():
            return replace(rule, clusters=tuple(sorted((*rule.clusters, *new))))
        case Weights():
            return _weighed(rule, clusters, workload)
        case Price() if rule.everywhere is not None:
            known = rule.everywhere
            return replace(rule, prices={**rule.prices, **{one: known[one] for one in new if one in known}})
        case (
            Aggregated() | Candidates() | Duplicated() | MovePrice() | Moves() | Price() | Shares() | Total()
        ):
            return rule
        case _:
            assert_never(rule)


def _common(bounds: Mapping[str, Bound], names: tuple[str, ...]) -> Bound | None:
    """Return the bound that all candidates have from one line; None where they differ."""
    found = {bounds.get(name) for name in names}
    return found.pop() if len(found) == 1 else None


def _weighed(rule: Weights, clusters: Mapping[str, Cluster], workload: Workload) -> Weights:
    """Weigh clusters that were opened."""
    least = min((weight for weight in rule.weights.values() if weight), default=1)
    rooms = {name: room(workload, cluster) or 0 for name, cluster in clusters.items()}
    more = rooms if rule.dynamic else dict.fromkeys(clusters, least)
    tiers = (*rule.tiers[:-1], rule.tiers[-1].union(clusters)) if rule.tiers else ()
    return replace(rule, weights={**rule.weights, **more}, tiers=tiers)
