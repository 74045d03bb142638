"""Ctrl-C, SIGTERM and a closed terminal: the answer of a search so far, or the end at once."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from fairlead.solver.interrupt import ENDING, Listener, handled

SHOW_CURSOR = b"\x1b[?25h"
"""What a terminal has to be told where a line of progress ends in the middle."""


@contextmanager
def heard() -> Iterator[None]:
    """Listen to the signals that end a program while a command runs.

    The first one ends a search with its best answer so far; any other ends the program at once, without a
    word. Signals that are ignored (``nohup``) stay so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    with handled(signals, Listener(_end)):
        yield


def was_heard() -> bool:
    """Tell whether a signal has ended a search of this command."""
    handlers = [signal.getsignal(number) for number in ENDING]
    return any(isinstance(one, Listener) and one.asked for one in handlers)


def _end(number: int, _frame: FrameType | None) -> None:
    """End the program at once, with the exit code that shells give a program that a signal ended."""
    if os.isatty(2):
        os.write(2, SHOW_CURSOR)
    os._exit(128 + number)
