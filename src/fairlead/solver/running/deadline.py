"""When an answer is due, and the wish to have it at once.

Signals that end a program end a search first, with the best answer so far instead of with nothing.
"""

import functools
import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Real
from types import FrameType
from typing import ParamSpec, TypeVar

from fairlead.models.errors import UsageError
from fairlead.models.words import shown

T = TypeVar("T")


def _is_none(number: Real) -> bool:
    """Tell whether a number is none (NaN): that is no number that equals itself."""
    return number != number  # noqa: PLR0124


def now() -> float:
    """Return the time on the clock of all deadlines, in seconds."""
    return time.monotonic()


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
    """A point in time, on the clock that `now` reads.

    Clocks of other machines differ, so a deadline that is sent there arrives as the seconds that were left.
    """

    at: float = math.inf
    """Seconds of `now`; infinite where there is no limit."""
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
            return cls(now() + float(seconds))
        except OverflowError:  # further away than any clock goes
            return cls(math.inf if seconds > 0 else -math.inf)

    def remaining(self) -> float:
        """Return the seconds that are left, at least 0; infinite where there is no limit."""
        return 0.0 if self.stop.asked else max(0.0, self.at - now())

    @property
    def limit(self) -> float | None:
        """The seconds that are left as a time limit; None where there is none."""
        seconds = self.remaining()
        return None if math.isinf(seconds) else seconds

    def part(self, share: float, at_most: float = math.inf) -> "Deadline":
        """Return an earlier deadline: after a share of what is left, and after so many seconds at most."""
        seconds = min(share * self.remaining(), at_most)
        return self if math.isinf(seconds) else Deadline(now() + seconds, self.stop)

    def each(self, tasks: int, at_once: int) -> "TimeSpan":
        """Return the time for every one of so many tasks, where so many are run at once."""
        seconds = self.remaining() * min(1.0, at_once / tasks)
        return TimeSpan(None if math.isinf(seconds) else seconds, self.stop)

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
class TimeSpan:
    """Time for a task that may have to wait for its turn."""

    seconds: float | None
    """How long it may take once it begins; None means no limit."""
    stop: Stop = field(default_factory=Stop, compare=False)
    """The wish to end before that. Elsewhere it is a copy, which is asked by `listening`."""

    def begun(self) -> Deadline:
        """Return when the answer is due of a task that begins now."""
        return Deadline(Deadline.after(self.seconds).at, self.stop)


Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")
Handler = Callable[[int, FrameType | None], object]

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask a program to end."""

LOOK = 0.05
"""Seconds between two looks at whether the answer is wanted."""


class Listener:
    """A signal handler that ends searches: the first signal asks all of them, also those that begin later.

    `otherwise`: handles a signal while nothing is searched, and every signal after the first one.
    """

    def __init__(self, otherwise: Handler) -> None:
        self._otherwise = otherwise
        self._stops: list[Stop] = []
        self._asked = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if self._stops and not self._asked:
            self.ask()
        else:
            self._otherwise(number, frame)

    @property
    def asked(self) -> bool:
        """Whether searches were asked to end."""
        return self._asked

    def ask(self) -> None:
        """Ask every search to end, now and from now on."""
        self._asked = True
        for stop in tuple(self._stops):
            stop.asked = True

    @contextmanager
    def ending(self, stop: Stop) -> Iterator[None]:
        """End a search where a signal comes in the meantime, or came before."""
        self._stops.append(stop)
        stop.heard = True
        stop.asked = stop.asked or self._asked
        try:
            yield
        finally:
            place = max(place for place, each in enumerate(self._stops) if each is stop)
            del self._stops[place]
            stop.heard = any(each is stop for each in self._stops)


@contextmanager
def handled(signals: Iterable[int], listener: Listener) -> Iterator[None]:
    """Let a listener handle signals while the block runs; only for the main thread."""
    before = {number: signal.signal(number, listener) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def listening(deadline: Deadline) -> Iterator[None]:
    """End the deadline at the first signal that a listener handles; without any, at the first Ctrl-C.

    Nothing changes outside of the main thread, or where the program handles Ctrl-C in its own way. The second
    signal is for the program.

    `deadline`: what ends.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = [signal.getsignal(number) for number in ENDING]
    known = next((handler for handler in handlers if isinstance(handler, Listener)), None)
    if known is not None:
        with known.ending(deadline.stop):
            yield
    elif signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        listener = Listener(signal.default_int_handler)
        with handled([signal.SIGINT], listener), listener.ending(deadline.stop):
            yield
    else:
        yield


def attentive(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let a function hear signals from its first search to its last: all that follow end at once.

    Without it a signal that comes between two searches would end the program, and one that ends a search
    would leave the next one alone.
    """

    @functools.wraps(function)
    def listened_to(*arguments: Arguments.args, **settings: Arguments.kwargs) -> Result:
        with listening(Deadline()):
            return function(*arguments, **settings)

    return listened_to


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put signals that end a program off until the block is over.

    What is started in the block, threads and processes, never hears of them unless it asks to.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def interruptible(call: Callable[[], Result], end: Callable[[], None], deadline: Deadline) -> Result:
    """Return the result of a long call; ask it to end where the answer is wanted at once.

    Python hears of signals only between its own steps, so a call into a compiled library runs in a thread
    while this one listens.

    `end`: asks it to end; called again and again until it does. `deadline`: holds the wish to end.
    """
    if not deadline.stop.heard:
        return call()
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            errors.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(LOOK)
        if deadline.stop.asked:
            end()
    if errors:
        raise errors[0]
    return results[0]
