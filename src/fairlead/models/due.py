"""Due: whom its scheduler would look at again, and who is left where he runs."""

from collections.abc import Iterable
from dataclasses import replace

from fairlead.models.check import violations_of
from fairlead.models.workload import Workload


def is_due(workload: Workload) -> bool:
    """Tell whether the scheduler of a workload would look at it again.

    It would where the placement that was applied last is not the one that counts now, where what runs does
    not add up, where somebody asked for it (`Workload.due`, `Workload.fresh`), and where
    what runs breaks a rule of the workload's own: a taint, an eviction, a bound. What workloads share, such
    as capacity and quotas, makes nobody due.
    """
    return workload.fresh or workload.due or any(violations_of(workload, workload.current))


def with_due(workloads: Iterable[Workload]) -> tuple[Workload, ...]:
    """Return workloads of which all are called due that are."""
    return tuple(replace(each, due=True) if not each.due and is_due(each) else each for each in workloads)
