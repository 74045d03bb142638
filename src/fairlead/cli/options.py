"""Options that commands share: the format of the result, the settings of a search, and their types."""

import functools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import click

from fairlead.cli import streams
from fairlead.models.errors import UsageError
from fairlead.models.tolerance import tolerances_of

Command = Callable[..., int]


def writes_output(*formats: str) -> Callable[[Command], Command]:
    """Give a command the option ``-o``; the first format is the default.

    The command does not begin where its result cannot be printed.
    """

    def writing(command: Command) -> Command:
        @click.option(
            "-o",
            "--output",
            type=click.Choice(formats),
            default=formats[0],
            show_default=True,
            help="Format of the result.",
        )
        @functools.wraps(command)
        def with_output(**options: Any) -> int:
            streams.require_output()
            return command(**options)

        return with_output

    return writing


class TimeLimit(click.ParamType[float | None]):
    """Seconds; ``0`` and ``none`` mean no limit."""

    name = "seconds"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | None:
        """Return the seconds; None means no limit."""
        text = str(value).strip().lower()
        if text == "none":
            return None
        try:
            seconds = float(text)
        except ValueError:
            seconds = math.nan
        if not (math.isfinite(seconds) and seconds >= 0):
            self.fail(f"{value!r} is not a number of seconds (0 or none: no limit)", param, ctx)
        return seconds or None


class Gain(click.ParamType[Fraction]):
    """A number or a fraction, read exactly."""

    name = "number"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Return the number."""
        try:
            gain = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            gain = Fraction(-1)
        if gain < 0:
            self.fail(f"{value!r} is not a number of at least 0, such as 0.5 or 1/3", param, ctx)
        return gain


class Budget(click.ParamType[int | str]):
    """A number of replicas, or a share such as 10%."""

    name = "amount"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return the amount."""
        text = str(value).strip()
        if text.isascii() and text.isdigit():
            return int(text)
        if not (text.endswith("%") and text[:-1].isascii() and text[:-1].isdigit()):
            self.fail(f"{value!r} is neither a number of replicas nor a share such as 10%", param, ctx)
        return text


class Named(click.ParamType[tuple[str, int | str]]):
    """``NAME=AMOUNT``."""

    name = "name=amount"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int | str]:
        """Return name and amount."""
        name, _, amount = str(value).rpartition("=")
        if not name:
            self.fail(f"{value!r} is not of the form NAME=AMOUNT", param, ctx)
        return name, Budget().convert(amount, param, ctx)


def _tolerances(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> Mapping[str, str] | None:
    """Return tolerances by level, None where none is given."""
    given = dict(each.rpartition("=")[::2] for each in value)
    try:
        tolerances_of(given)
    except UsageError as error:
        raise click.BadParameter(str(error), ctx, param) from None
    return given or None


_SETTINGS = (
    click.option(
        "--time-limit",
        type=TimeLimit(),
        default="10",
        show_default=True,
        metavar="SECONDS",
        help="Stop after so many seconds with the best placement found; 0 or none: no limit.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Threads of the solver.  [default: one per core]",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**31 - 1),
        metavar="N",
        default=0,
        show_default=True,
        help="Random seed.",
    ),
    click.option(
        "--deviation",
        type=click.Choice(["webster", "l1", "minimax"]),
        help="Measure of the distance from the wanted ratio.  [default: what the input says]",
    ),
    click.option(
        "--method",
        type=click.Choice(["auto", "exact", "cp-sat"]),
        default="auto",
        show_default=True,
        help="Exact allocation, CP-SAT, or whatever fits.",
    ),
    click.option(
        "--fresh/--steady",
        default=None,
        help="Place as if a reschedule had been asked for, or keep what runs."
        "  [default: what the input says]",
    ),
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Where parts and neighbourhoods are searched: this machine, or a Ray cluster (RAY_ADDRESS).",
    ),
    click.option(
        "--partitions",
        type=click.IntRange(min=1),
        metavar="N",
        help="Split workloads that compete into so many shares, where they are too many for one machine.",
    ),
    click.option(
        "--tolerance",
        multiple=True,
        metavar="LEVEL=AMOUNT",
        callback=_tolerances,
        help="Let a level be so much worse than best for those below it: deviation=0.1%, balance=0.01.",
    ),
    click.option("--partial", is_flag=True, help="Place what can be placed where not everything can."),
)


def takes(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Give a command options, in this order."""
    return lambda command: functools.reduce(lambda given, option: option(given), reversed(options), command)


takes_settings = takes(*_SETTINGS)
"""Gives a command the options of a search; it receives them under the names that `solve` has for them."""
