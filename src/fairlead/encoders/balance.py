"""Balance: how unevenly clusters are filled, as a convex cost of what is used of every resource."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, product
from typing import NamedTuple

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexFunction, Term
from fairlead.encoders.costs import Cost, LinearCost, Origin
from fairlead.encoders.distances import squared
from fairlead.encoders.encoding import Encoding, weighted
from fairlead.encoders.open_totals import Functions, OpenTotal, PartOfTotal
from fairlead.encoders.scale import LARGEST
from fairlead.encoders.variables import Interval, Place
from fairlead.models.errors import UnsupportedError
from fairlead.models.levels import BALANCE
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import KIND, Balance
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


FINE = 2**24
"""Where costs are rounded to whole steps, the error is below this part of 1."""
LINES = 24
"""Lines that touch every cost before anything is solved, and one more."""
MOST_OPEN = 1_500
"""Clusters times totals of a resource that are looked at, at most."""


@dataclass(frozen=True, slots=True)
class OpenUse:
    """Use of one resource by the members, where it is open how much that is in all.

    So it is where some clusters are of unknown capacity, copies are chosen, or not everything is placed. The
    share of a cluster in what is used is no convex cost then, as long as the total is open: `open_totals`.
    """

    filled: Mapping[str, ResourceUse]
    """Use of each cluster, by name."""
    possible: range
    """Units that they may use together, whatever is known by now: steps are measured by these."""
    totals: range
    """Units of these that are still possible."""

    @property
    def error(self) -> int:
        """Most steps by which a cost is underestimated where each unit of a square is rounded down."""
        return self.possible[-1] ** 2

    def used(self, placement: Placement) -> int:
        """Return the units that a placement uses of all clusters together."""
        return sum(each.used(placement) for each in self.filled.values())


@dataclass(slots=True)
class _FillingCost(Cost):
    """A convex cost of what is used of a resource on a cluster: a variable above lines that touch it."""

    filled: ResourceUse
    function: ConvexFunction
    encoding: Encoding
    used: cp_model.IntVar
    cost: cp_model.IntVar
    """Variables: units used, and the cost of them in steps of the level."""
    lines: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Slope of a line, and its value at 0, by where it touches the function, there and at the next number."""

    @property
    def error(self) -> int:
        """Steps by which it is underestimated at most: one for each unit that is used in all."""
        return self.filled.total

    def of(self, placement: Placement) -> int:
        return self.function(self.filled.used(placement))

    def terms(self) -> tuple[list[Term], int]:
        return [(self.cost, 1)], 0

    def values(self, placement: Placement) -> Iterator[Term]:
        used = self.filled.used(placement)
        yield self.used, used
        yield self.cost, self._claimed(used)

    def refine(self, placement: Placement) -> bool:
        used = self.filled.used(placement)
        if self._claimed(used) >= self.function(used):
            return False
        self.touch(used)
        return True

    def touch(self, at: int) -> None:
        """Keep the cost above the line through a number and the next one."""
        if at not in self.lines:
            slope = self.function.marginal(at)
            offset = self.function(at) - slope * at
            self.lines[at] = slope, offset
            self.encoding.model.add(self.cost - slope * self.used >= offset)

    def _claimed(self, used: int) -> int:
        return max(0, *(slope * used + offset for slope, offset in self.lines.values()))


def encode(rule: Balance, problem: Problem, encoding: Encoding) -> None:
    """Fill the clusters as evenly as the other rules allow.

    With U units used of a resource on a cluster, D of them on all clusters together whatever the placement,
    and a share s of what there is, in whole steps of 1 / L::

        minimise  sum (U - s D)^2 / (s D^2)  =  sum (u - s)^2 / s,   u = U / D

    L is the least common denominator; where that leads to too large numbers, L is such that the steps of all
    costs, each rounded towards 0, add up to an error below 1 / `FINE`. Where it is open how much D is, see
    `OpenUse`.

    Raises `UnsupportedError` where amounts are too large to be counted in 64 bits, or D may be too many
    numbers.
    """
    filled = list(_all_filled(rule, problem, encoding))
    wholes = list(_opened(rule, problem, encoding))
    scale, exact = _scale(filled, wholes)
    costs: list[Cost] = [_open_cost(each, scale, encoding) for each in wholes]
    least = Fraction(0)
    for each in filled:
        function, constant = squared(each.share * each.total, Fraction(scale, each.total), exact=exact)
        costs.append(_cost(each, function, encoding))
        least += constant / scale
    encoding.prefer(BALANCE, costs, because=Origin(KIND), constant=least, scale=scale, exact=exact)


