"""How a page came about: date, command and input, as they stand at its head."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fairlead.report.pages import Making

ARGUMENTS = "fairlead.arguments"
"""Where a context keeps the arguments of the program."""
_INPUTS = {
    "files": "-f",
    "context": "--context",
    "kubeconfig": "--kubeconfig",
    "recursive": "-R",
    "namespaces": "-n",
    "selector": "-l",
}

_ASKED = {"deviation": "--deviation", "partial": "--partial", "as_triggered": "--as-triggered"}
"""What is asked of an input, in words that `solve` and `plan` share."""


def making() -> Making:
    """Return date, command, input and time limit of the command that runs."""
    from fairlead.report.pages import Making, when

    context = click.get_current_context()
    arguments: Sequence[str] = context.meta.get(ARGUMENTS, ())
    limit = context.params.get("time_limit") or 0
    return Making(
        when(datetime.now(UTC)),
        shlex.join(["fairlead", *arguments]),
        shlex.join(_words(context.params, _INPUTS)),
        shlex.join(_words(context.params, _ASKED)),
        shlex.join(_without_output(arguments[1:])),
        from_cluster=not context.params.get("files"),
        details=(("Time limit", f"{limit:g} s" if limit else "none"),)
        if "time_limit" in context.params
        else (),
        time_limit=limit,
    )


def _words(given: Mapping[str, Any], options: Mapping[str, str]) -> Iterator[str]:
    """Yield those of some options that were given, as they are typed."""
    for name, option in options.items():
        match given.get(name):
            case tuple() as values:
                yield from (word for value in values for word in (option, value))
            case str() as value:
                yield from (option, value)
            case True:
                yield option


def _without_output(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the words without those that say where the result goes, and in which format."""
    words = iter(arguments)
    for word in words:
        if word in ("-o", "--output"):
            next(words, None)
        elif not word.startswith(("--output=", "-o")):
            yield word
