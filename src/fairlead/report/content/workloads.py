"""Rows of workloads and clusters: what stands where, what changes, what is left."""

from collections.abc import Iterator, Sequence

from fairlead.models.cluster import Cluster
from fairlead.models.decision_reasons import Remaining, WorkloadView
from fairlead.models.outcome import ClusterDecision, Outcome
from fairlead.models.placement import Placement
from fairlead.models.quantity import short_amount
from fairlead.models.rules import Bounds, Candidates, Duplicated
from fairlead.models.rules.quota import left_of, more_within
from fairlead.models.usage import more_of, remaining
from fairlead.models.words import counted
from fairlead.models.workload import Workload
from fairlead.report.blocks import NOTHING, Cell, Line, Row, Table, Text, Tone, cells, columns, known, table
from fairlead.report.content.fleet import (
    ALL_SHOWN,
    COMPACT_ABOVE,
    ROWS_SHOWN,
    ask_for_sorting,
    grouped,
    opening,
    places,
    resting,
    shift_of,
    shown_workloads,
)
from fairlead.report.tabular import sorted_by
from fairlead.report.terminal import Look

IDLE_SHOWN = 5
"""Candidates without replicas that a table shows; more of them are counted instead."""

NARROW = columns("Cluster", "Region", ">Replicas", ">Change", ">By weight", "~Headroom")
WIDE = columns(
    *("Cluster", "Provider", "Region", "Zones", ">Replicas", ">Change", ">By weight", ">Min", ">Max"),
    *("Headroom", "Reason"),
)
COMPACT = columns("Namespace", "Name", ">Replicas", "~Clusters", "Status")


def _is_idle(view: WorkloadView, cluster: str) -> bool:
    held = view.placed.get(cluster) or view.workload.current.get(cluster)
    return not (held or view.wanted.get(cluster, 0) >= 1)


def placements(outcome: Outcome, look: Look) -> list[list[Line]]:
    """Return a table per workload, one for all where there are many, a flat one for scripts."""
    picked, workloads = look.picked, shown_workloads(outcome, look)
    ask_for_sorting(picked, COMPACT, WIDE if look.wide else NARROW)
    if outcome.placement is None:
        return []
    if picked.group_by:
        return [[grouped(places(outcome), picked, outcome.problem.clusters)]]
    if len(outcome.problem.with_replicas) > COMPACT_ABOVE and not look.wide:
        rows = sorted_by(compact(outcome, workloads), picked.sort_by)
        shown = rows.first(look.few(ROWS_SHOWN), "workload", ALL_SHOWN)
        # Of a table without rows its head alone says nothing; scripts get it all the same.
        lines: list[Line] = [shown] if workloads or not look.headers else []
        return [opening(outcome, look), [*lines, *resting(outcome, look)]]
    if not look.headers:
        return [[sorted_by(_flat(outcome, workloads, wide=look.wide), picked.sort_by)]]
    return [
        [
            Text(found.caption, "bold"),
            sorted_by(found, picked.sort_by),
            *(Text(note, "dim") for note in notes),
        ]
        for found, notes in detailed(outcome, workloads, wide=look.wide)
    ]


def detailed(
    outcome: Outcome, workloads: Sequence[Workload] | None = None, *, wide: bool = False
) -> Iterator[tuple[Table, Sequence[str]]]:
    """Yield a table per workload, what is placed as caption, with lines below it: what it leaves out.

    `outcome`: an outcome with a placement. `workloads`: those to show; None for all that have replicas.
    `wide`: True for every column and every cluster, those not eligible with their reason.
    """
    placement, problem = outcome.placement or Placement({}), outcome.problem
    left = Remaining(remaining(problem, placement), left_of(problem.allowances, problem, placement))
    for workload in outcome.problem.with_replicas if workloads is None else workloads:
        yield _detailed(outcome, WorkloadView(outcome, workload, left), wide=wide)


def _flat(outcome: Outcome, workloads: Sequence[Workload], *, wide: bool) -> Table:
    """Return the rows of all workloads for scripts: namespace and name in front, no blank cells."""
    rows: list[Row] = []
    for workload, (found, _) in zip(workloads, detailed(outcome, workloads, wide=wide), strict=True):
        front = cells(workload.namespace or "-", workload.name)
        rows += [(*front, *(cell if cell.text else NOTHING for cell in row)) for row in found.rows]
    return table((*COMPACT[:2], *(WIDE if wide else NARROW)), rows)


def compact(outcome: Outcome, workloads: Sequence[Workload] | None = None) -> Table:
    """Return one row per workload, of all that have replicas where none are given."""
    shown = outcome.problem.with_replicas if workloads is None else workloads
    rows = (_summary(outcome, workload) for workload in shown)
    return table(COMPACT, rows, "Replicas of every workload by cluster")


def _summary(outcome: Outcome, workload: Workload) -> Row:
    placed = outcome.placed(workload)
    clusters = ",".join(f"{cluster}:{replicas}" for cluster, replicas in placed.items())
    return (
        known(workload.namespace),
        *cells(workload.name, workload.replicas),
        known(clusters),
        _status(outcome, workload),
    )


