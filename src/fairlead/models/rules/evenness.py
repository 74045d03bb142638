"""Evenness: a change of the total is shared evenly (Specified and Regions)."""

from dataclasses import dataclass

from fairlead.models.data import WorkloadData
from fairlead.models.levels import EVENNESS, EVENNESS_FRESH, EVENNESS_RESULT, Level, Measured
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, strangers

KIND = "evenness"


@dataclass(frozen=True, slots=True, repr=False)
class Evenness(PlainRepr):
    """Replicas added or taken are spread evenly over the clusters, ties to the more even result."""

    clusters: tuple[str, ...]
    """Candidates that take part, in name order."""

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have."""
        yield from strangers("Evenness.clusters", self.clusters, known)

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return the levels that count: evenness of the change first, of the result first where fresh."""
        return (EVENNESS_FRESH, EVENNESS) if workload.fresh else (EVENNESS, EVENNESS_RESULT)

    def cost_of(self, measured: Measured) -> int:
        """Return the sum of squares of the changes, or of the replicas on the levels of the result."""
        before = measured.workload.current if measured.level == EVENNESS else {}
        placed = measured.placed
        return sum((placed.get(cluster, 0) - before.get(cluster, 0)) ** 2 for cluster in self.clusters)
