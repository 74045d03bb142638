"""Copies: a duplicated workload that may choose stands on as many clusters as allowed, most room first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fairlead.models.levels import COPIES, Level

KIND = "copies"


@dataclass(frozen=True, slots=True)
class Copies:
    """Few candidates go without a copy, and those with the least room first."""

    ranking: tuple[str, ...]
    """Candidates by room, the most room first, then by name."""


def cost(rule: Copies, placed: Mapping[str, int], level: Level) -> int:
    """Return the number of candidates without a copy, or the sum of the ranks of those with one."""
    holding = [rank for rank, cluster in enumerate(rule.ranking) if placed.get(cluster)]
    return len(rule.ranking) - len(holding) if level == COPIES else sum(holding)
