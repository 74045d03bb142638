"""Ctrl-C ends a search with the best answer so far instead of with nothing."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from fairlead.solver.deadline import Deadline

Result = TypeVar("Result")

LOOK = 0.05
"""Seconds between two looks at whether the answer is wanted."""


@contextmanager
def listening(deadline: Deadline) -> Iterator[None]:
    """End the deadline at the first Ctrl-C; the second one ends the program as usual.

    Nothing changes outside of the main thread, or where the program handles Ctrl-C in its own way.

    Parameters
    ----------
    deadline
        What ends.
    """
    usual = signal.default_int_handler
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not usual:
        yield
        return

    def ask(_signal: int, _frame: FrameType | None) -> None:
        deadline.stop.asked = True
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, ask)
    deadline.stop.heard = True
    try:
        yield
    finally:
        deadline.stop.heard = False
        signal.signal(signal.SIGINT, usual)


def deaf_to_interrupts() -> None:
    """Ignore Ctrl-C in a process that works for another: the terminal sends it to both.

    The work of such a process is short, or listens by `hearing_interrupts`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def hearing_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt at Ctrl-C in a process that ignores it, for the time of a long task."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if not ignored or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        deaf_to_interrupts()


def interruptible(call: Callable[[], Result], end: Callable[[], None], deadline: Deadline) -> Result:
    """Return what a long call returns; ask it to end where the answer is wanted at once.

    Python hears of Ctrl-C only between its own steps, so a call into a compiled library runs in a thread
    while this one listens.

    Parameters
    ----------
    call
        The call.
    end
        Asks it to end; called again and again until it does.
    deadline
        Holds the wish to end.
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
