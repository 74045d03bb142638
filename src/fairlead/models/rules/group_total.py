"""Group total: how many replicas a named set of clusters holds together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import counted

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "group-total"


@dataclass(frozen=True, slots=True)
class GroupTotal:
    """A set of clusters holds at least a minimum and at most a maximum of replicas together.

    Where both are equal the total is exact (``Specified``). Minima do not bind a workload scaled to 0.

    Parameters
    ----------
    name
        What people call the set, such as ``region RegionA`` or ``member1``.
    clusters
        Candidates in the set.
    minimum
        Fewest replicas.
    maximum
        Most replicas; None means no limit.
    source
        Where the total was declared.
    closed
        Clusters of the set that are no candidates, and would count if they were; None where that is not
        known. Left out of comparisons.
    grouped_by
        Field or label for each of whose values one line states the same bounds (``region``, ``zone``, ...);
        empty where the set was named by itself. Left out of comparisons.
    """

    name: str
    clusters: frozenset[str]
    minimum: int = 0
    maximum: int | None = None
    source: Source | None = None
    closed: frozenset[str] | None = field(default=None, compare=False, repr=False)
    grouped_by: str = field(default="", compare=False, repr=False)


def held(rule: GroupTotal, placed: Mapping[str, int]) -> int:
    """Return the replicas that the set holds."""
    return sum(replicas for cluster, replicas in placed.items() if cluster in rule.clusters)


def violations(rule: GroupTotal, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """Tell whether the set holds too few or too many replicas."""
    replicas = held(rule, placed)
    holds = f"{workload.key}: {rule.name} holds {counted(replicas, 'replica')}"
    if workload.replicas and replicas < rule.minimum:
        text = f"{holds}, at least {rule.minimum} are needed"
        yield Violation(
            KIND,
            text,
            rule.minimum - replicas,
            rule.source,
            workload.key,
            detail=rule.name,
            gives_way=True,
        )
    if rule.maximum is not None and replicas > rule.maximum:
        text = f"{holds}, at most {rule.maximum} are allowed"
        yield Violation(KIND, text, replicas - rule.maximum, rule.source, workload.key, detail=rule.name)


def describe_minimum(rule: GroupTotal, workload: Workload) -> Statement:
    """Say in the user's words how many replicas the set needs."""
    text = f"{workload.policy or workload.key}: {rule.name} {_needs(rule)}"
    if not rule.clusters:
        text = f"{text}, and no candidate is in it"
    return Statement(KIND, text, rule.source, workload.key)


def describe_maximum(rule: GroupTotal, workload: Workload) -> Statement:
    """Say in the user's words how many replicas the set may hold."""
    allowed = _needs(rule) if rule.minimum == rule.maximum else f"may hold at most {rule.maximum}"
    return Statement(
        KIND, f"{workload.policy or workload.key}: {rule.name} {allowed}", rule.source, workload.key
    )


def _needs(rule: GroupTotal) -> str:
    """Say how many replicas the set holds, exactly or at least."""
    several = rule.name.startswith("the ") and rule.name.endswith("s")
    if rule.minimum == rule.maximum:
        return f"{'hold' if several else 'holds'} exactly {counted(rule.minimum, 'replica')}"
    return f"{'need' if several else 'needs'} at least {counted(rule.minimum, 'replica')}"
