"""Values of options: read with what is allowed, and completed in shells by names that the input holds."""

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

from fairlead.models.errors import FairleadError, UsageError
from fairlead.models.levels import tolerances_of
from fairlead.models.quantity import NO_AMOUNT
from fairlead.models.words import nearest

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.report.tabular import CustomColumns

V = TypeVar("V")


class WordChoice(click.Choice[str]):
    """One of some words; where another one is given, the nearest is proposed."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = nearest(str(value), map(str, self.choices))
            if not near:
                raise
            self.fail(f"{error.message} Did you mean {near[0]!r}?", param, ctx)


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"


CUSTOM = "custom-columns="
TABULAR = ("csv", "markdown", f"{CUSTOM}COLUMN,...")


class Output(click.ParamType["str | CustomColumns"]):
    """A format of a result; ``custom-columns=COLUMN,HEADER:COLUMN`` names the columns to print."""

    name = "format"

    def __init__(self, formats: tuple[str, ...]) -> None:
        self.words = WordChoice(formats)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the formats that begin so."""
        return self.words.shell_complete(ctx, param, incomplete)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "str | CustomColumns":
        """Return the format."""
        from fairlead.report.tabular import CustomColumns

        if isinstance(value, CustomColumns):
            return value
        text = str(value)
        if not text.startswith(CUSTOM):
            return self.words.convert(value, param, ctx)
        return CustomColumns(text.removeprefix(CUSTOM))


def seconds(value: str) -> float | None:
    """Read seconds; None for ``0`` and ``none``, which mean no limit."""
    text = value.strip().lower()
    if text == "none":
        return None
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and found >= 0):
        raise click.BadParameter(f"{value!r} is not a number of seconds (0 or none: no limit)")
    return found or None


MOST_DIGITS = 18
"""Most digits of a whole number; more than anything that is counted here has."""

_WRITTEN_SHORT = re.compile(r"[^eE]{1,40}([eE][+-]?[0-9]{1,2})?")
"""Numbers that are read exactly without ever taking long."""


def is_whole(text: str) -> bool:
    """Tell whether a text is a whole number of a size that is counted."""
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS


def gain(value: str) -> Fraction:
    """Read a number or a fraction, exactly."""
    try:
        found = Fraction(value) if _WRITTEN_SHORT.fullmatch(value) else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        found = Fraction(-1)
    if found < 0:
        raise click.BadParameter(f"{value!r} is not a number of at least 0, such as 0.5 or 1/3")
    return found


def amount(value: str) -> int | str:
    """Read a number of replicas, or a share such as 10%."""
    text = value.strip()
    number = text.removesuffix("%")
    if not is_whole(number):
        raise click.BadParameter(f"{value!r} {NO_AMOUNT}")
    return int(text) if number == text else text


def pair(value: str, form: str, separator: str = "=", option: str | None = None) -> tuple[str, str]:
    """Read two texts on both sides of a separator, the last one in it.

    `form`: the two with the separator, as the help names them. `option`: whose value it is; None where click
    knows.
    """
    first, _, second = value.rpartition(separator)
    if not (first and second):
        raise click.BadParameter(f"{value!r} is not of the form {form}", param_hint=option)
    return first, second


def named_amount(value: str) -> tuple[str, int | str]:
    """Read ``NAME=AMOUNT``."""
    name, each = pair(value, "NAME=AMOUNT")
    return name, amount(each)


def named_once(
    ctx: click.Context, param: click.Parameter, value: tuple[tuple[str, int | str], ...]
) -> dict[str, int | str]:
    """Return amounts by name, of an option that is given once for each of these."""
    return _by_name(value, ctx, param)


def _by_name(pairs: Sequence[tuple[str, V]], ctx: click.Context, param: click.Parameter) -> dict[str, V]:
    names = [name for name, _ in pairs]
    if twice := next((name for at, name in enumerate(names) if name in names[:at]), None):
        raise click.BadParameter(f"{twice!r} is named twice; which of the two counts?", ctx, param)
    return dict(pairs)


def tolerances(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> Mapping[str, str] | None:
    """Return tolerances by level, None where none is given."""
    given = _by_name([pair(each, "LEVEL=AMOUNT") for each in value], ctx, param)
    try:
        tolerances_of(given)
    except UsageError as error:
        raise click.BadParameter(str(error), ctx, param) from None
    return given or None


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
