"""The tables that a terminal shows for an outcome."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.models.outcome import Outcome, Status
from fairlead.models.outcome_text import breaches, explanation, format_number, proof, remarks, verdict
from fairlead.models.words import counted
from fairlead.report.columns import Cell, Column, Tone, printable, render, toned
from fairlead.report.workload_table import compact, detailed, flat

SHOWN = 30
"""Rows that `first_rows` shows before it counts the rest; a wide table shows all."""

COMPACT_ABOVE = 10
"""Workloads up to which each gets a table of its own."""

LEVELS = (Column("LEVEL"), Column("VALUE", right=True), Column("BOUND", right=True), Column("PROOF"))


@dataclass(frozen=True, slots=True)
class Look:
    """How tables are printed.

    Parameters
    ----------
    wide
        Whether every column and every cluster is shown.
    headers
        Whether headers are printed; without them one flat table for scripts is left.
    colour
        Whether tones are printed.
    width
        Characters of a line of the terminal; None where the output is none and nothing may be cut.
    """

    wide: bool = False
    headers: bool = True
    colour: bool = False
    width: int | None = None

    @property
    def limit(self) -> int | None:
        """Characters to which lines are cut; wide tables are never cut."""
        return None if self.wide else self.width


def first_rows(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], look: Look, noun: str) -> list[str]:
    """Return a table, the first rows only unless all are asked for; the rest is counted by a noun."""
    if not rows:
        return []
    shown = rows if look.wide else rows[:SHOWN]
    lines = render(columns, shown, headers=look.headers, colour=look.colour, width=look.limit)
    rest = len(rows) - len(shown)
    return [*lines, f"... and {counted(rest, f'more {noun}')} (-o wide shows all)"] if rest else lines


def tables(outcome: Outcome, look: Look | None = None) -> str:
    """Return everything that a terminal shows for an outcome.

    Parameters
    ----------
    outcome
        The outcome; without a placement only the verdict is shown.
    look
        How to print; None for plain text.
    """
    look = look or Look()
    blocks = _placements(outcome, look)
    if outcome.objectives and look.headers:
        blocks.append(_levels(outcome, look))
    if look.headers or outcome.placement is None:
        blocks.append(_conclusion(outcome, look))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _placements(outcome: Outcome, look: Look) -> list[list[str]]:
    """Return a table per workload, one for all where there are many, a flat one for scripts."""
    if outcome.placement is None:
        return []
    many = len(outcome.problem.with_replicas) > COMPACT_ABOVE and not look.wide
    if not look.headers and not many:
        columns, rows = flat(outcome, wide=look.wide)
        return [render(columns, rows, headers=False, colour=look.colour, width=look.limit)]
    if many:
        columns, rows = compact(outcome)
        return [render(columns, rows, headers=look.headers, colour=look.colour, width=look.limit)]
    blocks = []
    for table in detailed(outcome, wide=look.wide):
        lines = render(table.columns, table.rows, colour=look.colour, width=look.limit)
        title = toned(printable(table.title), "bold", colour=look.colour)
        notes = [toned(printable(note), "dim", colour=look.colour) for note in table.notes]
        blocks.append([title, *lines, *notes])
    return blocks


def _levels(outcome: Outcome, look: Look) -> list[str]:
    """Return the table of the levels, the most important first."""
    rows = [
        (
            Cell(level.name),
            Cell(format_number(level.value)),
            Cell("-" if level.bound is None else format_number(level.bound)),
            Cell(proof(level), "good" if level.proven else "notice"),
        )
        for level in outcome.objectives
    ]
    return render(LEVELS, rows, colour=look.colour)


_TONES: dict[Status, Tone] = {
    Status.OPTIMAL: "good",
    Status.FEASIBLE: "notice",
    Status.UNKNOWN: "bad",
    Status.INFEASIBLE: "bad",
}


def _conclusion(outcome: Outcome, look: Look) -> list[str]:
    """Return the verdict, its first word toned, and what explains it."""
    word, _, rest = printable(verdict(outcome)).partition(":")
    first = f"{toned(word, _TONES[outcome.status], colour=look.colour)}:{rest}"
    return [first, *map(printable, (*explanation(outcome), *breaches(outcome), *remarks(outcome)))]
