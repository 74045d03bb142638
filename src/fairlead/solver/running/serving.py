"""What a process does that works for another one: it ends with it, and holds nothing of it."""

import os
import signal
import threading
import time
from multiprocessing.connection import Connection
from types import FrameType

from fairlead.solver.running.interrupt import ENDING, Listener

LOOK = 0.1
"""Seconds between two looks at whether the other process is still there."""


def serve(line: Connection, master: int) -> None:
    """Make this process a worker of another one.

    It ends when the other one does, whatever it is doing. It lets go of standard output, so that whoever
    reads the results is not kept waiting by a worker. It leaves Ctrl-C to the other one: the terminal sends
    it to both. Where its work is listened to (`listening`), that ends when the other one wishes so.

    Parameters
    ----------
    line
        Nothing is ever sent on it; when the other process closes its end, or is gone, all work is to end.
    master
        Number of the other process.
    """
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
    listener = Listener(_end)
    signal.signal(signal.SIGTERM, listener)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # they are put off while processes start
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    threading.Thread(target=_watch, args=(line, master, listener), daemon=True).start()


def _watch(line: Connection, master: int, listener: Listener) -> None:
    """Wait until the other process lets go of the line; then end all work, and this process with it."""
    line.poll(None)
    listener.ask()
    while os.getppid() == master:
        time.sleep(LOOK)
    os._exit(1)


def _end(_number: int, _frame: FrameType | None) -> None:
    """End this process at once."""
    os._exit(1)
