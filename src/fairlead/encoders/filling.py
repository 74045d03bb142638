"""Use of one resource on one cluster by workloads that fill clusters together."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Interval, Place
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.capacity import demands

MOST_UNITS = 2**42
"""Most units of a resource that may be used in all; a unit is what all requests are multiples of."""


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """Units of a resource that the members use on a cluster; a unit is what all requests are multiples of."""

    places: tuple[tuple[Place, int], ...]
    """Workload and cluster of members that request the resource, each with the units of one replica."""
    known: Interval
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


class ResourceRow(NamedTuple):
    """The use of a resource on one cluster, in units."""

    places: tuple[tuple[Place, int], ...]
    """Places where members may stand, each with units a replica."""
    standing: int
    """Units that are used whatever the members do."""


def least_and_most(places: Iterable[tuple[Place, int]], standing: int, encoding: Encoding) -> Interval:
    """Return the units that may be used on a cluster, as far as the ranges of single places tell."""
    ranges = [(encoding.variables.range(place), need) for place, need in places]
    lower = sum(max(0, each.lower) * need for each, need in ranges)
    upper = sum(max(0, each.lower, each.upper) * need for each, need in ranges)
    return Interval(standing + lower, standing + upper)


def rows_of(rule: Balance, problem: Problem, resource: str) -> tuple[int, dict[str, ResourceRow]]:
    """Return the unit of a resource, and its use by cluster; the unit is 0 where nothing is used.

    All requests, and the total where it is known, are multiples of the unit.
    """
    shares = rule.shares[resource]
    places = {name: list(_places_of(rule, problem, name, resource)) for name in shares}
    standing = {name: rule.standing.get((name, resource), 0) for name in shares}
    needs = (need for row in places.values() for _, need in row)
    unit = math.gcd(*standing.values(), *needs, rule.totals.get(resource, 0))
    if not unit:
        return 0, {}
    return unit, {
        name: ResourceRow(tuple((at, need // unit) for at, need in places[name]), standing[name] // unit)
        for name in shares
    }


def _places_of(rule: Balance, problem: Problem, name: str, resource: str) -> Iterator[tuple[Place, int]]:
    """Yield where members may stand on a cluster that request a resource, and how much of it."""
    for each in problem.workloads:
        if each.key in rule.members:
            need = demands(each, problem.cluster_by_name[name]).get(resource, 0)
            if need:
                yield Place(each.key, name), need
