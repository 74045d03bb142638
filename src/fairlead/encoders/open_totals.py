"""A whole that is divided, of which it is open how much it is, where costs of its parts depend on that.

For every total n that is possible there is a literal ``b_n``, exactly one of them true, and a copy ``y_nc``
of every part that is 0 where ``b_n`` is false::

    sum b_n = 1,   sum over c of x_c = sum n b_n,   x_c = sum over n of y_nc,   y_nc <= upper_c b_n
    cost = sum over n of (fixed_n b_n + sum over c of d_nc(y_nc))

with ``d_nc`` what part c costs where the total is n. The copies describe the convex hull of all totals
together (E. Balas, 1979), so that the relaxation is as strong as that of the best total.

An overflow tier is such a whole: its quotas are shares of what it holds, so the distance from them is no sum
over clusters as long as that is a choice. Under minimax the greatest distance counts::

    cost = sum over n of M_n,   M_n >= every segment of d_nc, at y_nc, where b_n

with ``d_nc`` the distance of cluster c from its quota of n replicas.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexCost, ConvexFunction, Term
from fairlead.encoders.costs import LinearCost
from fairlead.encoders.distances import distances_of
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.scale import MeasuredSet, StepScale
from fairlead.encoders.variables import Interval, Place, PlaceSet, replicas_at
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement

Functions = Mapping[str, tuple[ConvexFunction, int]]
"""Cost of each part, and the amount of it at which that is expected to be least."""


@dataclass(frozen=True, slots=True)
class PartOfTotal:
    """A part of a whole."""

    variable: cp_model.LinearExprT
    """Amount of the part."""
    known: Interval
    """Least and most of the amount, as far as known."""
    of: Callable[[Placement], int]
    """Amount in a placement."""


@dataclass(frozen=True, slots=True)
class CopyAtTotal:
    """A part where the whole is so much."""

    total: int
    name: str
    variable: cp_model.IntVar
    cost: ConvexCost


@dataclass(frozen=True, slots=True)
class OpenTotal:
    """A whole with its parts."""

    model: cp_model.CpModel
    parts: Mapping[str, PartOfTotal]
    whole: cp_model.LinearExprT
    """Amount of the whole."""
    of: Callable[[Placement], int]
    """Amount of the whole in a placement."""
    totals: Iterable[int]
    """Amounts that are possible."""
    literals: dict[int, cp_model.IntVar] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.literals.update((n, self.model.new_bool_var("")) for n in self.totals)
        self.model.add_exactly_one(self.literals.values())
        chosen = cp_model.LinearExpr.weighted_sum(list(self.literals.values()), list(self.literals))
        self.model.add(self.whole == chosen)

    def copies(self, total: int, functions: Functions) -> list[CopyAtTotal]:
        """Add copies of all parts for one total, which are 0 where it is not chosen."""
        literal, found = self.literals[total], list[CopyAtTotal]()
        for name, (function, centre) in functions.items():
            lower, upper = self.parts[name].known
            upper = max(0, min(upper, total))
            copy = self.model.new_int_var(0, upper, "")
            self.model.add(copy <= upper * literal)
            if 0 < lower <= upper:
                self.model.add(copy >= lower * literal)
            cost = ConvexCost(self.model, copy, function, (0, upper), centre, literal)
            found.append(CopyAtTotal(total, name, copy, cost))
        self.model.add(cp_model.LinearExpr.sum([each.variable for each in found]) <= total * literal)
        return found

    def join(self, copies: Sequence[CopyAtTotal]) -> None:
        """Require the copies of every part to add up to it."""
        for name in sorted({each.name for each in copies}):
            inside = cp_model.LinearExpr.sum([each.variable for each in copies if each.name == name])
            self.model.add(inside == self.parts[name].variable)

    def copied(self, copy: CopyAtTotal, placement: Placement) -> int:
        """Return the value of a copy in a placement."""
        return self.parts[copy.name].of(placement) if self.of(placement) == copy.total else 0

    def chosen(self, placement: Placement) -> Iterable[Term]:
        """Yield the literals with their values in a placement."""
        held = self.of(placement)
        for total, literal in self.literals.items():
            yield literal, int(total == held)

    def sum(
        self,
        functions: Callable[[int], Functions],
        fixed: Callable[[int], int],
        steps: Callable[[Placement], int],
    ) -> LinearCost:
        """Return the cost of all parts together.

        `functions`: what parts cost by total; `fixed`: what comes on top; `steps`: both in a placement.
        """
        terms, offset, copies = list[Term](), 0, list[CopyAtTotal]()
        on_top = {total: fixed(total) for total in self.literals}
        for total, literal in self.literals.items():
            found = functions(total)
            made = self.copies(total, found)
            # A copy that is not in use is 0, and costs nothing.
            empty = [found[each.name][0](0) for each in made]
            terms.append((literal, on_top[total] + sum(empty)))
            for each, nothing in zip(made, empty, strict=True):
                more, beside = each.cost.terms()
                terms.extend(more)
                offset += beside - nothing
            copies.extend(made)
        self.join(copies)

        def values(placement: Placement) -> Iterable[Term]:
            yield from self.chosen(placement)
            for each in copies:
                held = self.copied(each, placement)
                yield each.variable, held
                yield from each.cost.values(held)

        def refine(placement: Placement) -> bool:
            refined = False
            for each in copies:
                refined |= each.cost.refine(self.copied(each, placement))
            return refined

        return LinearCost(terms, offset, steps, values, refine, min(on_top.values(), default=0))


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
