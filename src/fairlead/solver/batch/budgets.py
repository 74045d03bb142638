"""Budgets of moves as rows that every placement keeps: convex costs of places that have a most."""

from fractions import Fraction

import numpy as np

from fairlead.models.levels import MOVES_LAST
from fairlead.models.rules import MoveBudget
from fairlead.models.rules.move_budget import members
from fairlead.solver.batch.arrays import Batch, table_of
from fairlead.solver.batch.costs import Bent, LevelCost


def budgets_of(batch: Batch) -> tuple[tuple[LevelCost, int], ...]:
    """Return what every budget counts, in replicas, and the most that it may be."""
    return tuple(_row(batch, rule) for rule in batch.problem.rules if isinstance(rule, MoveBudget))


def _row(batch: Batch, rule: MoveBudget) -> tuple[LevelCost, int]:
    """Return what one budget counts, and the most that it may be."""
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
        shape, saved = Bent(held, zero, zero, unit, unit), 0
    else:
        shape = Bent(held, zero, -unit, zero, zero)
        shrinking = np.maximum(0, held.sum(axis=1) - batch.totals)[counted]
        saved = int(shrinking.sum()) if rule.leaving is None else 0
    return LevelCost(MOVES_LAST, shape, 1, 1, Fraction(0)), rule.most + saved
