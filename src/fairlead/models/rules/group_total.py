"""Group total: how many replicas a named set of clusters holds together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation

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
    """

    name: str
    clusters: frozenset[str]
    minimum: int = 0
    maximum: int | None = None
    source: Source | None = None


def held(rule: GroupTotal, placed: Mapping[str, int]) -> int:
    """Return the replicas that the set holds."""
    return sum(replicas for cluster, replicas in placed.items() if cluster in rule.clusters)


def violations(rule: GroupTotal, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """Tell whether the set holds too few or too many replicas."""
    replicas = held(rule, placed)
    if workload.replicas and replicas < rule.minimum:
        text = f"{workload.key}: {rule.name} holds {replicas} replicas, at least {rule.minimum} are needed"
        yield Violation(KIND, text, rule.minimum - replicas, rule.source, workload.key)
    if rule.maximum is not None and replicas > rule.maximum:
        text = f"{workload.key}: {rule.name} holds {replicas} replicas, at most {rule.maximum} are allowed"
        yield Violation(KIND, text, replicas - rule.maximum, rule.source, workload.key)


def describe(rule: GroupTotal, workload: Workload) -> Statement:
    """Say in the user's words how many replicas the set has to hold."""
    if rule.minimum == rule.maximum:
        wanted = f"exactly {rule.minimum}"
    else:
        wanted = f"at least {rule.minimum}" + (
            f" and at most {rule.maximum}" if rule.maximum is not None else ""
        )
    text = f"{workload.policy or workload.key}: {rule.name} holds {wanted} replicas"
    return Statement(KIND, text, rule.source, workload.key)
