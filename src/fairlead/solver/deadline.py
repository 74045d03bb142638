"""When an answer is due."""

import math
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point in time of the monotonic clock.

    Parameters
    ----------
    at
        Seconds of `time.monotonic`; infinite where there is no limit.
    """

    at: float = math.inf

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        """Return the deadline so many seconds from now; None means no limit."""
        return cls() if seconds is None else cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Return the seconds that are left, at least 0; infinite where there is no limit."""
        return max(0.0, self.at - time.monotonic())

    def part(self, share: float, at_most: float = math.inf) -> "Deadline":
        """Return an earlier deadline: after a share of what is left, and after so many seconds at most."""
        seconds = min(share * self.remaining(), at_most)
        return self if math.isinf(seconds) else Deadline(time.monotonic() + seconds)
