"""Standard streams that are closed, or that cannot take what is written to them."""

import errno
import io
import os
import sys
from contextlib import suppress

import click

from fairlead.cli import exits


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


def silence() -> None:
    """Let nothing complain of standard output when the interpreter flushes it at exit."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
