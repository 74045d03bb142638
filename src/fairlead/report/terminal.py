"""Output for terminals: plain columns as kubectl prints them, and lines in tones, escaped."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple

from fairlead.models.words import escaped
from fairlead.report.blocks import NOTHING, Cell, Column, Line, Row, Table, Text, Tone

_CODES: Mapping[Tone, str] = MappingProxyType(
    {"bold": "1", "dim": "2", "good": "32", "notice": "33", "bad": "31"}
)

LONGEST = 200
"""Characters of a line that is not wide, wherever it goes."""
GAP = "  "
NARROWEST = 12
"""Characters to which an elastic column shrinks at most."""
WRAPPED_AT_LEAST = 20
"""Characters to which lines are broken at least."""

_ITEM = re.compile(r"[^,]+,* *|,+ *")
_WORD = re.compile(r"\S+\s*|\s+")


class Rows(NamedTuple):
    """Which rows of a placement are printed, and in which order."""

    changed: bool = False
    """Whether only workloads are shown that change or are not wholly placed."""
    every: bool = False
    """Whether workloads that do not change are shown one by one in a large fleet, too."""
    group_by: str = ""
    """Subject of a row: ``workload``, ``cluster``, ``region`` or ``namespace``; empty for tables of
    workloads."""
    sort_by: str = ""
    """Name of the column that sorts the rows; empty keeps the order."""


class Look(NamedTuple):
    """How an answer is printed."""

    wide: bool = False
    """Whether every column and every cluster is shown."""
    headers: bool = True
    """Whether headers are printed; without them one flat table for scripts is left."""
    colour: bool = False
    """Whether tones are printed."""
    width: int | None = None
    """Characters of a line of the terminal; None where the output is none and nothing may be cut."""
    picked: Rows = Rows()
    """Which rows of a placement are printed."""

    @property
    def limit(self) -> int | None:
        """Characters to which lines are cut or broken; None for wide ones and for scripts."""
        if self.wide or not self.headers:
            return None
        return min(self.width or LONGEST, LONGEST)

    def few(self, shown: int) -> int | None:
        """Return how many of something are shown; None where all are, as for scripts."""
        return None if self.wide or self.picked.every or not self.headers else shown


def printed(groups: Iterable[Iterable[Line]], look: Look) -> str:
    """Return groups of lines and tables as text, a blank line between two groups."""
    blocks = [[line for each in group for line in _lines(each, look)] for group in groups]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _lines(block: Line, look: Look) -> list[str]:
    match block:
        case Text():
            first, *others = wrapped(escaped(block.text), look)
            at = len(first) if block.toned is None else block.toned
            tone: Tone = block.tone if block.toned is None else ""
            below = [toned(line, tone, colour=look.colour) for line in others]
            return [toned(first[:at], block.tone, colour=look.colour) + first[at:], *below]
        case Table():
            rows = render(block.columns, block.rows, look)
            return [*rows, escaped(block.note)] if block.note else rows


def toned(text: str, tone: Tone, *, colour: bool) -> str:
    """Return a text in its tone; as it is where colour is off."""
    return f"\033[{_CODES[tone]}m{text}\033[0m" if colour and tone and text else text


def wrapped(line: str, look: Look) -> list[str]:
    """Return a line broken to the width of the terminal, what follows indented."""
    if look.limit is None or len(line) <= look.limit:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.strip(),
        max(look.limit, WRAPPED_AT_LEAST),
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def render(
    columns: Sequence[Column],
    rows: Sequence[Row],
    look: Look,
    gap: str = GAP,
    *,
    turned_already: bool = False,
) -> list[str]:
    """Return a table as lines without trailing blanks.

    `columns`: the columns; every row has a cell for each. `look`: whether headers and tones are printed, and
    the width to which elastic columns are cut. A table that is too wide even so has narrower gaps and no
    columns that say nothing in any row. Where that is not enough, columns are joined that can be; where that
    is not, it is turned if it fits then: its columns become the rows. `gap`: what stands between two columns.
    `turned_already`: whether the table is a turned one, which is not turned back.
    """
    table: list[Sequence[Cell]] = [[Cell(escaped(cell.text), cell.tone) for cell in row] for row in rows]
    widths = [max((len(row[index].text) for row in table), default=0) for index in range(len(columns))]
    if look.headers:
        heads = [[column.header.upper()] for column in columns]
        if look.limit is not None and _across(map(_longest, heads, widths), gap) > look.limit:
            deep = 2 if gap == GAP else 3
            heads = [_folded(head, width, deep) for (head,), width in zip(heads, widths, strict=True)]
        widths = list(map(_longest, heads, widths))
        table[:0] = [tuple(map(Cell, line)) for line in zip_longest(*heads, fillvalue="")]
    if look.limit is not None:
        # Names are cut last: whole, a list below its column or a table without empty columns tells more.
        whole = [max((_unbroken(row[at].text) for row in table), default=0) for at in range(len(columns))]
        widths = _squeezed(columns, widths, look.limit, gap, whole)
        if gap == GAP and _across(widths, gap) > look.limit:
            return render(*_telling(columns, rows), look, " ", turned_already=turned_already)
        if _across(widths, gap) > look.limit and any(column.joins for column in columns):
            return render(*_joined(columns, rows), look, gap, turned_already=turned_already)
        widths = _squeezed(columns, widths, look.limit, gap, [0] * len(columns))
        if _across(widths, gap) > look.limit and not turned_already:
            other_way = _turned(columns, rows)
            plain = render(*other_way, look._replace(colour=False), turned_already=True)
            if max(map(len, plain), default=0) <= look.limit:
                return render(*other_way, look, turned_already=True)
    lines = (line for row in table for line in _in_lines(columns, row, widths))
    return [_line(columns, line, widths, gap, colour=look.colour) for line in lines]


def _telling(columns: Sequence[Column], rows: Sequence[Row]) -> tuple[Sequence[Column], Sequence[Row]]:
    """Return a table without the columns in which every row says nothing."""
    told = [at for at in range(len(columns)) if any(row[at].text != NOTHING.text for row in rows)]
    return [columns[at] for at in told], [tuple(row[at] for at in told) for row in rows]


def _joined(columns: Sequence[Column], rows: Sequence[Row]) -> tuple[Sequence[Column], Sequence[Row]]:
    """Return a table with the first column that joins the one before it as one with that."""
    at = next(at for at, column in enumerate(columns) if column.joins)
    before, after = columns[at - 1], columns[at]
    head = Column(f"{before.header}, {after.header}", elastic=True)
    return [*columns[: at - 1], head, *columns[at + 1 :]], [
        (*row[: at - 1], _both(row[at - 1], row[at]), *row[at + 1 :]) for row in rows
    ]


def _both(first: Cell, second: Cell) -> Cell:
    """Return two cells as one; a dash that stands for nothing is left out beside the other."""
    told = [cell for cell in (first, second) if cell.text != NOTHING.text]
    return told[0] if len(told) == 1 else Cell(", ".join(cell.text for cell in told)) if told else NOTHING


def _turned(columns: Sequence[Column], rows: Sequence[Row]) -> tuple[Sequence[Column], Sequence[Row]]:
    """Return a table with a row for each of its columns, below the names of its rows."""
    first, *others = columns
    named = [Column(first.header, elastic=True), *(Column(row[0].text, right=True) for row in rows)]
    return named, [(Cell(one.header), *(row[at] for row in rows)) for at, one in enumerate(others, start=1)]


def _longest(lines: Sequence[str], width: int) -> int:
    return max(width, *map(len, lines))


def _across(widths: Iterable[int], gap: str) -> int:
    return sum(width + len(gap) for width in widths) - len(gap)


def _folded(header: str, width: int, lines: int) -> list[str]:
    """Return a header in so many lines or so, no narrower than the cells below or than its longest word."""
    return _broken(header, max(width, len(header) // lines + 1, *map(len, header.split())))


def _broken(text: str, width: int) -> list[str]:
    """Return a text in lines, lists at their commas where that is enough; longer words stay whole."""
    lines = [""]
    for item in _ITEM.findall(text):
        for part in [item] if len(item.rstrip()) <= width else _WORD.findall(item):
            if lines[-1] and len(f"{lines[-1]}{part}".rstrip()) > width:
                lines.append("")
            lines[-1] += part
    return [line.rstrip() for line in lines]


def _in_lines(columns: Sequence[Column], row: Sequence[Cell], widths: Sequence[int]) -> Iterator[Row]:
    """Yield a row, and below it what its elastic cells have no room for."""
    every = (
        [Cell(line, cell.tone) for line in _broken(cell.text, width)]
        if column.elastic and len(cell.text) > width
        else [cell]
        for column, cell, width in zip(columns, row, widths, strict=True)
    )
    yield from zip_longest(*every, fillvalue=Cell(""))


def room_for_last(columns: Sequence[Column], rows: Sequence[Row], limit: int) -> int:
    """Return the characters that all columns but the last one leave it."""
    widths = [
        max(len(columns[at].header), *(len(escaped(row[at].text)) for row in rows))
        for at in range(len(columns) - 1)
    ]
    return limit - sum(width + len(GAP) for width in widths)


def _unbroken(text: str) -> int:
    """Return the characters of the longest part that should stay whole: an item of two words, or a word."""
    items = map(str.rstrip, _ITEM.findall(text))
    return max(
        (len(one) for item in items for one in ([item] if item.count(" ") < 2 else item.split())), default=0
    )


def _squeezed(
    columns: Sequence[Column], widths: list[int], width: int, gap: str, least: Sequence[int]
) -> list[int]:
    """Return the widths, the widest elastic columns narrowed until the line fits or none can give more."""
    squeezed = list(widths)
    for _ in range(_across(widths, gap) - width):
        giving = [
            at for at, one in enumerate(columns) if one.elastic and squeezed[at] > max(NARROWEST, least[at])
        ]
        if not giving:
            break
        squeezed[max(giving, key=squeezed.__getitem__)] -= 1
    return squeezed


def _line(
    columns: Sequence[Column], row: Sequence[Cell], widths: Sequence[int], gap: str, *, colour: bool
) -> str:
    """Return one row; blanks stand outside of the colours, so that copied text is clean."""
    parts = []
    for column, cell, width in zip(columns, row, widths, strict=True):
        text = cell.text if len(cell.text) <= width else f"{cell.text[: width - 3]}..."
        blanks = " " * (width - len(text))
        shown = toned(text, cell.tone, colour=colour)
        parts.append(blanks + shown if column.right else shown + blanks)
    return gap.join(parts).rstrip()
