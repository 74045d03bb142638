"""Duplicated: every selected cluster holds a full copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fairlead.models.rules.candidates import Candidates
from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import counted

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "duplicated"


@dataclass(frozen=True, slots=True)
class Duplicated:
    """Every selected cluster holds a full copy; all candidates are selected, unless there is a choice.

    Parameters
    ----------
    source
        Where the strategy was declared.
    choice
        True where the solver selects clusters (spread constraints, most clusters): the others hold nothing.
    copies
        Size of the copy by candidate, where it differs from the workload's replicas (KubeAdmiral clamps it
        into minimum and maximum).
    """

    source: Source | None = None
    choice: bool = False
    copies: Mapping[str, int] = field(default_factory=dict)


def copy_on(rule: Duplicated, workload: Workload, cluster: str) -> int:
    """Return how many replicas a full copy on a cluster has; none where the workload is scaled to 0."""
    return rule.copies.get(cluster, workload.replicas) if workload.replicas else 0


def largest_copy(rule: Duplicated, workload: Workload) -> int:
    """Return how many replicas the largest full copy has."""
    return max([workload.replicas, *rule.copies.values()]) if workload.replicas else 0


def violations(rule: Duplicated, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """List candidates that do not hold the full number.

    A copy is whole or missing; a missing one counts as its replicas. Where copies may be chosen and there is
    none at all, one of the workload's own size is missing.
    """
    candidates = workload.rule(Candidates)
    names = candidates.names if candidates else ()
    for cluster in names:
        replicas, full = placed.get(cluster, 0), copy_on(rule, workload, cluster)
        if replicas != full and (replicas or not rule.choice):
            text = f"{workload.key}: {cluster} holds {counted(replicas, 'replica')}, a full copy is {full}"
            yield Violation(
                KIND,
                text,
                abs(replicas - full),
                rule.source,
                workload.key,
                cluster,
                gives_way=not replicas,
            )
    somewhere = any(placed.get(cluster) for cluster in names)
    if workload.replicas and not somewhere and (rule.choice or not names):
        text = f"{workload.key}: no cluster holds a copy"
        yield Violation(KIND, text, workload.replicas, rule.source, workload.key, gives_way=True)


def describe(rule: Duplicated, workload: Workload, cluster: str) -> Statement:
    """Say in the user's words what a cluster has to hold."""
    full = copy_on(rule, workload, cluster)
    text = f"{workload.policy or workload.key}: {cluster} needs a full copy of {counted(full, 'replica')}"
    return Statement(KIND, text, rule.source, workload.key, cluster)


def describe_choice(rule: Duplicated, workload: Workload) -> Statement:
    """Say in the user's words that clusters hold full copies or nothing, and one of them at least a copy."""
    copy = f"a full copy of {counted(workload.replicas, 'replica')} on at least 1 cluster"
    text = f"{workload.policy or workload.key}: {copy}, the others hold none"
    return Statement(KIND, text, rule.source, workload.key)
