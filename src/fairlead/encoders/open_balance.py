"""Balance where it is open how much is used of a resource in all.

So it is where some clusters are of unknown capacity, copies are chosen, or not everything is placed. The
share of a cluster in what is used is no convex cost then, as long as the total is open: `open_totals`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexFunction
from fairlead.encoders.costs import LinearCost
from fairlead.encoders.encoding import Encoding, weighted
from fairlead.encoders.filling import ResourceUse, least_and_most, rows_of
from fairlead.encoders.open_totals import Functions, OpenTotal, PartOfTotal
from fairlead.models.errors import UnsupportedError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance

MOST_OPEN = 1_500
"""Clusters times totals of a resource that are looked at, at most."""


@dataclass(frozen=True, slots=True)
class OpenUse:
    """Use of one resource by the members, where it is open how much that is in all."""

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


def wholes_of(rule: Balance, problem: Problem, encoding: Encoding) -> Iterator[OpenUse]:
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


def pairs(whole: OpenUse) -> Iterator[tuple[ResourceUse, int]]:
    """Yield every cluster with everything that may be used in all."""
    yield from product(whole.filled.values(), filter(None, whole.possible))


def open_cost(whole: OpenUse, scale: int, encoding: Encoding) -> LinearCost:
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
