"""Amounts on the command line: numbers read exactly, numbers of replicas and shares of them."""

from fractions import Fraction

import click


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
