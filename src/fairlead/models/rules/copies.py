"""Copies: a duplicated workload that may choose stands on as many clusters as allowed, most room first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import accumulate

from fairlead.models.data import WorkloadData
from fairlead.models.levels import COPIES, ROOM, Level, Measured
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, strangers

KIND = "copies"


@dataclass(frozen=True, slots=True, repr=False)
class Copies(PlainRepr):
    """Few candidates go without a copy, and those with the least room first."""

    ranking: tuple[tuple[str, ...], ...]
    """Candidates by room, the most room first; those with as much room stand together."""

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have."""
        for number, alike in enumerate(self.ranking):
            yield from strangers(f"Copies.ranking[{number}]", alike, known)

    @property
    def ranks(self) -> dict[str, int]:
        """Return for every candidate how many have more room."""
        before = accumulate(map(len, self.ranking), initial=0)
        return {name: rank for rank, alike in zip(before, self.ranking, strict=False) for name in alike}

    def without(self, names: Collection[str]) -> Copies:
        """Return the rule without some clusters."""
        left = (tuple(name for name in alike if name not in names) for alike in self.ranking)
        return Copies(tuple(filter(None, left)))

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return the levels on which candidates without a copy count, and the room of those with one."""
        del workload
        return (COPIES, ROOM)

    def cost_of(self, measured: Measured) -> int:
        """Return the number of candidates without a copy, or the sum of the ranks of those with one.

        A workload that is scaled to 0 has no copies to miss.
        """
        ranks = self.ranks if measured.workload.replicas else {}
        holding = [rank for cluster, rank in ranks.items() if measured.placed.get(cluster)]
        return len(ranks) - len(holding) if measured.level == COPIES else sum(holding)
