"""Plain columns as kubectl prints them: upper-case headers, two spaces between, no lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from fairlead.models.words import escaped

Tone = Literal["", "bold", "dim", "good", "notice", "bad"]

_CODES: Mapping[Tone, str] = MappingProxyType(
    {"bold": "1", "dim": "2", "good": "32", "notice": "33", "bad": "31"}
)

GAP = "  "
NARROWEST = 12
"""Characters to which an elastic column shrinks at most."""


class Cell(NamedTuple):
    """A text and how it is to be toned on a terminal."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    header
        Upper-case header.
    right
        True where texts are set flush right, as numbers are.
    elastic
        True where texts are cut on a terminal that is too narrow.
    """

    header: str
    right: bool = False
    elastic: bool = False


def toned(text: str, tone: Tone, *, colour: bool) -> str:
    """Return a text in its tone; as it is where colour is off."""
    return f"\033[{_CODES[tone]}m{text}\033[0m" if colour and tone and text else text


def printable(text: str) -> str:
    """Return a text with line breaks and control characters, which the input may hold, escaped."""
    return escaped(text)


def render(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    *,
    headers: bool = True,
    colour: bool = False,
    width: int | None = None,
) -> list[str]:
    """Return a table as lines without trailing blanks.

    Parameters
    ----------
    columns
        The columns; every row has a cell for each.
    rows
        The cells.
    headers
        Whether the headers are printed.
    colour
        Whether tones are printed.
    width
        Characters of a line, to which elastic columns are cut; None where nothing may be cut.
    """
    table = [[Cell(printable(cell.text), cell.tone) for cell in row] for row in rows]
    if headers:
        table.insert(0, [Cell(column.header) for column in columns])
    widths = [max((len(row[index].text) for row in table), default=0) for index in range(len(columns))]
    if width is not None:
        widths = _squeezed(columns, widths, width)
    return [_line(columns, row, widths, colour=colour) for row in table]


def _squeezed(columns: Sequence[Column], widths: list[int], width: int) -> list[int]:
    """Return the widths with elastic columns narrowed until the line fits, or none can give more."""
    over = sum(widths) + len(GAP) * (len(widths) - 1) - width
    squeezed = list(widths)
    for index, column in enumerate(columns):
        if column.elastic and over > 0:
            given = min(over, max(0, squeezed[index] - NARROWEST))
            squeezed[index] -= given
            over -= given
    return squeezed


def _line(columns: Sequence[Column], row: Sequence[Cell], widths: Sequence[int], *, colour: bool) -> str:
    """Return one row; blanks stand outside of the colours, so that copied text is clean."""
    parts = []
    for column, cell, width in zip(columns, row, widths, strict=True):
        text = cell.text if len(cell.text) <= width else f"{cell.text[: width - 3]}..."
        blanks = " " * (width - len(text))
        shown = toned(text, cell.tone, colour=colour)
        parts.append(blanks + shown if column.right else shown + blanks)
    return GAP.join(parts).rstrip()
