"""A batch of boxes that are wider than workloads: what all placements of the workloads are among."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fairlead.models.levels import Level
from fairlead.models.problem import Problem
from fairlead.solver.answers.rows import among
from fairlead.solver.batch.arrays import Batch, batch_of, tight
from fairlead.solver.batch.costs import LevelCost, costs_of
from fairlead.solver.batch.dual.bound import ranges
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.mixed.approximations import Owners, StandIns, Totals, outer
from fairlead.solver.batch.model import Prices, model_of

Values = Mapping[Level, int | Fraction]
"""What levels cost, of those that are settled."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A batch whose boxes are wider than the workloads.

    Parameters
    ----------
    part
        The question.
    batch
        The boxes.
    costs
        Levels of the boxes.
    beyond
        By level, what the workloads cost at least beyond the boxes.
    owners, rows
        Workloads by box, and rows of the boxes by workload.
    """

    part: Problem
    batch: Batch
    costs: Mapping[Level, LevelCost]
    beyond: Mapping[Level, int | Fraction]
    owners: Owners
    rows: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, part: Problem, totals: Totals) -> "View":
        """Widen every workload; what overflow tiers hold is given where it is known."""
        found = {workload.key: outer(workload, part, totals) for workload in part.workloads}
        batch = batch_of(among(part, [box for each in found.values() for box in each.boxes], part.limits))
        owners = {box.key: key for key, each in found.items() for box in each.boxes}
        rows: dict[str, tuple[int, ...]] = {}
        for row, key in enumerate(batch.keys):
            rows[owners[key]] = (*rows.get(owners[key], ()), row)
        costs = {cost.level: cost for cost in costs_of(batch)}
        return cls(part, batch, costs, _sums(found.values()), owners, rows)

    def steps(self, level: Level, value: int | Fraction) -> int:
        """Return what boxes may cost on a level, in steps, where the workloads cost so much."""
        cost = self.costs[level]
        return int((value - self.beyond.get(level, 0) - cost.constant) * cost.scale // 1)

    def within(self, values: Values) -> "View":
        """Return boxes that leave out what costs more than levels may cost, nothing shared looked at.

        Where a level is at its least, that says where replicas stand; a price would have to be without end.
        """
        batch = self.batch
        for level, value in values.items():
            if level in self.costs and batch.feasible:
                model = model_of(batch, self.costs[level])
                free = Prices.none(model)
                rows = relax(model, free).rows
                lower, upper = tight(*ranges(model, free, rows, self.steps(level, value)), batch.totals)
                batch = replace(batch, lower=lower, upper=upper)
        return replace(self, batch=batch)

    def fewest(self, key: str) -> int:
        """Return how many clusters a workload needs at least, all capacity for itself."""
        return sum(self._fewest_of(row) for row in self.rows.get(key, ()))

    def _fewest_of(self, row: int) -> int:
        """Return how many clusters a row needs at least."""
        batch = self.batch
        held = batch.lower[row] > 0
        left = int(batch.totals[row] - batch.upper[row][held].sum())
        if left <= 0:
            return int(held.sum())
        room = np.cumsum(np.sort(batch.upper[row][~held])[::-1])
        return int(held.sum()) + int(np.searchsorted(room, left)) + 1


def _sums(found: Iterable[StandIns]) -> dict[Level, int | Fraction]:
    """Add up what workloads cost beyond their boxes."""
    sums: dict[Level, int | Fraction] = {}
    for each in found:
        for level, cost in each.beyond.items():
            sums[level] = sums.get(level, 0) + cost
    return sums
