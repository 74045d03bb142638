"""What overflow tiers hold: a bound on the deviation beside how many replicas stand beyond first tiers.

At prices of what is shared, and at one of every replica beyond the first tier, a workload costs at least the
least over all numbers that its first tier may hold: so many divided there, the rest in the other tier. Summed
that is a bound whatever the prices, and in whole numbers it is exact. In fractions a tier costs in proportion
to what it holds, so that nearly always a workload stands in one tier as far as there is room, and prices are
found with these two ways only. Which one each takes is chosen in `fairlead.solver.batch.mixed.choosing`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fairlead.models.levels import DEVIATION, Deviation, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Tiers, Total, Weights
from fairlead.models.score import levels_of
from fairlead.models.usage import Row
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import among
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Batch, Floats, Whole, batch_of, spelled_out, table_of, tight
from fairlead.solver.batch.costs import costs_of, deviation_cost
from fairlead.solver.batch.dual.bound import least_of_rows, lower_bound, whole_prices
from fairlead.solver.batch.dual.relaxation import EvaluatedPrices, relax
from fairlead.solver.batch.dual.sifting import sift
from fairlead.solver.batch.dual.subgradient import Subgradient, first_step
from fairlead.solver.batch.mixed.approximations import outer
from fairlead.solver.batch.model import LevelModel, Prices, model_of, place_prices
from fairlead.solver.running.deadline import Deadline

BEYOND = Level("tiers", 1)
SIMPLE = (Candidates, Total, Bounds, Weights, Tiers)


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """Ways of dividing workloads: so many replicas in the first tier, the rest in the other."""

    model: LevelModel
    """Deviation of the rows of all ways."""
    rows: Whole
    """Row of each tier, by way; -1 where it holds nothing."""
    owner: Whole
    """Number of the workload, by way, rising."""
    beyond: Whole
    """Replicas beyond the first tier, by way."""

    def at(self, capacity: Floats, near: Floats | None = None) -> tuple[Floats, Floats, Whole]:
        """Return the cost of each way with capacity at prices, in steps, prices of the rows, and replicas."""
        prices = Prices(capacity, np.zeros(0))
        found = relax(self.model, prices, near, tuning.COARSE)
        costs = self.model.shapes[0].value(found.replicas) + (
            place_prices(self.model, prices, slice(None)) * found.replicas
        )
        return np.append(costs.sum(axis=1), 0.0)[self.rows].sum(axis=1), found.rows, found.replicas

    def cheapest(self, costs: Floats) -> Whole:
        """Return the way of each workload that costs least, the first of equal ones."""
        order = np.lexsort((costs, self.owner))
        first: Whole = order[np.flatnonzero(np.diff(self.owner[order], prepend=-1))]
        return first

    def rows_of(self, ways: Whole) -> Whole:
        """Return the rows of some ways."""
        rows: Whole = np.sort(self.rows[ways].ravel())
        return rows[rows >= 0]


@dataclass(frozen=True, slots=True, eq=False)
class Overflow:
    """A batch in which some workloads have two tiers, and all others are boxes."""

    part: Problem
    batch: Batch
    """Boxes of the workloads, and for each tier one with all replicas of its workload."""
    weights: Whole
    """Weights by row and column."""
    tiers: Whole
    """Rows of both tiers, by workload; of one without tiers its row and -1."""
    owners: Mapping[str, str]
    """Keys of workloads by the keys of the boxes."""
    least: int
    """Fewest replicas beyond the first tiers."""
    worth: Mapping[Row, float]
    """Prices of capacity at which that is told, in replicas."""

    @classmethod
    def of(cls, part: Problem, deadline: Deadline) -> "Overflow | None":
        """Look at a batch; None where it is not of this kind."""
        if levels_of(part) != (BEYOND, DEVIATION) or not all(map(_is_simple, part.workloads)):
            return None
        both = {each.key: (each.replicas, each.replicas) for each in part.workloads if _has_tiers(each)}
        made = [outer(each, part, both).boxes for each in part.workloads]
        boxes = [box for each in made for box in each]
        batch = batch_of(among(part, boxes, part.limits))
        given = [rule.weights if (rule := box.rule(Weights)) else {} for box in batch.problem.workloads]
        weights = table_of(given, batch.clusters)
        row = {key: number for number, key in enumerate(batch.keys)}
        tiers = np.array([(row[each[0].key], row[each[-1].key] if each[1:] else -1) for each in made])
        whole = weights.sum(axis=1)
        told = [sum(each.values()) for each in given] == whole.tolist()
        if not told or not whole[tiers[tiers[:, 1] >= 0]].all():
            return None
        wide = [box for each in part.workloads for box in outer(each, part, {}).boxes]
        joint = batch_of(among(part, wide, part.limits))
        model = model_of(joint, next(cost for cost in costs_of(joint) if cost.level == BEYOND))
        if not joint.feasible:
            return None
        free = Prices.none(model)
        found = sift(model, free, relax(model, free).rows, deadline)
        least = -(-lower_bound(model, found.prices, found.rows) // int(model.unit))
        owners = {box.key: each.key for each, some in zip(part.workloads, made, strict=True) for box in some}
        return cls(part, batch, weights, tiers, owners, max(0, least), found.prices.worth(model))

    @property
    def most(self) -> int:
        """Replicas that may stand beyond the first tiers: the fewest and the tolerance."""
        given = self.part.tolerances.get(BEYOND.key)
        return self.least + (0 if given is None else math.floor(given.of(self.least)))

    def span(self) -> tuple[Whole, Whole]:
        """Return the fewest and most replicas of the first tier, by workload; without tiers it holds all."""
        first, second = self.tiers.T
        totals, room = self.batch.totals[first], self.batch.upper.sum(axis=1)
        most = np.minimum(totals, room[first])
        return np.where(second < 0, totals, totals - np.minimum(totals, room[second])), most

    def ways(self, owner: Whole, held: Whole) -> Ways:
        """Return ways of dividing workloads by their number, rising, and what the first tier holds."""
        counts = np.stack([held, self.batch.totals[self.tiers[owner, 0]] - held], axis=1)
        way, tier = np.nonzero(counts)
        source, totals = self.tiers[owner[way], tier], counts[way, tier]
        rows = np.full(counts.shape, -1, dtype=np.int64)
        rows[way, tier] = np.arange(len(way))
        batch, alone = self.batch, self.tiers[owner[way], 1] < 0
        lower = np.where(alone[:, None], batch.lower[source], 0)
        lower, upper = tight(lower, np.minimum(batch.upper[source], totals[:, None]), totals)
        keys = tuple(batch.keys[each] for each in source.tolist())
        part = replace(batch, keys=keys, lower=lower, upper=upper, totals=totals, needs=batch.needs[source])
        weights = self.weights[source]
        cost = deviation_cost(part, DEVIATION, weights, weights.sum(axis=1))
        return Ways(model_of(part, cost), rows, owner, counts[:, 1])

    def ends(self) -> Ways:
        """Return of each workload the two ways in which one tier holds as much as it can."""
        low, high = self.span()
        many = np.arange(len(low))
        owner = np.repeat(many, 1 + (low < high))
        last = np.diff(owner, append=-1) != 0
        return self.ways(owner, np.where(last, high[owner], low[owner]))

    def climb(self, ways: Ways, most: int, deadline: Deadline) -> EvaluatedPrices:
        """Return prices of capacity, and of a replica beyond first tiers, with at most so many beyond."""
        model = ways.model
        limit, asked = model.batch.coupling.limit, int(model.batch.totals.sum())
        # An ascent measures a pin by all replicas: so many units are as dear as one beyond the first tiers.
        units = asked / max(1, most)

        def evaluate(prices: Prices, known: EvaluatedPrices | None) -> tuple[EvaluatedPrices, Floats]:
            costs, rows, replicas = ways.at(prices.capacity, None if known is None else known.rows)
            costs = costs + prices.pins[0] * units * ways.beyond
            taken = ways.cheapest(costs)
            at = ways.rows_of(taken)
            used = model.batch.needs[at].T @ replicas[at]
            over = used[model.batch.coupling.resource, model.batch.coupling.column] - limit
            excess = np.append(over, ways.beyond[taken].sum() * units - asked).astype(np.float64)
            value = costs[taken].sum() - prices.capacity @ limit - prices.pins[0] * asked
            return EvaluatedPrices(prices, rows, float(value)), excess

        pinned = replace(model, pins=(asked,), pin_units=(1.0,))
        ascent, size = Subgradient(pinned, deadline, evaluate), first_step(model, tuning.OVERFLOW_STEP)
        free = Prices(Prices.of(model, self.worth).capacity, np.array([model.unit / units]))
        start, step = evaluate(free, None)[0], tuning.FARTHEST_WORTH
        while step > tuning.NEAREST_WORTH and deadline.remaining() > 0:
            tried = (evaluate(start.prices * each, start)[0] for each in (step, 1 / step))
            best = max(tried, key=lambda each: each.value)
            start, step = (best, step) if best.value > start.value else (start, step**0.5)
        # Dear prices fall faster than cheap ones rise.
        best, first = start, start.prices
        while deadline.remaining() > 0:
            found = ascent.run(first, tuning.OVERFLOW_PROBE, size, None)
            if found.value <= best.value:
                break
            best, first = found, first * tuning.DEARER
        best = ascent.run(best.prices, tuning.OVERFLOW_TURNS, size, best)
        return replace(best, prices=Prices(best.prices.capacity, best.prices.pins * units))

    def bound(self, prices: Prices, most: int) -> Fraction | None:
        """Return the least deviation with at most so many replicas beyond first tiers, in its unit.

        Prices are those of the ways in which one tier holds as much as it can; None of too many replicas.
        """
        low, high = self.span()
        if int((high - low).sum()) > tuning.MOST_NUMBERS:
            return None
        unit = self.ends().model.unit
        total = Fraction(0)
        paid = [Fraction(0)] * (len(prices.capacity) + 1)
        numbers = np.cumsum(high - low + 1)
        cuts = np.searchsorted(
            numbers, np.arange(tuning.NUMBERS, numbers[-1] + tuning.NUMBERS, tuning.NUMBERS)
        )
        for start, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(low)], strict=True):
            each, within = spelled_out((high - low + 1)[start:end])
            if not len(each):
                continue
            ways = self.ways(each + start, low[start:end][each] + within)
            least, asked = _least(ways, prices, unit)
            total += least
            paid = [max(pair) for pair in zip(paid, asked, strict=True)]
        limits = [*self.batch.coupling.limit.tolist(), most]
        constant = 0
        if self.part.deviation is Deviation.WEBSTER:
            first = self.tiers[:, 0]
            constant = int(self.batch.totals[first[self.weights.sum(axis=1)[first] > 0]].sum())
        # Where prices were rounded differently, the highest of each pays for all that there is.
        worth = sum((price * limit for price, limit in zip(paid, limits, strict=True)), Fraction(0))
        return total + constant - worth


def _least(ways: Ways, prices: Prices, unit: float) -> tuple[Fraction, list[Fraction]]:
    """Return the least cost of some workloads with prices, without constants, and the prices of that."""
    model = ways.model
    same = Prices(prices.capacity * (model.unit / unit), np.zeros(0))
    whole = whole_prices(model, same, relax(model, same).rows)
    least = least_of_rows(model, whole, slice(0, len(model.batch.keys)), sharply=True).astype(object)
    price = int(prices.pins[0] * (model.unit / unit))
    costs = np.append(least, 0)[ways.rows].sum(axis=1) + ways.beyond.astype(object) * price
    starts = np.flatnonzero(np.diff(ways.owner, prepend=-1))
    scale = int(model.unit)
    paid = [Fraction(each, scale << bits) for each, bits in whole.capacity] + [Fraction(price, scale)]
    return Fraction(int(np.minimum.reduceat(costs, starts).sum()), scale), paid


def _is_simple(workload: Workload) -> bool:
    """Tell whether nothing but candidates, maxima and weights of at most two tiers say where replicas go."""
    tiers, bounds = workload.rule(Tiers), workload.rule(Bounds)
    return (
        all(isinstance(rule, SIMPLE) for rule in workload.rules)
        and workload.rule(Total) is not None
        and (bounds is None or not bounds.minimum)
        and (tiers is None or len(tiers.tiers) == 1 or _has_tiers(workload))
    )


def _has_tiers(workload: Workload) -> bool:
    """Tell whether a workload divides what two tiers hold, which are all its candidates."""
    tiers, weights, candidates = workload.rule(Tiers), workload.rule(Weights), workload.rule(Candidates)
    if tiers is None or len(tiers.tiers) != 2 or weights is None or candidates is None:
        return False
    first, second = tiers.tiers
    return weights.tiers == tiers.tiers and not first & second and first | second == set(candidates.names)
