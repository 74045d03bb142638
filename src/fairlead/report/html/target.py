"""Sections about the target itself: its proof, what stands in its way, what is broken, what is unplaced."""

from __future__ import annotations

from collections.abc import Iterable

from fairlead.models.outcome import Outcome, Status
from fairlead.models.statement import Conflict, Violation
from fairlead.models.words import counted
from fairlead.report.blocks import (
    Block,
    Cell,
    Folded,
    Heading,
    Manifest,
    Section,
    Table,
    Text,
    Tone,
    cells,
    columns,
    paragraphs,
    sentences,
    table,
)
from fairlead.report.content.outcome import level_table, told_rules, told_ways

SHOWN = 200
"""Conflicts, and workloads that lack something, that a report lists before it counts the rest."""

_CONDITIONS = columns("Condition", "Status", "Reason", "~Message")
_UNPLACED = columns("Workload", ">Replicas", ">Unplaced")


def proof_section(outcome: Outcome, title: str) -> Section:
    """Return how good the placement is on every level, and what is so of the whole."""
    blocks: tuple[Block, ...] = ()
    if outcome.objectives:
        blocks += (
            Text(
                "The levels are compared in this order: a level decides only where all levels above it are "
                "equal, and lower is better. Nothing that keeps every rule and the levels above can be lower "
                "than the bound."
            ),
            level_table(outcome),
        )
    if outcome.placement is None:
        title = "What is proven"
    return Section("target", title, (*blocks, _conditions(outcome)))


def _conditions(outcome: Outcome) -> Table:
    """Return what is so of the whole."""
    rows = (
        (
            *cells(one.type),
            Cell(one.status, "good" if one.status == "True" else "bad"),
            *cells(one.reason, one.message or "-"),
        )
        for one in outcome.conditions.whole
    )
    return table(_CONDITIONS, rows, "Conditions, as Kubernetes states them")


def conflict_section(outcome: Outcome) -> Section:
    """Return which rules contradict each other and what would help; empty unless that is known."""
    if outcome.status is not Status.INFEASIBLE:
        return Section("conflict", "Why there is no placement", ())
    if outcome.conflict is None:
        broken = sentences(map(str, outcome.violations), "rule", "bad")
        return Section("conflict", "Rules that the placement violates", broken)
    blocks: list[Block] = []
    for number, conflict in enumerate(outcome.conflicts[:SHOWN]):
        opening = "Nor can these be kept together:" if number else _opening(conflict)
        blocks += paragraphs([opening, *told_rules(conflict)])
    rest = len(outcome.conflicts) - SHOWN
    if rest > 0:
        blocks.append(Text(f"and {counted(rest, 'more conflict')}"))
    blocks += [*paragraphs(told_ways(outcome.conflict)), *_ways_out(outcome.conflict)]
    return Section("conflict", "Why there is no placement", tuple(blocks))


def _opening(conflict: Conflict) -> str:
    """Return the words before the first conflict."""
    these = "this rule" if len(conflict.rules) == 1 else "all of these rules"
    return f"No placement keeps {these}:"


def _ways_out(conflict: Conflict) -> list[Block]:
    """Return the manifests of the changes that would help, ready to be pasted."""
    return [
        Folded(f"Manifest: {relaxation.text}", (Manifest(relaxation.manifest),))
        for relaxation in conflict.relaxations
        if relaxation.manifest
    ]


def broken_section(outcome: Outcome) -> Section:
    """Return what runs now breaks: what the target repairs and what it still breaks; empty for nothing."""
    blocks: list[Block] = []
    if outcome.still_broken:
        blocks += [Heading("Still violated"), *_violations(outcome.still_broken, "bad")]
    if outcome.repaired:
        blocks += [Heading("Repaired"), *_violations(outcome.repaired, "good")]
    if outcome.placement is None and outcome.broken_before:
        blocks += _violations(outcome.broken_before, "bad")
    return Section("broken", "Violated before", tuple(blocks))


def missing_section(outcome: Outcome) -> Section:
    """Return what a partial target leaves out: replicas that stand nowhere, minima and spreads not met."""
    blocks = list(_violations(outcome.shortfalls, "bad"))
    rows = [
        (*cells(workload.key, workload.replicas), Cell(str(count), "bad"))
        for workload in outcome.problem.workloads
        if outcome.placement is not None and (count := outcome.unplaced(workload))
    ]
    if rows:
        lacking = table(_UNPLACED, rows, "Unplaced replicas")
        blocks.append(lacking.first(SHOWN, "workload", "and {}"))
    return Section("unplaced", "What cannot be met", tuple(blocks))


def _violations(violations: Iterable[Violation], tone: Tone) -> tuple[Block, ...]:
    """Return broken rules as a list."""
    return sentences(map(str, violations), "rule", tone)


def warnings_section(outcome: Outcome) -> Section:
    """Return what is odd about the input; empty for nothing."""
    found = outcome.problem.warnings
    return Section("warnings", "Warnings about the input", sentences(map(str, found), "warning", "notice"))
