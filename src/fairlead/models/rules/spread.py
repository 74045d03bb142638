"""Spread: how many groups of clusters (regions, zones, ...) a workload has to stand in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "spread"


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
    if workload.replicas and used < rule.minimum:
        text = f"{workload.key}: replicas in {used} {rule.field} groups, at least {rule.minimum} are needed"
        yield Violation(KIND, text, rule.minimum - used, rule.source, workload.key)
    if rule.maximum is not None and used > rule.maximum:
        text = f"{workload.key}: replicas in {used} {rule.field} groups, at most {rule.maximum} are allowed"
        yield Violation(KIND, text, used - rule.maximum, rule.source, workload.key)


def describe(rule: Spread, workload: Workload) -> Statement:
    """Say in the user's words how widely a workload has to be spread."""
    if rule.minimum == rule.maximum:
        wanted = f"exactly {rule.minimum}"
    elif rule.maximum is None:
        wanted = f"at least {rule.minimum}"
    elif not rule.minimum:
        wanted = f"at most {rule.maximum}"
    else:
        wanted = f"{rule.minimum} to {rule.maximum}"
    text = f"{workload.policy or workload.key}: replicas in {wanted} {rule.field} group(s)"
    return Statement(KIND, text, rule.source, workload.key)
