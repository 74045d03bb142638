"""Tiers: clusters that are filled one set after the other and emptied in reverse."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairlead.models.data import WorkloadData
from fairlead.models.levels import Level, Measured, tier
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, strangers
from fairlead.models.source import Source

KIND = "tiers"


@dataclass(frozen=True, slots=True, repr=False)
class Tiers(PlainRepr):
    """As few replicas as possible stand beyond tier 1, then beyond tier 2, and so on."""

    tiers: tuple[frozenset[str], ...]
    """Candidates by tier, the preferred first; disjoint, and every candidate is in one."""
    sources: tuple[Source | None, ...] = field(default=())
    """Where each tier was declared; may be empty."""

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have, and those in two tiers."""
        met: set[str] = set()
        for number, inside in enumerate(self.tiers):
            yield from strangers(f"Tiers.tiers[{number}]", inside, known)
            for name in sorted(met & inside):
                yield f"Tiers.tiers[{number}]", name, "is in an earlier tier as well"
            met |= inside

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return one level for every tier but the last."""
        del workload
        return tuple(tier(number) for number in range(1, len(self.tiers)))

    def cost_of(self, measured: Measured) -> int:
        """Return the replicas that stand beyond the tier of the level."""
        return beyond(self, measured.placed, measured.level.number)


def beyond(rule: Tiers, placed: Mapping[str, int], number: int) -> int:
    """Return the replicas that stand beyond a tier, counted from 1."""
    inside = frozenset().union(*rule.tiers[:number])
    return sum(replicas for cluster, replicas in placed.items() if cluster not in inside)
