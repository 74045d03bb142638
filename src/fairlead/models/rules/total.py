"""Total: the replicas of a divided workload add up to what it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.requirement import Everywhere, GivesWay, Kind, Requirement, Side
from fairlead.models.source import Source
from fairlead.models.statement import Statement

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = Kind.TOTAL.value


@dataclass(frozen=True, slots=True)
class Total:
    """The sum over all clusters equals the workload's replicas.

    Parameters
    ----------
    source
        Where the number of replicas was declared.
    """

    source: Source | None = None


def requirement(rule: Total, workload: Workload) -> Requirement:
    """Return how many replicas are wanted."""
    return Requirement(
        Kind.TOTAL,
        Side.EXACTLY,
        workload.replicas,
        Everywhere(),
        workload,
        rule.source,
        gives_way=GivesWay.ALWAYS,
    )


def describe(rule: Total, workload: Workload) -> Statement:
    """Say in the user's words how many replicas are wanted."""
    return requirement(rule, workload).statement()
