"""Inputs of commands: their options in the spelling of kubectl, and how they are loaded."""

import io
import sys
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import click

from fairlead.cli import console
from fairlead.cli.options import flag, gathers, valued
from fairlead.cli.values import complete_files, complete_namespaces
from fairlead.models.errors import ManifestError, UsageError
from fairlead.models.words import with_nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fairlead.live.reading import Snapshot
    from fairlead.manifests.yaml.reader import Input
    from fairlead.models.problem import Problem
    from fairlead.models.statement import Statement


@dataclass(frozen=True)
class Inputs:
    """Input of a command; standard input and a cluster are read once, and can be asked again."""

    files: tuple[str, ...]
    """Files, directories and ``-``."""
    recursive: bool
    """Whether directories are read with everything below them."""
    quiet: bool
    """Whether warnings and what to do next are left out."""
    namespaces: tuple[str, ...] = ()
    """Namespaces to keep; empty keeps all."""
    selector: str | None = None
    """Labels of the workloads to keep; None keeps all."""
    context: str | None = None
    kubeconfig: str | None = None
    """Cluster to read, by context of a kubeconfig; None for both reads none."""

    @property
    def from_cluster(self) -> bool:
        """Whether a cluster is read."""
        return self.context is not None or self.kubeconfig is not None

    def read(self, *added: str) -> "Problem":
        """Load the problem, with other files beside those that are named.

        Raises `click.UsageError` where neither file nor cluster is named, and `FairleadError` where the input
        is wrong, or a cluster cannot be read.
        """
        sources, denied = self.sources(*added)
        from fairlead.manifests import loading

        try:
            problem = loading.load(*sources, recursive=self.recursive)
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

    def sources(self, *added: str) -> "tuple[Sequence[Input | Iterable[Input]], Sequence[Statement]]":
        """Return the inputs to be loaded, with other files beside those that are named, and the kinds denied.

        Raises `click.UsageError` where neither file nor cluster is named, and `FairleadError` where a cluster
        cannot be read.
        """
        if not self.files and not self.from_cluster:
            message = "no input: name it with -f FILE (a directory or - for standard input) or --context NAME"
            raise click.UsageError(message)
        found = self.snapshot
        documents, denied = (found.documents, found.warnings) if found else ((), ())
        return (*map(self.again, (*self.files, *added)), documents), denied

    @cached_property
    def snapshot(self) -> "Snapshot | None":
        """Objects of the cluster when it was read first; None where none is named."""
        if not self.from_cluster:
            return None
        from fairlead.live.client import connect
        from fairlead.live.reading import snapshot

        with closing(connect(self.context, self.kubeconfig)) as client:
            return snapshot(client)

    def again(self, file: str) -> "Input":
        """Return a file, or what came from standard input where that is meant: it can be read repeatedly."""
        return _Kept(self._standard) if file == "-" and self._standard is not None else file

    @cached_property
    def _standard(self) -> bytes | None:
        """Bytes of standard input; None where it cannot be read, which whoever loads it tells."""
        from fairlead.manifests.yaml.files import MOST_BYTES

        try:
            return sys.stdin.buffer.read(MOST_BYTES + 1)  # one more, so that more is told to be too much
        except (OSError, AttributeError):  # AttributeError: it is closed, or has no bytes
            return None


class _Kept(io.BytesIO):
    """Bytes of standard input, under its name."""

    name = "-"


_FILES = (
    valued(
        "-f --filename files",
        "Manifests: a file, a directory, or - for standard input.",
        "FILE",
        each=True,
        shell_complete=complete_files,
    ),
    valued(
        "--context", "Read a cluster: a context of the kubeconfig. Needs permission to list only.", "NAME"
    ),
    valued(
        "--kubeconfig",
        "Read the cluster of this kubeconfig.  [default: KUBECONFIG, else ~/.kube/config]",
        "FILE",
    ),
    flag("-R --recursive", "Read directories with everything below them."),
)
_QUIET = flag("-q --quiet", "Print neither warnings nor what to do next.")

reads_input = gathers(
    "inputs",
    Inputs,
    *_FILES,
    valued(
        "-n --namespace namespaces",
        "Only workloads of this namespace.",
        "NAME",
        each=True,
        shell_complete=complete_namespaces,
    ),
    valued("-l --selector", "Only workloads with these labels, such as app=web,tier!=cache.", "LABELS"),
    _QUIET,
)
"""Gives a command the options of its input; it receives them as ``inputs``."""


reads_whole_input = gathers("inputs", Inputs, *_FILES, _QUIET)
"""Gives a command the options of an input that is taken as a whole; it receives them as ``inputs``."""


UNSELECTED = "no workload is left that a policy selects or a binding places"
"""Words on what an input lacks of which nothing is placed."""


def load_workloads(inputs: Inputs) -> "Problem":
    """Read the input and say what is odd about it; one without workloads or clusters is a mistake."""
    problem = inputs.read()
    if not inputs.quiet or not problem.workloads:
        # Where nothing is to be placed, the warnings say why.
        console.warn(problem.warnings)
    if not problem.workloads:
        given = [name for name, value in (("-n", inputs.namespaces), ("-l", inputs.selector)) if value]
        choosing = f"{' and '.join(given)} {'choose' if given[1:] else 'chooses'} no workload"
        lacking = choosing if given else UNSELECTED
        raise UsageError(f"nothing to place: {lacking}")
    if not problem.clusters:
        raise UsageError("nowhere to place anything: the input holds no cluster (fairlead doctor says more)")
    return problem


leaves_untriggered = flag(
    "--as-triggered", "Leave workloads alone that KubeAdmiral would not reschedule (rescheduleWhen)."
)
"""Gives a command the option to leave what KubeAdmiral would leave; it receives ``as_triggered``."""


def left_as_triggered(problem: "Problem", *, as_triggered: bool) -> "Problem":
    """Return the problem, with what KubeAdmiral would leave kept as it runs where that is asked for."""
    if not as_triggered:
        return problem
    from fairlead.models import triggers

    return triggers.as_triggered(problem)