def _all_filled(rule: Balance, problem: Problem, encoding: Encoding) -> Iterator[ResourceUse]:
    for resource, shares in rule.shares.items():
        if resource not in rule.totals:
            continue
        unit, rows = rows_of(rule, problem, resource)
        total = rule.totals[resource] // unit if unit else 0
        if total > MOST_UNITS:
            raise UnsupportedError(
                f"requests of {resource} differ too much for balance to be counted in 64 bits"
            )
        for name, share in shares.items() if total else ():
            row = tuple(each for each in rows[name].places if encoding.variables.range(each[0]).upper > 0)
            lower, upper = encoding.filled.get((name, resource), (0, total * unit))
            known = Interval(-(-lower // unit), upper // unit)
            yield ResourceUse(row, known, rows[name].standing, total, share)


def _scale(filled: Sequence[ResourceUse], wholes: Sequence[OpenUse]) -> tuple[int, bool]:
    """Return the steps in 1, and whether every cost is a whole number of them."""
    coarse = FINE * (sum(each.total for each in filled) + sum(each.error for each in wholes))
    shares = (each.share for each in (*filled, *(part for whole in wholes for part in whole.filled.values())))
    dearest = math.ceil(sum(1 / share for share in shares))
    if dearest > LARGEST:
        raise UnsupportedError("clusters differ too much in size for balance to be counted in 64 bits")
    # Each total has costs of its own in the sum.
    most = LARGEST // (max(1, dearest) * max(1, sum(len(each.possible) for each in wholes)))
    steps = 1
    known = ((each, each.total) for each in filled)
    opened = (product(whole.filled.values(), filter(None, whole.possible)) for whole in wholes)
    for each, total in (*known, *chain.from_iterable(opened)):
        steps = math.lcm(steps, (1 / (each.share * total * total)).denominator, total)
        # Many totals are divided by there, and costs that are the same have to be the same in steps.
        if steps > (most if wholes else coarse):
            return min(coarse, most), False
    return steps, True


def _cost(filled: ResourceUse, function: ConvexFunction, encoding: Encoding) -> _FillingCost:
    ranges = [(encoding.variables.range(place), need) for place, need in filled.places]
    lower, upper = least_and_most(filled.places, filled.standing, encoding).within(*filled.known)
    used = encoding.model.new_int_var(lower, upper, "")
    terms = [(encoding.replicas(*place), need) for place, need in filled.places]
    encoding.coupled = True
    encoding.model.add(weighted([*terms, (used, -1)]) == -filled.standing)
    centre = function.anchor if encoding.centres is None else filled.used(encoding.centres)
    dearest = max(function(lower), function(upper))
    cost = encoding.model.new_int_var(0, dearest, "")
    found = _FillingCost(filled, function, encoding, used, cost)
    least = min((need for each, need in ranges if each.lower < each.upper), default=upper - lower)
    lines = min(LINES, (upper - lower) // least) if least else 0
    for at in {centre, *(lower + (upper - lower) * part // max(1, lines) for part in range(lines + 1))}:
        found.touch(at)
    return found


def _opened(rule: Balance, problem: Problem, encoding: Encoding) -> Iterator[OpenUse]:
    """Yield the resources of which it is open how much is used in all."""
    for resource, shares in rule.shares.items():
        if resource in rule.totals:
            continue
        unit, rows = rows_of(rule, problem, resource)
        least, most = rule.between[resource]
        if not rows or not most:
            continue
        found = dict[str, ResourceUse]()
        for name, (places, standing) in rows.items():
            known = least_and_most(places, standing, encoding)
            found[name] = ResourceUse(places, known, standing, 0, shares[name])
        possible = range(-(-least // unit), most // unit + 1)
        if len(possible) * len(found) > MOST_OPEN:
            raise UnsupportedError(f"too much may be used of {resource} for balance where the total is open")
        lower = max(sum(each.known.lower for each in found.values()), possible.start)
        upper = min(sum(each.known.upper for each in found.values()) + 1, possible.stop)
        yield OpenUse(found, possible, range(lower, max(lower, upper)))


def _open_cost(whole: OpenUse, scale: int, encoding: Encoding) -> LinearCost:
    """Return the cost of one resource, in whole steps of 1 / L, where its total is open.

    That is ``sum L U^2 / (s D^2) - L``, as the shares s add up to 1, with D the total; nothing where D is 0.
    """
    parts = dict[str, PartOfTotal]()
    for name, each in whole.filled.items():
        used = encoding.own_number(each.known.lower, each.known.upper, each.used)
        terms = [(encoding.replicas(*place), need) for place, need in each.places]
        encoding.define(weighted([*terms, (used, -1)]) == -each.standing)
        parts[name] = PartOfTotal(used, each.known, each.used)
    everything = cp_model.LinearExpr.sum([each.variable for each in parts.values()])
    held = OpenTotal(encoding.model, parts, everything, whole.used, whole.totals)

    def unit(each: ResourceUse, total: int) -> int:
        return int(scale / (each.share * total * total))

    def functions(total: int) -> Functions:
        every = whole.filled.items() if total else ()
        return {name: (_square(unit(each, total)), round(each.share * total)) for name, each in every}

    def steps(placement: Placement) -> int:
        total, every = whole.used(placement), whole.filled.values()
        return sum(unit(each, total) * each.used(placement) ** 2 for each in every) - scale if total else 0

    def fixed(total: int) -> int:
        return -scale if total else 0

    return replace(held.sum(functions, fixed, steps), error=whole.error)


def _square(steps: int) -> ConvexFunction:
    """Return a square, each unit of it so many steps."""
    return ConvexFunction(lambda k: steps * (2 * k + 1), lambda x: steps * x * x)
