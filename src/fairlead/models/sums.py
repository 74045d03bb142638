"""Sums of fractions, exact and in little time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction


def summed(parts: Iterable[Fraction | int]) -> Fraction:
    """Return the sum of exact numbers."""
    return Fraction(*sum_of_ratios([part.as_integer_ratio() for part in parts]))


def sum_of_ratios(parts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Add numerators over denominators pairwise, so that these stay small for long; not reduced."""
    row = list(parts)
    while len(row) > 1:
        pairs = zip(row[::2], row[1::2], strict=False)
        row = [_add(*left, *right) for left, right in pairs] + row[len(row) - len(row) % 2 :]
    return row[0] if row else (0, 1)


def _add(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    """Return a/b + c/d over the least common denominator."""
    common = math.lcm(b, d)
    return a * (common // b) + c * (common // d), common
