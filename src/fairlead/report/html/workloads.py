"""Sections about single workloads: where they stand, and why there."""

from collections.abc import Collection, Sequence

from fairlead.models.outcome import ClusterDecision, Outcome
from fairlead.models.words import counted, happening, listed
from fairlead.models.workload import Workload
from fairlead.report.blocks import (
    NOTHING,
    ROWS_OPEN,
    Block,
    Cell,
    Folded,
    Items,
    Row,
    Table,
    Text,
    cells,
    columns,
    long_table,
    table,
)
from fairlead.report.content.fleet import COMPACT_ABOVE
from fairlead.report.content.workloads import compact, detailed
from fairlead.report.pages import Section

PLACED_SHOWN = 2000
"""Workloads whose placement is shown."""
EXPLAINED = 200
"""Workloads whose decisions are explained at most."""
ROWS_EXPLAINED = 4000
"""Clusters that all explanations together name in rows, roughly; no further workload is begun beyond."""
NAMED = 8
"""Clusters that a reason names before it counts them."""

ELSEWHERE = "fairlead why explains any of them"

_DECISIONS = columns("Cluster", ">Now", ">Target", "~Why")


def placement_section(outcome: Outcome, changed: Collection[str] | None) -> Section:
    """Return where every workload stands; empty without a placement.

    `changed`: keys of the workloads that are shown unfolded where there are many; None for all.
    """
    every = outcome.problem.with_replicas
    if outcome.placement is None:
        return Section("placement", "Placement", ())
    few = len(every) <= COMPACT_ABOVE
    if few:
        tables = tuple(_without_blanks(_spaced(found)) for found, _ in detailed(outcome))
    else:
        tables = (_rows(outcome, every),)
    shown = every if changed is None else [one for one in every if one.key in changed]
    if len(every) <= ROWS_OPEN and shown:
        return Section("placement", "Placement", tables, brief=True)
    blocks: list[Block] = []
    if changed and len(shown) < len(every):
        changing = happening([(len(shown), "changes", "change")], "workload")
        blocks.append(long_table(_rows(outcome, shown), changing))
    title = f"The placement of {counted(len(every), 'workload')}"
    blocks.append(Folded(title, tables, printed=few))
    return Section("placement", "Placement", tuple(blocks), brief=len(blocks) > 1)


def _rows(outcome: Outcome, workloads: Sequence[Workload]) -> Table:
    """Return a row for every workload, as many as a page can bear."""
    told = "and {}: fairlead solve -o json has them all"
    return _spaced(compact(outcome, workloads)).first(PLACED_SHOWN, "workload", told)


def _spaced(found: Table) -> Table:
    """Return a table with a space behind every comma, so that long cells can be broken."""
    rows = (tuple(Cell(cell.text.replace(",", ", "), cell.tone) for cell in row) for row in found.rows)
    return found._replace(rows=tuple(rows))


def _without_blanks(found: Table) -> Table:
    """Return a table without columns that say nothing in any row."""
    kept = [
        at
        for at in range(len(found.columns))
        if any(row[at].text not in ("", NOTHING.text) for row in found.rows)
    ]
    rows = (tuple(row[at] for at in kept) for row in found.rows)
    return found._replace(columns=tuple(found.columns[at] for at in kept), rows=tuple(rows))


def decision_section(outcome: Outcome, changed: Collection[str] | None) -> Section:
    """Return the reason of every cluster by workload, folded.

    `changed`: keys of the workloads that change; None where all count. Where there is no placement, those
    count that the conflicts are about.
    """
    every = outcome.problem.with_replicas
    few = len(every) <= COMPACT_ABOVE
    # Where no conflict tells whom it is about, all count.
    conflicting = {key for conflict in outcome.conflicts for key in conflict.workloads} or None
    counting = changed if outcome.placement is not None else conflicting
    chosen = [one for one in every if few or counting is None or one.key in counting]
    blocks: list[Block] = []
    left = ROWS_EXPLAINED
    for workload in chosen[:EXPLAINED]:
        if left <= 0:
            break
        decisions = outcome.decisions[workload.key]
        inside = _explained(outcome, workload, decisions)
        left -= sum(len(block.rows) for block in inside if isinstance(block, Table)) + 4
        blocks.append(Folded(_summary(outcome, workload), inside, printed=few))
    rest = len(chosen) - len(blocks)
    if rest > 0:
        blocks.append(Text(f"and {counted(rest, 'more workload')}: {ELSEWHERE}"))
    if len(chosen) > ROWS_OPEN:
        blocks = [
            Folded(f"The decisions on {counted(len(chosen), 'workload')}", tuple(blocks), printed=False)
        ]
    if chosen and len(chosen) < len(every):
        whose = "that change" if outcome.placement is not None else "of the conflict"
        others = counted(len(every) - len(chosen), "other")
        blocks.insert(0, Text(f"Only workloads {whose}; {others} left out: {ELSEWHERE}."))
    return Section("decisions", "Decisions, workload by workload", tuple(blocks))


def _summary(outcome: Outcome, workload: Workload) -> str:
    placed = outcome.placed(workload).items()
    where = listed([f"{name} {replicas}" for name, replicas in placed], "cluster") or "nowhere"
    return f"{workload.key}: {counted(workload.replicas, 'replica')}, {where}"


def _explained(
    outcome: Outcome, workload: Workload, decisions: Sequence[ClusterDecision]
) -> tuple[Block, ...]:
    """Return a row for every cluster that holds or held replicas, and the reasons of all others."""
    rows: list[Row] = []
    empty: dict[str, list[str]] = {}
    for decision in decisions:
        now = workload.current.get(decision.cluster, 0)
        if decision.replicas or now:
            rows.append(cells(decision.cluster, now, decision.replicas, decision.reason))
        else:
            empty.setdefault(decision.reason, []).append(decision.cluster)
    blocks: list[Block] = []
    if rows:
        caption = f"Clusters of {workload.key}, and why so many"
        blocks.append(table(_DECISIONS, rows, caption))
    groups = tuple(
        f"group {group.name} cannot be used: {group.reason}"
        for group in outcome.rejected.get(workload.key, ())
    )
    none = tuple(f"{listed(names, 'cluster', NAMED)}: {reason}" for reason, names in empty.items())
    if none:
        blocks += [Text("No replica, now and in the target:"), Items(none)]
    if groups:
        blocks += [Text("Affinity groups that were tried before:"), Items(groups)]
    return tuple(blocks)
