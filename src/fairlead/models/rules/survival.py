"""Survival: enough replicas are left when any one region, zone, provider or cluster is lost."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.requirement import Binds, GivesWay, Kind, Outside, Requirement, Side
from fairlead.models.source import Source
from fairlead.models.statement import Statement

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = Kind.SURVIVAL.value


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


def requirements(rule: Survival, workload: Workload) -> Iterator[Requirement]:
    """Yield what has to be left of every group; of one without candidates only where it holds something."""
    for group, clusters in lost_with(rule).items() if rule.minimum else ():
        binds = Binds.ALWAYS if group in rule.groups else Binds.WHERE_HELD
        yield _left(rule, workload, Outside(rule.field, group, clusters, _only(rule)), binds)


def _left(rule: Survival, workload: Workload, scope: Outside, binds: Binds = Binds.ALWAYS) -> Requirement:
    """Return how many replicas have to be left when one group is lost."""
    ways = GivesWay.ALWAYS
    return Requirement(Kind.SURVIVAL, Side.LEAST, rule.minimum, scope, workload, rule.source, binds, ways)


def _only(rule: Survival) -> str:
    """Return the group that alone has candidates; empty where several have, or none."""
    present = [group for group, clusters in rule.groups.items() if clusters]
    return present[0] if len(present) == 1 else ""


def describe(rule: Survival, workload: Workload) -> Statement:
    """Say in the user's words what has to survive."""
    return _left(rule, workload, Outside(rule.field, "", frozenset(), _only(rule))).statement()
