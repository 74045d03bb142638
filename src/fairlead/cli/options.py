"""Options that commands share, in the spelling of kubectl."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli import streams
from fairlead.models.errors import ManifestError

if TYPE_CHECKING:
    from fairlead.models.problem import Problem

Command = Callable[..., int]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a command is to read.

    Parameters
    ----------
    files
        Files, directories and ``-``.
    recursive
        Whether directories are read with everything below them.
    namespaces
        Namespaces to keep; empty keeps all.
    selector
        Labels of the workloads to keep; None keeps all.
    quiet
        Whether warnings are left out.
    """

    files: tuple[str, ...]
    recursive: bool
    namespaces: tuple[str, ...]
    selector: str | None
    quiet: bool

    def read(self) -> "Problem":
        """Load the problem.

        Raises
        ------
        click.UsageError
            Where no file is named.
        FairleadError
            Where the input is wrong.
        """
        if not self.files:
            raise click.UsageError("no input: name it with -f FILE (a directory or - for standard input)")
        from fairlead.manifests import loading

        try:
            problem = loading.load(*self.files, recursive=self.recursive)
        except ManifestError as error:
            raise ManifestError(error.mistakes, () if self.quiet else error.warnings) from error
        if self.namespaces or self.selector:
            return loading.select(problem, self.namespaces, self.selector)
        return problem


def reads_input(command: Command) -> Command:
    """Give a command the options of its input; it receives them as ``inputs``."""

    @click.option("-f", "--filename", "files", metavar="FILE", multiple=True, help=_FILES)
    @click.option("-R", "--recursive", is_flag=True, help="Read directories with everything below them.")
    @click.option("-n", "--namespace", "namespaces", metavar="NAME", multiple=True, help=_NAMESPACES)
    @click.option("-l", "--selector", metavar="LABELS", help=_SELECTOR)
    @click.option("-q", "--quiet", is_flag=True, help="Do not print warnings.")
    @functools.wraps(command)
    def with_inputs(
        files: tuple[str, ...],
        recursive: bool,
        namespaces: tuple[str, ...],
        selector: str | None,
        quiet: bool,
        **others: object,
    ) -> int:
        return command(inputs=Inputs(files, recursive, namespaces, selector, quiet), **others)

    return with_inputs


_FILES = "Manifests: a file, a directory, or - for standard input. May be repeated."
_NAMESPACES = "Only workloads of this namespace. May be repeated."
_SELECTOR = "Only workloads with these labels, such as app=web,tier!=cache."


def writes_output(*formats: str) -> Callable[[Command], Command]:
    """Give a command the option ``-o``; the first format is the default.

    The command does not begin where its result cannot be printed.
    """

    def writing(command: Command) -> Command:
        @click.option(
            "-o",
            "--output",
            type=click.Choice(formats),
            default=formats[0],
            show_default=True,
            help="Format of the result.",
        )
        @functools.wraps(command)
        def with_output(**options: Any) -> int:
            streams.require_output()
            return command(**options)

        return with_output

    return writing


class TimeLimit(click.ParamType[float | None]):
    """Seconds; ``0`` and ``none`` mean no limit."""

    name = "seconds"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | None:
        """Return the seconds; None means no limit."""
        text = str(value).strip().lower()
        if text == "none":
            return None
        try:
            seconds = float(text)
        except ValueError:
            seconds = math.nan
        if not (math.isfinite(seconds) and seconds >= 0):
            self.fail(f"{value!r} is not a number of seconds (0 or none: no limit)", param, ctx)
        return seconds or None
