"""Blocks that answers are shown as, lines and tables; amounts for people, never more than there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from fairlead.models.words import counted

SENTENCES = 200
"""Sentences of one kind that a page lists before it counts the rest."""

ROWS_OPEN = 40
"""Rows up to which a page shows a table unfolded, and prints it."""

WIDE_SHOWS = "... and {}; -o wide shows them all"
JSON_HAS = "and {}: -o json has them all"
"""Notes that count what is left out."""

Tone = Literal["", "bold", "dim", "good", "notice", "bad"]


class Cell(NamedTuple):
    """A text and its tone."""

    text: str
    tone: Tone = ""


NOTHING = Cell("-", "dim")


class Column(NamedTuple):
    """A column of a table."""

    header: str
    """Header as a page has it; a terminal shows it in upper case."""
    right: bool = False
    """True where texts are set flush right, as numbers are."""
    elastic: bool = False
    """True where texts are broken, and words cut, on a terminal that is too narrow."""
    joins: bool = False
    """True where it becomes one with the column before it rather than that names are cut."""


Row = tuple[Cell, ...]


class Text(NamedTuple):
    """A paragraph of a page, a line of a terminal."""

    text: str
    """The sentences."""
    tone: Tone = ""
    """Tone of the text; empty for none."""
    toned: int | None = None
    """First characters that have the tone; None where all have it."""


class Items(NamedTuple):
    """A list of sentences."""

    items: tuple[str, ...]
    tone: Tone = ""


class Heading(NamedTuple):
    """A heading inside a section; its tone says whether what follows is good."""

    text: str
    tone: Tone = ""


class Manifest(NamedTuple):
    """Text whose line breaks and blanks count, such as YAML."""

    text: str


class Facts(NamedTuple):
    """Names with their values."""

    facts: tuple[tuple[str, str], ...]


class Table(NamedTuple):
    """A table."""

    caption: str
    """Content of the table, in a sentence or less; terminals leave it out."""
    columns: tuple[Column, ...]
    """The columns; the first cell of a row names the row."""
    rows: tuple[Row, ...]
    """A cell for every column."""
    note: str = ""
    """Note on what it leaves out; may be empty."""
    heat: bool = False
    """Whether a page fills the cells with the colours of their tones."""

    def first(self, shown: int | None, noun: str, told: str = WIDE_SHOWS) -> Table:
        """Return the table with its first rows only, None for all, and a note that counts the others.

        `shown`: how many rows; None for all. `noun`: what a row is; empty where they are only counted.
        `told`: the note, with braces where the number stands.
        """
        rest = _rest(len(self.rows), shown, noun, told)
        return self._replace(rows=self.rows[:shown], note=rest) if rest else self


class Picture(NamedTuple):
    """A picture in two widths, of which the page shows the one that fits."""

    caption: str
    """Content of the picture, with a legend in words."""
    told: str
    """Content of the picture for those who cannot see it."""
    wide: str
    narrow: str
    """The picture as SVG."""


class Folded(NamedTuple):
    """Blocks that are shown when somebody opens them."""

    summary: str
    """Content in one line."""
    blocks: tuple[Block, ...]
    """The inside."""
    printed: bool = True
    """Whether it is printed even where it is folded on the screen."""
    opened: bool = False
    """Whether it starts open."""


class Panel(NamedTuple):
    """A small picture as SVG, and its content in words for those who cannot see it."""

    told: str
    svg: str


class Panels(NamedTuple):
    """Small pictures of one kind, side by side; the caption says what they show and how to read them."""

    caption: str
    panels: tuple[Panel, ...]


class Steps(NamedTuple):
    """Next steps: sentences, each with a command to copy; the command may be empty."""

    steps: tuple[tuple[str, str], ...]


Line = Text | Table
"""Part of what a terminal shows; lines of one group stand below one another, groups apart."""

Block = Text | Items | Heading | Manifest | Facts | Table | Picture | Panels | Steps | Folded
"""Part of what a page shows."""


def columns(*headers: str) -> tuple[Column, ...]:
    """Return columns by their headers.

    ``>`` in front sets texts flush right, ``~`` makes a column elastic, ``&`` elastic and joining.

    >>> columns("Name", ">Replicas")[1]
    Column(header='Replicas', right=True, elastic=False, joins=False)
    """
    return tuple(
        Column(one.lstrip(">~&"), one.startswith(">"), one.startswith(("~", "&")), one.startswith("&"))
        for one in headers
    )


def cells(*texts: str | int) -> Row:
    """Return texts and numbers as cells without a tone."""
    return tuple(Cell(str(text)) for text in texts)


def number(count: int, tone: Tone = "", sign: str = "") -> Cell:
    """Return a number in its tone, behind its sign; zeros are quiet."""
    return Cell(f"{sign}{count}", tone) if count else NOTHING


def known(text: str | None) -> Cell:
    """Return a text; a dash for none."""
    return Cell(text) if text else NOTHING


def table(columns: Sequence[Column], rows: Iterable[Row], caption: str = "") -> Table:
    """Return a table, of rows that may be made one by one."""
    return Table(caption, tuple(columns), tuple(rows))


def some(found: Table) -> list[Line]:
    """Return a table that has any rows."""
    return [found] if found.rows else []


def texts(lines: Iterable[str]) -> list[Line]:
    """Return lines without a tone."""
    return [Text(line) for line in lines]


def first_lines(lines: Iterable[str], shown: int | None, noun: str, told: str = "... and {}") -> list[str]:
    """Return the first lines, None for all, and one that counts the others; see `Table.first`."""
    every = list(lines)
    return [*every[:shown], *filter(None, [_rest(len(every), shown, noun, told)])]


def _rest(count: int, shown: int | None, noun: str, told: str) -> str:
    """Say how many are not shown; empty where all are."""
    rest = 0 if shown is None else count - shown
    number = counted(rest, f"more {noun}") if noun else f"{rest} more"
    return told.format(number) if rest > 0 else ""


def sentences(every: Iterable[str], noun: str, tone: Tone = "", opened: int = SENTENCES) -> tuple[Block, ...]:
    """Return sentences as a list; nothing for none.

    `every`: the sentences; beyond `SENTENCES` they are only counted. `noun`: what a sentence is about.
    `opened`: how many are open; the others are folded below.
    """
    told = tuple(every)
    if not told:
        return ()
    open_ones, folded, rest = told[:opened], told[opened:SENTENCES], len(told) - SENTENCES
    blocks: list[Block] = [Items(open_ones, tone)]
    if folded:
        blocks.append(
            Folded(f"{counted(len(folded), f'more {noun}')}", (Items(folded, tone),), printed=False)
        )
    return (*blocks, Text(f"and {counted(rest, f'more {noun}')}")) if rest > 0 else tuple(blocks)


def long_table(found: Table, summary: str) -> Block:
    """Return a table as it is, or folded where it is long; so folded it is not printed."""
    return found if len(found.rows) <= ROWS_OPEN else Folded(summary, (found,), printed=False)


def paragraphs(lines: Iterable[str]) -> tuple[Block, ...]:
    """Return the lines of an explanation as blocks: indented ones become the items of a list."""
    blocks: list[Block] = []
    items: list[str] = []
    for line in lines:
        if line.startswith(" "):
            items.append(line.strip())
            continue
        if items:
            blocks.append(Items(tuple(items)))
            items = []
        blocks.append(Text(line))
    return (*blocks, Items(tuple(items))) if items else tuple(blocks)
