"""An overflow tier whose total is open: the distance from the quotas of whatever it holds.

The quotas of a tier are shares of what it holds, so the distance is no sum over clusters as long as that is a
choice. For every total n that is possible there is a literal ``b_n``, exactly one of them true, and a copy
``y_nc`` of every cluster's replicas that is 0 where ``b_n`` is false::

    sum b_n = 1,   sum over c of x_c = sum n b_n,   x_c = sum over n of y_nc,   y_nc <= upper_c b_n
    webster, l1   cost = sum over n of (sum over c of d_nc(y_nc) where b_n)
    minimax       cost >= d_nc(x_c)  where b_n

with ``d_nc`` the distance of cluster c from its quota of n replicas. The copies describe the convex hull of
all totals together (E. Balas, 1979), so that the relaxation is as strong as that of the best total.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexCost, Term
from fairlead.encoders.distances import distance_from_quota
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.linear import LinearCost
from fairlead.encoders.peak import PeakCost, greatest_steps, peak_rows
from fairlead.encoders.scale import Measured, Scale
from fairlead.encoders.segments import ConvexFunction
from fairlead.encoders.selection import Group, replicas_at
from fairlead.encoders.variables import Place
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement


def distance_of_open_tier(measured: Measured, key: str, scale: Scale, encoding: Encoding) -> LinearCost:
    """Return the distance of a tier from the quotas of what it holds, in whole steps.

    Parameters
    ----------
    measured
        The tier, and how many replicas it may hold.
    key
        Key of the workload.
    scale
        Steps in one unit of the deviation.
    encoding
        Where variables and constraints are added, once for every tier.
    """
    known = encoding.once(_made)
    tier = Group(key, measured.clusters)
    if tier not in known:
        literals = _totals(measured, tier, encoding)
        measure = _peak if encoding.problem.deviation is Deviation.MINIMAX else _sum
        known[tier] = measure(measured, tier, literals, scale, encoding)
    return known[tier]


def _made(encoding: Encoding) -> dict[Group, LinearCost]:
    """Return the costs that were made for an encoding; none at first."""
    del encoding
    return {}


def _totals(measured: Measured, tier: Group, encoding: Encoding) -> dict[int, cp_model.IntVar]:
    """Add a literal for every number of replicas that a tier may hold."""
    encoding.coupled = True
    literals = {n: encoding.model.new_bool_var("") for n in measured.totals}
    encoding.model.add_exactly_one(literals.values())
    chosen = cp_model.LinearExpr.weighted_sum(list(literals.values()), list(literals))
    encoding.model.add(encoding.selection.total(tier) == chosen)
    return literals


@dataclass(frozen=True, slots=True)
class _Copy:
    """The replicas of a cluster where a tier holds so many, and what they cost there."""

    total: int
    cluster: str
    variable: cp_model.IntVar
    cost: ConvexCost


@dataclass(frozen=True, slots=True)
class _Distances:
    """The distances of all clusters of a tier, by what it holds, in steps."""

    measured: Measured
    scale: Scale
    deviation: Deviation

    def of(self, total: int) -> tuple[dict[str, ConvexFunction], int]:
        """Return what replicas cost by cluster where the tier holds so many, and what comes on top."""
        division = self.measured.division(total)
        if division is None:
            return {}, 0
        found = {}
        constant = self.scale.steps * division.replicas if self.deviation is Deviation.WEBSTER else 0
        for cluster, weight in division.weights.items():
            found[cluster], least = distance_from_quota(division, weight, self.scale, self.deviation)
            constant += least
        return found, constant

    def steps(self, placed: Mapping[str, int], total: int) -> int:
        """Return the distance of a division in whole steps."""
        functions, constant = self.of(total)
        return constant + sum(function(placed.get(name, 0)) for name, function in functions.items())


def _sum(
    measured: Measured,
    tier: Group,
    literals: Mapping[int, cp_model.IntVar],
    scale: Scale,
    encoding: Encoding,
) -> LinearCost:
    """Add the sum of all distances, by copies of the replicas."""
    distances = _Distances(measured, scale, encoding.problem.deviation)
    terms: list[Term] = []
    offset, copies = 0, list[_Copy]()
    for total, literal in literals.items():
        functions, constant = distances.of(total)
        made = [
            _copied(Place(tier.workload, name), total, literal, function, encoding)
            for name, function in functions.items()
        ]
        encoding.model.add(cp_model.LinearExpr.sum([each.variable for each in made]) <= total * literal)
        for each in made:
            more, on_top = each.cost.terms()
            # A copy that is not in use is 0, and costs nothing.
            empty = functions[each.cluster](0)
            terms.extend(more)
            offset += on_top - empty
            constant += empty
        terms.append((literal, constant))
        copies.extend(made)
    for name in sorted({each.cluster for each in copies}):
        parts = cp_model.LinearExpr.sum([each.variable for each in copies if each.cluster == name])
        encoding.model.add(parts == encoding.replicas(tier.workload, name))
    return LinearCost(
        terms,
        offset,
        lambda placement: distances.steps(placement.of(tier.workload), replicas_at(placement, tier)),
        lambda placement: [*_chosen(tier, literals, placement), *_values(tier, copies, placement)],
        lambda placement: _refine(tier, copies, placement),
        min(distances.of(total)[1] for total in literals),
    )


def _at(tier: Group, copy: _Copy, placement: Placement) -> int:
    """Return the value of a copy in a placement."""
    in_use = replicas_at(placement, tier) == copy.total
    return replicas_at(placement, Place(tier.workload, copy.cluster)) if in_use else 0


def _values(tier: Group, copies: Iterable[_Copy], placement: Placement) -> Iterable[Term]:
    """Yield all copies and the variables of their costs with their values in a placement."""
    for copy in copies:
        at = _at(tier, copy, placement)
        yield copy.variable, at
        yield from copy.cost.values(at)


def _refine(tier: Group, copies: Iterable[_Copy], placement: Placement) -> bool:
    """Make the costs of all copies exact at a placement; tell whether one was underestimated."""
    refined = False
    for copy in copies:
        refined |= copy.cost.refine(_at(tier, copy, placement))
    return refined


def _copied(
    place: Place, total: int, literal: cp_model.IntVar, function: ConvexFunction, encoding: Encoding
) -> _Copy:
    """Add the copy of a cluster's replicas for one total."""
    lower, upper = encoding.variables.range(place)
    upper = max(0, min(upper, total))
    copy = encoding.model.new_int_var(0, upper, "")
    encoding.model.add(copy <= upper * literal)
    if 0 < lower <= upper:
        encoding.model.add(copy >= lower * literal)
    cost = ConvexCost(encoding.model, copy, function, (0, upper), function.anchor, literal)
    return _Copy(total, place.cluster, copy, cost)