def _status(outcome: Outcome, workload: Workload) -> Cell:
    """Return the change of a workload, in a word or two."""
    missing = outcome.unplaced(workload)
    if missing:
        return Cell(f"{missing} unplaced", "bad")
    if any(violation.workload == workload.key for violation in outcome.violations):
        return Cell("violates a rule", "bad")
    if not any(workload.current.values()):
        return Cell("new") if workload.replicas else Cell("scaled to 0", "dim")
    more, fewer = shift_of(outcome, workload)
    shown = " ".join(filter(None, (f"+{more}" if more else "", f"-{fewer}" if fewer else "")))
    return Cell(f"changed {shown}", "notice") if shown else Cell("unchanged", "dim")


def _detailed(outcome: Outcome, view: WorkloadView, *, wide: bool) -> tuple[Table, Sequence[str]]:
    """Return the table of a workload; reasons are looked for only where they are shown."""
    names = sorted(
        {*outcome.problem.cluster_by_name, *(c for c, held in view.workload.current.items() if held)}
    )
    if wide:
        decisions = {decision.cluster: decision for decision in outcome.decisions[view.workload.key]}
        rows = [_wide_row(view, name, decisions.get(name)) for name in names]
        conditions = outcome.conditions.workloads[view.workload.key]
        return table(WIDE, rows, _title(view)), (*_rejected(view), *map(str, conditions))
    shown = [name for name in names if name in view.open_to or not _is_idle(view, name)]
    resting = [name for name in shown if _is_idle(view, name)]
    notes: tuple[str, ...] = ()
    if len(resting) > IDLE_SHOWN:
        shown = [name for name in shown if not _is_idle(view, name)]
        notes = (f"and {len(resting)} eligible clusters without replicas (-o wide shows them)",)
    notes += (*_left_out(view), *_rejected(view))
    return table(NARROW, (_narrow_row(view, name) for name in shown), _title(view)), notes


def _left_out(view: WorkloadView) -> tuple[str, ...]:
    rule = view.workload.rule(Candidates)
    count = sum(1 for name in rule.excluded if _is_idle(view, name)) if rule else 0
    subject = "1 cluster is not eligible" if count == 1 else f"{count} clusters are not eligible"
    return (f"{subject} (-o wide says why)",) if count else ()


def _rejected(view: WorkloadView) -> tuple[str, ...]:
    found = view.outcome.rejected.get(view.workload.key, ())
    return tuple(f"affinity group {group.name} cannot be used: {group.reason}" for group in found)


def _title(view: WorkloadView) -> str:
    workload = view.workload
    count = counted(workload.replicas, "replica")
    where = " per cluster" if workload.rule(Duplicated) is not None else ""
    policy = f", {workload.policy}" if workload.policy else ""
    policy += f", affinity group {workload.group}" if workload.group else ""
    limits = workload.autoscaler
    policy += f", {limits.name} ({limits.minimum} to {limits.maximum})" if limits else ""
    missing = view.outcome.unplaced(workload)
    return f"{workload.key}: {count}{where}{policy}{f', {missing} unplaced' if missing else ''}"


def _narrow_row(view: WorkloadView, name: str) -> Row:
    cluster = view.outcome.problem.cluster_by_name.get(name)
    region = cluster.region if cluster else None
    return (Cell(name), known(region), *_numbers(view, name), _left(view, cluster))


def _wide_row(view: WorkloadView, name: str, decision: ClusterDecision | None) -> Row:
    """Return the row of one cluster with everything that is known."""
    cluster = view.outcome.problem.cluster_by_name.get(name)
    bounds = view.workload.rule(Bounds) or Bounds()
    least, most = bounds.minimum.get(name), bounds.maximum.get(name)
    row = (
        Cell(name),
        known(cluster.provider if cluster else None),
        known(cluster.region if cluster else None),
        known(",".join(cluster.zones) if cluster else None),
        *_numbers(view, name),
        known(str(least.replicas) if least else None),
        known(str(most.replicas) if most else None),
        _left(view, cluster),
        Cell(decision.reason if decision else "not in the input"),
    )
    return tuple(Cell(cell.text, "dim") for cell in row) if name not in view.open_to else row


def _numbers(view: WorkloadView, name: str) -> tuple[Cell, Cell, Cell]:
    """Return replicas, change and the exact share of the weights, all in replicas."""
    replicas = view.placed.get(name, 0)
    wanted = view.wanted.get(name)
    return (
        Cell(str(replicas), "" if replicas else "dim"),
        _change(view, name, replicas),
        Cell("" if wanted is None else f"{float(wanted):.2f}"),
    )


def _change(view: WorkloadView, name: str, replicas: int) -> Cell:
    """Return the difference to what runs now; blank where nothing runs anywhere."""
    if not any(view.workload.current.values()):
        return Cell("")
    change = replicas - view.workload.current.get(name, 0)
    tone: Tone = "good" if change > 0 else "notice" if change < 0 else "dim"
    return Cell(f"{change:+d}" if change else "0", tone)


def _left(view: WorkloadView, cluster: Cluster | None) -> Cell:
    """Return how many more replicas would fit, and what runs out first."""
    if cluster is None:
        return NOTHING
    more = more_of(view.workload, cluster, view.left.room)
    within = more_within(view.workload, cluster.name, view.left.quotas)
    by_quota = within is not None and (more is None or within.replicas < more.replicas)
    least = within if by_quota else more
    if least is None:
        return Cell("unknown" if cluster.free is None else "no limit", "dim")
    scarce = f"{'quota ' if by_quota else ''}{least.resource} {short_amount(least.resource, least.left)}"
    if not least.replicas:
        return Cell(f"at capacity ({scarce})", "notice")
    return Cell(f"{least.replicas} more ({scarce})")
