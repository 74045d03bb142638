"""Numbers as the Go program has them: integers of 64 bits that wrap, and its roundings."""

import math
from fractions import Fraction

MAXIMUM = 2**63 - 1
"""Largest 64-bit integer; stands for "no limit"."""

MINIMUM = -(2**63)
"""Smallest 64-bit integer, and what amd64 makes of a NaN that is turned into an integer."""

_FNV_OFFSET = 2166136261
_FNV_PRIME = 16777619


def wrap(number: int) -> int:
    """Return what is left of a number in 64 bits, as Go's integer arithmetic leaves it."""
    if MINIMUM <= number <= MAXIMUM:
        return number
    return (number + 2**63) % 2**64 - 2**63


def divide(numerator: int, denominator: int) -> int:
    """Return the quotient cut towards zero, as Go divides integers (Python rounds down)."""
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def half_away(number: float) -> int:
    """Return a float rounded to the nearest integer, halves away from zero, as Go's ``math.Round``.

    A NaN becomes `MINIMUM`, as on amd64. (On arm64 it becomes 0; nothing is placed by weight either way.)
    """
    if math.isnan(number):
        return MINIMUM
    whole = math.trunc(number)
    if abs(number - whole) >= 0.5:
        whole += 1 if number > 0 else -1
    return whole


def whole_units(quantity: Fraction) -> int:
    """Return a quantity in whole units, parts rounded away from zero: 100m of cpu count as 1 core."""
    return math.ceil(quantity) if quantity > 0 else math.floor(quantity)


def fnv1(text: str) -> int:
    """Return the 32-bit FNV-1 hash (multiply first, then xor; not FNV-1a) of a text in UTF-8."""
    value = _FNV_OFFSET
    for byte in text.encode():
        value = (value * _FNV_PRIME & 0xFFFFFFFF) ^ byte
    return value