def _peak(
    measured: Measured,
    tier: Group,
    literals: Mapping[int, cp_model.IntVar],
    scale: Scale,
    encoding: Encoding,
) -> LinearCost:
    """Add the greatest distance: above those of the total that is chosen."""
    ranges = {name: encoding.variables.range(Place(tier.workload, name)) for name in tier.clusters}
    divisions = {total: measured.division(total) for total in literals}
    most = [greatest_steps(each, scale, ranges) for each in divisions.values() if each is not None]
    peak = encoding.model.new_int_var(0, max(most, default=0), "")
    for total, division in divisions.items():
        if division is not None:
            replicas = {name: encoding.replicas(tier.workload, name) for name in division.weights}
            for row in peak_rows(peak, division, scale, replicas):
                encoding.model.add(row).only_enforce_if(literals[total])

    def steps(placement: Placement) -> int:
        division = measured.division(replicas_at(placement, tier))
        if division is None:
            return 0
        return PeakCost(peak, tier.workload, division, scale)(placement.of(tier.workload))

    def values(placement: Placement) -> Iterable[Term]:
        yield from _chosen(tier, literals, placement)
        yield peak, steps(placement)

    return LinearCost([(peak, 1)], 0, steps, values, least=0)


def _chosen(tier: Group, literals: Mapping[int, cp_model.IntVar], placement: Placement) -> Iterable[Term]:
    """Yield the literals with their values in a placement."""
    held = replicas_at(placement, tier)
    for total, literal in literals.items():
        yield literal, int(total == held)
