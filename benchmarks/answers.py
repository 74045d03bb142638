"""What contenders are given and what they return."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem


class NotApplicableError(Exception):
    """The contender cannot be asked this: its model does not know a rule of the problem."""


@dataclass(frozen=True, slots=True)
class Point:
    """What was known at a moment of the search.

    Parameters
    ----------
    seconds
        Since the contender was called.
    value
        What the best placement costs, as the contender believes; None where it has none.
    bound
        What every placement costs at least, as the contender believes; None where it knows nothing.
    """

    seconds: float
    value: float | None
    bound: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a contender returns.

    Parameters
    ----------
    placement
        Its placement, not checked yet; None where it has none.
    bounds
        What it says that every placement costs at least, by level; None where it says nothing of a level.
    proven
        True where it says that its placement is the best.
    slack
        How much worse than its bound each level may be and count as best all the same: its tolerance, and the
        steps in which it was compared. Levels that are left out have none.
    """

    placement: Placement | None
    bounds: tuple[Fraction | float | None, ...] = ()
    proven: bool = False
    slack: tuple[Fraction, ...] = ()


@dataclass(slots=True)
class Effort:
    """How hard a contender may try, and where it tells how far it is.

    Parameters
    ----------
    seconds
        Time limit, the making of its model included.
    workers
        Threads.
    points
        What it told, in order.
    """

    seconds: float
    workers: int
    points: list[Point] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)

    @property
    def elapsed(self) -> float:
        """Seconds since the contender was called."""
        return time.perf_counter() - self.started

    @property
    def left(self) -> float:
        """Seconds that remain, at least a hundredth: solvers take 0 for no limit."""
        return max(0.01, self.seconds - self.elapsed)

    def restart(self) -> None:
        """Begin to count anew: what was done so far is no work of the contender's."""
        self.started = time.perf_counter()

    def tell(self, value: float | None, bound: float | None) -> None:
        """Note how far the search is."""
        self.points.append(Point(self.elapsed, value, bound))


Solve = Callable[[Problem, Effort], Answer]
