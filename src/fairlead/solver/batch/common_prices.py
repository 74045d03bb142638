"""Prices of scarce resources for very many workloads, found without arrays of all of them.

A sample tells how workloads react to prices. At its prices all are divided, piece by piece: by how much they
use more there than a sample of their number would, or less, the sample has less room, or more, and so finds
better prices (the whole corrects the mean of a sample, as a control variate does). What all pieces cost at
the same prices is a bound on the whole, whatever the prices.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fairlead.models.levels import Level
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import needs
from fairlead.models.usage import Row
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import among
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, batch_of, beside_others
from fairlead.solver.batch.costs import BatchLevel, costs_of, nothing
from fairlead.solver.batch.dual.bound import lower_bound, whole_prices
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.sifting import Sifting, sift
from fairlead.solver.batch.dual.subgradient import climb
from fairlead.solver.batch.model import LevelModel, Prices, model_of
from fairlead.solver.running.deadline import Deadline, TimeOverError, now
from fairlead.solver.running.linear_algebra import in_one_thread

Worth = Mapping[Row, float]
"""Price of one unit of a resource on a cluster, in units of a level."""


@dataclass(frozen=True, slots=True)
class CommonPrices:
    """Prices, and what is known of the whole there.

    Used is what every group of workloads uses at the prices, by cluster and resource; bound is what all of
    them cost at least on the level. Both are None where there was no time to ask all.
    """

    worth: Worth
    used: Sequence[Mapping[Row, int]] | None = None
    bound: Fraction | None = None


@dataclass(frozen=True, slots=True)
class PricedUse:
    """Use and cost of some workloads where every one of them takes what is cheapest at prices.

    Used is by cluster and resource. Least is what they cost at least on the level, what they pay included;
    the prices are as they were used for that, and differ from what was asked for by rounding.
    """

    used: Mapping[Row, int]
    least: Fraction
    paid: Mapping[Row, Fraction]


@in_one_thread
def common_prices(
    part: Problem, groups: Sequence[Sequence[Workload]], level: Level, deadline: Deadline, threads: int
) -> CommonPrices:
    """Return prices for all workloads of a part, which are given in groups, and the bound there.

    Parameters
    ----------
    part
        The problem; `fairlead.solver.batch.separable.applies` must hold, and nothing but capacity is shared.
    groups
        Its workloads; each group in order of their size, so that every so manieth is a fair sample.
    level
        Level that is minimised.
    deadline
        When prices are needed.
    threads
        How many may be used.
    """
    asked = _Sample.of(part, groups, level, threads)
    if asked is None:
        return CommonPrices({})
    prices = asked.first(deadline.part(tuning.FOR_FIRST_PRICES))
    best = CommonPrices(prices.worth(asked.model))
    for _ in range(tuning.ROUNDS_OF_PRICES):
        worth, started = prices.worth(asked.model), now()
        try:
            divided = [list(_in_pieces(part, each, level, worth, deadline, threads)) for each in groups]
        except TimeOverError:
            break
        used = [_added(piece.used for piece in pieces) for pieces in divided]
        bound = _bound(part, [piece for pieces in divided for piece in pieces])
        if best.bound is None or bound > best.bound:
            best = CommonPrices(worth, used, bound)
        taken = now() - started
        if deadline.remaining() < tuning.WORTH_ANOTHER_ROUND * taken:
            break
        prices = asked.corrected(prices, used, deadline.later(-taken))
    return best


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Every so manieth workload, as rows beside all others."""

    model: LevelModel
    part: Floats
    """Part of the requests of all workloads that these make, by row of the coupling; at most 1."""

    @classmethod
    def of(
        cls, whole: Problem, groups: Sequence[Sequence[Workload]], level: Level, threads: int
    ) -> "_Sample | None":
        """Draw it; None where a workload of it has no placement by itself."""
        stride = -(-len(whole.workloads) // tuning.ROWS_FOR_PRICES)
        chosen = [each for group in groups for each in group[min(stride // 2, len(group) - 1) :: stride]]
        model = replace(_rows_of(whole, chosen, level)[0], threads=threads)
        batch, everything = model.batch, asked_by(whole.workloads)
        if not batch.feasible:
            return None
        sampled = asked_by(chosen)
        part = np.array([sampled[name] / max(1, everything[name]) for name in batch.units])
        return cls(model, part[batch.coupling.resource])

    def first(self, deadline: Deadline) -> Prices:
        """Return its prices."""
        model = self._with_room(self.model.batch.coupling.limit * self.part)
        climbed = climb(model, tuning.TURNS_OF_LARGE, deadline.part(tuning.SHARE_OF_CLIMBING))
        return sift(model, climbed.prices, climbed.rows, deadline, Sifting(tuning.TURNS_FOR_PRICES)).prices

    def corrected(self, prices: Prices, used: Sequence[Mapping[Row, int]], deadline: Deadline) -> Prices:
        """Return better prices, where all groups use so much at these."""
        coupling, sizes = self.model.batch.coupling, self.model.batch.sizes.tolist()
        together = _added(used)
        taken = [together.get(row, 0) / size for row, size in zip(coupling.names, sizes, strict=True)]
        alone = relax(self.model, prices)
        model = self._with_room(alone.usage + self.part * (coupling.limit - np.array(taken)))
        return sift(model, prices, alone.rows, deadline, Sifting(tuning.TURNS_FOR_PRICES)).prices

    def _with_room(self, limit: Floats) -> LevelModel:
        """Return its rows with so much room, by row of the coupling."""
        batch = self.model.batch
        coupling = replace(batch.coupling, limit=np.maximum(limit, 0.0).astype(np.int64))
        return replace(self.model, batch=replace(batch, coupling=coupling))


def asked_by(workloads: Iterable[Workload]) -> Counter[str]:
    """Return the requests of workloads in all, by resource."""
    asked = Counter[str]()
    for workload in workloads:
        for name, need in needs(workload).items():
            asked[name] += need * workload.replicas
    return asked


def _rows_of(whole: Problem, workloads: Sequence[Workload], level: Level) -> tuple[LevelModel, BatchLevel]:
    """Return some workloads beside all others; they cost nothing where none of them counts on the level."""
    batch = beside_others(batch_of(among(whole, workloads, whole.limits)))
    cost = next((cost for cost in costs_of(batch) if cost.level == level), nothing(batch))
    return model_of(batch, cost), cost


def _in_pieces(
    whole: Problem,
    workloads: Sequence[Workload],
    level: Level,
    worth: Worth,
    deadline: Deadline,
    threads: int,
) -> Iterator[PricedUse]:
    """Divide workloads at prices, some at a time; TimeOverError where time is over before the last ones."""
    size = tuning.ROWS_AT_ONCE
    for start in deadline.while_lasting(range(0, len(workloads), size)):
        model, cost = _rows_of(whole, workloads[start : start + size], level)
        if model.batch.feasible:
            yield _divided(replace(model, threads=threads), cost, worth)
        else:
            yield PricedUse({}, Fraction(0), {})


def _divided(model: LevelModel, cost: BatchLevel, worth: Worth) -> PricedUse:
    """Divide rows at prices."""
    batch, prices = model.batch, Prices.of(model, worth)
    relaxed = relax(model, prices)
    whole = whole_prices(model, prices, relaxed.rows)
    least = lower_bound(model, prices, relaxed.rows)
    used, paid = dict[Row, int](), dict[Row, Fraction]()
    amounts = batch.usage(relaxed.replicas).tolist()
    for place, (row, size) in enumerate(zip(batch.coupling.names, batch.sizes.tolist(), strict=True)):
        price, bits = whole.capacity[place]
        # What the bound takes off for what is there is added again: all have it once, together.
        least += -((-price * int(batch.coupling.limit[place])) >> bits)
        paid[row] = Fraction(price, (size * cost.scale) << bits)
        used[row] = amounts[place] * size
    return PricedUse(used, Fraction(least, cost.scale) + cost.constant, paid)


def _added(used: Iterable[Mapping[Row, int]]) -> Counter[Row]:
    """Return the amounts used together, by cluster and resource."""
    together = Counter[Row]()
    for each in used:
        together.update(each)
    return together


def _bound(part: Problem, pieces: Sequence[PricedUse]) -> Fraction:
    """Return the least that all cost on the level, in its unit.

    Everybody pays for what he uses. Together they use no more than there is, so at the highest of the prices
    that were used they pay no more than what is there is worth.
    """
    highest: dict[Row, Fraction] = {}
    for piece in pieces:
        for row, price in piece.paid.items():
            highest[row] = max(price, highest.get(row, Fraction(0)))
    worth = sum((price * part.limits.get(row, 0) for row, price in highest.items()), Fraction(0))
    return sum((piece.least for piece in pieces), Fraction(0)) - worth
