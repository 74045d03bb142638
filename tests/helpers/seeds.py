"""Random problems by their seeds: some in every run, many more in long ones."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

PARTS = 10
"""Into so many tests the long runs are cut, which several processes share."""


def seeds(quick: int, long: int) -> list[Any]:
    """Return what to test, as parameters: the seeds below the first number at once, the rest in long runs."""
    return runs(range(quick), *(range(quick + part, long, PARTS) for part in range(PARTS)))


def runs(quick: range, *more: range) -> list[Any]:
    """Return what to test, as parameters: some seeds at once, more in long runs."""
    return [quick, *(pytest.param(each, marks=pytest.mark.long) for each in more)]


def holds_for(which: Iterable[int], check: Callable[[int], object]) -> None:
    """Check what is asserted of every seed, and name all of which it does not hold."""
    wrong = []
    for seed in which:
        try:
            check(seed)
        except AssertionError as difference:
            wrong.append(f"seed {seed}: {difference}")
    assert not wrong, "\n".join(wrong)
