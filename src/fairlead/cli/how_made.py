"""How an answer came about: the command that runs, and the part of it that other commands take."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fairlead.report.pages import Making


class Settled(click.Option):
    """An option that a saved plan has settled: its target is found, and how moves are made is part of it."""


class Picking(click.Option):
    """An option that picks rows, which only tables have."""


ARGUMENTS = "fairlead.arguments"
"""Where a context keeps the arguments of the program."""
_INPUTS = ("files", "context", "kubeconfig", "recursive", "namespaces", "selector")
_ASKED = ("deviation", "partial", "as_triggered")
"""Parameters of a question that `solve` and `plan` share."""
_CHANGES = ("add", "restore", "at", "scale", "weight", "cordon", "drain", "lose")
"""Parameters of changes that `simulate` and `plan` share."""


def making() -> Making:
    """Return date, command, input and time limit of the command that runs."""
    from fairlead.report.pages import Making, when

    context = click.get_current_context()
    arguments: Sequence[str] = context.meta.get(ARGUMENTS, ())
    given, limit = context.params, context.params.get("time_limit") or 0
    return Making(
        when(datetime.now(UTC)),
        shlex.join(["fairlead", *arguments]),
        shlex.join(_words(context, _INPUTS)),
        shlex.join(_words(context, _ASKED)),
        shlex.join(_words(context, _CHANGES)),
        {
            "solve": _taken(context, "solve"),
            "patch": _taken(context, "solve", Picking),
            "simulate": _taken(context, "simulate"),
            "plan": _taken(context, "plan"),
            "resume": _taken(context, "plan", Settled),
        },
        saved=given.get("saved") or given.get("resume") or given.get("save") or "",
        from_cluster=not given.get("files"),
        details=(("Time limit", f"{limit:g} s" if limit else "none"),) if "time_limit" in given else (),
        time_limit=limit,
    )


def _taken(context: click.Context, name: str, left: type[click.Option] | None = None) -> str:
    """Return the words of the command that runs that another one takes, too, but for where the result goes.

    `left`: what else is left out.
    """
    arguments: Sequence[str] = context.meta.get(ARGUMENTS, ())
    group = context.find_root().command
    target = group.get_command(context, name) if isinstance(group, click.Group) else None
    known = {word for each in (target.params if target else ()) for word in each.opts}
    dropped = (
        each
        for each in context.command.params
        if "-o" in each.opts or known.isdisjoint(each.opts) or (left and isinstance(each, left))
    )
    return shlex.join(_without(arguments[1:], dropped))


def _words(context: click.Context, names: Iterable[str]) -> Iterator[str]:
    """Yield options that were given, of some, as they are typed."""
    options = {each.name: each.opts[0] for each in context.command.params}
    for name in names:
        match context.params.get(name):
            case tuple() as values:
                yield from (word for value in values for word in (options[name], value))
            case str() as value:
                yield from (options[name], value)
            case True:
                yield options[name]


def _without(arguments: Sequence[str], left: Iterable[click.Parameter]) -> Iterator[str]:
    """Yield the words of a command without some of its options and their values."""
    valued = {word: not getattr(each, "is_flag", False) for each in left for word in each.opts}
    joined = tuple(f"{word}=" if word.startswith("--") else word for word in valued)
    words = iter(arguments)
    for word in words:
        if word in valued:
            if valued[word]:
                next(words, None)
        elif not word.startswith(joined):
            yield word
