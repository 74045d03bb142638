"""A whole report: its top, and its sections. Pure data."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from fairlead.report.blocks import Block, Tone


class Section(NamedTuple):
    """A part of a page."""

    name: str
    """Anchor of the section in the page, such as ``waves``."""
    title: str
    """Heading of the section."""
    blocks: tuple[Block, ...]
    """Content of the section; a section without any is left out."""
    brief: bool = False
    """Whether a notebook shows it, too."""


class Figure(NamedTuple):
    """A number that is shown large, and what it counts."""

    number: str
    text: str
    tone: Tone = ""


class Making(NamedTuple):
    """How a report came about; what is empty is left out."""

    when: str = ""
    """Date and time, as people read it."""
    command: str = ""
    """The command line that made it."""
    inputs: str = ""
    """The part of it that names the input, for other commands on the same one."""
    asked: str = ""
    """The part of it that says what is asked of the input, for a plan of the same."""
    changes: str = ""
    """The part of it that changes the input, such as a drain, for a plan of the same."""
    arguments: Mapping[str, str] = MappingProxyType({})
    """Arguments of it that another command takes, but for where the result goes: by name of the command; as
    ``patch`` what `solve` takes for a patch, as ``resume`` what `plan` takes that goes on with a saved
    plan."""
    saved: str = ""
    """File of the plan, where it is saved; empty where it is not."""
    from_cluster: bool = False
    """Whether the input is a cluster, to which a plan can be written."""
    details: tuple[tuple[str, str], ...] = ()
    """Further details, by name."""
    time_limit: float = 0
    """Seconds that the search had; 0 where it had no limit."""


class Page(NamedTuple):
    """A whole report."""

    title: str
    """Title of the document."""
    headline: str
    """The answer in one sentence, in the words of the terminal."""
    tone: Tone
    """Tone of the headline, by how good the answer is."""
    lead: tuple[Block, ...]
    """Sentences below the headline."""
    figures: tuple[Figure, ...]
    """The most important numbers."""
    sections: tuple[Section, ...]
    """The parts, in order; those without blocks are left out."""
    making: Making = Making()
    """Date and command, which stand at the head."""

    @property
    def told(self) -> tuple[Section, ...]:
        """The sections that say something."""
        return tuple(section for section in self.sections if section.blocks)


def when(made: datetime) -> str:
    """Return a date as people and programs read it, with its time zone where it has one.

    >>> from datetime import timezone
    >>> when(datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc))
    '2026-01-02 03:04 UTC'
    """
    return f"{made:%Y-%m-%d %H:%M} {made.tzname() or ''}".rstrip()
