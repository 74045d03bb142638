"""Candidates that one of our own kinds excludes: out of every rule of the policy as well."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from fairlead.manifests.own.remarks import Remark, listed
from fairlead.models.rules import (
    Bounds,
    Candidates,
    GroupTotal,
    Spread,
    Survival,
    Tiers,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.source import NOWHERE, Source

V = TypeVar("V")
Closed = Mapping[str, Exclusion]


def without(rule: WorkloadRule, closed: Closed) -> WorkloadRule:
    """Return a rule that does not know some candidates any more, other than as excluded."""
    if not closed:
        return rule
    match rule:
        case Candidates():
            return _candidates(rule, closed)
        case Bounds():
            low, high = _left(rule.minimum, closed), _left(rule.maximum, closed)
            return replace(rule, minimum=low, maximum=high, where_held=rule.where_held - closed.keys())
        case GroupTotal():
            return replace(rule, clusters=rule.clusters - closed.keys())
        case Spread() | Survival():
            return replace(rule, groups=_groups(rule.groups, closed))
        case Tiers():
            return _tiers(rule, closed)
        case Weights():
            tiers = tuple(tier - closed.keys() for tier in rule.tiers)
            return replace(rule, weights=_left(rule.weights, closed), tiers=tiers)
        case _:
            return rule


def _candidates(rule: Candidates, closed: Closed) -> Candidates:
    """Exclude candidates with the reason."""
    names = tuple(name for name in rule.names if name not in closed)
    excluded = {**rule.excluded, **{name: closed[name] for name in rule.names if name in closed}}
    return Candidates(
        names, {name: excluded[name] for name in sorted(excluded)}, _left(rule.held_only, closed)
    )


def _left(values: Mapping[str, V], closed: Closed) -> Mapping[str, V]:
    """Return what is said of the clusters that stay."""
    return {name: value for name, value in values.items() if name not in closed}


def _groups(groups: Mapping[str, frozenset[str]], closed: Closed) -> Mapping[str, frozenset[str]]:
    """Return the groups that still have clusters."""
    left = {name: clusters - closed.keys() for name, clusters in groups.items()}
    return {name: clusters for name, clusters in left.items() if clusters}


def _tiers(rule: Tiers, closed: Closed) -> Tiers:
    """Return the tiers that still have clusters, each with its source."""
    left = [tier - closed.keys() for tier in rule.tiers]
    kept = [position for position, tier in enumerate(left) if tier]
    sources = tuple(rule.sources[position] for position in kept if position < len(rule.sources))
    return Tiers(tuple(left[position] for position in kept), sources)


def idle_bounds(rules: Sequence[WorkloadRule], closed: Closed) -> Iterator[Remark]:
    """Tell of bounds on candidates that are excluded now."""
    idle: dict[tuple[str, Source], set[str]] = {}
    for rule in rules:
        if isinstance(rule, Bounds):
            for name, bound in (*rule.minimum.items(), *rule.maximum.items()):
                if name in closed:
                    idle.setdefault((closed[name].reason, bound.source or NOWHERE), set()).add(name)
    for (reason, source), names in idle.items():
        text = f"the bound has no effect on {listed(sorted(names))} ({reason})"
        yield Remark(text, source)
