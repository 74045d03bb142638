"""Weights of the strategy Spread: as declared, or from the free resources of the clusters.

Known faults of the real program that are reproduced here, all of dynamic weights:

* the pod's request plays no part, and amounts are whole cores rounded up: 100m and 1 core free count the
  same;
* weights are thousandths, and what rounding leaves goes to one of the heaviest clusters, which one is left to
  chance (Go's map order); from 54 equal clusters on that correction can make a **negative weight**, or one
  cluster thirty times as heavy as its equals;
* the limit by allocatable resources can turn the ratio of free resources round;
* beyond 2000 equal clusters all weights become NaN, and nothing is placed by weight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.cluster import Cluster
from fairlead.solver.dispensers.kubeadmiral.arithmetic import MINIMUM, half_away, whole_units, wrap
from fairlead.solver.dispensers.kubeadmiral.inputs import CPU, GPU, SchedulingUnit

WHOLE = 1000.0
"""What all dynamic weights add up to."""

SUPPLY_LIMIT = 1.4
"""How far a cluster's share of the free resources may pass its share of the allocatable ones."""


@dataclass(frozen=True, slots=True)
class DynamicWeights:
    """Weights from resources before the rounding error has found its cluster.

    Parameters
    ----------
    weights
        By cluster, not corrected.
    correction
        What is missing from one thousand; negative where the rounded weights add up to more.
    heaviest
        Clusters of the largest weight in name order, one of which takes the correction; empty where none
        does.
    """

    weights: Mapping[str, int]
    correction: int = 0
    heaviest: tuple[str, ...] = ()

    def corrected(self, chosen: str | None = None) -> dict[str, int]:
        """Return the final weights.

        Parameters
        ----------
        chosen
            Which of the heaviest clusters takes the correction; None means the first by name. The real
            scheduler draws it anew in every run.
        """
        final = dict(self.weights)
        if self.heaviest:
            taker = self.heaviest[0] if chosen is None else chosen
            final[taker] = wrap(final[taker] + self.correction)
        return final


def is_dynamic(unit: SchedulingUnit) -> bool:
    """Tell whether weights come from resources: no entry of the placement list has a weight."""
    return not unit.policy.weights


def dynamic_weights(unit: SchedulingUnit, clusters: Sequence[Cluster]) -> DynamicWeights:
    """Return weights by free resources: GPUs where a pod requests some, else cpu.

    Parameters
    ----------
    unit
        The object; only its GPU request is looked at.
    clusters
        The selected clusters, at least one.
    """
    resource = CPU if unit.gpus is None else GPU
    free = {cluster.name: _whole(cluster.free, resource) for cluster in clusters}
    supply = float(sum(amount for amount in free.values() if amount > 0))
    if supply == 0:
        return DynamicWeights(dict.fromkeys(free, half_away(WHOLE / len(free))))
    limits = _limits(clusters, resource)
    shares = {
        name: min(half_away(max(float(amount), 0.0) / supply * WHOLE), limits[name])
        for name, amount in free.items()
    }
    total = sum(shares.values())
    weights = {name: _part(share, total) for name, share in shares.items()}
    largest = max(weights.values())
    # A weight of 0 never counts as the largest, and then the correction is lost.
    heaviest = tuple(sorted(name for name, weight in weights.items() if weight == largest > 0))
    return DynamicWeights(weights, wrap(int(WHOLE) - wrap(sum(weights.values()))), heaviest)


def _limits(clusters: Sequence[Cluster], resource: str) -> dict[str, int]:
    """Return the largest weight of each cluster, from its share of the allocatable resources."""
    offered = {cluster.name: _whole(cluster.allocatable, resource) for cluster in clusters}
    total = float(sum(offered.values()))
    if total == 0:
        return dict.fromkeys(offered, half_away(WHOLE / len(offered)))
    return {name: half_away(amount / total * WHOLE * SUPPLY_LIMIT) for name, amount in offered.items()}


def _whole(amounts: Mapping[str, int] | None, resource: str) -> int:
    """Return an amount in whole cores or devices, parts rounded away from zero; 0 where none is told."""
    return whole_units(Fraction((amounts or {}).get(resource, 0), 1000 if resource == CPU else 1))


def _part(share: int, total: int) -> int:
    """Return a share in thousandths of the total; 0 of 0 is NaN in Go, here a huge negative weight."""
    return half_away(share / total * WHOLE) if total else MINIMUM
