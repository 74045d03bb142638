"""The section about what is different in the end, by cluster and by workload."""

from __future__ import annotations

from collections import Counter

from fairlead.models.placement import Placement
from fairlead.models.words import counted
from fairlead.report.columns import Cell, Column
from fairlead.report.html.content import Folded, Section, Table, shortened
from fairlead.report.html.moving import ELSEWHERE
from fairlead.solver.plan.answer import PlannedChange, RebalancePlan

SHOWN = 1000
"""Rows that the table of the changes shows."""
OPEN = 40
"""Rows up to which the table of the changes is open from the start."""

_CLUSTERS = (
    Column("Cluster"),
    Column("Now", right=True),
    Column("Target", right=True),
    Column("Arrive", right=True),
    Column("Leave", right=True),
)
_CHANGES = (
    Column("Workload"),
    Column("Cluster"),
    Column("Now", right=True),
    Column("Target", right=True),
    Column("Change", right=True),
)


def change_section(plan: RebalancePlan) -> Section:
    """Return what is different in the end, by cluster and by workload; empty for nothing."""
    if not plan.changes:
        return Section("changes", "What changes", ())
    rows, note = shortened(map(_change, plan.changes), SHOWN, "change", ELSEWHERE)
    workloads = len({change.workload for change in plan.changes})
    by_workload = Table("Replicas now and in the target, by workload and cluster", _CHANGES, rows, note)
    verb = "changes" if workloads == 1 else "change"
    title = f"{workloads} of {counted(len(plan.problem.with_replicas), 'workload')} {verb}"
    return Section(
        "changes",
        "What changes",
        (_by_cluster(plan), Folded(title, (by_workload,), opened=len(rows) <= OPEN)),
    )


def _change(change: PlannedChange) -> tuple[Cell, ...]:
    """Return the row of one change."""
    return (
        Cell(change.workload),
        Cell(change.cluster),
        Cell(str(change.before)),
        Cell(str(change.after)),
        Cell(f"{change.difference:+d}", "good" if change.difference > 0 else "notice"),
    )


def _by_cluster(plan: RebalancePlan) -> Table:
    """Return replicas of all workloads by cluster."""
    now, then = _by_name(plan.before), _by_name(plan.outcome.placement)
    arrive: Counter[str] = Counter()
    leave: Counter[str] = Counter()
    for change in plan.changes:
        sums = arrive if change.difference > 0 else leave
        sums[change.cluster] += abs(change.difference)
    every = plan.problem.cluster_by_name
    touched = [name for name in every if arrive[name] or leave[name]]
    rows = [
        (
            Cell(name),
            Cell(str(now[name])),
            Cell(str(then[name])),
            Cell(str(arrive[name]) if arrive[name] else "-", "good" if arrive[name] else "dim"),
            Cell(str(leave[name]) if leave[name] else "-", "notice" if leave[name] else "dim"),
        )
        for name in touched
    ]
    still = len(every) - len(touched)
    unchanged = f"{counted(still, 'cluster')} without a change left out" if still else ""
    return Table("Replicas of all workloads, by cluster", _CLUSTERS, tuple(rows), unchanged)


def _by_name(placement: Placement | None) -> Counter[str]:
    """Return the replicas of all workloads by cluster."""
    sums: Counter[str] = Counter()
    for placed in (placement or Placement({})).values():
        sums.update(placed)
    return sums
