"""What a report consists of: sections of texts, tables and pictures. Pure data, no HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from fairlead.models.words import counted
from fairlead.report.columns import Cell, Column, Tone

SENTENCES = 200
"""Sentences of one kind that a report lists before it counts the rest."""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    kind: ClassVar[str] = "text"
    text: str
    tone: Tone = ""


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
        What it shows, in a sentence or less.
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
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


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


Block = Text | Items | Heading | Manifest | Facts | Table | Picture | Folded


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report.

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
    foot: str = field(default="")


def shortened(
    rows: Iterable[tuple[Cell, ...]], shown: int, noun: str, hint: str
) -> tuple[tuple[tuple[Cell, ...], ...], str]:
    """Return the first rows, and a sentence that counts the rest and says where it is; empty for no rest."""
    every = tuple(rows)
    rest = len(every) - shown
    return every[:shown], f"and {counted(rest, f'more {noun}')}: {hint}" if rest > 0 else ""


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
