"""An overflow tier whose total is open: the distance from the quotas of whatever it holds.

The quotas of a tier are shares of what it holds, so the distance is no sum over clusters as long as that is a
choice, see `open_totals`. Under minimax the greatest distance counts::

    cost = sum over n of M_n,   M_n >= every segment of d_nc, at y_nc, where b_n

with ``d_nc`` the distance of cluster c from its quota of n replicas.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexFunction, Term
from fairlead.encoders.costs import LinearCost
from fairlead.encoders.distances import distances_of
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.open_totals import CopyAtTotal, Functions, OpenTotal, PartOfTotal
from fairlead.encoders.scale import MeasuredSet, StepScale
from fairlead.encoders.variables import Place, PlaceSet, replicas_at
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement


def distance_of_open_tier(
    measured: MeasuredSet, key: str, scale: StepScale, encoding: Encoding
) -> LinearCost:
    """Return the distance of a tier from the quotas of what it holds, in whole steps.

    `measured`: the tier, and how many replicas it may hold; `scale`: steps in one unit of the deviation.
    """
    known = encoding.open_tiers
    tier = PlaceSet(key, measured.clusters)
    if tier not in known:
        distances = _Distances(measured, scale, encoding.problem.deviation)
        known[tier] = _cost(tier, distances, _held_by(tier, measured, encoding))
    return known[tier]


def _held_by(tier: PlaceSet, measured: MeasuredSet, encoding: Encoding) -> OpenTotal:
    """Add what a tier may hold."""
    encoding.coupled = True
    parts = {name: _part(Place(tier.workload, name), encoding) for name in sorted(tier.clusters)}
    whole = encoding.selection.total(tier)
    return OpenTotal(
        encoding.model, parts, whole, lambda placement: replicas_at(placement, tier), measured.totals
    )


def _part(place: Place, encoding: Encoding) -> PartOfTotal:
    """Return the replicas of a place."""
    known = encoding.variables.range(place)
    return PartOfTotal(encoding.replicas(*place), known, lambda placement: replicas_at(placement, place))


@dataclass(frozen=True, slots=True)
class _Distances:
    """The distances of all clusters of a tier, by what it holds, in steps."""

    measured: MeasuredSet
    scale: StepScale
    deviation: Deviation

    def of(self, total: int) -> dict[str, tuple[ConvexFunction, int]]:
        """Return the distance and its least by cluster where the tier holds so many; empty: not measured."""
        division = self.measured.division(total)
        return {} if division is None else distances_of(division, self.scale, self.deviation)

    def on_top(self, total: int) -> int:
        """Return the constant that the sum of all distances leaves out, in steps."""
        divided = self.deviation is Deviation.WEBSTER and self.measured.division(total) is not None
        return self.scale.steps * total if divided else 0

    def functions(self, total: int) -> Functions:
        """Return the cost by cluster where the tier holds so many, and the replicas at which it is least."""
        return {name: (function, function.anchor) for name, (function, _) in self.of(total).items()}

    def fixed(self, total: int) -> int:
        """Return the constant beside these costs, in steps."""
        return self.on_top(total) + sum(least for _, least in self.of(total).values())

    def steps(self, placed: Mapping[str, int], total: int) -> int:
        """Return the distance of a division in whole steps."""
        found = [function(placed.get(name, 0)) + least for name, (function, least) in self.of(total).items()]
        if self.deviation is Deviation.MINIMAX:
            return max(found, default=0)
        return sum(found) + self.on_top(total)


def _cost(tier: PlaceSet, distances: _Distances, held: OpenTotal) -> LinearCost:
    """Return the distance, summed or the greatest, as the deviation is measured."""

    def steps(placement: Placement) -> int:
        return distances.steps(placement.of(tier.workload), held.of(placement))

    if distances.deviation is Deviation.MINIMAX:
        return _peak(distances, held, steps)
    return held.sum(distances.functions, distances.fixed, steps)


def _peak(distances: _Distances, held: OpenTotal, steps: Callable[[Placement], int]) -> LinearCost:
    """Add the greatest distance for every total, 0 where it is not chosen.

    A distance has three slopes at most: down to the quota, across it, and up from there.
    """
    copies, peaks = list[CopyAtTotal](), dict[int, cp_model.IntVar]()
    for total, literal in held.literals.items():
        found = distances.of(total)
        made = held.copies(total, distances.functions(total))
        ends = [function(end) + least for function, least in found.values() for end in (0, total)]
        peaks[total] = peak = held.model.new_int_var(0, max(ends, default=0), "")
        for each in made:
            function, least = found[each.name]
            for k in range(function.anchor - 2, function.anchor + 2):
                slope = function.marginal(k)
                line = cp_model.LinearExpr.weighted_sum(
                    [peak, each.variable, literal], [1, -slope, slope * k - function(k) - least]
                )
                held.model.add(line >= 0)
        copies.extend(made)
    held.join(copies)

    def values(placement: Placement) -> Iterable[Term]:
        yield from held.chosen(placement)
        for each in copies:
            yield each.variable, held.copied(each, placement)
        for total, peak in peaks.items():
            yield peak, steps(placement) if held.of(placement) == total else 0

    return LinearCost([(peak, 1) for peak in peaks.values()], 0, steps, values, least=0)
