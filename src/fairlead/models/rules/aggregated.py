"""Aggregated: replicas stand on as few clusters as possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fairlead.models.source import Source

KIND = "aggregated"


@dataclass(frozen=True, slots=True)
class Aggregated:
    """As few clusters as possible hold replicas."""

    source: Source | None = None


def cost(rule: Aggregated, placed: Mapping[str, int]) -> int:
    """Return the number of clusters that hold replicas."""
    del rule
    return sum(1 for replicas in placed.values() if replicas)
