"""One workload placed by exact marginal allocation, without a solver.

Every level narrows the box of the workload to the box of all its optima (`fairlead.solver.exact.marginal`).
The box may be wider than the rules; where the answer keeps all of them all the same, it is optimal: it is the
best of a larger set. Overflow tiers cut the box into parts with a total each.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairlead.models.check import violations_of
from fairlead.models.in_order import Column
from fairlead.models.levels import DEVIATIONS, Deviation, Level, tier
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Duplicated, GroupTotal, Shares, Skew, Survival, Tiers, Weights
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import WorkloadBox
from fairlead.solver.exact.costs.levels import DEAREST, cost_of, deviation_from, weights_of
from fairlead.solver.exact.costs.pieces import Pieces
from fairlead.solver.exact.marginal import Box, exact_sum, settle_ties


class CandidatePart(NamedTuple):
    """Some of the candidates, by position, with a box and a total of their own."""

    positions: NDArray[np.int64]
    box: Box


def allocate(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place one workload as well as its rules allow, where that can be done exactly.

    `problem`: where it belongs; gives levels and the measure of deviation. `boxed`: what each candidate may
    hold; see `box_of`.

    Replicas by cluster, optimal on every level in lexicographic order, ties to the first by name; None where
    no placement keeps the rules, or where marginal allocation does not apply.
    """
    if not boxed.box.feasible:
        return None
    parts: Sequence[CandidatePart] = [CandidatePart(np.arange(len(boxed.names)), boxed.box.tight())]
    if workload.rule(Duplicated) is None:
        for level in in_order(levels_of_workload(workload), problem):
            narrowed = _narrowed(parts, boxed.names, workload, level, problem.deviation)
            if narrowed is None:
                return None
            parts = narrowed
    placed = np.zeros(len(boxed.names), dtype=np.int64)
    for part in parts:
        placed[part.positions] = settle_ties(part.box)
    answer = Column(boxed.names, placed)
    # The box holds bounds as they are, unless they bind only where replicas stand.
    unsure = [rule for rule in workload.rules if not isinstance(rule, Bounds) or rule.where_held]
    return None if any(violations_of(workload, answer, unsure)) else answer


def exactly(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place a workload in its box, with bounds of groups where these bind; imported where there are any."""
    placed = allocate(workload, problem, boxed)
    if placed is not None or not any(
        isinstance(rule, GroupTotal | Shares | Skew | Survival) for rule in workload.rules
    ):
        return placed
    from fairlead.solver.exact.nested.choose import choose

    return choose(workload, problem, boxed)


def _narrowed(
    parts: Sequence[CandidatePart],
    names: tuple[str, ...],
    workload: Workload,
    level: Level,
    deviation: Deviation,
) -> Sequence[CandidatePart] | None:
    """Return the parts of all placements that are best on one level; None where that cannot be told."""
    if level in DEVIATIONS:
        return _divided(parts, names, workload, deviation)
    cost = cost_of(level, workload, names, DEAREST)
    if cost is None or cost.using is not None:
        return None
    if level.key == tier(1).key:
        return _tiered(parts[0], cost, names, workload, level)
    return [CandidatePart(at, cost.narrow(box, at)) for at, box in parts]


def _tiered(
    part: CandidatePart, cost: Pieces, names: tuple[str, ...], workload: Workload, level: Level
) -> Sequence[CandidatePart]:
    """Narrow to the fewest replicas beyond a tier; behind the last level the tiers are parts of their own."""
    box = cost.narrow(part.box, part.positions)
    rule = workload.rule(Tiers)
    tiers = rule.tiers if rule else ()
    if level.number < len(tiers) - 1:
        return [CandidatePart(part.positions, box)]
    # The levels have left every tier one total, so that any placement in the box tells it.
    placed = settle_ties(box)
    found = []
    number = np.array([next((n for n, inside in enumerate(tiers) if name in inside), -1) for name in names])
    for n in range(len(tiers)):
        inside = number[part.positions] == n
        total = exact_sum(placed[inside])
        found.append(
            CandidatePart(part.positions[inside], Box(box.lower[inside], box.upper[inside], total).tight())
        )
    return found


def _divided(
    parts: Sequence[CandidatePart], names: tuple[str, ...], workload: Workload, deviation: Deviation
) -> Sequence[CandidatePart] | None:
    """Narrow to the least deviation from the weights; None where that is no sum over clusters."""
    rule = workload.rule(Weights)
    if rule is None or len(parts) != max(1, len(rule.tiers)):
        return None
    found = []
    for (at, wide), inside in zip(parts, rule.tiers or (None,), strict=True):
        weights, whole = weights_of(rule, names, inside)
        box = wide.tight()
        free = box.lower[weights[at] == 0] < box.upper[weights[at] == 0]
        if deviation is Deviation.WEBSTER and bool(free.any()):
            # The measure leaves such a candidate out: Webster's marginal costs no longer tell it.
            return None
        cost = deviation_from(weights, whole, box.total if rule.tiers else workload.replicas, deviation)
        found.append(CandidatePart(at, cost.narrow(box, at)))
    return found
