"""When an answer is due, and the wish to have it at once."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import TypeVar

from fairlead.models.errors import UsageError
from fairlead.models.words import shown

T = TypeVar("T")


def _is_none(number: Real) -> bool:
    """Tell whether a number is none (NaN): that is no number that equals itself."""
    return number != number  # noqa: PLR0124


class TimeOverError(Exception):
    """An answer is due that is nothing before it is whole; whoever sets the deadline handles it."""


@dataclass(slots=True)
class Stop:
    """The wish to end early, shared by a deadline and all its parts."""

    heard: bool = False
    """True where somebody listens for the wish, so that long calls have to look for it."""
    asked: bool = False
    """True from the moment on at which the answer is wanted."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point in time of the monotonic clock.

    Clocks of other machines differ, so a deadline that is sent there arrives as the seconds that were left.
    """

    at: float = math.inf
    """Seconds of `time.monotonic`; infinite where there is no limit."""
    stop: Stop = field(default_factory=Stop, compare=False, repr=False)
    """The wish to end before that."""

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        """Return the deadline so many seconds from now; None means no limit.

        Raises `UsageError` where these are no seconds.
        """
        given: object = seconds
        if given is not None and (not isinstance(given, Real) or _is_none(given)):
            raise UsageError(f"a time limit of {shown(seconds)}; allowed are seconds, or None for no limit")
        if seconds is None:
            return cls()
        try:
            return cls(time.monotonic() + float(seconds))
        except OverflowError:  # further away than any clock goes
            return cls(math.inf if seconds > 0 else -math.inf)

    def remaining(self) -> float:
        """Return the seconds that are left, at least 0; infinite where there is no limit."""
        return 0.0 if self.stop.asked else max(0.0, self.at - time.monotonic())

    @property
    def limit(self) -> float | None:
        """The seconds that are left as a time limit; None where there is none."""
        seconds = self.remaining()
        return None if math.isinf(seconds) else seconds

    def part(self, share: float, at_most: float = math.inf) -> "Deadline":
        """Return an earlier deadline: after a share of what is left, and after so many seconds at most."""
        seconds = min(share * self.remaining(), at_most)
        return self if math.isinf(seconds) else Deadline(time.monotonic() + seconds, self.stop)

    def each(self, tasks: int, at_once: int) -> "Span":
        """Return what every one of so many tasks may use of the time, where so many are run at once."""
        seconds = self.remaining() * min(1.0, at_once / tasks)
        return Span(None if math.isinf(seconds) else seconds, self.stop)

    def later(self, seconds: float) -> "Deadline":
        """Return a later deadline, so many seconds after this one; the wish to end early counts as before."""
        return Deadline(self.at + seconds, self.stop)

    def __reduce__(self) -> tuple[Callable[[float | None], "Deadline"], tuple[float | None]]:
        return Deadline.after, (self.limit,)

    def while_lasting(self, things: Iterable[T]) -> Iterator[T]:
        """Yield things one after the other.

        Raises `TimeOverError` where time is over before the last one.
        """
        for each in things:
            if not self.remaining():
                raise TimeOverError
            yield each


@dataclass(frozen=True, slots=True)
class Span:
    """Time for a task that may have to wait for its turn."""

    seconds: float | None
    """How long it may take once it begins; None means no limit."""
    stop: Stop = field(default_factory=Stop, compare=False)
    """The wish to end before that. Elsewhere it is a copy, which is asked by `listening`."""

    def begun(self) -> Deadline:
        """Return when the answer is due of a task that begins now."""
        return Deadline(Deadline.after(self.seconds).at, self.stop)
