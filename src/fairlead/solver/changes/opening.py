"""What tolerating a taint does: it opens clusters, and every rule of the workload has to know them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from fairlead.models.cluster import Cluster, Taint
from fairlead.models.problem import Problem
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
from fairlead.models.workload import Workload


def tolerated(
    rules: tuple[WorkloadRule, ...], taint: Taint, workload: Workload, problem: Problem
) -> tuple[WorkloadRule, ...]:
    """Return the rules of a workload that tolerates one taint more.

    A cluster that only tolerated taints kept closed becomes a candidate: it counts in every spread
    constraint and in what has to survive as its region, zone, provider or label says, and it has the bounds
    and is in the sets that the manifests name it for. Where these are not known, it has the bounds that all
    candidates have from the same line, and is in no set. It belongs to the last overflow tier. Its static
    weight is not known here; it gets the least that any candidate has. Where taints are left that only keep
    away what is new, the workload keeps what it holds there.


    """
    found = next((rule for rule in rules if isinstance(rule, Candidates)), None)
    if found is None:
        return rules
    left = {name: _without(exclusion, taint) for name, exclusion in found.excluded.items()}
    stays = {
        name: each
        for name, each in left.items()
        if len(each.taints) < len(found.excluded[name].taints)
        and _may_stay(each, workload.current.get(name, 0))
    }
    opened = [
        name
        for name, each in left.items()
        if found.excluded[name].taints and (not each.taints or name in stays)
    ]
    kept = {name: _without(exclusion, taint) for name, exclusion in found.held_only.items()}
    candidates = Candidates(
        tuple(sorted((*found.names, *opened))),
        {name: exclusion for name, exclusion in left.items() if name not in opened},
        {
            **{name: each for name, each in kept.items() if each.taints or not found.held_only[name].taints},
            **stays,
        },
        _still_closed(found.opening, opened),
    )
    clusters = {name: problem.cluster_by_name[name] for name in opened}
    after = (candidates if rule is found else _opened(rule, found, clusters, workload) for rule in rules)
    return _bounded(tuple(after), found.opening or (), opened)


def _bounded(
    rules: tuple[WorkloadRule, ...], declared: Sequence[Bounds | GroupTotal], opened: Sequence[str]
) -> tuple[WorkloadRule, ...]:
    """Return rules with what manifests declare for clusters that were opened."""
    found = list(rules)
    for rule in declared if opened else ():
        match rule:
            case Bounds():
                low = {name: bound for name, bound in rule.minimum.items() if name in opened}
                high = {name: bound for name, bound in rule.maximum.items() if name in opened}
                known = next((each for each in found if isinstance(each, Bounds)), Bounds())
                held = known.where_held.union(rule.where_held.intersection(opened))
                low, high = {**known.minimum, **low}, {**known.maximum, **high}
                found = [each for each in found if each is not known]
                found += [replace(known, minimum=low, maximum=high, where_held=held)] if low or high else []
            case GroupTotal() if rule.closed is not None and not rule.closed.isdisjoint(opened):
                inside = rule.closed.intersection(opened)
                found.append(replace(rule, clusters=inside, closed=rule.closed - inside))
            case GroupTotal():
                continue
            case _:
                assert_never(rule)
    return tuple(found)


def _still_closed(
    declared: tuple[Bounds | GroupTotal, ...] | None, opened: Sequence[str]
) -> tuple[Bounds | GroupTotal, ...] | None:
    """Return what manifests declare for clusters that are closed, without the sets that have one open now."""
    if declared is None:
        return None
    return tuple(
        rule
        for rule in declared
        if isinstance(rule, Bounds) or (rule.closed or frozenset()).isdisjoint(opened)
    )


def _may_stay(exclusion: Exclusion, held: int) -> bool:
    """Tell whether what a workload holds may stay: the taints that are left only keep away what is new."""
    return bool(held and exclusion.taints) and all(each.effect == "NoSchedule" for each in exclusion.taints)


def _without(exclusion: Exclusion, taint: Taint) -> Exclusion:
    """Take a taint off the grounds for an exclusion."""
    left = tuple(each for each in exclusion.taints if each != taint)
    return replace(exclusion, taints=left)


def _opened(  # noqa: C901 - one case a rule
    rule: WorkloadRule, before: Candidates, clusters: Mapping[str, Cluster], workload: Workload
) -> WorkloadRule:
    """Return a rule that knows some more clusters; bounds that manifests declare are added by themselves."""
    if not clusters:
        return rule
    new, names = tuple(clusters), before.names
    match rule:
        case Bounds() if before.opening is None:
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
        case Duplicated():
            return _copied(rule, new)
        case Aggregated() | Bounds() | Candidates() | MovePrice() | Moves() | Price() | Shares() | Total():
            return rule
        case _:
            assert_never(rule)


def _copied(rule: Duplicated, new: Iterable[str]) -> Duplicated:
    """Return a rule that knows the sizes of copies on clusters that were opened."""
    opened, later = frozenset(new), rule.once_open
    if later is None:
        return rule
    copies = {name: size for name, size in later.copies.items() if name in opened}
    ample = {name: size for name, size in later.ample.items() if name in opened}
    return replace(rule, copies={**rule.copies, **copies}, ample={**rule.ample, **ample})


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
