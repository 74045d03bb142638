"""The numbers of one workload that may be changed, and by how much at most."""

import json
from collections.abc import Iterator

from fairlead.encoders.costs import Because
from fairlead.models.amounts import largest
from fairlead.models.declared import FederatedUnit
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Duplicated,
    GroupTotal,
    Spread,
    Survival,
    Total,
    WorkloadRule,
    bounds,
    candidates,
    duplicated,
    group_total,
    spread,
    survival,
    total,
)
from fairlead.models.source import Source
from fairlead.models.workload import Workload
from fairlead.solver.changes.kinds import Kind
from fairlead.solver.changes.opening import spelled
from fairlead.solver.relaxing.lever import Key, Lever


def widest(workload: Workload) -> int:
    """Return the most replicas that a workload could sensibly be asked for: what its minima add up to."""
    if workload.rule(Total) is None:
        least = (bound.replicas for rule in workload.rules_of(Bounds) for bound in rule.minimum.values())
        return max(largest(workload), *least, 0)
    asked = 0
    for rule in workload.rules:
        match rule:
            case Bounds():
                asked += sum(bound.replicas for bound in rule.minimum.values())
            case GroupTotal():
                asked += rule.minimum
            case Spread():
                asked += rule.minimum
            case Survival():
                asked += 2 * rule.minimum
            case _:
                continue
    return max(workload.replicas, asked)


def levers_of(workload: Workload) -> Iterator[Lever]:
    """Yield the levers of one workload; one that is scaled to 0 needs none."""
    if not workload.replicas:
        return
    most = widest(workload)
    for rule in workload.rules:
        yield from _of_rule(rule, workload, most)


def _of_rule(rule: WorkloadRule, workload: Workload, most: int) -> Iterator[Lever]:
    """Yield the levers of one rule."""
    match rule:
        case Candidates():
            yield from _tolerations(rule, workload, most)
        case Total():
            source = workload.replicas_source or rule.source
            yield from _replicas(workload, source, most, (Because(total.KIND, workload.key),))
        case Duplicated() if not rule.copies:
            names = (workload.rule(Candidates) or Candidates(())).names
            because = tuple(Because(duplicated.KIND, workload.key, name) for name in names)
            source = workload.replicas_source or rule.source
            yield from _replicas(workload, source, most, because, smallest_copy(workload))
        case Bounds() if not is_frozen(workload):
            yield from _bounds(rule, workload, most)
        case GroupTotal():
            yield from _group_total(rule, workload, most)
        case Spread():
            yield from _spread(rule, workload)
        case Survival():
            keys: tuple[Key, ...] = tuple(
                (Because(survival.KIND, workload.key, None, f"{rule.field} {group}"), "least")
                for group in rule.groups
            )
            yield Lever(
                Kind.SURVIVAL,
                workload.key,
                None,
                rule.field,
                rule.minimum,
                -1,
                rule.minimum,
                keys,
                rule.source,
            )
        case _:
            return


def is_frozen(workload: Workload) -> bool:
    """Tell whether bounds only say that nothing may move (KubeAdmiral's ``disableRescheduling``)."""
    if not isinstance(workload.declared, FederatedUnit):
        return False
    rescheduling = workload.declared.policy.get("reschedulePolicy") or {}
    return bool(rescheduling.get("disableRescheduling")) and bool(workload.current)


def smallest_copy(workload: Workload) -> int:
    """Return the fewest replicas that a copy may have: minima of KubeAdmiral's policy lift smaller ones."""
    if not isinstance(workload.declared, FederatedUnit):
        return 1
    overriding = workload.declared.annotations.get("kubeadmiral.io/placements")
    entries = json.loads(overriding) if overriding else workload.declared.policy.get("placement") or ()
    minima = (int((each.get("preferences") or {}).get("minReplicas") or 0) for each in entries)
    return max(1, *minima) if entries else 1


