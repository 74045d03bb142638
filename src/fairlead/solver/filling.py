"""Clusters filled in arrays, one workload after the other: what is placed at once where there are many."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Preference, Quota, Total
from fairlead.models.workload import Workload
from fairlead.solver.batch.arrays import MOST, MOST_ASKED, Batch, Whole, batch_of
from fairlead.solver.batch.separable import fits_arrays
from fairlead.solver.exact.quick_placing import filled, wished

TOGETHER = 64
"""Workloads that are filled at one look."""


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

    def wishes(self) -> Whole:
        """Return what runs now or the whole part of every share, by row and cluster, at most the total."""
        clusters = self.batch.clusters
        found = [
            [min(each.replicas, count) for count in wished(each, clusters)]
            for each in self.batch.problem.workloads
        ]
        return np.array(found, dtype=np.int64).reshape(self.batch.lower.shape)

    def room(self, rows: Sequence[int]) -> Whole:
        """Return how many replicas of workloads every cluster takes, each by itself, at least 0."""
        needs = self.batch.needs[rows][:, :, None]
        takes = np.where(needs > 0, self.left // np.maximum(needs, 1), MOST_ASKED).min(
            axis=1, initial=MOST_ASKED
        )
        found: Whole = np.maximum(np.minimum(self.batch.upper[rows], takes), 0)
        return found

    def take(self, row: int, counts: Whole, times: int = 1) -> None:
        """Let replicas of a workload use their clusters; -1 times gives back what they used."""
        self.left -= self.batch.needs[row][:, None] * (times * counts)

    def fill(self, rows: Sequence[int], wishes: Whole, *, partly: bool = False) -> Whole:
        """Return the first of some workloads placed as near to their wishes as there is room for all of them.

        Each is placed in the room there is before the first. None of them is where the first finds no place.

        Parameters
        ----------
        partly
            True where less than the total will do, and less than the fewest of a cluster if that is none.
        """
        lower, totals = self.batch.lower[rows], self.batch.totals[rows]
        found = filled(lower, self.room(rows), totals, wishes)
        enough = (found >= lower) | (found == 0) if partly else found >= lower
        misses = ~enough.all(axis=1) | (not partly) & (found.sum(axis=1) < totals)
        needs = self.batch.needs[rows]
        if len(rows) > 1:
            used = (needs[:, :, None] * found[:, None, :]).cumsum(axis=0)
            misses |= (used > np.maximum(self.left, 0)).any(axis=(1, 2))
        count = int(misses.argmax()) if misses.any() else len(rows)
        self.left -= needs[:count].T @ found[:count]
        return found[:count]

    def in_turn(
        self, order: Sequence[int], wishes: Whole, *, partly: bool = False
    ) -> Iterator[tuple[Sequence[int], Whole | None]]:
        """Yield workloads placed one after the other, as many at a time as there is room for.

        None for one that finds no place; whoever asks may place it before the next ones are.
        """
        at, size = 0, TOGETHER
        while at < len(order):
            rows = order[at : at + size]
            found = self.fill(rows, wishes[rows], partly=partly)
            yield rows[: max(1, len(found))], found if len(found) else None
            at += max(1, len(found))
            size = min(TOGETHER, 2 * max(1, len(found)))
