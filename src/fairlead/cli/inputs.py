"""What commands read: the options of the input in the spelling of kubectl, and how it is loaded."""

import functools
import io
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import click

from fairlead.cli import completing, console
from fairlead.models.errors import ManifestError, UsageError
from fairlead.models.words import with_nearest

if TYPE_CHECKING:
    from fairlead.live.reading import Snapshot
    from fairlead.manifests.yaml.reader import Input
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
    context, kubeconfig
        Cluster to read, by context of a kubeconfig; None for both reads none.
    """

    files: tuple[str, ...]
    recursive: bool
    namespaces: tuple[str, ...]
    selector: str | None
    quiet: bool
    context: str | None = None
    kubeconfig: str | None = None

    @property
    def from_cluster(self) -> bool:
        """Whether a cluster is read."""
        return self.context is not None or self.kubeconfig is not None

    def read(self) -> "Problem":
        """Load the problem.

        Raises
        ------
        click.UsageError
            Where neither file nor cluster is named.
        FairleadError
            Where the input is wrong, or a cluster cannot be read.
        """
        if not self.files and not self.from_cluster:
            message = "no input: name it with -f FILE (a directory or - for standard input) or --context NAME"
            raise click.UsageError(message)
        from fairlead.manifests import loading

        found = self.snapshot()
        documents, denied = (found.documents, found.warnings) if found else ((), ())
        try:
            problem = loading.load(*self.sources(), documents, recursive=self.recursive)
        except ManifestError as error:
            warnings = () if self.quiet else (*denied, *error.warnings)
            raise ManifestError(error.mistakes, warnings) from error
        problem = replace(problem, warnings=(*denied, *problem.warnings))
        if not (self.namespaces or self.selector):
            return problem
        known = {workload.namespace for workload in problem.workloads}
        unknown = [name for name in self.namespaces if name not in known]
        if problem.workloads and unknown and len(unknown) == len(self.namespaces):
            raise UsageError(f"no workload in namespace {with_nearest(unknown, known)}")
        return loading.select(problem, self.namespaces, self.selector)

    def sources(self) -> "Iterable[Input]":
        """Return what is read beside the cluster."""
        return self.files

    def snapshot(self) -> "Snapshot | None":
        """Return what the cluster holds; None where none is named."""
        if not self.from_cluster:
            return None
        from fairlead.live.client import connect
        from fairlead.live.reading import snapshot

        with closing(connect(self.context, self.kubeconfig)) as client:
            return snapshot(client)


MOST_BYTES = 2**28 + 1
"""Bytes that are kept of standard input: one more than may be read, so that more is told to be too much."""


class _Kept(io.BytesIO):
    """What came from standard input."""

    name = "-"


@dataclass(frozen=True, slots=True)
class Repeatable(Inputs):
    """An input that can be read more than once: standard input, and a cluster as it was at first.

    Parameters
    ----------
    standard
        What came from standard input; None where it has not been read.
    cluster
        What the cluster held; None where none is named.
    """

    standard: bytes | None = None
    cluster: "Snapshot | None" = None

    @classmethod
    def of(cls, inputs: Inputs, added: tuple[str, ...]) -> "Repeatable":
        """Keep what will be needed again."""
        again = added and "-" in (*inputs.files, *added)
        standard = sys.stdin.buffer.read(MOST_BYTES) if again and sys.stdin is not None else None
        known = {each.name: getattr(inputs, each.name) for each in fields(inputs)}
        return cls(**known, standard=standard, cluster=inputs.snapshot())

    def sources(self) -> "Iterable[Input]":
        """Return what is read beside the cluster."""
        return [self.again(one) for one in self.files]

    def again(self, file: str) -> "Input":
        """Return a file, or what came from standard input where that is meant."""
        return _Kept(self.standard) if file == "-" and self.standard is not None else file

    def snapshot(self) -> "Snapshot | None":
        """Return what the cluster held at first."""
        return self.cluster


def reads_input(command: Command) -> Command:
    """Give a command the options of its input; it receives them as ``inputs``."""

    @click.option(
        "-f",
        "--filename",
        "files",
        metavar="FILE",
        multiple=True,
        help=_FILES,
        shell_complete=completing.files,
    )
    @click.option("--context", metavar="NAME", help=_CONTEXT)
    @click.option("--kubeconfig", metavar="FILE", help=_KUBECONFIG)
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
        context: str | None,
        kubeconfig: str | None,
        **others: object,
    ) -> int:
        read = Inputs(files, recursive, namespaces, selector, quiet, context, kubeconfig)
        return command(inputs=read, **others)

    return with_inputs


_FILES = "Manifests: a file, a directory, or - for standard input. May be repeated."
_CONTEXT = "Read a cluster: a context of the kubeconfig. Needs rights to list, no others."
_KUBECONFIG = "Read the cluster of this kubeconfig.  [default: KUBECONFIG, else ~/.kube/config]"
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
