"""The levels of one workload as costs by cluster."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import chain

import numpy as np

from fairlead.models.at_once import in_array
from fairlead.models.in_order import numbers_of
from fairlead.models.levels import (
    CLUSTERS,
    COPIES,
    EVENNESS,
    EVENNESS_FRESH,
    EVENNESS_RESULT,
    MINIMA,
    MOVES,
    PRICED,
    ROOM,
    Deviation,
    Level,
    tier,
)
from fairlead.models.rules import Bounds, Copies, Evenness, Moves, Tiers, Weights
from fairlead.models.rules.price import prices_on
from fairlead.models.rules.weights import by_cluster
from fairlead.models.workload import Workload
from fairlead.solver.exact.costs.deviations import Minimax, Squares
from fairlead.solver.exact.costs.pieces import (
    Numbers,
    Pieces,
    absolute,
    changing,
    linear,
    stopping,
    using,
)

DEAREST = 2**40
"""Prices in whole steps stay below this where sums over all clusters have to fit 64 bits."""

EVEN = frozenset({EVENNESS_FRESH, EVENNESS, EVENNESS_RESULT})


def cost_of(
    level: Level, workload: Workload, names: Sequence[str], dearest: int | None = None
) -> Pieces | None:
    """Return the cost of a level on every cluster, the deviation left aside (`deviation_from`).

    `level`: one of the workload's levels, without priority. `dearest`: the most that a price may be in whole
    steps, at most 2**62; None means no limit, and Python integers.

    None where the level is no sum over clusters, or where a price is more than the dearest.
    """
    if level.key in MOVES:
        rule = workload.rule(Moves)
        present = rule.present if rule else frozenset[str]()
        return stopping(by_name(names, _only(workload.current, present)))
    if level in EVEN:
        takes_part = Counter(chain.from_iterable(each.clusters for each in workload.rules_of(Evenness)))
        held = by_name(names, workload.current if level == EVENNESS else {})
        return changing(held, by_name(names, takes_part))
    if level in PRICED:
        return _priced(level, workload, names, dearest)
    if level.key == tier(1).key:
        tiers = workload.rule(Tiers)
        before = frozenset().union(*tiers.tiers[: level.number]) if tiers else frozenset[str]()
        return linear(np.array([name not in before for name in names], dtype=np.int64))
    return _of_use(level, workload, names)


def _of_use(level: Level, workload: Workload, names: Sequence[str]) -> Pieces | None:
    """Return the cost of the use of every cluster by itself; None where the level is about something else."""
    if level == CLUSTERS:
        return using(np.ones(len(names), dtype=np.int64))
    if level == MINIMA:
        bounds = workload.rule(Bounds)
        minimum = bounds.minimum if bounds else {}
        return using(by_name(names, {name: -1 for name, bound in minimum.items() if bound.replicas}))
    if level in (COPIES, ROOM):
        ranked = workload.rule(Copies)
        ranks = ranked.ranks if ranked else {}
        return using(by_name(names, dict.fromkeys(ranks, -1) if level == COPIES else ranks))
    return None


def _priced(level: Level, workload: Workload, names: Sequence[str], dearest: int | None) -> Pieces | None:
    """Return the cost of replicas, in steps that rank placements as the prices do."""
    prices = prices_on(workload, level)
    steps = math.lcm(*(price.denominator for price in prices.values()))
    whole = {name: int(price * steps) for name, price in prices.items()}
    if dearest is not None and any(abs(price) > dearest for price in whole.values()):
        return None
    kind = object if dearest is None else np.int64
    return linear(np.array([whole.get(name, 0) for name in names], dtype=kind), Fraction(1, steps))


def weights_of(
    rule: Weights, names: Sequence[str], inside: Collection[str] | None = None
) -> tuple[Numbers, int]:
    """Return the weights of clusters that are measured together, and the sum of all such weights.

    `names`: the clusters; those that are not measured have no weight. `inside`: what is measured: an overflow
    tier; None for everything.
    """
    weights = by_cluster(rule) if inside is None else _only(rule.weights, inside)
    return by_name(names, weights), sum(numbers_of(weights))


def deviation_from(
    weights: Numbers, whole: int, replicas: int, deviation: Deviation, *, passing: bool = False
) -> Pieces | Squares | Minimax:
    """Return the distance from the quotas ``N w / W``.

    `weights`, `whole`: weights of some clusters and the sum W of all that are measured together. `replicas`:
    N: what is divided. `passing`: whether replicas may pass between clusters with and without a weight.
    """
    if not whole or not replicas:
        return linear(np.zeros_like(weights))
    match deviation:
        case Deviation.WEBSTER:
            shift = Fraction(2 * replicas, whole) if passing else Fraction(0)
            return Squares(weights, shift, Fraction(whole, replicas))
        case Deviation.L1:
            return absolute(weights, whole, replicas)
        case Deviation.MINIMAX:
            return Minimax(weights, whole, replicas)


def by_name(names: Sequence[str], values: Mapping[str, int]) -> Numbers:
    """Return values by name as an array in the order of the names; absent means 0."""
    return in_array(tuple(names), values)


def _only(values: Mapping[str, int], inside: Collection[str]) -> dict[str, int]:
    return {name: value for name, value in values.items() if name in inside}
