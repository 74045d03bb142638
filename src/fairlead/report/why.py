"""What a terminal shows for why a workload stands where it stands."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from fairlead.models.outcome import Status
from fairlead.models.outcome_text import explanation, verdict
from fairlead.models.words import counted
from fairlead.report.columns import GAP, Cell, Column, Tone, printable, render, toned
from fairlead.report.table import Look
from fairlead.solver.why.answer import ClusterWhy, Possible, Step, Why
from fairlead.solver.why.text import (
    blocked_lines,
    cluster_lines,
    excluded_lines,
    gain_lines,
    heading,
    short,
)

IDLE_SHOWN = 5
"""Candidates without replicas that a table shows; more of them are counted instead."""
LINES_SHOWN = 10
"""Lines of a kind that are shown below the table before the rest is counted."""
REASON_AT_LEAST = 20
"""Characters that a reason needs; where a table leaves it fewer, there are sentences instead of a table."""

NOTHING = Cell("-", "dim")
COLUMNS = (
    Column("CLUSTER"),
    Column("REPLICAS", right=True),
    Column("ONE MORE"),
    Column("ONE LESS"),
    Column("REASON"),
)


def why_tables(why: Why, look: Look | None = None) -> str:
    """Return everything that a terminal shows for why a workload stands where it stands.

    Parameters
    ----------
    why
        What is to be shown.
    look
        How to print; None for plain text. A wide table shows every cluster and every line, and breaks none.
    """
    look = look or Look()
    if not look.headers:
        return "\n".join(render(COLUMNS, [_row(each) for each in why.clusters], headers=False))
    body = _wrapped(_one(why.clusters[0]), look) if why.asked is not None else _all(why, look)
    shown = None if look.wide else LINES_SHOWN
    blocks = [
        [toned(printable(heading(why)), "bold", colour=look.colour), *body],
        _wrapped(_limited(excluded_lines(why), shown), look),
        _wrapped(gain_lines(why, shown), look),
        list(_conclusion(why, look)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _one(each: ClusterWhy) -> Iterator[str]:
    """Yield what is to be said of the only cluster that was asked for."""
    if not each.candidate:
        yield f"{each.decision.cluster} is no candidate: it {each.decision.reason}"
    yield from cluster_lines(each)


def _all(why: Why, look: Look) -> list[str]:
    """Return the table of the candidates, and below it where a step is not possible.

    Where the terminal is too narrow for it, sentences say the same.
    """
    shown, hidden = _shown(why, look)
    lines = _table(shown, look)
    blocked = _limited(blocked_lines(why), None if look.wide else LINES_SHOWN)
    if lines is None:
        lines, blocked = _wrapped((line for each in shown for line in cluster_lines(each)), look), iter(())
    if hidden:
        lines.append(f"... and {counted(hidden, 'candidate')} without replicas; -o wide shows them")
    return [*lines, *_wrapped(blocked, look)]


def _shown(why: Why, look: Look) -> tuple[list[ClusterWhy], int]:
    """Return the candidates that get a row, and how many do not."""
    candidates = [each for each in why.clusters if each.candidate]
    idle = [each for each in candidates if not each.decision.replicas]
    if look.wide or len(idle) <= IDLE_SHOWN:
        return candidates, 0
    return [each for each in candidates if each.decision.replicas], len(idle)


def _table(clusters: Sequence[ClusterWhy], look: Look) -> list[str] | None:
    """Return the table, reasons broken to fit; None where the terminal is too narrow for it."""
    if not clusters:
        return []
    columns = COLUMNS if any(each.more for each in clusters) else (*COLUMNS[:2], COLUMNS[-1])
    rows = [_row(each) for each in clusters]
    if len(columns) < len(COLUMNS):
        rows = [(*row[:2], row[-1]) for row in rows]
    if look.limit is not None:
        room = look.limit - _taken(columns, rows)
        if room < REASON_AT_LEAST:
            return None
        rows = _broken(rows, room)
    return render(columns, rows, colour=look.colour)


def _row(each: ClusterWhy) -> Sequence[Cell]:
    """Return the row of one cluster."""
    decision = each.decision
    return (
        Cell(decision.cluster),
        Cell(str(decision.replicas), "" if decision.replicas else "dim"),
        _step(each.more),
        _step(each.less) if decision.replicas else NOTHING,
        Cell(decision.reason),
    )


def _step(step: Step | None) -> Cell:
    """Return what a step costs."""
    if step is None:
        return NOTHING
    tones: dict[Possible, Tone] = {Possible.NO: "dim", Possible.UNKNOWN: "notice"}
    return Cell(short(step), tones.get(step.possible, ""))


def _taken(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> int:
    """Return the characters that all columns but the last one take."""
    widths = [
        max(len(columns[at].header), *(len(printable(row[at].text)) for row in rows))
        for at in range(len(columns) - 1)
    ]
    return sum(width + len(GAP) for width in widths)


def _broken(rows: Sequence[Sequence[Cell]], room: int) -> list[Sequence[Cell]]:
    """Return rows whose last cell has room, the rest of it in rows of its own below."""
    found: list[Sequence[Cell]] = []
    for row in rows:
        first, *rest = textwrap.wrap(printable(row[-1].text), room) or [""]
        found.append((*row[:-1], Cell(first)))
        found.extend((*(Cell("") for _ in row[:-1]), Cell(line)) for line in rest)
    return found


def _limited(lines: Iterator[str], shown: int | None) -> Iterator[str]:
    """Yield the first lines, and how many more there are."""
    every = list(lines)
    kept = every if shown is None else every[:shown]
    yield from kept
    if len(kept) < len(every):
        yield f"... and {counted(len(every) - len(kept), 'more line')}; -o wide shows them"


def _wrapped(lines: Iterable[str], look: Look) -> list[str]:
    """Return lines broken to the width of the terminal, what follows indented."""
    found: list[str] = []
    for line in map(printable, lines):
        if look.limit is None or len(line) <= look.limit:
            found.append(line)
            continue
        indent = " " * (len(line) - len(line.lstrip()))
        found += textwrap.wrap(
            line.strip(),
            max(look.limit, REASON_AT_LEAST),
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return found


def _conclusion(why: Why, look: Look) -> Iterator[str]:
    """Yield the verdict where there is no placement, or none that is proven best."""
    if why.outcome.status is Status.OPTIMAL:
        return
    word, _, rest = printable(verdict(why.outcome)).partition(":")
    tone: Tone = "notice" if why.outcome.status is Status.FEASIBLE else "bad"
    yield f"{toned(word, tone, colour=look.colour)}:{rest}"
    yield from _wrapped(explanation(why.outcome), look)
