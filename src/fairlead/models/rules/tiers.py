"""Tiers: clusters that are filled one set after the other and emptied in reverse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairlead.models.source import Source

KIND = "tiers"


@dataclass(frozen=True, slots=True)
class Tiers:
    """As few replicas as possible stand beyond tier 1, then beyond tier 2, and so on."""

    tiers: tuple[frozenset[str], ...]
    """Candidates by tier, the preferred first; disjoint, and every candidate is in one."""
    sources: tuple[Source | None, ...] = field(default=())


def beyond(rule: Tiers, placed: Mapping[str, int], number: int) -> int:
    """Return the replicas that stand beyond a tier, counted from 1."""
    inside = frozenset().union(*rule.tiers[:number])
    return sum(replicas for cluster, replicas in placed.items() if cluster not in inside)
