"""Sections about the target itself: its proof, what stands in its way, what it repairs."""

from __future__ import annotations

from fairlead.models.outcome import Outcome, Status
from fairlead.models.statement import Conflict
from fairlead.models.words import counted
from fairlead.report.blocks import (
    Block,
    Folded,
    Manifest,
    Text,
    Tone,
    paragraphs,
    sentences,
)
from fairlead.report.content.outcome import level_table, told_rules, told_ways
from fairlead.report.pages import Section

OPENED = 8
"""Repaired rules that are open; the others are folded."""
SHOWN = 200
"""Conflicts that a report lists before it counts the rest."""


def proof_section(outcome: Outcome, title: str) -> Section:
    """Return how good the placement is on every level; empty where there is none."""
    if not outcome.objectives:
        return Section("target", title, ())
    told = (
        "The levels are compared in this order: a level decides only where all levels above it are "
        "equal, and lower is better. Nothing that keeps every rule and the levels above can be lower "
        "than the bound."
    )
    return Section("target", title, (Text(told), level_table(outcome)), brief=True)


def conflict_section(outcome: Outcome) -> Section:
    """Return which rules contradict each other and what would help; empty unless that is known."""
    if outcome.status is not Status.INFEASIBLE:
        return Section("conflict", "Why there is no placement", ())
    if outcome.conflict is None:
        broken = sentences(map(str, outcome.violations), "rule", "bad")
        return Section("conflict", "Rules that the placement violates", broken, brief=True)
    blocks: list[Block] = []
    for number, conflict in enumerate(outcome.conflicts[:SHOWN]):
        opening = "Nor can these be kept together:" if number else _opening(conflict)
        blocks += paragraphs([opening, *told_rules(conflict)])
    rest = len(outcome.conflicts) - SHOWN
    if rest > 0:
        blocks.append(Text(f"and {counted(rest, 'more conflict')}"))
    blocks += [*paragraphs(told_ways(outcome.conflict)), *_ways_out(outcome.conflict)]
    return Section("conflict", "Why there is no placement", tuple(blocks), brief=True)


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


def repaired_section(outcome: Outcome) -> Section:
    """Return what runs now breaks and the target repairs, without a target all that is broken."""
    found = outcome.repaired if outcome.placement is not None else outcome.broken_before
    title = "Fixed by it" if outcome.placement is not None else "Violated now"
    tone: Tone = "good" if outcome.placement is not None else "bad"
    return Section("broken", title, sentences(map(str, found), "rule", tone, OPENED))


def warnings_section(outcome: Outcome) -> Section:
    """Return what is odd about the input; empty for nothing."""
    found = outcome.problem.warnings
    return Section("warnings", "Warnings about the input", sentences(map(str, found), "warning", "notice"))
