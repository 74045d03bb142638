"""Many workloads placed alone, all at once: rows of arrays instead of one allocation after the other.

The same exact allocation as `fairlead.solver.exact` for the commonest kind: nothing but bounds and Webster's
deviation from weights. The unit k of a place of weight w costs ``(2 k + 1) / w``. As doubles these costs have
the order of the fractions, and are equal only where the fractions are, as long as no product of a numerator
and a weight reaches 2^52: two of them differ by at least one part in that product, rounding by one in 2^53.
What decides is a certificate for every row; a row without one is left to the other way.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Total, Weights
from fairlead.models.workload import Workload
from fairlead.solver.batch.arrays import Batch, Whole, batch_of, table_of
from fairlead.solver.batch.separable import fits_arrays

Floats = NDArray[np.float64]

FEWEST = 8
"""Workloads that are worth the arrays."""
AT_ONCE = 200_000
"""Places that are looked at together, so that their arrays stay in the processor's cache."""
EXACT = 2**52
"""Below this the costs of units are told apart as doubles."""
HALVINGS = 64
"""Turns after which the bracket of a price is as narrow as doubles can tell: few are needed as a rule."""


def place_side_by_side(problem: Problem) -> dict[str, Mapping[str, int]]:
    """Place the workloads of a problem that are of the commonest kind, each as if it were alone.

    Parameters
    ----------
    problem
        The question. Where anything runs already nobody is placed here: what stays is seen at a glance.

    Returns
    -------
    dict
        Replicas by key and cluster, optimal for each workload alone, ties to the first by name. Others are
        absent.
    """
    if problem.deviation is not Deviation.WEBSTER or not all(
        isinstance(rule, Capacity) for rule in problem.rules
    ):
        return {}
    if any(workload.current for workload in problem.workloads):
        return {}
    chosen = tuple(workload for workload in problem.workloads if _is_common(workload))
    if len(chosen) < FEWEST or not problem.clusters:
        return {}
    part = replace(problem, workloads=chosen)
    return _placed(batch_of(part)) if fits_arrays(part) else {}


def _is_common(workload: Workload) -> bool:
    """Tell whether nothing but bounds and weights says where replicas go."""
    bounds, weights = workload.rule(Bounds), workload.rule(Weights)
    return (
        0 < workload.replicas < EXACT
        and workload.rule(Total) is not None
        and all(isinstance(rule, Bounds | Candidates | Total | Weights) for rule in workload.rules)
        and (bounds is None or not (bounds.preferred or bounds.where_held))
        and weights is not None
        and not weights.tiers
    )


def _placed(batch: Batch) -> dict[str, Mapping[str, int]]:
    """Return the placements of the rows that have a certificate."""
    given = [rule.weights for each in batch.problem.workloads if (rule := each.rule(Weights))]
    weights = table_of(given, batch.clusters)
    found: dict[str, Mapping[str, int]] = {}
    height = max(1, AT_ONCE // max(1, len(batch.clusters)))
    for start in range(0, len(batch.keys), height):
        rows = slice(start, start + height)
        placed, proven = _divided(batch.lower[rows], batch.upper[rows], batch.totals[rows], weights[rows])
        for key, row, sure in zip(batch.keys[rows], placed, proven.tolist(), strict=True):
            if sure:
                at = np.flatnonzero(row)
                found[key] = dict(
                    zip([batch.clusters[each] for each in at.tolist()], row[at].tolist(), strict=True)
                )
    return found


def _divided(lower: Whole, upper: Whole, totals: Whole, weights: Whole) -> tuple[Whole, NDArray[np.bool_]]:
    """Return the best division of every row, ties to the first, and of which rows that is certain."""
    sums = lower.sum(axis=1), upper.sum(axis=1)
    possible = (lower <= upper).all(axis=1) & (sums[0] <= totals) & (totals <= sums[1])
    free = lower < upper
    possible &= ~(free & (weights == 0)).any(axis=1)
    tallest, heaviest = upper.max(axis=1, initial=0), weights.max(axis=1, initial=1)
    possible &= (2.0 * tallest + 1) * heaviest < EXACT
    heavy = np.maximum(np.where(free, weights, 1), 1).astype(np.float64)
    under, over = _bracket(lower, upper, totals, heavy, possible)
    # All units below `under` cost less than the dearest that is taken, all from `over` on cost more.
    keys = np.where(over > under, (2 * under + 1) / heavy, np.inf)
    rank = totals - under.sum(axis=1)
    ranked = np.sort(keys, axis=1)
    width = ranked.shape[1]
    last = np.take_along_axis(ranked, np.clip(rank - 1, 0, width - 1)[:, None], axis=1)
    before = np.where(under > lower, (2 * under - 1) / heavy, -np.inf)
    after = np.where(over < upper, (2 * over + 1) / heavy, np.inf)
    sure = (rank >= 1) & (rank <= width) & np.isfinite(last[:, 0]) & (over - under <= 1).all(axis=1)
    sure &= (before < last).all(axis=1) & (after > last).all(axis=1)
    filled = totals == sums[0]
    bottom, top = under + (keys < last), under + ((keys <= last) & (over > under))
    room = top - bottom
    left = totals[:, None] - bottom.sum(axis=1, keepdims=True)
    answer = bottom + np.clip(left - (np.cumsum(room, axis=1) - room), 0, room)
    return np.where(filled[:, None], lower, answer), possible & (filled | sure)


def _bracket(
    lower: Whole, upper: Whole, totals: Whole, weights: Floats, possible: NDArray[np.bool_]
) -> tuple[Whole, Whole]:
    """Return heights a little below the price at which every row has its total, and a little above."""
    low = np.zeros(len(totals))
    high = ((2.0 * upper + 1) / weights).max(axis=1, initial=1.0)
    floors, tops = lower.astype(np.float64), upper.astype(np.float64)
    wanted = totals.astype(np.float64)
    going, heaviest = possible.copy(), weights.max(axis=1, initial=1.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        heights = np.clip(np.floor((middle[:, None] * weights + 1) / 2), floors, tops).sum(axis=1)
        reached = heights >= wanted
        high, low = np.where(reached, middle, high), np.where(reached, low, middle)
        # Between two prices so near to each other no place has more than one unit.
        going &= (high - low) * heaviest > 1
        if not going.any():
            break
    margin = high * 2.0**-40

    def heights_at(price: Floats) -> Whole:
        heights = np.floor((price[:, None] * weights + 1) / 2)
        return np.clip(heights, floors, tops).astype(np.int64)

    return heights_at(low - margin), heights_at(high + margin)
