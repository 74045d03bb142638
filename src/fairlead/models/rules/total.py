"""Total: the replicas of a divided workload add up to what it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import counted

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "total"


@dataclass(frozen=True, slots=True)
class Total:
    """The sum over all clusters equals the workload's replicas.

    Parameters
    ----------
    source
        Where the number of replicas was declared.
    """

    source: Source | None = None


def violations(rule: Total, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """Tell whether too many or too few replicas are placed."""
    total = sum(placed.values())
    if total != workload.replicas:
        text = f"{workload.key}: {counted(total, 'replica')} placed, {workload.replicas} wanted"
        missing = workload.replicas - total
        yield Violation(KIND, text, abs(missing), rule.source, workload.key, gives_way=missing > 0)


def describe(rule: Total, workload: Workload) -> Statement:
    """Say in the user's words how many replicas are wanted."""
    text = f"{workload.key} wants {counted(workload.replicas, 'replica')}"
    return Statement(KIND, text, rule.source, workload.key)
