"""Clusters filled in arrays, one workload after the other: what is placed at once where there are many."""

from dataclasses import dataclass

import numpy as np

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Preference, Quota, Total
from fairlead.models.workload import Workload
from fairlead.solver.batch.arrays import MOST, MOST_ASKED, Batch, Whole, batch_of
from fairlead.solver.batch.separable import fits_arrays
from fairlead.solver.exact.quick_placing import filled


def can_be_filled(part: Problem) -> bool:
    """Tell whether quotas leave a problem alone and what all replicas ask for fits 64 bits."""
    return not any(isinstance(rule, Quota) for rule in part.rules) and fits_arrays(part)


def is_a_row(workload: Workload) -> bool:
    """Tell whether what must hold of a workload is a box and a total, and no more."""
    return (
        workload.rule(Total) is not None
        and workload.replicas < MOST
        and all(
            not _chooses(rule)
            if isinstance(rule, Bounds)
            else isinstance(rule, Preference | Candidates | Total)
            for rule in workload.rules
        )
    )


def _chooses(rule: Bounds) -> bool:
    """Tell whether some minimum of more than one replica binds only where replicas stand."""
    return any(name in rule.where_held and bound.replicas > 1 for name, bound in rule.minimum.items())


@dataclass(slots=True, eq=False)
class Filling:
    """Clusters while they are filled.

    Parameters
    ----------
    batch
        The workloads as rows; `is_a_row` must hold for all of them.
    left
        What is left, by resource and cluster.
    """

    batch: Batch
    left: Whole

    @classmethod
    def of(cls, batch: Batch) -> "Filling":
        """Start with empty clusters."""
        coupling = batch.coupling
        left = np.full((batch.needs.shape[1], len(batch.clusters)), MOST_ASKED, dtype=np.int64)
        left[coupling.resource, coupling.column] = coupling.limit
        return cls(batch, left)

    @classmethod
    def of_problem(cls, part: Problem) -> "Filling | None":
        """Start with the empty clusters of a problem; None where they are no rows, or too large."""
        if not can_be_filled(part) or not all(map(is_a_row, part.workloads)):
            return None
        batch = batch_of(part)
        running = [sum(each.current.values()) for each in part.workloads]
        most = zip(batch.needs.max(axis=1, initial=0).tolist(), running, strict=True)
        return cls.of(batch) if sum(need * count for need, count in most) < MOST_ASKED else None

    def room(self, row: int) -> Whole:
        """Return how many replicas of a workload every cluster takes, at least 0."""
        need = self.batch.needs[row]
        asked = np.flatnonzero(need)
        room = self.batch.upper[row]
        if len(asked):
            room = np.minimum(room, (self.left[asked] // need[asked, None]).min(axis=0))
        left: Whole = np.maximum(room, 0)
        return left

    def take(self, row: int, counts: Whole, times: int = 1) -> None:
        """Let replicas of a workload use their clusters; -1 times gives back what they used."""
        self.left -= self.batch.needs[row][:, None] * (times * counts)

    def fill(self, row: int, wishes: Whole) -> Whole | None:
        """Return a workload placed as near to its wishes as there is room; None where it finds no place."""
        room, lower, total = self.room(row), self.batch.lower[row], int(self.batch.totals[row])
        if not int(lower.sum()) <= total <= int(room.sum()) or (lower > room).any():
            return None
        found = filled(lower, room, total, wishes)
        self.take(row, found)
        return found
