"""Moves: replicas that are stopped in one cluster although they need not be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "moves"


@dataclass(frozen=True, slots=True)
class Moves:
    """What runs stays where it runs, as far as other levels allow.

    Parameters
    ----------
    present
        Clusters of the problem; replicas that run elsewhere are gone already and count as stopped, not as
        moved.
    keep
        True for strategies that keep what runs (dynamic weights in steady mode): moves come before the
        deviation; otherwise after it.
    """

    present: frozenset[str]
    keep: bool = False


def comes_first(rule: Moves, workload: Workload) -> bool:
    """Tell whether the moves of a workload count before its deviation."""
    return rule.keep and not workload.fresh


def cost(rule: Moves, workload: Workload, placed: Mapping[str, int]) -> int:
    """Return the number of moves.

    Replicas stopped anywhere, less what had to be stopped because the total shrank:
    ``sum max(0, held - placed) - max(0, sum held - N)`` over the clusters of the problem.
    """
    held = {cluster: count for cluster, count in workload.current.items() if cluster in rule.present}
    stopped = sum(max(0, count - placed.get(cluster, 0)) for cluster, count in held.items())
    return stopped - max(0, sum(held.values()) - workload.replicas)
