"""What answers are shown as: sentences, tables and pictures. Pure data, for every renderer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

from fairlead.models.words import counted

SENTENCES = 200
"""Sentences of one kind that a page lists before it counts the rest."""

Tone = Literal["", "bold", "dim", "good", "notice", "bad"]


class Cell(NamedTuple):
    """A text and its tone."""

    text: str
    tone: Tone = ""


NOTHING = Cell("-", "dim")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    header
        Header as a page has it; a terminal shows it in upper case.
    right
        True where texts are set flush right, as numbers are.
    elastic
        True where texts are cut on a terminal that is too narrow.
    """

    header: str
    right: bool = False
    elastic: bool = False


Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph of a page, a line of a terminal.

    Parameters
    ----------
    text
        The sentences.
    tone
        Its tone.
    toned
        First characters that have the tone; None where all have it.
    wrapped
        Whether a terminal breaks the line where it is too long.
    """

    kind: ClassVar[str] = "text"
    text: str
    tone: Tone = ""
    toned: int | None = None
    wrapped: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A list of sentences."""

    kind: ClassVar[str] = "items"
    items: tuple[str, ...]
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Text whose line breaks and blanks count, such as YAML."""

    kind: ClassVar[str] = "manifest"
    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with their values."""

    kind: ClassVar[str] = "facts"
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Parameters
    ----------
    caption
        What it shows, in a sentence or less; terminals leave it out.
    columns
        The columns; the first cell of a row names the row.
    rows
        A cell for every column.
    note
        What it leaves out; may be empty.
    """

    kind: ClassVar[str] = "table"
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def first(self, shown: int | None, noun: str, told: str = "... and {}; -o wide shows them all") -> Table:
        """Return the table with its first rows only, None for all, and a note that counts the others.

        Parameters
        ----------
        shown
            How many rows; None for all.
        noun
            What a row is; empty where they are only counted.
        told
            The note, with braces where the number stands.
        """
        rest = 0 if shown is None else len(self.rows) - shown
        if rest <= 0:
            return self
        number = counted(rest, f"more {noun}") if noun else f"{rest} more"
        return replace(self, rows=self.rows[:shown], note=told.format(number))


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in two widths, of which the page shows the one that fits.

    Parameters
    ----------
    caption
        What it shows, with a legend in words.
    told
        The same for those who cannot see it.
    wide, narrow
        The picture as SVG.
    """

    kind: ClassVar[str] = "picture"
    caption: str
    told: str
    wide: str
    narrow: str


@dataclass(frozen=True, slots=True)
class Folded:
    """What is shown when it is asked for.

    Parameters
    ----------
    summary
        What is inside, in one line.
    blocks
        The inside.
    printed
        Whether it is printed even where it is folded on the screen.
    opened
        Whether it starts open.
    """

    kind: ClassVar[str] = "folded"
    summary: str
    blocks: tuple[Block, ...]
    printed: bool = True
    opened: bool = False


Line = Text | Table
"""What a terminal shows; lines of one group stand below one another, groups apart."""

Block = Text | Items | Heading | Manifest | Facts | Table | Picture | Folded
"""What a page shows."""


@dataclass(frozen=True, slots=True)
class Brief:
    """An answer in short, as notebooks show it.

    Parameters
    ----------
    title
        The answer in one line.
    lines
        Sentences below the title.
    tables
        The most important tables.
    below
        Paragraphs at the end, of a line or several.
    """

    title: str
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()
    below: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page.

    Parameters
    ----------
    name
        Its anchor in the page, such as ``waves``.
    title
        Its heading.
    blocks
        What it holds; a section without any is left out.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that is shown large, and what it counts."""

    number: str
    text: str
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A whole report.

    Parameters
    ----------
    title
        Title of the document.
    headline
        The answer in one sentence, in the words of the terminal.
    tone
        How good it is.
    lead
        Sentences below the headline.
    figures
        The most important numbers.
    sections
        The parts, in order.
    foot
        How the report was made, in one line.
    """

    title: str
    headline: str
    tone: Tone
    lead: tuple[Block, ...]
    figures: tuple[Figure, ...]
    sections: tuple[Section, ...]
    foot: str = ""


def columns(*headers: str) -> tuple[Column, ...]:
    """Return columns by their headers: ``>`` in front sets texts flush right, ``~`` makes a column elastic.

    >>> columns("Name", ">Replicas")[1]
    Column(header='Replicas', right=True, elastic=False)
    """
    return tuple(Column(one.lstrip(">~"), one.startswith(">"), one.startswith("~")) for one in headers)


def cells(*texts: str | int) -> Row:
    """Return texts and numbers as cells without a tone."""
    return tuple(Cell(str(text)) for text in texts)


def table(columns: Sequence[Column], rows: Iterable[Row], caption: str = "") -> Table:
    """Return a table, of rows that may be made one by one."""
    return Table(caption, tuple(columns), tuple(rows))


def some(found: Table) -> list[Line]:
    """Return a table that has any rows."""
    return [found] if found.rows else []


def texts(lines: Iterable[str], *, wrapped: bool = False) -> list[Line]:
    """Return lines without a tone."""
    return [Text(line, wrapped=wrapped) for line in lines]


def first_lines(lines: Iterable[str], shown: int | None, noun: str, told: str = "... and {}") -> list[str]:
    """Return the first lines, None for all, and one that counts the others; see `Table.first`."""
    every = list(lines)
    rest = 0 if shown is None else len(every) - shown
    if rest <= 0:
        return every
    number = counted(rest, f"more {noun}") if noun else f"{rest} more"
    return [*every[:shown], told.format(number)]


def sentences(every: Iterable[str], noun: str, tone: Tone = "") -> tuple[Block, ...]:
    """Return sentences as a list, the first ones only where there are too many; nothing for none."""
    told = tuple(every)
    rest = len(told) - SENTENCES
    blocks: tuple[Block, ...] = (Items(told[:SENTENCES], tone),) if told else ()
    return (*blocks, Text(f"and {counted(rest, f'more {noun}')}")) if rest > 0 else blocks


def paragraphs(lines: Iterable[str], tone: Tone = "") -> tuple[Block, ...]:
    """Return the lines of an explanation as blocks: indented ones become the items of a list."""
    blocks: list[Block] = []
    items: list[str] = []
    for line in lines:
        if line.startswith(" "):
            items.append(line.strip())
            continue
        if items:
            blocks.append(Items(tuple(items), tone))
            items = []
        blocks.append(Text(line))
    return (*blocks, Items(tuple(items), tone)) if items else tuple(blocks)
