"""Aggregated: replicas stand on as few clusters as possible."""

from dataclasses import dataclass

from fairlead.models.data import WorkloadData
from fairlead.models.levels import CLUSTERS, Level, Measured
from fairlead.models.mistaken import Unmistakable
from fairlead.models.source import Source

KIND = "aggregated"


@dataclass(frozen=True, slots=True, repr=False)
class Aggregated(Unmistakable):
    """As few clusters as possible hold replicas."""

    source: Source | None = None
    """Where the rule was declared; None where it was not."""

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return the level on which clusters count."""
        del workload
        return (CLUSTERS,)

    def cost_of(self, measured: Measured) -> int:
        """Return the number of clusters that hold replicas."""
        return sum(1 for replicas in measured.placed.values() if replicas)
