"""Bindings that wait to be looked at, some of them not before a time."""

import time
from dataclasses import dataclass, field

from fairlead.controller.world import Place

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds until a binding that found no place is looked at again, doubled from the first to the longest."""


@dataclass(slots=True)
class _Waiting:
    """Since when a binding waits, and until when it has to."""

    since: float
    until: float


@dataclass(slots=True)
class Queue:
    """Bindings that wait; one thread uses it."""

    _waiting: dict[Place, _Waiting] = field(default_factory=dict)
    _pauses: dict[Place, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, place: Place) -> None:
        """Look at a binding as soon as there is time; how often it failed is forgotten."""
        self._pauses.pop(place, None)
        now = time.monotonic()
        known = self._waiting.get(place)
        self._waiting[place] = _Waiting(min(now, known.since) if known else now, now)

    def retry(self, place: Place) -> None:
        """Look at a binding again after a pause, each twice as long as the one before."""
        pause = self._pauses.get(place, FIRST_PAUSE)
        self._pauses[place] = min(2 * pause, LONGEST_PAUSE)
        now = time.monotonic()
        self._waiting[place] = _Waiting(now + pause, now + pause)

    def forget(self, place: Place) -> None:
        """Look at a binding no more."""
        self._waiting.pop(place, None)
        self._pauses.pop(place, None)

    def take(self) -> dict[Place, float]:
        """Take all bindings whose time has come, with the time since when they wait."""
        now = time.monotonic()
        found = {place: one.since for place, one in self._waiting.items() if one.until <= now}
        for place in found:
            del self._waiting[place]
        return found

    def pause(self, longest: float) -> float:
        """Return the seconds until the next binding is to be looked at, at most so many."""
        now = time.monotonic()
        return max(0.0, min((one.until - now for one in self._waiting.values()), default=longest))
