"""Options that commands share: the format of the result, the settings of a search, and their types."""

import functools
import inspect
import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from fairlead.cli import console
from fairlead.cli.making import Picking, Settled
from fairlead.models.errors import UsageError
from fairlead.models.levels import tolerances_of
from fairlead.models.words import nearest

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


def writes_output(*formats: str) -> Option:
    """Give a command the option ``-o``; the first format is the default.

    The command does not begin where its result cannot be printed.
    """
    tabular = "wide" in formats
    known = (*formats, *_TABULAR) if tabular else formats

    def writing(command: Command) -> Command:
        @click.option(
            "-o",
            "--output",
            type=Output(known) if tabular else Choice(known),
            metavar="FORMAT",
            default=formats[0],
            show_default=True,
            help=f"Format of the result: {', '.join(known)}.",
        )
        @functools.wraps(command)
        def with_output(**options: Any) -> int:
            console.require_output()
            return command(**options)

        return with_output

    return writing


class Choice(click.Choice[str]):
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


class Whole(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"


CUSTOM = "custom-columns="
_TABULAR = ("csv", "markdown", f"{CUSTOM}COLUMN,...")


class Output(click.ParamType["str | CustomColumns"]):
    """A format of a result; ``custom-columns=COLUMN,HEADER:COLUMN`` names the columns to print."""

    name = "format"

    def __init__(self, formats: tuple[str, ...]) -> None:
        self.words = Choice(formats)

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


def _rows(changed: bool, every: bool, group_by: str | None, sort_by: str) -> "Rows":
    from fairlead.report.terminal import Rows

    if changed and every:
        raise click.UsageError("--changed and -A exclude each other")
    return Rows(changed, every, group_by or "", sort_by)


picks_rows = gathers(
    "picked",
    _rows,
    click.option(
        "--changed",
        cls=Picking,
        is_flag=True,
        help="Show only workloads that change or are not fully placed.",
    ),
    click.option(
        "-A", "--all", "every", cls=Picking, is_flag=True, help="Show every workload of a large fleet."
    ),
    click.option(
        "--group-by",
        cls=Picking,
        type=Choice(["workload", "cluster", "region", "namespace"]),
        help="Sum up replicas by this.",
    ),
    click.option(
        "--sort-by",
        cls=Picking,
        metavar="COLUMN",
        default="",
        help="Sort by a column, largest numbers first.",
    ),
)
"""Gives a command the options that pick rows; it receives them as ``picked``."""


def require_table(output: "str | CustomColumns", picked: "Rows") -> None:
    """Refuse to pick rows where nothing but tables has any.

    Raises `click.UsageError` saying which options have no effect.
    """
    from fairlead.report.terminal import Rows

    if isinstance(output, str) and output not in ("table", "wide", "csv", "markdown") and picked != Rows():
        raise click.UsageError(f"--changed, -A, --group-by and --sort-by are for tables, not for -o {output}")


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
"""Of a whole number; more than anything that is counted here has."""

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
        raise click.BadParameter(f"{value!r} is neither a number of replicas nor a share such as 10%")
    return int(text) if number == text else text


def named_amount(value: str) -> tuple[str, int | str]:
    """Read ``NAME=AMOUNT``."""
    name, _, each = value.rpartition("=")
    if not name:
        raise click.BadParameter(f"{value!r} is not of the form NAME=AMOUNT")
    return name, amount(each)


def _tolerances(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> Mapping[str, str] | None:
    """Return tolerances by level, None where none is given."""
    given: dict[str, str] = {}
    for each in value:
        name, _, amount = each.rpartition("=")
        given[name] = amount
    try:
        tolerances_of(given)
    except UsageError as error:
        raise click.BadParameter(str(error), ctx, param) from None
    return given or None


def time_limit(default: int, then: str) -> Option:
    """Return ``--time-limit`` with its default, and what happens after it in words."""
    return click.option(
        "--time-limit",
        type=seconds,
        default=str(default),
        show_default=True,
        metavar="SECONDS",
        help=f"{then}; 0 or none: no limit.",
    )


WORKERS = click.option(
    "--workers", type=Whole(min=1), metavar="N", help="Threads of the solver.  [default: one per core]"
)
SEED = click.option(
    "--seed", type=Whole(0, 2**31 - 1), metavar="N", default=0, show_default=True, help="Random seed."
)
DEVIATION = click.option(
    "--deviation",
    cls=Settled,
    type=Choice(["webster", "l1", "minimax"]),
    help="How the distance from the weights is measured.  [default: what the input says]",
)
PARTIAL = click.option("--partial", is_flag=True, help="Place as much as possible where not everything fits.")

takes_settings = takes(
    time_limit(10, "Stop after this many seconds with the best placement found"),
    WORKERS,
    SEED,
    DEVIATION,
    click.option(
        "--method",
        type=Choice(["auto", "exact", "cp-sat"]),
        default="auto",
        show_default=True,
        help="How to search; auto uses the exact allocation where it applies, else CP-SAT.",
    ),
    click.option(
        "--fresh/--steady",
        default=None,
        help="Reschedule everything from scratch, or keep what runs where possible."
        "  [default: what the input says]",
    ),
    click.option(
        "--engine",
        type=Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Where the search runs: this machine, or a Ray cluster (RAY_ADDRESS).",
    ),
    click.option(
        "--partitions",
        type=Whole(min=1),
        metavar="N",
        help="Split competing workloads into N shares, for fleets too large for one machine.",
    ),
    click.option(
        "--tolerance",
        multiple=True,
        metavar="LEVEL=AMOUNT",
        callback=_tolerances,
        help="Let a level be this much worse than best for later ones: deviation=0.1%, balance=0.01.",
    ),
    PARTIAL,
)
"""Gives a command the options of a search; it receives them under the names that `solve` has for them."""
