"""Spread: how many groups of clusters (regions, zones, ...) a workload has to stand in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import counted, listed

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "spread"
FIELDS = frozenset({"cluster", "region", "zone", "provider"})
"""What is grouped by its own name; any other field is the key of a label."""


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
    holding = {cluster for cluster, replicas in placed.items() if replicas}
    return tuple(group for group, clusters in rule.groups.items() if not holding.isdisjoint(clusters))


def violations(rule: Spread, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """Tell whether too few or too many groups hold replicas."""
    used = len(used_groups(rule, placed))
    stands = f"{workload.key}: replicas in {groups_of(used, rule.field)}"
    if workload.replicas and used < rule.minimum:
        text = f"{stands}, at least {rule.minimum} are needed"
        short = rule.minimum - used
        yield Violation(KIND, text, short, rule.source, workload.key, detail=rule.field, gives_way=True)
    if rule.maximum is not None and used > rule.maximum:
        text = f"{stands}, at most {rule.maximum} are allowed"
        yield Violation(KIND, text, used - rule.maximum, rule.source, workload.key, detail=rule.field)


def noun_of(field: str) -> str:
    """Return what one group of a field is called: ``region``; ``value of label rack`` for a label."""
    return field if field in FIELDS else f"value of label {field}"


def groups_of(count: int, field: str) -> str:
    """Return a number of groups in words: ``2 regions``, ``1 value of label rack``."""
    return counted(count, field) if field in FIELDS else f"{counted(count, 'value')} of label {field}"


def describe_minimum(rule: Spread, workload: Workload) -> Statement:
    """Say in the user's words over how many groups a workload has to be spread, and how many there are."""
    text = f"{workload.policy or workload.key}: replicas in at least {groups_of(rule.minimum, rule.field)}"
    present = [group for group, clusters in rule.groups.items() if clusters]
    if len(present) < rule.minimum:
        there = f"only {listed(present)} has" if len(present) == 1 else f"only {listed(present)} have"
        text = f"{text}, and {there if present else f'no {noun_of(rule.field)} has'} candidates"
    return Statement(KIND, text, rule.source, workload.key)


def describe_maximum(rule: Spread, workload: Workload) -> Statement:
    """Say in the user's words over how many groups a workload may be spread."""
    most = groups_of(rule.maximum or 0, rule.field)
    text = f"{workload.policy or workload.key}: replicas in at most {most}"
    return Statement(KIND, text, rule.source, workload.key)
