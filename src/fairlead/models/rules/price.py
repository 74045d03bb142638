"""Price: what a replica costs on a cluster, in money or in anything else that has a level of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fairlead.models.cluster import Cluster
from fairlead.models.data import WorkloadData
from fairlead.models.levels import COST, PRICED, Level, Measured
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, fractions, strangers
from fairlead.models.source import Source
from fairlead.models.words import listed

KIND = "price"


@dataclass(frozen=True, slots=True, repr=False)
class Price(PlainRepr):
    """The replicas of a workload cost as little as possible in total."""

    prices: Mapping[str, Fraction]
    """Price of one replica by candidate, exact; absent means free of charge."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""
    level: Level = COST
    """The level on which they count, one of `PRICED`; a workload has at most one price on each."""
    currency: str = ""
    """Unit of the prices, such as ``EUR``; empty where nobody said. All prices of a level have the same, or
    none."""
    everywhere: Mapping[str, Fraction] | None = field(default=None, compare=False, repr=False)
    """Price of one replica by cluster, candidate or not, absent as above; None where that is not known."""

    def over(self, clusters: Collection[Cluster]) -> Price:
        """Return the price on other candidates; only where it is known everywhere."""
        known = self.everywhere or {}
        return replace(self, prices={one.name: known[one.name] for one in clusters if one.name in known})

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have, no prices, and a level on which none counts."""
        yield from strangers("Price.prices", self.prices, known)
        if self.source is None:  # those of manifests were looked at where they were read, once for all
            yield from fractions("Price.prices", self.prices)
        if self.level not in PRICED:
            yield (
                "Price.level",
                self.level.key,
                f"must be one of {listed(sorted(each.key for each in PRICED))}",
            )

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return the level on which they count."""
        del workload
        return (self.level,)

    def cost_of(self, measured: Measured) -> Fraction:
        """Return the cost of all replicas together."""
        return self.total(measured.placed)

    def total(self, placed: Mapping[str, int]) -> Fraction:
        """Return the cost of replicas, given by cluster."""
        charged = ((self.prices.get(cluster, Fraction(0)), replicas) for cluster, replicas in placed.items())
        return sum((price * replicas for price, replicas in charged), Fraction(0))


def prices_on(workload: WorkloadData, level: Level) -> Mapping[str, Fraction]:
    """Return the price of one replica on a level by candidate; empty where it costs nothing there."""
    return next((rule.prices for rule in workload.rules_of(Price) if rule.level == level), {})
