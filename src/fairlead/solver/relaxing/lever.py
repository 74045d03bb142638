"""A lever: one number of a problem that a relaxation may change."""

from dataclasses import dataclass

from fairlead.encoders.costs import Because
from fairlead.encoders.giving import Side
from fairlead.models.source import Source
from fairlead.solver.changes.kinds import Kind

PLENTY = 2**40
"""Allowed slack where only the model itself bounds it."""

Key = tuple[Because, Side]


@dataclass(frozen=True, slots=True)
class Lever:
    """A number that may be changed.

    Parameters
    ----------
    kind, workload, cluster, detail, before, source
        As for `Change`.
    direction
        1 where the number is raised, -1 where it is lowered.
    most
        By how much at most.
    keys
        The constraints that give way with it.
    every
        How far one step lets its constraints give way.
    sharing
        Other workloads for which the same number of the same policy counts.
    """

    kind: Kind
    workload: str | None
    cluster: str | None
    detail: str
    before: int
    direction: int
    most: int
    keys: tuple[Key, ...]
    source: Source | None = None
    every: int = 1
    sharing: tuple[str, ...] = ()

    @property
    def workloads(self) -> tuple[str, ...]:
        """All workloads for which the number counts; empty where it is about none in particular."""
        return () if self.workload is None else (self.workload, *self.sharing)
