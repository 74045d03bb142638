"""Many workloads placed alone, all at once: rows of arrays instead of one allocation after the other.

The same exact allocation as `fairlead.solver.exact.allocation` for the commonest kind: nothing but bounds and
the deviation from weights, by Webster's measure or l1. The costs of l1 are whole numbers. By Webster's
measure the unit k of a place of weight w costs ``(2 k + 1) / w``. As doubles these costs have the order of
the fractions, and are equal only where the fractions are, as long as no product of a numerator and a weight
reaches 2^52: two of them differ by at least one part in that product, rounding by one in 2^53. What decides
is a certificate for every row; a row without one is left to the other way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Total, Weights
from fairlead.models.workload import Workload
from fairlead.solver.batch.arrays import Batch, Whole, batch_of, divisible, filled_up, table_of
from fairlead.solver.batch.separable import fits_arrays

Floats = NDArray[np.float64]
Sure = NDArray[np.bool_]

AT_ONCE = 200_000
"""Places that are looked at together, so that their arrays stay in the processor's cache."""
EXACT = 2**52
"""Below this the costs of units are told apart as doubles."""
HALVINGS = 64
"""Turns after which the bracket of a price is as narrow as doubles can tell: few are needed as a rule."""


def place_side_by_side(problem: Problem) -> dict[str, Mapping[str, int]]:
    """Place the workloads of the commonest kind, each as if it were alone; by key, others are absent.

    Each placement is optimal, ties to the first by name. Where anything runs already nobody is placed here:
    what stays is seen at a glance.
    """
    if problem.deviation is Deviation.MINIMAX or not all(
        isinstance(rule, Capacity) for rule in problem.rules
    ):
        return {}
    if any(workload.current for workload in problem.workloads):
        return {}
    chosen = tuple(workload for workload in problem.workloads if _is_common(workload))
    if not chosen or not problem.clusters:
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
        boxes = _Boxes(batch.lower[rows], batch.upper[rows], batch.totals[rows])
        if batch.problem.deviation is Deviation.WEBSTER:
            answers = _by_squares(boxes, weights[rows])
        else:
            answers = _by_gaps(boxes, weights[rows], [sum(each.values()) for each in given[rows]])
        for key, row, sure in zip(batch.keys[rows], *(each.tolist() for each in answers), strict=True):
            if sure:
                found[key] = {name: count for name, count in zip(batch.clusters, row, strict=True) if count}
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Boxes:
    """Bounds of every row by place, and its total, in replicas."""

    lower: Whole
    upper: Whole
    totals: Whole

    def settled(self, bottom: Whole, top: Whole) -> Whole:
        """Return the first by name of the divisions between two heights; what is full at the bottom is so."""
        return np.where(self.filled[:, None], self.lower, filled_up(bottom, top, self.totals))

    @property
    def filled(self) -> Sure:
        """Rows that have no more to divide than the least of every place."""
        full: Sure = self.lower.sum(axis=1) == self.totals
        return full


def _by_squares(boxes: _Boxes, weights: Whole) -> tuple[Whole, Sure]:
    """Return the best division of every row by Webster, ties to the first, and of which that is certain."""
    lower, upper, totals = boxes.lower, boxes.upper, boxes.totals
    free = lower < upper
    possible = divisible(lower, upper, totals) & ~(free & (weights == 0)).any(axis=1)
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
    answer = boxes.settled(under + (keys < last), under + ((keys <= last) & (over > under)))
    return answer, possible & (boxes.filled | sure)


def _by_gaps(boxes: _Boxes, weights: Whole, wholes: Sequence[int]) -> tuple[Whole, Sure]:
    """Return the best division of every row by l1, ties to the first, and of which that is certain.

    Units wholly under the quota N w / W cost -W, those wholly over it W, the one between W - 2 rest, and all
    of a place without a weight nothing (`fairlead.solver.exact.costs.pieces.absolute`).
    """
    lower, upper, totals = boxes.lower, boxes.upper, boxes.totals
    # As doubles sums cannot wrap around; half of what fits is far from where rounding could matter.
    heaviest = np.array(wholes, dtype=np.float64)
    possible = divisible(lower, upper, totals) & (heaviest > 0) & (heaviest * (totals + 1.0) < EXACT)
    whole = np.array([each if sure else 1 for each, sure in zip(wholes, possible, strict=True)])[:, None]
    quota, rest = np.divmod(np.where(possible[:, None], weights, 0) * totals[:, None], whole)
    weighed = weights > 0
    first = np.where(weighed, np.clip(quota, lower, upper), lower)
    second = np.where(weighed, np.clip(quota + 1, lower, upper), upper)
    middle, cost = second - first, np.where(weighed, whole - 2 * rest, 0)
    wanted = (totals - first.sum(axis=1))[:, None]
    # In the middle a place has one unit, or any number that cost nothing where it has no weight.
    ranked = np.sort(np.where(weighed & (middle > 0), cost, EXACT), axis=1)
    below, nothing = (
        (ranked < 0).sum(axis=1, keepdims=True),
        np.where(weighed, 0, middle).sum(axis=1)[:, None],
    )
    rank = np.where(wanted <= below, wanted, wanted - nothing)
    last = np.take_along_axis(ranked, np.clip(rank - 1, 0, ranked.shape[1] - 1), axis=1)
    last = np.where((below < wanted) & (wanted <= below + nothing), 0, last)
    # What is taken last lies before the middle, within it, or after it.
    last = np.where(wanted <= 0, -whole, np.where(wanted > middle.sum(axis=1)[:, None], whole, last))
    bottom = np.where(last > -whole, first, lower) + np.where(cost < last, middle, 0)
    top = first + np.where(cost <= last, middle, 0) + np.where(last >= whole, upper - second, 0)
    return boxes.settled(bottom, top), possible


def _bracket(
    lower: Whole, upper: Whole, totals: Whole, weights: Floats, possible: Sure
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
