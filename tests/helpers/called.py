"""The command line, called in this process: most of what a process of its own costs is its beginning."""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple

from fairlead.cli.app import main


class Called(NamedTuple):
    """What a command did: its exit code, the results it printed, and what else it told."""

    code: int
    printed: str
    told: str


def called(*arguments: str) -> Called:
    """Run a command, and return what it did."""
    printed, told = StringIO(), StringIO()
    with redirect_stdout(printed), redirect_stderr(told):
        code = main(arguments)
    return Called(code, printed.getvalue(), told.getvalue())
