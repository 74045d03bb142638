"""An overflow tier whose total is open: the distance from the quotas of whatever it holds.

The quotas of a tier are shares of what it holds, so the distance is no sum over clusters as long as that is a
choice. For every total n that is possible there is a literal ``b_n``, exactly one of them true, and a copy
``y_nc`` of every cluster's replicas that is 0 where ``b_n`` is false::

    sum b_n = 1,   sum over c of x_c = sum n b_n,   x_c = sum over n of y_nc,   y_nc <= upper_c b_n
    webster, l1   cost = sum over n of sum over c of (d_nc(y_nc) - d_nc(0) (1 - b_n))
    minimax       cost = sum over n of M_n,   M_n >= every segment of d_nc, at y_nc, where b_n

with ``d_nc`` the distance of cluster c from its quota of n replicas. The copies describe the convex hull of
all totals together (E. Balas, 1979), so that the relaxation is as strong as that of the best total.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexCost, ConvexFunction, Term
from fairlead.encoders.costs import LinearCost
from fairlead.encoders.distances import distances_of
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.scale import Measured, Scale
from fairlead.encoders.variables import Group, Place, replicas_at
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement


def distance_of_open_tier(measured: Measured, key: str, scale: Scale, encoding: Encoding) -> LinearCost:
    """Return the distance of a tier from the quotas of what it holds, in whole steps.

    `measured`: the tier, and how many replicas it may hold; `scale`: steps in one unit of the deviation.
    """
    known = encoding.open_tiers
    tier = Group(key, measured.clusters)
    if tier not in known:
        distances = _Distances(measured, scale, encoding.problem.deviation)
        measure = _peak if distances.deviation is Deviation.MINIMAX else _sum
        known[tier] = measure(tier, _totals(measured, tier, encoding), distances, encoding)
    return known[tier]


def _totals(measured: Measured, tier: Group, encoding: Encoding) -> dict[int, cp_model.IntVar]:
    """Add a literal for every number of replicas that a tier may hold."""
    encoding.coupled = True
    literals = {n: encoding.model.new_bool_var("") for n in measured.totals}
    encoding.model.add_exactly_one(literals.values())
    chosen = cp_model.LinearExpr.weighted_sum(list(literals.values()), list(literals))
    encoding.model.add(encoding.selection.total(tier) == chosen)
    return literals


@dataclass(frozen=True, slots=True)
class _Distances:
    """The distances of all clusters of a tier, by what it holds, in steps."""

    measured: Measured
    scale: Scale
    deviation: Deviation

    def of(self, total: int) -> dict[str, tuple[ConvexFunction, int]]:
        """Return the distance and its least by cluster where the tier holds so many; empty: not measured."""
        division = self.measured.division(total)
        return {} if division is None else distances_of(division, self.scale, self.deviation)

    def on_top(self, total: int) -> int:
        """Return the constant that the sum of all distances leaves out, in steps."""
        divided = self.deviation is Deviation.WEBSTER and self.measured.division(total) is not None
        return self.scale.steps * total if divided else 0

    def steps(self, placed: Mapping[str, int], total: int) -> int:
        """Return the distance of a division in whole steps."""
        found = [function(placed.get(name, 0)) + least for name, (function, least) in self.of(total).items()]
        if self.deviation is Deviation.MINIMAX:
            return max(found, default=0)
        return sum(found) + self.on_top(total)


@dataclass(frozen=True, slots=True)
class _Copy:
    """The replicas of a cluster where a tier holds so many."""

    total: int
    place: Place
    variable: cp_model.IntVar
    cost: ConvexCost

    def at(self, tier: Group, placement: Placement) -> int:
        """Return the value in a placement."""
        in_use = replicas_at(placement, tier) == self.total
        return replicas_at(placement, self.place) if in_use else 0


def _copies(
    tier: Group, total: int, literal: cp_model.IntVar, distances: _Distances, encoding: Encoding
) -> list[_Copy]:
    """Add copies of the replicas of all clusters for one total, which are 0 where it is not chosen."""
    model, found = encoding.model, list[_Copy]()
    for name, (function, _) in distances.of(total).items():
        place = Place(tier.workload, name)
        lower, upper = encoding.variables.range(place)
        upper = max(0, min(upper, total))
        copy = model.new_int_var(0, upper, "")
        model.add(copy <= upper * literal)
        if 0 < lower <= upper:
            model.add(copy >= lower * literal)
        cost = ConvexCost(model, copy, function, (0, upper), function.anchor, literal)
        found.append(_Copy(total, place, copy, cost))
    model.add(cp_model.LinearExpr.sum([each.variable for each in found]) <= total * literal)
    return found


def _join(copies: Sequence[_Copy], encoding: Encoding) -> None:
    """Require the copies of every cluster to add up to its replicas."""
    for place in sorted({each.place for each in copies}):
        parts = cp_model.LinearExpr.sum([each.variable for each in copies if each.place == place])
        encoding.model.add(parts == encoding.replicas(*place))


def _sum(
    tier: Group, literals: Mapping[int, cp_model.IntVar], distances: _Distances, encoding: Encoding
) -> LinearCost:
    terms, offset, copies, fixed = list[Term](), 0, list[_Copy](), list[int]()
    for total, literal in literals.items():
        made = _copies(tier, total, literal, distances, encoding)
        found = distances.of(total)
        fixed.append(distances.on_top(total) + sum(least for _, least in found.values()))
        # A copy that is not in use is 0, and costs nothing.
        empty = [found[each.place.cluster][0](0) for each in made]
        terms.append((literal, fixed[-1] + sum(empty)))
        for each, nothing in zip(made, empty, strict=True):
            more, on_top = each.cost.terms()
            terms.extend(more)
            offset += on_top - nothing
        copies.extend(made)
    _join(copies, encoding)

    def values(placement: Placement) -> Iterable[Term]:
        yield from _chosen(tier, literals, placement)
        for each in copies:
            yield each.variable, each.at(tier, placement)
            yield from each.cost.values(each.at(tier, placement))

    def refine(placement: Placement) -> bool:
        refined = False
        for each in copies:
            refined |= each.cost.refine(each.at(tier, placement))
        return refined

    return LinearCost(terms, offset, _steps(tier, distances), values, refine, min(fixed))


def _peak(
    tier: Group, literals: Mapping[int, cp_model.IntVar], distances: _Distances, encoding: Encoding
) -> LinearCost:
    """Add the greatest distance for every total, 0 where it is not chosen.

    A distance has three slopes at most: down to the quota, across it, and up from there.
    """
    copies, peaks = list[_Copy](), dict[int, cp_model.IntVar]()
    for total, literal in literals.items():
        found = distances.of(total)
        made = _copies(tier, total, literal, distances, encoding)
        ends = [function(end) + least for function, least in found.values() for end in (0, total)]
        peaks[total] = peak = encoding.model.new_int_var(0, max(ends, default=0), "")
        for each in made:
            function, least = found[each.place.cluster]
            for k in range(function.anchor - 2, function.anchor + 2):
                slope = function.marginal(k)
                line = cp_model.LinearExpr.weighted_sum(
                    [peak, each.variable, literal], [1, -slope, slope * k - function(k) - least]
                )
                encoding.model.add(line >= 0)
        copies.extend(made)
    _join(copies, encoding)
    steps = _steps(tier, distances)

    def values(placement: Placement) -> Iterable[Term]:
        yield from _chosen(tier, literals, placement)
        for each in copies:
            yield each.variable, each.at(tier, placement)
        for total, peak in peaks.items():
            yield peak, steps(placement) if replicas_at(placement, tier) == total else 0

    return LinearCost([(peak, 1) for peak in peaks.values()], 0, steps, values, least=0)


def _steps(tier: Group, distances: _Distances) -> Callable[[Placement], int]:
    """Return a function that tells the distance of a placement, in steps."""
    return lambda placement: distances.steps(placement.of(tier.workload), replicas_at(placement, tier))


def _chosen(tier: Group, literals: Mapping[int, cp_model.IntVar], placement: Placement) -> Iterable[Term]:
    """Yield the literals with their values in a placement."""
    held = replicas_at(placement, tier)
    for total, literal in literals.items():
        yield literal, int(total == held)
