"""Spread: how many groups of clusters (regions, zones, ...) a workload has to stand in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.requirement import GivesWay, Groups, Kind, Requirement, Side
from fairlead.models.source import Source
from fairlead.models.statement import Statement

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = Kind.SPREAD.value


@dataclass(frozen=True, slots=True)
class Spread:
    """The number of groups that hold at least one replica lies between a minimum and a maximum.

    A workload that is scaled to 0 is in no group, whatever the minimum.

    Parameters
    ----------
    field
        What is grouped: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label.
    groups
        Candidates by group; a candidate may be in several (zones).
    minimum
        Fewest groups.
    maximum
        Most groups; None means no limit.
    source
        Where the constraint was declared.
    """

    field: str
    groups: Mapping[str, frozenset[str]]
    minimum: int = 0
    maximum: int | None = None
    source: Source | None = None


def used_groups(rule: Spread, placed: Mapping[str, int]) -> tuple[str, ...]:
    """Return the groups that hold at least one replica, in the order of the groups."""
    return Groups(rule.field, rule.groups).used(placed)


def requirements(rule: Spread, workload: Workload) -> Iterator[Requirement]:
    """Yield over how many groups a workload has to be spread, and over how many it may be."""
    if rule.minimum:
        yield minimum(rule, workload)
    if rule.maximum is not None:
        yield maximum(rule, workload)


def minimum(rule: Spread, workload: Workload) -> Requirement:
    """Return over how many groups a workload has to be spread."""
    scope, ways = Groups(rule.field, rule.groups), GivesWay.ALWAYS
    return Requirement(Kind.SPREAD, Side.LEAST, rule.minimum, scope, workload, rule.source, gives_way=ways)


def maximum(rule: Spread, workload: Workload) -> Requirement:
    """Return over how many groups a workload may be spread; none where the rule states no maximum."""
    scope = Groups(rule.field, rule.groups)
    return Requirement(Kind.SPREAD, Side.MOST, rule.maximum or 0, scope, workload, rule.source)


def describe_minimum(rule: Spread, workload: Workload) -> Statement:
    """Say in the user's words over how many groups a workload has to be spread, and how many there are."""
    return minimum(rule, workload).statement()


def describe_maximum(rule: Spread, workload: Workload) -> Statement:
    """Say in the user's words over how many groups a workload may be spread."""
    return maximum(rule, workload).statement()
