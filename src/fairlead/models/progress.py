"""How far a search is, for whoever waits for it."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Progress:
    """The best answer so far on the level that is minimised.

    Parameters
    ----------
    level
        Name of the level.
    value
        What the best placement costs on it; None where none is known.
    bound
        What every placement costs at least; None where nothing is known.
    gap
        Their distance as a part of the value; None where one of them is not known.
    seconds
        Since the start of the search.
    """

    level: str
    value: int | Fraction | None
    bound: int | Fraction | None
    gap: float | None
    seconds: float
