"""Due: whom its scheduler would look at again, and who is left where he runs."""

from collections.abc import Iterable
from dataclasses import replace

from fairlead.models.check import violations_of
from fairlead.models.workload import Workload


def is_due(workload: Workload) -> bool:
    """Tell whether the scheduler of a workload would look at it again.

    It would where the placement that was applied last is not the one that counts now, where what runs does
    not add up, where somebody asked for it (`Workload.settled` is False, or `Workload.fresh` True), and where
    what runs breaks a rule of the workload's own: a taint, an eviction, a bound. What workloads share, such
    as capacity and quotas, makes nobody due.
    """
    return workload.fresh or not workload.settled or any(violations_of(workload, workload.current))


def with_due(workloads: Iterable[Workload]) -> tuple[Workload, ...]:
    """Return workloads of which only those are called settled that are not due."""
    return tuple(
        replace(each, settled=False) if each.settled and is_due(each) else each for each in workloads
    )
