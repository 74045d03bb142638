"""How data shows itself in a Python prompt: what is empty is left out, amounts have units."""

from collections.abc import Mapping
from fractions import Fraction

from fairlead.models.quantity import format_units

_MOST = 6
"""Entries of a mapping that are shown; more are counted."""


def called(name: str, first: str, **others: object) -> str:
    """Return a value as a call with keywords; what is empty or None is left out.

    An empty mapping is told: nothing free is not the same as not known.

    >>> called("Cluster", "m1", region="eu", labels=None)
    "Cluster('m1', region='eu')"
    """
    told = [repr(first), *(f"{key}={_short(value)}" for key, value in others.items() if _says(value))]
    return f"{name}({', '.join(told)})"


def _says(value: object) -> bool:
    """Tell whether a value is worth a word: a number and a mapping always are."""
    return bool(value) or isinstance(value, Mapping) or (isinstance(value, int) and value is not False)


def _short(value: object) -> str:
    """Return a value in short."""
    if isinstance(value, Mapping) and len(value) > _MOST:
        return f"<{len(value)} entries>"
    return repr(value)


def amounts(units: Mapping[str, int] | None) -> Mapping[str, str] | None:
    """Return amounts by resource as people write them; None where they are not known."""
    if units is None:
        return None
    return {resource: _amount(resource, amount) for resource, amount in units.items()}


def _amount(resource: str, amount: object) -> str:
    """Return an amount as people write it; as it is where it is none, as in a problem that is not valid."""
    return format_units(resource, amount) if isinstance(amount, int) else str(amount)


def number(value: int | Fraction | None) -> str:
    """Return a number as one: whole, or with decimals.

    >>> number(Fraction(2, 25)), number(3), number(None)
    ('0.08', '3', 'None')
    """
    return repr(float(value)) if isinstance(value, Fraction) and value.denominator != 1 else str(value)
