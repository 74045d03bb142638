"""One workload placed by exact marginal allocation, without a solver.

Every level narrows the box of the workload to the box of all its optima (`fairlead.solver.marginal`). The box
may be wider than the rules; where the answer keeps all of them all the same, it is optimal: it is the best of
a larger set. Overflow tiers and exact totals of disjoint sets cut the box into parts with a total each.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairlead.models.check import violations_of
from fairlead.models.levels import (
    COST,
    DEVIATION,
    EVENNESS,
    EVENNESS_FRESH,
    EVENNESS_RESULT,
    MOVES,
    Deviation,
    Level,
    tier,
)
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, Evenness, GroupTotal, Tiers, Weights
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.boxes import WorkloadBox
from fairlead.solver.marginal import Box, exact_sum, narrow_linear, narrow_moves, settle_ties
from fairlead.solver.marginal_costs import narrow_change, narrow_l1, narrow_minimax, narrow_webster
from fairlead.solver.whole_prices import whole_prices

NARROW = MappingProxyType({Deviation.L1: narrow_l1, Deviation.MINIMAX: narrow_minimax})
EVEN = frozenset({EVENNESS_FRESH, EVENNESS, EVENNESS_RESULT})
# Prices in whole steps stay below this, so that sums over all clusters fit 64 bits.
DEAREST = 2**40


class Part(NamedTuple):
    """Some of the candidates, by position, with a box and a total of their own."""

    positions: NDArray[np.int64]
    box: Box


def allocate(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place one workload as well as its rules allow, where that can be done exactly.

    Parameters
    ----------
    workload
        The workload.
    problem
        Where it belongs; gives levels and the measure of deviation.
    boxed
        What each candidate may hold; see `box_of`.

    Returns
    -------
    mapping or None
        Replicas by cluster, optimal on every level in lexicographic order, ties to the first by name; None
        where no placement keeps the rules, or where marginal allocation does not apply.
    """
    parts = _parts(workload, boxed)
    if parts is None:
        return None
    if workload.rule(Duplicated) is None:
        for level in in_order(levels_of_workload(workload), problem):
            parts = _narrowed(parts, boxed.names, workload, level, problem.deviation)
            if parts is None:
                return None
    placed = np.zeros(len(boxed.names), dtype=np.int64)
    for part in parts:
        placed[part.positions] = settle_ties(part.box)
    answer = dict(zip(boxed.names, placed.tolist(), strict=True))
    return None if any(violations_of(workload, answer)) else answer


def _parts(workload: Workload, boxed: WorkloadBox) -> Sequence[Part] | None:
    """Cut a box along exact totals of disjoint sets; None where a part is empty or sets overlap."""
    everything = np.arange(len(boxed.names), dtype=np.int64)
    exact = [
        rule for rule in workload.rules_of(GroupTotal) if workload.replicas and rule.minimum == rule.maximum
    ]
    parts, taken, left = [], np.zeros(len(everything), dtype=bool), boxed.box.total
    for rule in exact:
        inside = np.array([name in rule.clusters for name in boxed.names], dtype=bool)
        if inside.all() and rule.minimum == boxed.box.total:
            continue
        if bool(np.any(taken & inside)):
            return None
        taken |= inside
        left -= rule.minimum
        parts.append(_cut(boxed.box, everything[inside], rule.minimum))
    parts.append(_cut(boxed.box, everything[~taken], left))
    if not all(part.box.feasible for part in parts):
        return None
    return [Part(part.positions, part.box.tight()) for part in parts]


def _cut(box: Box, positions: NDArray[np.int64], total: int) -> Part:
    """Return a part of a box with a total of its own."""
    return Part(positions, Box(box.lower[positions], box.upper[positions], total))


def _narrowed(
    parts: Sequence[Part], names: tuple[str, ...], workload: Workload, level: Level, deviation: Deviation
) -> Sequence[Part] | None:
    """Return the parts of all placements that are best on one level; None where that cannot be told."""
    if level.key in MOVES:
        held = _array(names, workload.current)
        return [Part(at, narrow_moves(box, held[at])) for at, box in parts]
    if level in EVEN:
        return _evened(parts, names, workload, level)
    if level == DEVIATION:
        return _divided(parts, names, workload, deviation)
    if level == COST:
        return _priced(parts, names, workload)
    if level.key == tier(1).key and len(parts) == 1:
        return _tiered(parts[0], names, workload, level)
    return None


def _evened(
    parts: Sequence[Part], names: tuple[str, ...], workload: Workload, level: Level
) -> Sequence[Part] | None:
    """Narrow to the most even change or result; all candidates have to take part."""
    rule = workload.rule(Evenness)
    if rule is None or set(rule.clusters) != set(names):
        return None
    before = _array(names, workload.current if level == EVENNESS else {})
    return [Part(at, narrow_change(box, before[at])) for at, box in parts]


def _priced(parts: Sequence[Part], names: tuple[str, ...], workload: Workload) -> Sequence[Part] | None:
    """Narrow to the cheapest placements."""
    prices = whole_prices(workload, DEAREST)
    if prices is None:
        return None
    whole = _array(names, prices)
    return [Part(at, narrow_linear(box, whole[at])) for at, box in parts]


def _tiered(part: Part, names: tuple[str, ...], workload: Workload, level: Level) -> Sequence[Part]:
    """Narrow to the fewest replicas beyond a tier; behind the last level the tiers are parts of their own."""
    rule = workload.rule(Tiers)
    tiers = rule.tiers if rule else ()
    number = np.array([next((n for n, inside in enumerate(tiers, 1) if name in inside), 0) for name in names])
    beyond = (number[part.positions] > level.number).astype(np.int64)
    box = narrow_linear(part.box, beyond)
    if level.number < len(tiers) - 1:
        return [Part(part.positions, box)]
    # The levels have left every tier one total, so that any placement in the box tells it.
    placed = settle_ties(box)
    found = []
    for n in range(1, len(tiers) + 1):
        inside = number[part.positions] == n
        total = exact_sum(placed[inside])
        found.append(Part(part.positions[inside], Box(box.lower[inside], box.upper[inside], total).tight()))
    return found


def _divided(
    parts: Sequence[Part], names: tuple[str, ...], workload: Workload, deviation: Deviation
) -> Sequence[Part] | None:
    """Narrow to the least deviation from the weights."""
    rule = workload.rule(Weights)
    if rule is None or (len(parts) > 1 and not rule.tiers) or (rule.tiers and len(parts) != len(rule.tiers)):
        return None
    weights = _array(names, rule.weights)
    found = []
    for at, box in parts:
        replicas = box.total if rule.tiers else workload.replicas
        narrowed = _measured(box, weights[at], replicas, deviation)
        if narrowed is None:
            return None
        found.append(Part(at, narrowed))
    return found


def _measured(box: Box, weights: NDArray[np.int64], replicas: int, deviation: Deviation) -> Box | None:
    """Narrow one part; None where replicas may pass to a candidate of weight 0 under webster.

    The measure leaves such a candidate out, so Webster's marginal costs no longer tell the deviation.
    """
    if deviation is not Deviation.WEBSTER:
        return NARROW[deviation](box, weights, replicas)
    box = box.tight()
    unweighted = weights == 0
    if bool(np.any(box.lower[unweighted] < box.upper[unweighted])):
        return None
    return narrow_webster(box, weights)


def _array(names: tuple[str, ...], values: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the values in the order of the names; 0 where there is none."""
    return np.array([values.get(name, 0) for name in names], dtype=np.int64)
