"""The levels of the objective: what is minimised first, second, third."""

from dataclasses import dataclass
from enum import StrEnum


class Deviation(StrEnum):
    """How the distance of a division from the wanted ratio is measured.

    With quota ``q = N w / W`` (exact share of N replicas for weight w of W in total) and replicas x:
    ``webster`` is the sum of (x - q)^2 / q, ``l1`` the sum of abs(x - q), ``minimax`` the greatest
    abs(x - q) / q.
    """

    WEBSTER = "webster"
    L1 = "l1"
    MINIMAX = "minimax"


@dataclass(frozen=True, slots=True)
class Level:
    """One lexicographic objective; always minimised.

    Parameters
    ----------
    key
        Unique name, used to order levels.
    name
        What people read; the two levels of moves share one name.
    meaning
        One sentence for people.
    """

    key: str
    name: str
    meaning: str


MOVES_FIRST = Level("moves-first", "moves", "replicas moved of workloads that keep what runs")
DEVIATION = Level("deviation", "deviation", "distance from the wanted ratio")
MOVES_LAST = Level("moves-last", "moves", "replicas moved of all other workloads")

DEFAULT_LEVELS: tuple[Level, ...] = (MOVES_FIRST, DEVIATION, MOVES_LAST)
