"""Copies: a duplicated workload that may choose stands on as many clusters as allowed, most room first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.models.levels import COPIES, ROOM, Level, Measured
from fairlead.models.mistaken import Unmistakable

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "copies"


@dataclass(frozen=True, slots=True)
class Copies(Unmistakable):
    """Few candidates go without a copy, and those with the least room first."""

    ranking: tuple[str, ...]
    """Candidates by room, the most room first, then by name."""

    def levels(self, workload: Workload) -> tuple[Level, ...]:
        """Return the levels on which candidates without a copy count, and the room of those with one."""
        del workload
        return (COPIES, ROOM)

    def cost_of(self, measured: Measured) -> int:
        """Return the number of candidates without a copy, or the sum of the ranks of those with one."""
        holding = [rank for rank, cluster in enumerate(self.ranking) if measured.placed.get(cluster)]
        return len(self.ranking) - len(holding) if measured.level == COPIES else sum(holding)
