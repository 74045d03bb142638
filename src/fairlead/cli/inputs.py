"""What commands read: the options of the input in the spelling of kubectl, and how it is loaded."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from fairlead.cli import console
from fairlead.models.errors import ManifestError, UsageError
from fairlead.models.words import with_nearest

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
        if not (self.namespaces or self.selector):
            return problem
        known = {workload.namespace for workload in problem.workloads}
        unknown = [name for name in self.namespaces if name not in known]
        if problem.workloads and unknown and len(unknown) == len(self.namespaces):
            raise UsageError(f"no workload in namespace {with_nearest(unknown, known)}")
        return loading.select(problem, self.namespaces, self.selector)


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


def load_workloads(inputs: Inputs) -> "Problem":
    """Read the input and say what is odd about it; an input without workloads is a mistake."""
    problem = inputs.read()
    if not inputs.quiet:
        console.warn(problem.warnings)
    if not problem.workloads:
        chosen = " that -n and -l choose" if inputs.namespaces or inputs.selector else ""
        raise UsageError(f"nothing to place: the input holds no workload{chosen}")
    return problem


def leaves_untriggered(command: Command) -> Command:
    """Give a command the option to leave what KubeAdmiral would leave; it receives ``as_triggered``."""
    return click.option(
        "--as-triggered",
        is_flag=True,
        help="Leave workloads alone that KubeAdmiral would not reschedule (rescheduleWhen).",
    )(command)


def left_as_triggered(problem: "Problem", *, as_triggered: bool) -> "Problem":
    """Return the problem, with what KubeAdmiral would leave kept as it runs where that is asked for."""
    if not as_triggered:
        return problem
    from fairlead.models import triggers

    return triggers.as_triggered(problem)
