"""Small multiples: a panel for every cluster that shows how full it is, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fairlead.report.blocks import Panel
from fairlead.report.content.fullness import NEARLY, Course, format_fullness
from fairlead.report.html.canvas import Canvas, Ink, drawn, fitting, measured

WIDTH, HEAD, ROW = 250, 24, 28
"""Pixels: width of a panel, height of its title and of each resource."""
LABEL, BARS, HEIGHT = 66, 88, 20
"""Pixels: width of the name of a resource and of its bars, height of a bar that is full."""
RESOURCES = 4
"""Resources that a panel shows: the fullest ones."""
HIGHEST = Fraction(5, 4)
"""Part up to which bars grow; above it only the text tells how far."""
_WORDS: dict[Ink, str] = {"bad": "over 100%", "notice": "90% or more"}


def panel(rows: Sequence[Course], names: Sequence[str], *, compared: bool) -> Panel:
    """Return the panel of one cluster.

    Parameters
    ----------
    rows
        Its resources; at least one.
    names
        What the steps are called.
    compared
        True where the steps stand side by side instead of one after the other.
    """
    shown = fullest(rows)
    colour = _colour(max(row.most for row in rows))

    def draw(canvas: Canvas) -> None:
        word = _WORDS.get(colour, "")
        room = WIDTH - 12 - (measured(word) + 8 if word else 0)
        canvas.text((0, 10), fitting(rows[0].cluster, room), bold=True)
        canvas.text((WIDTH - 12, 10), word, colour, side="right")
        for at, row in enumerate(shown):
            _row(canvas, row, HEAD + at * ROW, compared=compared)

    told = "; ".join(_told(row, names) for row in shown)
    return Panel(f"{rows[0].cluster}: {told}", drawn("panel", WIDTH, HEAD + ROW * len(shown), draw))


def fullest(rows: Sequence[Course]) -> list[Course]:
    """Return the resources that a panel shows, in name order."""
    ranked = sorted(rows, key=lambda row: (-row.most, row.resource))[:RESOURCES]
    return sorted(ranked, key=lambda row: row.resource)


def _row(canvas: Canvas, row: Course, top: float, *, compared: bool) -> None:
    """Draw one resource: a bar for every step on a track whose dashes are at 100 %."""
    scale = HEIGHT / float(max(Fraction(1), min(row.most, HIGHEST)))
    floor, width = top + HEIGHT, BARS / len(row.parts)
    gap = 1.0 if width > 3 else 0.0
    canvas.text((0, top + HEIGHT / 2), fitting(row.resource, LABEL - 6), "muted")
    canvas.rectangle((LABEL, floor - scale), (BARS, scale), "track")
    for at, part in enumerate(row.parts):
        long = scale * float(min(part or Fraction(0), HIGHEST))
        canvas.rectangle(
            (LABEL + at * width, floor - long), (width - gap, long), _colour(part or Fraction(0))
        )
    canvas.dashes((LABEL, floor - scale), BARS)
    canvas.text((LABEL + BARS + 8, top + HEIGHT / 2), _text(row, compared=compared))


def _text(row: Course, *, compared: bool) -> str:
    """Return the first and the last part, of what is compared the least and the most."""
    known = [part for part in row.parts if part is not None]
    ends = (min(known), max(known)) if compared else (row.parts[0], row.parts[-1])
    first, last = _percent(ends[0], "new"), _percent(ends[1], "gone")
    between = " to " if compared else " → "
    return first if first == last else f"{first}{between}{last}"


def _percent(part: Fraction | None, absent: str = "not there") -> str:
    """Return a part in percent, or what is said where the cluster is not there."""
    return absent if part is None else format_fullness(part)


def _told(row: Course, names: Sequence[str]) -> str:
    """Return the bars in words: all where they are few, else the first, the highest and the last."""
    parts = [f"{name} {_percent(part)}" for part, name in zip(row.parts, names, strict=True)]
    told = parts if len(parts) <= 3 else [parts[0], f"at most {_percent(row.most)}", parts[-1]]
    return f"{row.resource} {', '.join(told)}"


def _colour(part: Fraction) -> Ink:
    return "bad" if part > 1 else "notice" if part >= NEARLY else "move"
