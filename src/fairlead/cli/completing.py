"""What shells complete: files, and the clusters and workloads of the files that are named already."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from fairlead.models.errors import FairleadError

if TYPE_CHECKING:
    from fairlead.models.problem import Problem

Completes = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def files(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Let the shell complete files and directories."""
    return [CompletionItem(begun, type="file")]


def _clusters(problem: "Problem") -> Sequence[str]:
    """Return the names of the clusters."""
    return [cluster.name for cluster in problem.clusters]


def _workloads(problem: "Problem") -> Sequence[str]:
    """Return the keys of the workloads, and their names where those are theirs alone."""
    names = [workload.name for workload in problem.workloads]
    return [workload.key for workload in problem.workloads] + [one for one in names if names.count(one) == 1]


def _named(told: Callable[["Problem"], Sequence[str]], end: str) -> Completes:
    """Return what completes names that the input holds; standard input and clusters are not read for it."""

    def complete(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        sources = [file for file in context.params.get("files") or () if file != "-"]
        if not sources:
            return []
        from fairlead.manifests import loading

        try:
            problem = loading.load(*sources, recursive=bool(context.params.get("recursive")))
        except FairleadError:  # a shell has no place to tell what is wrong
            return []
        return [CompletionItem(name + end) for name in sorted(told(problem)) if name.startswith(begun)]

    return complete


clusters = _named(_clusters, "")
workloads = _named(_workloads, "")
amounts = _named(_workloads, "=")
"""Completes ``WORKLOAD=N``."""
places = _named(_workloads, ":")
"""Completes ``WORKLOAD:CLUSTER=W`` up to the cluster."""
