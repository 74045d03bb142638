"""Due: whom its scheduler would look at again, and who is left where he runs."""

from collections.abc import Iterable
from dataclasses import replace

from fairlead.models.check import violations_of
from fairlead.models.workload import Workload


def with_due(workloads: Iterable[Workload]) -> tuple[Workload, ...]:
    """Return workloads of which all are called due that are, whether somebody asks to reschedule them or not.

    A scheduler would look again at a workload where the placement that was applied last is not the one that
    counts now, where what runs does not add up (`Workload.due`), and where what runs breaks a rule of the
    workload's own: a taint, an eviction, a bound. What workloads share, such as capacity and quotas, makes
    nobody due. One that somebody asked to reschedule (`Workload.fresh`) is placed anew, due or not.
    """
    return tuple(
        replace(each, due=True) if not each.due and any(violations_of(each, each.current)) else each
        for each in workloads
    )
