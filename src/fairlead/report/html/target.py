"""Sections about the target itself: its proof, what stands in its way, what is broken, what is unplaced."""

from __future__ import annotations

from collections.abc import Iterable

from fairlead.models.outcome import Outcome, Status
from fairlead.models.outcome_document import unplaced
from fairlead.models.outcome_text import format_number, proof, told_rules, told_ways
from fairlead.models.statement import Conflict, Violation
from fairlead.models.words import counted
from fairlead.report.columns import Cell, Column, Tone
from fairlead.report.html.content import (
    Block,
    Folded,
    Heading,
    Manifest,
    Section,
    Table,
    Text,
    paragraphs,
    sentences,
)

SHOWN = 200
"""Conflicts, and workloads that lack something, that a report lists before it counts the rest."""

TONES: dict[Status, Tone] = {
    Status.OPTIMAL: "good",
    Status.FEASIBLE: "notice",
    Status.UNKNOWN: "bad",
    Status.INFEASIBLE: "bad",
}

_LEVELS = (Column("Level"), Column("Value", right=True), Column("Bound", right=True), Column("Proof"))
_CONDITIONS = (Column("Condition"), Column("Status"), Column("Reason"), Column("Message", elastic=True))
_UNPLACED = (Column("Workload"), Column("Replicas", right=True), Column("Unplaced", right=True))


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
            _levels(outcome),
        )
    if outcome.placement is None:
        title = "What is proven"
    return Section("target", title, (*blocks, _conditions(outcome)))


def _levels(outcome: Outcome) -> Table:
    """Return the table of the levels, the most important first."""
    rows = tuple(
        (
            Cell(level.name),
            Cell(format_number(level.value)),
            Cell("-" if level.bound is None else format_number(level.bound)),
            Cell(proof(level), "good" if level.proven else "notice"),
        )
        for level in outcome.objectives
    )
    return Table("Levels, the most important first", _LEVELS, rows)


def _conditions(outcome: Outcome) -> Table:
    """Return what is so of the whole."""
    rows = tuple(
        (
            Cell(condition.type),
            Cell(condition.status, "good" if condition.status == "True" else "bad"),
            Cell(condition.reason),
            Cell(condition.message or "-"),
        )
        for condition in outcome.conditions.whole
    )
    return Table("Conditions, as Kubernetes states them", _CONDITIONS, rows)


def conflict_section(outcome: Outcome) -> Section:
    """Return which rules contradict each other and what would help; empty unless that is known."""
    if outcome.status is not Status.INFEASIBLE:
        return Section("conflict", "Why there is no placement", ())
    if outcome.conflict is None:
        broken = sentences(map(str, outcome.violations), "rule", "bad")
        return Section("conflict", "Rules that the placement breaks", broken)
    blocks: list[Block] = []
    for number, conflict in enumerate(outcome.conflicts[:SHOWN]):
        opening = "No placement keeps these either:" if number else _opening(conflict)
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
        blocks += [Heading("Still broken"), *_violations(outcome.still_broken, "bad")]
    if outcome.repaired:
        blocks += [Heading("Repaired"), *_violations(outcome.repaired, "good")]
    if outcome.placement is None and outcome.broken_before:
        blocks += _violations(outcome.broken_before, "bad")
    return Section("broken", "Broken before", tuple(blocks))


def missing_section(outcome: Outcome) -> Section:
    """Return what a partial target leaves out: replicas that stand nowhere, minima and spreads not met."""
    lacking = [(workload, unplaced(outcome, workload)) for workload in outcome.problem.workloads]
    rows = [
        (Cell(workload.key), Cell(str(workload.replicas)), Cell(str(count), "bad"))
        for workload, count in lacking
        if count and outcome.placement is not None
    ]
    blocks = list(_violations(outcome.shortfalls, "bad"))
    if rows:
        rest = len(rows) - SHOWN
        note = f"and {counted(rest, 'more workload')}" if rest > 0 else ""
        blocks.append(Table("Replicas that stand nowhere", _UNPLACED, tuple(rows[:SHOWN]), note))
    return Section("unplaced", "What cannot be met", tuple(blocks))


def _violations(violations: Iterable[Violation], tone: Tone) -> tuple[Block, ...]:
    """Return broken rules as a list."""
    return sentences(map(str, violations), "rule", tone)


def warnings_section(outcome: Outcome) -> Section:
    """Return what is odd about the input; empty for nothing."""
    found = outcome.problem.warnings
    return Section("warnings", "Warnings about the input", sentences(map(str, found), "warning", "notice"))
