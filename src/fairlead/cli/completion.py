"""Completion in shells: names that the input holds, and bash where it breaks words in two."""

import os
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

from fairlead.models.errors import FairleadError

if TYPE_CHECKING:
    from fairlead.models.problem import Problem

Completes = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_BREAKS = "=:"
"""Characters of values at which bash begins a new word unless it is told not to."""
_SCRIPT = """\
%(complete_func)s() {
    local IFS=$'\\n'
    local response completion type value

    # The whole line: bash breaks words at = and : as well, which stand inside of values.
    response=$(env COMP_WORDS="${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \
        %(complete_var)s=bash_complete $1)

    COMPREPLY=()
    for completion in $response; do
        IFS=',' read type value <<< "$completion"
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                COMPREPLY+=($value)
                [[ $value == *[=:] ]] && compopt -o nospace
                ;;
        esac
    done
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class WholeLine(BashComplete):
    """Completion for bash, of words as the command reads them."""

    source_template = _SCRIPT

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words of the line before the cursor, and the one that is begun."""
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)[1:]
        return (words, "") if line[-1:].isspace() or not words else (words[:-1], words[-1])

    def format_completion(self, item: CompletionItem) -> str:
        """Return a completion without what stands before the last place at which bash breaks its word."""
        _, begun = self.get_completion_args()
        breaks = [sign for sign in _BREAKS if sign in os.environ.get("COMP_WORDBREAKS", _BREAKS)]
        kept = max((begun.rfind(sign) + 1 for sign in breaks), default=0)
        return f"{item.type},{item.value[kept:]}"


def teach_bash() -> None:
    """Let bash be answered by `WholeLine`."""
    add_completion_class(WholeLine, "bash")


def complete_files(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Let the shell complete files and directories."""
    return [CompletionItem(begun, type="file")]


def _named(told: Callable[["Problem", str], Iterable[str]]) -> Completes:
    """Return a completer for names that the input holds; standard input and clusters are not read for it."""

    def complete(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        sources = [file for file in context.params.get("files") or () if file != "-"]
        if not sources:
            return []
        from fairlead.manifests import loading

        try:
            problem = loading.load(*sources, recursive=bool(context.params.get("recursive")))
        except FairleadError:  # a shell has no place to tell what is wrong
            return []
        return [CompletionItem(name) for name in sorted({*told(problem, begun)}) if name.startswith(begun)]

    return complete


def _workloads(problem: "Problem") -> list[str]:
    """Return the keys of the workloads, and their names where those are theirs alone."""
    names = Counter(workload.name for workload in problem.workloads)
    return [*problem.workload_by_key, *(name for name, count in names.items() if count == 1)]


def _places(problem: "Problem", begun: str) -> Iterable[str]:
    """Return workloads, and behind a workload the clusters."""
    workload, colon, _ = begun.partition(":")
    if not colon:
        return (f"{name}:" for name in _workloads(problem))
    return (f"{workload}:{cluster}=" for cluster in problem.cluster_by_name)


def _losses(problem: "Problem", begun: str) -> Iterable[str]:
    """Return clusters and what they have in common, and behind one of those its values."""
    from fairlead.models.cluster import FIELDS, values_of

    labels = {key for cluster in problem.clusters for key in cluster.labels}
    field, equals, _ = begun.partition("=")
    if not equals:
        return (*problem.cluster_by_name, *(f"{one}=" for one in (*FIELDS[1:], *labels)))
    return (f"{field}={value}" for cluster in problem.clusters for value in values_of(cluster, field))


complete_clusters = _named(lambda problem, _: problem.cluster_by_name)
complete_namespaces = _named(lambda problem, _: filter(None, (one.namespace for one in problem.workloads)))
complete_workloads = _named(lambda problem, _: _workloads(problem))
complete_amounts = _named(lambda problem, _: (f"{name}=" for name in _workloads(problem)))
"""Completes ``WORKLOAD=N`` up to the number."""
complete_places = _named(_places)
"""Completes ``WORKLOAD:CLUSTER=W`` up to the weight."""
complete_losses = _named(_losses)
"""Completes ``CLUSTER`` and ``region=R``."""
