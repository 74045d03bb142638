"""How a command ends: its exit code, and Ctrl-C, SIGTERM or a closed terminal, which end it before."""

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from fairlead.solver.running.deadline import ENDING, Listener, handled

if TYPE_CHECKING:
    from fairlead.models.outcome import Outcome
    from fairlead.solver.plan.answer import RebalancePlan
    from fairlead.solver.script.played import Played
    from fairlead.solver.simulate.result import Simulation

SOLVED = 0
UNEXPECTED = 1
WRONG_INPUT = 2
INFEASIBLE = 3
NOT_PROVEN = 4  # or nothing found in time
SOMETHING_TO_DO = 5  # fairlead plan --detailed-exitcode
STOPPED = 6  # fairlead plan --apply
INTERRUPTED = 130  # as shells report a program that Ctrl-C ended
PIPE_CLOSED = 141  # as shells report a program whose reader went away

_USUAL = {
    SOLVED: "solved",
    UNEXPECTED: "unexpected",
    WRONG_INPUT: "wrong input or usage",
    INFEASIBLE: "infeasible, or replicas unplaced",
    NOT_PROVEN: "nothing found in time",
}

SHOW_CURSOR = b"\x1b[?25h"
"""Bytes by which a terminal shows its cursor again where a line of progress ends in the middle."""


def codes(others: Mapping[int, str] | None = None, title: str = "Exit codes") -> str:
    """Return the list of exit codes for a command's help: the usual ones where others say nothing else.

    A code without words is left out.
    """
    known = {**_USUAL, **(others or {})}
    return "\n".join(["\b", f"{title}:", *(f"  {code}  {text}" for code, text in known.items() if text)])


def code_of(outcome: "Outcome", *, require_proof: bool = False) -> int:
    """Return the exit code of an outcome.

    `require_proof`: whether an answer without proof is a failure.
    """
    from fairlead.models.outcome import Status

    if outcome.status is Status.INFEASIBLE:
        return INFEASIBLE
    if outcome.status is Status.UNKNOWN:
        return NOT_PROVEN
    if require_proof and outcome.status is not Status.OPTIMAL:
        return NOT_PROVEN
    return INFEASIBLE if outcome.shortfalls or outcome.missing else SOLVED


def code_of_simulation(simulation: "Simulation") -> int:
    """Return the exit code of a simulation: not to fit is worse than not to be found in time."""
    from fairlead.models.outcome import Status

    failing = [scenario.known and scenario.answered for scenario in simulation.scenarios if not scenario.fits]
    if not simulation.after.fits:
        failing.append(simulation.known and simulation.after.status is not Status.UNKNOWN)
    if not failing:
        return SOLVED
    return INFEASIBLE if any(failing) else NOT_PROVEN


def code_of_script(played: "Played") -> int:
    """Return the exit code of a script: whether everything ran and no rule was broken under the first one."""
    first = played.handled[0]
    return INFEASIBLE if first.pending_hours or first.broken_hours else SOLVED


def code_of_plan(plan: "RebalancePlan", *, detailed: bool = False) -> int:
    """Return the exit code of a plan; a detailed one tells whether there is something to do."""
    from fairlead.models.outcome import Status

    if plan.outcome.status is Status.UNKNOWN:
        return NOT_PROVEN
    if plan.waves is None or not plan.waves.complete:
        return INFEASIBLE
    if detailed and not plan.nothing_to_do:
        return SOMETHING_TO_DO
    return code_of(plan.outcome)


@contextmanager
def signals_heard() -> Iterator[None]:
    """Listen to the signals that end a program while a command runs.

    The first one ends a search with its best answer so far; any other ends the program at once, without a
    word. Signals that are ignored (``nohup``) stay so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    with handled(signals, Listener(_end_at_once)):
        yield


def signal_was_heard() -> bool:
    """Tell whether a signal has ended a search of this command."""
    handlers = [signal.getsignal(number) for number in ENDING]
    return any(isinstance(one, Listener) and one.asked for one in handlers)


def _end_at_once(number: int, _frame: FrameType | None) -> None:
    """End the program at once, with the exit code that shells give a program that a signal ended."""
    if os.isatty(2):
        os.write(2, SHOW_CURSOR)
    os._exit(128 + number)
