"""Values of options: words, numbers, amounts and formats, read with what is allowed."""

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

import click
from click.shell_completion import CompletionItem

from fairlead.models.errors import UsageError
from fairlead.models.levels import tolerances_of
from fairlead.models.quantity import NO_AMOUNT
from fairlead.models.words import nearest

if TYPE_CHECKING:
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
