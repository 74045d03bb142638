"""Evenness: a change of the total is shared evenly (Specified and Regions)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.levels import EVENNESS, EVENNESS_FRESH, EVENNESS_RESULT, Level

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "evenness"


@dataclass(frozen=True, slots=True)
class Evenness:
    """What is added or taken is spread evenly over the clusters, ties to the more even result."""

    clusters: tuple[str, ...]
    """Candidates that take part, in name order."""


def levels(rule: Evenness, workload: Workload) -> tuple[Level, ...]:
    """Return the levels that count: evenness of the change first, of the result first where fresh."""
    del rule
    return (EVENNESS_FRESH, EVENNESS) if workload.fresh else (EVENNESS, EVENNESS_RESULT)


def cost(rule: Evenness, workload: Workload, placed: Mapping[str, int], level: Level) -> int:
    """Return the sum of squares of the changes, or of the replicas on the levels of the result."""
    before = workload.current if level == EVENNESS else {}
    return sum((placed.get(cluster, 0) - before.get(cluster, 0)) ** 2 for cluster in rule.clusters)
