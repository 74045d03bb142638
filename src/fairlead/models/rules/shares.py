"""Shares: hierarchical weights, such as region -> zone -> cluster."""

from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.data import WorkloadData
from fairlead.models.levels import Deviation, Level, Measured, share
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, fractions, strangers
from fairlead.models.source import Source

KIND = "shares"


@dataclass(frozen=True, slots=True, repr=False)
class ShareGroup(PlainRepr):
    """A set of clusters and its share of the whole."""

    name: str
    """Name of the set, as people call it, such as ``eu/eu-1``."""
    clusters: frozenset[str]
    share: Fraction
    """Exact share of the workload's replicas: the product of its own weight's share and those of all groups
    around it."""


@dataclass(frozen=True, slots=True, repr=False)
class Shares(PlainRepr):
    """Groups are divided in their ratio first, then what is inside them, depth by depth.

    The quota of a group is ``N`` times its share; a depth is measured like weights over its groups, and every
    depth is one level, the outermost first.
    """

    depths: tuple[tuple[ShareGroup, ...], ...]
    """Groups of every depth, the outermost first; the groups of a depth are disjoint, and each lies inside
    one of the depth before."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have, and those in two groups of one depth."""
        for depth in self.depths:
            met: set[str] = set()
            for part in depth:
                yield from strangers(f"Shares {part.name}", part.clusters, known)
                yield from fractions(f"Shares {part.name}", {"": part.share}, most=1)
                for name in sorted(met & part.clusters):
                    yield f"Shares {part.name}", name, "is in another group of this depth as well"
                met |= part.clusters

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return one level for every depth."""
        del workload
        return tuple(share(number) for number in range(1, len(self.depths) + 1))

    def cost_of(self, measured: Measured) -> Fraction:
        """Return the distance of one depth from the quotas of its groups, exactly."""
        gaps: list[tuple[Fraction, Fraction]] = []
        for group in self.depths[measured.level.number - 1]:
            quota = group.share * measured.workload.replicas
            if quota:
                held = sum(measured.placed.get(cluster, 0) for cluster in group.clusters)
                gaps.append((abs(held - quota), quota))
        match measured.deviation:
            case Deviation.WEBSTER:
                return sum((gap * gap / quota for gap, quota in gaps), Fraction(0))
            case Deviation.L1:
                return sum((gap for gap, _ in gaps), Fraction(0))
            case Deviation.MINIMAX:
                return max((gap / quota for gap, quota in gaps), default=Fraction(0))
