"""Streams: results go to standard output, all else to standard error; how a page came about.

Every text leaves here, or through `told` where click prints it itself: names, fields, values and names of
files may hold characters that a terminal obeys, and they are shown escaped.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal, TextIO, Union, assert_never

import click

from fairlead.cli import exits
from fairlead.cli.how_made import making
from fairlead.models.words import escaped

if TYPE_CHECKING:
    from fairlead.models.answer import Answer
    from fairlead.models.statement import Statement
    from fairlead.report.tabular import CustomColumns
    from fairlead.report.terminal import Look, Rows

# The tones of `fairlead.report.terminal`; cells and headings are escaped before they are toned.
_TONE = re.compile("(\033\\[[0-9]{1,2}m)")

WARNINGS_SHOWN = 20
"""Warnings that a command shows before it counts the rest."""


class OutputFailed(click.ClickException):
    """Results cannot be written."""

    exit_code = exits.WRONG_INPUT

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write to standard output: {error.strerror or error}")


class Closed(io.TextIOBase):
    """A standard stream that was closed before the program began."""

    def write(self, _text: str) -> int:
        """Refuse what is written."""
        raise OSError(errno.EBADF, "it is closed")


class Nowhere(io.TextIOBase):
    """A standard error that was closed before the program began: nobody wants to read it."""

    def write(self, text: str) -> int:
        """Drop what is written."""
        return len(text)


def settle() -> None:
    """Stand in for standard streams that are closed, so that no file that is opened takes their place."""
    for number in (0, 1, 2):
        with suppress(OSError):
            os.fstat(number)
            continue
        os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    if sys.stdout is None:
        sys.stdout = Closed()
    if sys.stderr is None:
        sys.stderr = Nowhere()


def require_output() -> None:
    """Refuse to begin where results cannot be printed."""
    if isinstance(sys.stdout, Closed):
        raise OutputFailed(OSError(errno.EBADF, "it is closed"))


def silence(stream: TextIO | None = None) -> None:
    """Let nothing complain of standard output, or error, when the interpreter flushes it at exit."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, (stream or sys.stdout).fileno())
        os.close(nothing)


@contextmanager
def _writing() -> Iterator[None]:
    """Say that results cannot be written, once, where they cannot; a reader that went away is no mistake."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        silence()
        raise OutputFailed(error) from error


def result(text: str) -> None:
    """Print a result; nothing where there is none."""
    if text:
        with _writing():
            click.echo(_visible(text, tones=coloured()), color=coloured())


def flush() -> None:
    """Print what has been kept back of the results."""
    with _writing():
        sys.stdout.flush()


def note(text: str) -> None:
    """Print what is no result; where standard error is full, no result is to be lost for it."""
    try:
        click.echo(_visible(text), err=True)
    except BrokenPipeError:
        raise
    except OSError:
        silence(sys.stderr)


def told(error: click.ClickException) -> None:
    """Print a wrong use of the command line as click does; it repeats what was typed."""
    shown = io.StringIO()
    error.show(file=shown)
    note(shown.getvalue().expandtabs(2).rstrip("\n"))


def is_answered() -> bool:
    """Tell whether somebody can answer a question: standard input and error are a terminal."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def is_agreed(question: str) -> bool:
    """Ask a question; only a yes is a yes."""
    return click.confirm(_visible(question), err=True)


def _visible(text: str, *, tones: bool = False) -> str:
    """Return lines in which every character can be seen, save for tones where they are wanted."""
    if text.replace("\n", "").isprintable():
        return text
    parts = _TONE.split(text) if tones else [text]
    return "".join(
        part if position % 2 else "\n".join(escaped(line) for line in part.split("\n"))
        for position, part in enumerate(parts)
    )


def warn(warnings: Iterable[Statement], *, every: bool = False) -> None:
    """Print warnings and notes, the first ones only unless every one is asked for."""
    lines = [f"{'note' if warning.is_note else 'warning'}: {warning}" for warning in warnings]
    shown = lines if every else lines[:WARNINGS_SHOWN]
    for line in shown:
        note(escaped(line))
    if len(shown) < len(lines):
        note(f"warning: {len(lines) - len(shown)} more; fairlead validate shows them all")


def coloured() -> bool:
    """Tell whether results are coloured: on a terminal that can or under FORCE_COLOR, not under NO_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def look(*, wide: bool = False, headers: bool = True, picked: Rows | None = None) -> Look:
    """Return how tables are printed where results go."""
    import shutil

    from fairlead.report.terminal import Look, Rows

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return Look(wide, headers, coloured(), width, picked or Rows())


Words = Literal["table", "wide", "json", "yaml", "html", "csv", "markdown"]
Format = Union[Words, "CustomColumns"]
"""Formats that every answer has."""


def show(answer: Answer, output: Format, *, headers: bool = True, picked: Rows | None = None) -> None:
    """Print an answer in a format, tables with or without headers, the picked rows of a placement only."""
    from fairlead.report import renderer
    from fairlead.report.tabular import CustomColumns

    match output:
        case "table" | "wide":
            wide = output == "wide"
            rows(answer, renderer.terminal(answer, look(wide=wide, headers=headers, picked=picked)))
        case "csv" | "markdown" | CustomColumns():
            rows(answer, renderer.tabular(answer, output, look(headers=headers, picked=picked)))
        case "html":
            result(renderer.page(answer, making()).rstrip())
        case "json" | "yaml":
            result(serialised(answer.to_dict(), output))
        case _:
            assert_never(output)


def rows(answer: Answer, found: str) -> None:
    """Print the rows of an answer; where it has none to give, why is told beside them."""
    from fairlead.report import renderer

    result(found)
    if not (found or answer.answered):
        note(renderer.terminal(answer))


def suggest(answer: Answer, output: object) -> None:
    """Say the next steps to who reads a table on a terminal, unless quiet was asked for."""
    quiet = click.get_current_context().params.get("quiet", False)
    if quiet or output not in ("table", "wide") or not (sys.stdout.isatty() and sys.stderr.isatty()):
        return
    from fairlead.report import renderer

    steps = renderer.next_steps_after(answer, making())
    lines = (line for told, command in steps for line in (f"  {told}", f"    {command}"))
    if steps:
        note("\n".join(("", "What to do next:", *lines)))


def serialised(document: object, output: Literal["json", "yaml"]) -> str:
    """Return a document as ``json`` or ``yaml``."""
    if output == "json":
        import json

        return json.dumps(document, indent=2)
    from fairlead.manifests.yaml.scalars import to_yaml

    return to_yaml(document).rstrip("\n")
