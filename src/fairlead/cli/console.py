"""What goes to which stream: results to standard output, all else to standard error."""

import os
import shutil
import sys
from collections.abc import Iterable
from typing import NoReturn

import click

WARNINGS_SHOWN = 20
"""Warnings that a command shows before it counts the rest."""


def result(text: str) -> None:
    """Print a result; nothing where there is none."""
    if text:
        try:
            click.echo(text, color=coloured())
        except BrokenPipeError:
            raise
        except OSError as error:
            _refuse(error)


def flush() -> None:
    """Print what has been kept back of the results."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _refuse(error)


def _refuse(error: OSError) -> NoReturn:
    """Say that results cannot be written, once."""
    from fairlead.cli import streams

    streams.silence()
    raise streams.OutputFailed(error) from error


def note(text: str) -> None:
    """Print what is no result."""
    click.echo(text, err=True)


def warn(warnings: Iterable[object], *, every: bool = False) -> None:
    """Print warnings, the first ones only unless every one is asked for."""
    lines = [f"warning: {warning}" for warning in warnings]
    shown = lines if every else lines[:WARNINGS_SHOWN]
    for line in shown:
        note("".join(char if char.isprintable() else "?" for char in line))
    if len(shown) < len(lines):
        note(f"warning: {len(lines) - len(shown)} more; fairlead validate shows them all")


def coloured() -> bool:
    """Tell whether results may be coloured: on a terminal that can, unless NO_COLOR says otherwise."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Return the characters of a line of the terminal; None where results go elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def serialised(document: object, output: str) -> str:
    """Return a document as ``json`` or ``yaml``."""
    if output == "json":
        import json

        return json.dumps(document, indent=2)
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: str = yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=True)
    return text.rstrip("\n")
