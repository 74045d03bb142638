"""Watches of the API server, kind by kind, and the queue of bindings to be looked at because of them."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

from fairlead.controller.world import ObjectKey
from fairlead.live.client import Client, Object, RefusedError, ResourceType, UnreachableError

LOG = logging.getLogger(__name__)

WATCH = 300.0
"""Seconds after which a watch is begun anew."""

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 15.0
"""Seconds between two attempts, doubled from the first to the longest."""


def begin(work: Callable[[], None], name: str, fail: Callable[[Exception], None]) -> threading.Thread:
    """Do something in a thread of its own, which does not keep the process from ending.

    `fail`: is told of a bug in that thread, which ends it, so that nobody waits for it for ever.
    """

    def guarded() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - it is raised again where the controller runs
            fail(error)

    thread = threading.Thread(target=guarded, name=name, daemon=True)
    thread.start()
    return thread


@dataclass(frozen=True, slots=True)
class Listed:
    """All objects of a kind."""

    resource: ResourceType
    items: tuple[Object, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """One object, as it is now or, where it is gone, as it was."""

    resource: ResourceType
    item: Object
    gone: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """A kind that cannot be read now; it is tried again."""

    resource: ResourceType
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A bug in another thread, which ends the controller."""

    error: Exception


Told = Listed | Seen | Lost | Failed


@dataclass(slots=True)
class Watcher:
    """Follows one kind."""

    client: Client
    resource: ResourceType
    tell: Callable[[Told], None]
    """Receives every event, in the watcher's own thread."""
    stopped: threading.Event
    """Event that is set where the watcher is to end."""
    _version: str | None = None

    def start(self) -> threading.Thread:
        """Follow the kind in a thread of its own; a bug in it is told."""
        return begin(self._run, f"watch-{self.resource.plural}", lambda error: self.tell(Failed(error)))

    def _run(self) -> None:
        """List and watch until it is to end; what is lost is begun anew."""
        pause = FIRST_PAUSE
        while not self.stopped.is_set():
            begun = time.monotonic()
            try:
                self._follow()
                pause = FIRST_PAUSE
            except RefusedError as error:
                known = self._version is not None
                if error.status != HTTPStatus.TOO_MANY_REQUESTS:
                    self._version = None
                if not (known and error.status == HTTPStatus.GONE):
                    self._lose(error)
            except UnreachableError as error:
                self._lose(error)
            if time.monotonic() - begun < pause:
                self.stopped.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _follow(self) -> None:
        """List where that is needed, and watch until the watch ends."""
        if self._version is None:
            items, version = self.client.list(self.resource)
            self.tell(Listed(self.resource, tuple(items)))
            self._version = version
        for event in self.client.watch(self.resource, self._version, WATCH):
            if self.stopped.is_set():
                return
            if event.type != "BOOKMARK":
                self.tell(Seen(self.resource, event.object, event.type == "DELETED"))
            self._version = event.version

    def _lose(self, error: Exception) -> None:
        if not self.stopped.is_set():
            self.tell(Lost(self.resource, str(error)))


FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds until a binding that found no place is looked at again, doubled from the first to the longest."""


@dataclass(slots=True)
class _Waiting:
    """Since when a binding waits, and until when it has to."""

    since: float
    until: float


@dataclass(slots=True)
class Queue:
    """Bindings that wait; one thread uses it."""

    _waiting: dict[ObjectKey, _Waiting] = field(default_factory=dict)
    _pauses: dict[ObjectKey, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, place: ObjectKey) -> None:
        """Look at a binding as soon as there is time; how often it failed is forgotten."""
        self._pauses.pop(place, None)
        now = time.monotonic()
        known = self._waiting.get(place)
        self._waiting[place] = _Waiting(min(now, known.since) if known else now, now)

    def retry(self, place: ObjectKey) -> None:
        """Look at a binding again after a pause, each twice as long as the one before."""
        pause = self._pauses.get(place, FIRST_WAIT)
        self._pauses[place] = min(2 * pause, LONGEST_WAIT)
        now = time.monotonic()
        self._waiting[place] = _Waiting(now + pause, now + pause)

    def forget(self, place: ObjectKey) -> None:
        """Look at a binding no more."""
        self._waiting.pop(place, None)
        self._pauses.pop(place, None)

    def take(self) -> dict[ObjectKey, float]:
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
