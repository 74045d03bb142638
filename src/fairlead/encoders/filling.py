"""Use of one resource on one cluster by workloads that fill clusters together."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from fairlead.encoders.variables import Place, Range
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.capacity import demands

MOST_UNITS = 2**42
"""Most units of a resource that may be used in all; a unit is what all requests are multiples of."""


@dataclass(frozen=True, slots=True)
class Filled:
    """Units of a resource that the members use on a cluster; a unit is what all requests are multiples of."""

    places: tuple[tuple[Place, int], ...]
    """Workload and cluster of members that request the resource, each with the units of one replica."""
    known: Range
    """Fewest and most units that may be used, as far as known."""
    standing: int
    """Units used by members that are not in the problem, whatever the placement."""
    total: int
    """Units that the members use of all clusters together; 0 where that is open."""
    share: Fraction
    """The cluster's share of the capacity of all clusters; the shares add up to 1."""

    def used(self, placement: Placement) -> int:
        """Return the units that a placement uses."""
        replicas = (placement.of(place.workload).get(place.cluster, 0) * need for place, need in self.places)
        return self.standing + sum(replicas)


def places_of(rule: Balance, problem: Problem, name: str, resource: str) -> Iterator[tuple[Place, int]]:
    """Yield where members may stand on a cluster that request a resource, and how much of it."""
    for each in problem.workloads:
        if each.key in rule.members:
            need = demands(each, problem.cluster_by_name[name]).get(resource, 0)
            if need:
                yield Place(each.key, name), need
