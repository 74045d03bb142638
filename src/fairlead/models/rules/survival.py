"""Survival: enough replicas are left when any one region, zone, provider or cluster is lost."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.rules.spread import noun_of
from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import counted

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "survival"


@dataclass(frozen=True, slots=True)
class Survival:
    """Whatever single group of clusters is lost, at least so many replicas stand elsewhere.

    Does not bind a workload that is scaled to 0.

    Parameters
    ----------
    field
        What may be lost: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label.
    groups
        Candidates by group.
    minimum
        Replicas that have to be left.
    source
        Where it was declared.
    everywhere
        All clusters by group, candidates or not: what still runs on a closed cluster is lost with its group.
    """

    field: str
    groups: Mapping[str, frozenset[str]]
    minimum: int
    source: Source | None = None
    everywhere: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)


def lost_with(rule: Survival) -> Mapping[str, frozenset[str]]:
    """Return all clusters that are lost together by group, the groups of candidates first."""
    names = dict.fromkeys([*rule.groups, *rule.everywhere])
    nothing: frozenset[str] = frozenset()
    return {name: rule.groups.get(name, nothing) | rule.everywhere.get(name, nothing) for name in names}


def violations(rule: Survival, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """List the groups whose loss leaves too few replicas; one without candidates only where it holds some."""
    for group, clusters in lost_with(rule).items() if workload.replicas else ():
        if group not in rule.groups and not any(placed.get(cluster) for cluster in clusters):
            continue
        left = sum(replicas for cluster, replicas in placed.items() if cluster not in clusters)
        if left < rule.minimum:
            text = f"{workload.key}: losing {rule.field} {group} leaves {left}, {rule.minimum} are needed"
            lost = f"{rule.field} {group}"
            short = rule.minimum - left
            yield Violation(KIND, text, short, rule.source, workload.key, detail=lost, gives_way=True)


def describe(rule: Survival, workload: Workload) -> Statement:
    """Say in the user's words what has to survive."""
    left = f"{counted(rule.minimum, 'replica')} {'has' if rule.minimum == 1 else 'have'} to be left"
    text = f"{workload.policy or workload.key}: {left} when any one {noun_of(rule.field)} is lost"
    only = [group for group, clusters in rule.groups.items() if clusters]
    if len(only) == 1:
        text = f"{text}, and {only[0]} is the only {noun_of(rule.field)}"
    return Statement(KIND, text, rule.source, workload.key)
