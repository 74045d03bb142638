"""Options that commands share: the format of the result, the settings of a search."""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fairlead.cli import console
from fairlead.cli.how_made import Picking, Settled
from fairlead.cli.values import TABULAR, Output, WholeNumber, WordChoice, seconds, tolerances
from fairlead.models.words import listed

if TYPE_CHECKING:
    from fairlead.report.tabular import CustomColumns
    from fairlead.report.terminal import Rows

Command = Callable[..., int]
Option = Callable[[Command], Command]


def takes(*options: Option) -> Option:
    """Give a command options, in this order."""
    return lambda command: functools.reduce(lambda given, option: option(given), reversed(options), command)


def gathers(name: str, made: Callable[..., object], *options: Option) -> Option:
    """Give a command options, which it receives as one thing.

    `name`: under which the command receives it. `made`: makes it of the options, which its parameters name,
    and of its own defaults for others. `*options`: the options, in this order.
    """
    names = inspect.signature(made).parameters

    def gathering(command: Command) -> Command:
        @functools.wraps(command)
        def with_options(**given: Any) -> int:
            found = made(**{each: given.pop(each) for each in names if each in given})
            return command(**{name: found}, **given)

        return takes(*options)(with_options)

    return gathering


def flag(names: str, told: str, **more: Any) -> Option:
    """Return an option that is given or not; see `valued`."""
    return click.option(*names.split(), is_flag=True, help=told, **more)


def valued(names: str, told: str, metavar: str | None = None, *, each: bool = False, **more: Any) -> Option:
    """Return an option with a value; the help shows its default.

    `names`: as people type it, and last the parameter of the command where that has another name. `told`: the
    help. `each`: whether it may be repeated, which the help says, too. `more`: as `click.option` takes it.
    """
    if each:
        told, more["multiple"] = f"{told} May be repeated.", True
    more.setdefault("show_default", more.get("default") not in (None, ""))
    return click.option(*names.split(), help=told, metavar=metavar, **more)


def typed(*parameters: str) -> list[str]:
    """Return the options that were given to the command that runs, of some of its parameters."""
    context = click.get_current_context()
    return [
        each.opts[0]
        for each in context.command.params
        if each.name in parameters and context.get_parameter_source(each.name) is not ParameterSource.DEFAULT
    ]


def require_with(needed: str, *parameters: str) -> None:
    """Refuse options that have an effect beside another one only, which was not given.

    Raises `click.UsageError` saying which options.
    """
    if given := typed(*parameters):
        raise click.UsageError(f"{listed(given)} {'needs' if len(given) == 1 else 'need'} {needed}")


def writes_output(*formats: str) -> Option:
    """Give a command the option ``-o``; the first format is the default.

    The command does not begin where its result cannot be printed.
    """
    tabular = "wide" in formats
    known = (*formats, *TABULAR) if tabular else formats

    def writing(command: Command) -> Command:
        @valued(
            "-o --output",
            f"Format of the result: {', '.join(known)}.",
            "FORMAT",
            type=Output(known) if tabular else WordChoice(known),
            default=formats[0],
        )
        @functools.wraps(command)
        def with_output(**options: Any) -> int:
            console.require_output()
            return command(**options)

        return with_output

    return writing


def _rows(changed: bool, every: bool, group_by: str | None, sort_by: str) -> "Rows":
    from fairlead.report.terminal import Rows

    if changed and every:
        raise click.UsageError("--changed and -A exclude each other")
    return Rows(changed, every, group_by or "", sort_by)


ROWS_ONLY = flag("--no-headers", "Print only the rows, without headers.")
picks_rows = gathers(
    "picked",
    _rows,
    flag("--changed", "Show only workloads that change or are not fully placed.", cls=Picking),
    flag("-A --all every", "Show every workload of a large fleet.", cls=Picking),
    valued(
        "--group-by",
        "Sum up replicas by this.",
        cls=Picking,
        type=WordChoice(["workload", "cluster", "region", "namespace"]),
    ),
    valued("--sort-by", "Sort by a column, largest numbers first.", "COLUMN", cls=Picking, default=""),
)
"""Gives a command the options that pick rows; it receives them as ``picked``."""


def require_table(output: "str | CustomColumns", picked: "Rows", *others: str) -> None:
    """Refuse to pick rows where there are none of workloads.

    `others`: options that were given, with which none are shown.

    Raises `click.UsageError` saying which options have no effect.
    """
    if isinstance(output, str) and output not in ("table", "wide", "csv", "markdown"):
        others = (f"-o {output}", *others)
    if others and picked != type(picked)():
        told = "--changed, -A, --group-by and --sort-by are for tables of workloads"
        raise click.UsageError(f"{told}, not for {others[0]}")


def time_limit(default: int, then: str) -> Option:
    """Return ``--time-limit`` with its default, and what happens after it in words."""
    return valued(
        "--time-limit", f"{then}; 0 or none: no limit.", "SECONDS", type=seconds, default=str(default)
    )


WORKERS = valued("--workers", "Threads of the solver.  [default: one per core]", "N", type=WholeNumber(min=1))
SEED = valued("--seed", "Random seed.", "N", type=WholeNumber(0, 2**31 - 1), default=0)
DEVIATION = valued(
    "--deviation",
    "How the distance from the weights is measured.  [default: what the input says]",
    cls=Settled,
    type=WordChoice(["webster", "l1", "minimax"]),
)
PARTIAL = flag("--partial", "Place as much as possible where not everything fits.")

takes_settings = takes(
    time_limit(10, "Stop after this many seconds with the best placement found"),
    WORKERS,
    SEED,
    DEVIATION,
    valued(
        "--method",
        "How to search; auto uses the exact allocation where it applies, else CP-SAT.",
        type=WordChoice(["auto", "exact", "cp-sat"]),
        default="auto",
    ),
    valued(
        "--fresh/--steady",
        "Reschedule everything from scratch, or keep what runs where possible."
        "  [default: what the input says]",
        default=None,
    ),
    valued(
        "--engine",
        "Where the search runs: this machine, or a Ray cluster (RAY_ADDRESS).",
        type=WordChoice(["local", "ray"]),
        default="local",
    ),
    valued(
        "--partitions",
        "Split competing workloads into N shares, for fleets too large for one machine.",
        "N",
        type=WholeNumber(min=1),
    ),
    valued(
        "--tolerance",
        "Let a level be this much worse than best for later ones: deviation=0.1%, balance=0.01.",
        "LEVEL=AMOUNT",
        multiple=True,
        callback=tolerances,
    ),
    PARTIAL,
)
"""Gives a command the options of a search; it receives them under the names that `solve` has for them."""
