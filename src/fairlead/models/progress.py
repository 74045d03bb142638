"""How far a search is, for whoever waits for it."""

from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.result import gap_of


@dataclass(frozen=True, slots=True)
class Progress:
    """The best answer so far on the level that is minimised."""

    level: str
    """Name of the level."""
    value: int | Fraction | None
    """What the best placement costs on it; None where none is known."""
    bound: int | Fraction | None
    """What every placement costs at least; None where nothing is known."""
    gap: float | None
    """Their distance as a part of the value, 0 to 1 (`gap_of`); None where one of them is not known."""
    seconds: float
    """Since the start of the search."""


def progress_of(
    level: str, value: int | Fraction | None, bound: int | Fraction | None, seconds: float
) -> Progress:
    """Return how far a level is, with the gap between its value and its bound."""
    missing = None if value is None else gap_of(value, bound)
    return Progress(level, value, bound, None if missing is None else float(missing), seconds)
