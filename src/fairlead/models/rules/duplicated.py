"""Duplicated: every candidate holds a full copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.rules.candidates import Candidates
from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "duplicated"


@dataclass(frozen=True, slots=True)
class Duplicated:
    """Every candidate holds as many replicas as the workload asks for.

    Parameters
    ----------
    source
        Where the strategy was declared.
    """

    source: Source | None = None


def violations(rule: Duplicated, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """List candidates that do not hold the full number."""
    candidates = workload.rule(Candidates)
    for cluster in candidates.names if candidates else ():
        replicas = placed.get(cluster, 0)
        if replicas != workload.replicas:
            text = f"{workload.key}: {cluster} holds {replicas} replicas, a full copy is {workload.replicas}"
            amount = abs(replicas - workload.replicas)
            yield Violation(KIND, text, amount, rule.source, workload.key, cluster)


def describe(rule: Duplicated, workload: Workload, cluster: str) -> Statement:
    """Say in the user's words what a cluster has to hold."""
    text = f"{workload.policy or workload.key}: {cluster} needs a full copy of {workload.replicas} replicas"
    return Statement(KIND, text, rule.source, workload.key, cluster)
