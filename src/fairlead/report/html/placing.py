"""Sections about single workloads: where they stand, and why there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fairlead.models.outcome import ClusterDecision, Outcome
from fairlead.models.words import counted, listed
from fairlead.models.workload import Workload
from fairlead.report.columns import Cell, Column
from fairlead.report.html.content import Block, Folded, Items, Section, Table, Text, shortened
from fairlead.report.table import COMPACT_ABOVE
from fairlead.report.workload_table import NOTHING, compact, detailed

PLACED_SHOWN = 2000
"""Workloads whose placement is shown."""
EXPLAINED = 200
"""Workloads whose decisions are explained at most."""
ROWS_EXPLAINED = 4000
"""Clusters that all explanations together name in rows, roughly; no further workload is begun beyond."""
NAMED = 8
"""Clusters that a reason names before it counts them."""

ELSEWHERE = "fairlead why explains any of them"

_DECISIONS = (
    Column("Cluster"),
    Column("Now", right=True),
    Column("Target", right=True),
    Column("Why", elastic=True),
)


def placement_section(outcome: Outcome, *, opened: bool) -> Section:
    """Return where every workload stands; empty without a placement."""
    if outcome.placement is None:
        return Section("placement", "Placement", ())
    few = len(outcome.problem.with_replicas) <= COMPACT_ABOVE
    if few:
        tables: tuple[Block, ...] = tuple(
            _without_blanks(Table(table.title, _headed(table.columns), _cells(table.rows)))
            for table in detailed(outcome)
        )
    else:
        columns, rows = compact(outcome)
        kept, note = shortened(_cells(rows), PLACED_SHOWN, "workload", "fairlead solve -o json has them all")
        tables = (Table("Replicas of every workload by cluster", _headed(columns), kept, note),)
    if opened:
        return Section("placement", "Placement", tables)
    title = f"The whole target of {counted(len(outcome.problem.with_replicas), 'workload')}"
    return Section("placement", "Placement", (Folded(title, tables, printed=few),))


def _headed(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns with headers as a page has them."""
    return tuple(Column(column.header.capitalize(), column.right, column.elastic) for column in columns)


def _cells(rows: Iterable[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    """Return rows, with a space behind every comma so that long cells can be broken."""
    return tuple(tuple(Cell(cell.text.replace(",", ", "), cell.tone) for cell in row) for row in rows)


def _without_blanks(table: Table) -> Table:
    """Return a table without columns that say nothing in any row."""
    kept = [
        index
        for index in range(len(table.columns))
        if any(row[index].text not in ("", NOTHING.text) for row in table.rows)
    ]
    columns = tuple(table.columns[index] for index in kept)
    return replace(
        table, columns=columns, rows=tuple(tuple(row[index] for index in kept) for row in table.rows)
    )


def decision_section(outcome: Outcome, changed: frozenset[str] | None) -> Section:
    """Return the reason of every cluster by workload, folded.

    Parameters
    ----------
    outcome
        The outcome to explain.
    changed
        Keys of the workloads that change; None where all count.
    """
    every = outcome.problem.with_replicas
    few = len(every) <= COMPACT_ABOVE
    chosen = [one for one in every if few or changed is None or one.key in changed]
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
    if not few and changed is not None and chosen:
        blocks.insert(0, Text(_left_out(len(every) - len(chosen))))
    if rest > 0:
        blocks.append(Text(f"and {counted(rest, 'more workload')}: {ELSEWHERE}"))
    return Section("decisions", "Decisions, workload by workload", tuple(blocks))


def _left_out(still: int) -> str:
    """Say how many workloads do not change."""
    if not still:
        return "Every workload changes."
    return f"Only workloads that change; {counted(still, 'other')} left out: {ELSEWHERE}."


def _summary(outcome: Outcome, workload: Workload) -> str:
    """Return a workload and its clusters in one line."""
    placed = outcome.placement.of(workload.key) if outcome.placement is not None else {}
    where = listed([f"{name} {replicas}" for name, replicas in placed.items()], "cluster") or "nowhere"
    return f"{workload.key}: {counted(workload.replicas, 'replica')}, {where}"


def _explained(
    outcome: Outcome, workload: Workload, decisions: Sequence[ClusterDecision]
) -> tuple[Block, ...]:
    """Return a row for every cluster that holds or held replicas, and the reasons of all others."""
    rows: list[tuple[Cell, ...]] = []
    empty: dict[str, list[str]] = {}
    for decision in decisions:
        now = workload.current.get(decision.cluster, 0)
        if decision.replicas or now:
            why = Cell(decision.reason)
            rows.append((Cell(decision.cluster), Cell(str(now)), Cell(str(decision.replicas)), why))
        else:
            empty.setdefault(decision.reason, []).append(decision.cluster)
    blocks: list[Block] = []
    failed = [str(each) for each in outcome.conditions.workloads[workload.key] if each.status != "True"]
    if failed:
        blocks.append(Items(tuple(failed), "bad"))
    if rows:
        caption = f"Clusters of {workload.key}, and why so many"
        blocks.append(Table(caption, _DECISIONS, tuple(rows)))
    groups = tuple(
        f"group {group.name} will not do: {group.reason}" for group in outcome.rejected.get(workload.key, ())
    )
    none = tuple(f"{listed(names, 'cluster', NAMED)}: {reason}" for reason, names in empty.items())
    if none:
        blocks += [Text("No replica, now and in the target:"), Items(none)]
    if groups:
        blocks += [Text("Affinity groups that were tried before:"), Items(groups)]
    return tuple(blocks)
