"""Ctrl-C ends a search with the best answer so far."""

import os
import signal
import threading
import time

import pytest

from fairlead.solver.running.deadline import Deadline, interruptible, listening


def press_ctrl_c(after: float = 0.05) -> threading.Timer:
    """Send this process the signal of Ctrl-C in a moment."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_the_first_ctrl_c_ends_the_deadline_and_the_second_the_program() -> None:
    """A part of the deadline ends with it; afterwards Python handles the signal as before."""
    deadline = Deadline()
    part = deadline.part(1.0, 60.0)
    with listening(deadline):
        press_ctrl_c().join()
        time.sleep(0.01)
        assert (deadline.remaining(), part.remaining()) == (0.0, 0.0)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_long_call_is_asked_to_end() -> None:
    """The call returns what it has when it is asked to."""
    deadline, ended = Deadline(), threading.Event()
    with listening(deadline):
        press_ctrl_c()
        assert interruptible(lambda: ended.wait(30.0), ended.set, deadline)


def test_errors_of_the_call_are_raised_here() -> None:
    """Nothing is lost in the thread."""
    deadline = Deadline()

    def fail() -> None:
        raise ValueError("wrong")

    with listening(deadline), pytest.raises(ValueError, match="wrong"):
        interruptible(fail, lambda: None, deadline)


def test_the_program_s_own_handler_stays() -> None:
    """Who handles Ctrl-C in an own way keeps doing so."""

    def own(_signal: int, _frame: object) -> None:
        return

    before = signal.signal(signal.SIGINT, own)
    try:
        deadline = Deadline()
        with listening(deadline):
            assert signal.getsignal(signal.SIGINT) is own
            assert not deadline.stop.heard
    finally:
        signal.signal(signal.SIGINT, before)
