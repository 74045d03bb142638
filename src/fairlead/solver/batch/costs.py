"""The levels of a batch as convex costs of single places, in whole steps, for all places at once.

A level has so many steps to its unit. Costs that are no whole number of steps are rounded so that none is
overestimated: a cost is exact at its anchor, up to less than one step, and rounded down from there outward.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

import numpy as np

from fairlead.models.levels import DEVIATION, DEVIATIONS, MOVES_LAST, NET, PRICED, Deviation, Level, Tolerance
from fairlead.models.rules import MoveBudget, MovePrice, Moves, Tiers, Weights, WorkloadRule, moves
from fairlead.models.rules.move_budget import members
from fairlead.models.rules.price import prices_on
from fairlead.models.rules.weights import level as level_of
from fairlead.models.score import levels_of
from fairlead.solver.batch.arrays import Batch, Whole, table_of, total_of
from fairlead.solver.batch.shapes import Shape
from fairlead.solver.exact.marginal import widen

R = TypeVar("R", bound=WorkloadRule)

# Steps of one unit where costs allow it: fine enough for prices, few enough for sums in 64 bits.
FINEST = 2**36
# No cost of a whole row exceeds this many steps.
LARGEST = 2**56


@dataclass(frozen=True, slots=True, eq=False)
class BatchLevel:
    """One level of a batch."""

    level: Level
    """The level."""
    shape: Shape
    """Costs by place, in steps."""
    scale: int
    """Steps in one unit of the level."""
    grain: int
    """All exact costs are whole multiples of so many steps; 0 where costs had to be rounded."""
    constant: Fraction
    """Cost that every placement has besides, in units of the level."""
    tolerance: Tolerance | None = None
    """Amount by which the level may be worse than a bound for the sake of those after it; None where it has
    to be best."""

    def steps(self, replicas: Whole) -> int:
        """Return the cost of a placement, in steps and without the constant."""
        return total_of(self.shape.value(replicas).sum(axis=1))

    def bound(self, steps: int) -> Fraction:
        """Return a bound in steps as one in units of the level, rounded up to what a cost can be."""
        if self.grain:
            steps = -(-steps // self.grain) * self.grain
        return Fraction(steps, self.scale) + self.constant

    def tolerated(self, bound: int) -> Fraction:
        """Return the tolerance above a bound in steps, in units of the level."""
        known = max(Fraction(0), self.bound(bound))
        return Fraction(0) if self.tolerance is None else self.tolerance.of(known)

    def enough(self, bound: int) -> int:
        """Return the most that a placement may cost to be good enough beside a bound, both in steps."""
        return bound + math.floor(self.tolerated(bound) * self.scale)


def costs_of(batch: Batch) -> tuple[BatchLevel, ...]:
    """Return the levels of a batch, the most important first."""
    given = batch.problem.tolerances
    costs = (_cost_of(batch, level) for level in levels_of(batch.problem))
    return tuple(replace(cost, tolerance=given.get(cost.level.key)) for cost in costs)


def nothing(batch: Batch) -> BatchLevel:
    """Return a level on which every placement costs nothing, where any placement will do."""
    return BatchLevel(DEVIATION, Shape.straight(np.zeros_like(batch.lower)), 1, 1, Fraction(0))


def _cost_of(batch: Batch, level: Level) -> BatchLevel:
    if level.base in DEVIATIONS:
        rules = _rules(batch, level, Weights)
        counted = [rule if rule and level_of(rule) == level.base else None for rule in rules]
        return _deviation(batch, level, counted)
    if level.base == NET:
        return _net(batch, level)
    if level.base in PRICED:
        return _price(batch, level)
    if level.key == "tiers":
        return _beyond(batch, level)
    return _moves(batch, level)


def _rules(batch: Batch, level: Level, kind: type[R]) -> list[R | None]:
    """Return the rules of a kind by row; None of workloads that have none, or another priority."""
    workloads = batch.problem.workloads
    return [each.rule(kind) if each.priority == level.priority else None for each in workloads]


def _scale(denominators: Sequence[int], greatest: int) -> tuple[int, int]:
    """Return steps in one unit, a multiple of the denominators where there are few enough, and the grain.

    No row costs more than the greatest, in units.
    """
    most = max(1, min(FINEST, LARGEST // max(1, greatest)))
    common = 1
    for denominator in sorted(set(denominators)):
        common = math.lcm(common, denominator)
        if common > most:
            return most, 0
    finer = most // common
    return common * finer, finer


def _moves(batch: Batch, level: Level) -> BatchLevel:
    """Return the moves of the workloads that count on a level."""
    rules = zip(_rules(batch, level, Moves), batch.problem.workloads, strict=True)
    table = _held(
        batch, [rule if rule and moves.level(rule, one) == level.base else None for rule, one in rules]
    )
    constant = -int(np.maximum(0, table.sum(axis=1) - batch.totals).sum())
    scale, grain = _scale([1], int(table.sum(axis=1).max(initial=0)))
    unit = np.where(table > 0, -scale, 0)
    nothing = np.zeros_like(table)
    shape = Shape(nothing, unit, (table,), (nothing,))
    return BatchLevel(level, shape, scale, grain, Fraction(constant))


def _held(batch: Batch, rules: Iterable[Moves | MovePrice | None]) -> Whole:
    """Return the replicas that run, by row and column, where a rule counts them; 0 for rows without one."""
    rows = (
        {name: count for name, count in workload.current.items() if rule is not None and name in rule.present}
        for workload, rule in zip(batch.problem.workloads, rules, strict=True)
    )
    return table_of(rows, batch.clusters)


def _beyond(batch: Batch, level: Level) -> BatchLevel:
    """Return the replicas beyond a tier."""
    rows = []
    for rule in _rules(batch, level, Tiers):
        tiers = () if rule is None else rule.tiers
        inside = frozenset[str]().union(*tiers[: level.number])
        counted = batch.clusters if len(tiers) > level.number else ()
        rows.append({name: 1 for name in counted if name not in inside})
    scale, grain = _scale([1], int(batch.totals.max(initial=0)))
    return BatchLevel(
        level, Shape.straight(table_of(rows, batch.clusters) * scale), scale, grain, Fraction(0)
    )


def _price(batch: Batch, level: Level) -> BatchLevel:
    prices = [
        prices_on(workload, level.base) if workload.priority == level.priority else {}
        for workload in batch.problem.workloads
    ]
    denominators = {price.denominator for row in prices for price in row.values()}
    dearest = max((price for row in prices for price in row.values()), default=Fraction(0))
    scale, grain = _scale(sorted(denominators), math.ceil(dearest) * int(batch.totals.max(initial=0)))
    return BatchLevel(
        level, Shape.straight(table_of(prices, batch.clusters, scale)), scale, grain, Fraction(0)
    )


def _net(batch: Batch, level: Level) -> BatchLevel:
    """Return the distance from the quotas with the price of moves on top."""
    workloads = batch.problem.workloads
    rules = _rules(batch, level, MovePrice)
    weights = [
        workload.rule(Weights) if rule is not None else None
        for workload, rule in zip(workloads, rules, strict=True)
    ]
    prices = [Fraction(0) if rule is None else rule.price for rule in rules]
    held = _held(batch, rules)
    most = max(math.ceil(price) for price in prices) * int(held.sum(axis=1).max(initial=0))
    away = _deviation(batch, level, weights, [price.denominator for price in prices], most)
    # A price that is no whole number of steps is rounded down, which can only lower a cost.
    steps = np.array([int(price * away.scale // 1) for price in prices], dtype=np.int64)
    unit = np.where(held > 0, -steps[:, None], 0)
    zero = np.zeros_like(held)
    saved = np.maximum(0, held.sum(axis=1) - batch.totals).tolist()
    constant = away.constant - sum(
        (price * count for price, count in zip(prices, saved, strict=True)), Fraction(0)
    )
    exact = away.grain > 0 and all((price * away.scale).denominator == 1 for price in prices)
    grain = math.gcd(away.grain, *steps.tolist()) if exact else 0
    return BatchLevel(level, away.shape + Shape(zero, unit, (held,), (zero,)), away.scale, grain, constant)


def _deviation(
    batch: Batch,
    level: Level,
    rules: Sequence[Weights | None],
    denominators: Sequence[int] = (),
    more: int = 0,
) -> BatchLevel:
    """Return the distance from the quotas of the rows whose weights count.

    The steps have to be a multiple of further denominators, and a row may cost so much more.
    """
    given = [
        rule.weights if rule is not None and workload.replicas else {}
        for workload, rule in zip(batch.problem.workloads, rules, strict=True)
    ]
    weights = table_of(given, batch.clusters)
    whole = np.array([sum(row.values()) for row in given], dtype=np.int64)
    if batch.problem.deviation is Deviation.WEBSTER:
        shape, scale, grain = _webster(batch, weights, np.maximum(whole, 1)[:, None], denominators, more)
        return BatchLevel(level, shape, scale, grain, Fraction(int(batch.totals[whole > 0].sum())))
    # A weight on a cluster that is not in the input keeps its quota from being met, whatever is done.
    missing = whole - weights.sum(axis=1)
    constant = sum(
        (Fraction(int(batch.totals[row] * missing[row]), int(whole[row])) for row in np.flatnonzero(missing)),
        Fraction(0),
    )
    shape, scale, grain = _l1(batch, weights, np.maximum(whole, 1)[:, None], denominators, more)
    return BatchLevel(level, shape, scale, grain, constant)


def _l1(
    batch: Batch, weights: Whole, whole: Whole, others: Sequence[int] = (), more: int = 0
) -> tuple[Shape, int, int]:
    """Return ``|x - q|`` with ``q = N w / W``; between floor(q) and ceil(q) it is a third straight piece."""
    totals = batch.totals[:, None]
    products = widen(weights, int(weights.max(initial=0)) * int(totals.max(initial=0))) * totals
    anchor = (products // whole).astype(np.int64)
    rest = (products - anchor * whole).astype(np.int64)
    denominators = (whole // np.gcd(rest, whole)).ravel()
    scale, grain = _scale(
        [*np.unique(denominators).tolist(), *others],
        2 * int(totals.max(initial=0)) + len(batch.clusters) + more,
    )
    counted = weights > 0
    unit = np.where(counted, scale, 0)
    bound = 2 * scale * int(whole.max(initial=1))
    middle = np.where(counted, (widen(whole - 2 * rest, bound) * scale // whole).astype(np.int64), 0)
    least = np.where(counted, (widen(rest, bound) * scale // whole).astype(np.int64), 0)
    return Shape(least, -unit, (anchor, anchor + 1), (middle, unit)), scale, grain


def _webster(
    batch: Batch, weights: Whole, whole: Whole, others: Sequence[int] = (), more: int = 0
) -> tuple[Shape, int, int]:
    """Return ``x^2 / q - 2 x`` with ``q = N w / W``, which is ``(x - q)^2 / q`` without the sum of all q, N.

    The unit k costs ``(2 k + 1) / q - 2``.
    """
    totals = batch.totals[:, None]
    counted = weights > 0
    lightest = np.where(counted, weights, whole).min(axis=1, initial=2**62, keepdims=True)
    greatest = int((whole * totals // lightest + 2 * totals + 1).max(initial=1))
    products = np.where(
        counted, widen(weights, int(weights.max(initial=0)) * int(totals.max(initial=0))) * totals, whole
    )
    shared = np.gcd(products, whole)
    numerator, denominator = whole // shared, products // shared
    # With q = denominator / numerator: the unit k costs (numerator (2 k + 1) - 2 denominator) / denominator.
    scale, grain = _scale([*np.unique(denominator).tolist(), *others], greatest + more)
    anchor = np.where(counted, products // whole, 0).astype(np.int64)
    most = int(anchor.max(initial=0)) + 2
    bound = 2 * scale * most * (int(numerator.max(initial=1)) * most + int(denominator.max(initial=1)))
    top = widen(numerator, bound)
    bottom = widen(denominator, bound)
    after = (top * (2 * anchor + 1) - 2 * bottom) * scale // bottom
    before = -((2 * bottom - top * (2 * anchor - 1)) * scale // bottom)
    step = 2 * top * scale // bottom
    least = (top * anchor * anchor - 2 * bottom * anchor) * scale // bottom
    least, before, after, step = (
        np.where(counted, each, 0).astype(np.int64) for each in (least, before, after, step)
    )
    return Shape(least, before, (anchor,), (after,), step), scale, grain


def budgets_of(batch: Batch) -> tuple[tuple[BatchLevel, int], ...]:
    """Return the moves that every budget counts, as a cost in replicas, and the most that they may be."""
    return tuple(_row(batch, rule) for rule in batch.problem.rules if isinstance(rule, MoveBudget))


def _row(batch: Batch, rule: MoveBudget) -> tuple[BatchLevel, int]:
    """Return the moves that one budget counts, as a cost in replicas, and the most that they may be."""
    inside = {workload.key for workload in members(rule, batch.problem)}
    counted = np.array([workload.key in inside for workload in batch.problem.workloads], dtype=bool)
    held = table_of(
        [
            {
                name: count
                for name, count in workload.current.items()
                if name not in rule.under_way.get(workload.key, frozenset())
            }
            for workload in batch.problem.workloads
        ],
        batch.clusters,
    )
    looked_at = rule.arriving if rule.arriving is not None else rule.leaving
    columns = np.array([looked_at is None or name in looked_at for name in batch.clusters], dtype=np.int64)
    unit = counted.astype(np.int64)[:, None] * columns[None, :]
    zero = np.zeros_like(held)
    if rule.arriving is not None:
        shape, saved = Shape(zero, zero, (held,), (unit,)), 0
    else:
        shape = Shape(zero, -unit, (held,), (zero,))
        shrinking = np.maximum(0, held.sum(axis=1) - batch.totals)[counted]
        saved = int(shrinking.sum()) if rule.leaving is None else 0
    return BatchLevel(MOVES_LAST, shape, 1, 1, Fraction(0)), rule.most + saved