def _replicas(
    workload: Workload, source: Source | None, most: int, because: tuple[Because, ...], least: int = 1
) -> Iterator[Lever]:
    """Yield fewer and more replicas; at least one is left."""
    fewer, more = workload.replicas - least, most - workload.replicas
    for side, direction, by in (("least", -1, fewer), ("most", 1, more)):
        keys: tuple[Key, ...] = tuple((each, "least" if side == "least" else "most") for each in because)
        yield Lever(Kind.REPLICAS, workload.key, None, "", workload.replicas, direction, by, keys, source)


def _bounds(rule: Bounds, workload: Workload, most: int) -> Iterator[Lever]:
    """Yield lower minima and higher maxima."""
    key = workload.key
    for name, bound in sorted(rule.minimum.items()):
        because = Because(bounds.KIND, key, name, "minimum")
        low: tuple[Key, ...] = ((because, "least"),)
        yield Lever(Kind.MINIMUM, key, name, "", bound.replicas, -1, bound.replicas, low, bound.source)
    for name, bound in sorted(rule.maximum.items()):
        because = Because(bounds.KIND, key, name, "maximum")
        high: tuple[Key, ...] = ((because, "most"),)
        farthest = most if bound.ceiling is None else min(most, bound.ceiling)
        by = farthest - bound.replicas
        yield Lever(Kind.MAXIMUM, key, name, "", bound.replicas, 1, by, high, bound.source)


def _group_total(rule: GroupTotal, workload: Workload, most: int) -> Iterator[Lever]:
    """Yield other totals; an exact one stays exact."""
    because = Because(group_total.KIND, workload.key, None, rule.name)
    exact = rule.minimum == rule.maximum
    low: tuple[Key, ...] = ((because, "least"),)
    high: tuple[Key, ...] = ((because, "most"),)
    yield Lever(
        Kind.TOTAL if exact else Kind.GROUP_MINIMUM,
        workload.key,
        None,
        rule.name,
        rule.minimum,
        -1,
        rule.minimum,
        low,
        rule.source,
    )
    if rule.maximum is not None:
        yield Lever(
            Kind.TOTAL if exact else Kind.GROUP_MAXIMUM,
            workload.key,
            None,
            rule.name,
            rule.maximum,
            1,
            most - rule.maximum,
            high,
            rule.source,
        )


def _spread(rule: Spread, workload: Workload) -> Iterator[Lever]:
    """Yield fewer groups at least, and more at most."""
    because = Because(spread.KIND, workload.key, None, rule.field)
    low: tuple[Key, ...] = ((because, "least"),)
    high: tuple[Key, ...] = ((because, "most"),)
    yield Lever(
        Kind.FEWEST_GROUPS,
        workload.key,
        None,
        rule.field,
        rule.minimum,
        -1,
        rule.minimum - 1,
        low,
        rule.source,
    )
    if rule.maximum is not None:
        yield Lever(
            Kind.MOST_GROUPS,
            workload.key,
            None,
            rule.field,
            rule.maximum,
            1,
            len(rule.groups) - rule.maximum,
            high,
            rule.source,
        )


def _tolerations(rule: Candidates, workload: Workload, most: int) -> Iterator[Lever]:
    """Yield every taint that keeps the workload off some cluster, and nothing else does."""
    copies = workload.rule(Duplicated)
    if copies is not None and not copies.choice and rule.names:
        # Another cluster would have to hold a full copy as well, which helps nobody.
        opening = dict(rule.held_only)
    else:
        opening = {**rule.excluded, **rule.held_only}
    keys: dict[str, list[Key]] = {}
    sources: dict[str, Source | None] = {}
    for name, exclusion in sorted(opening.items()):
        for taint in exclusion.taints:
            text = spelled(taint)
            keys.setdefault(text, []).append((Because(candidates.KIND, workload.key, name), "most"))
            sources.setdefault(text, exclusion.source)
    for text, found in keys.items():
        yield Lever(
            Kind.TOLERATION, workload.key, None, text, 0, 1, 1, tuple(found), sources[text], every=most
        )
