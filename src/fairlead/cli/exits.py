"""Exit codes, and how errors are told."""

import os
import traceback
from typing import TYPE_CHECKING

from fairlead.cli import console
from fairlead.models.errors import FairleadError, InternalError, ManifestError

if TYPE_CHECKING:
    from fairlead.models.outcome import Outcome
    from fairlead.solver.simulate.result import Simulation

SOLVED = 0
UNEXPECTED = 1
WRONG_INPUT = 2
INFEASIBLE = 3
NOT_PROVEN = 4  # or nothing found in time
SOMETHING_TO_DO = 5  # fairlead plan --detailed-exitcode
INTERRUPTED = 130  # as shells report a program that Ctrl-C ended
PIPE_CLOSED = 141  # as shells report a program whose reader went away


def code_of(outcome: "Outcome", *, require_proof: bool = False) -> int:
    """Return the exit code of an outcome.

    Parameters
    ----------
    outcome
        The outcome.
    require_proof
        Whether an answer without proof is a failure.
    """
    from fairlead.models.outcome import Status
    from fairlead.models.outcome_document import unplaced

    if outcome.status is Status.INFEASIBLE:
        return INFEASIBLE
    if outcome.status is Status.UNKNOWN:
        return NOT_PROVEN
    if require_proof and outcome.status is not Status.OPTIMAL:
        return NOT_PROVEN
    if outcome.shortfalls or any(unplaced(outcome, workload) for workload in outcome.problem.workloads):
        return INFEASIBLE
    return SOLVED


def code_of_simulation(simulation: "Simulation") -> int:
    """Return the exit code of a simulation: not to fit is worse than not to be found in time."""
    from fairlead.models.outcome import Status
    from fairlead.solver.simulate.result import fits

    failing = [scenario.status for scenario in simulation.scenarios if not scenario.fits]
    if not fits(simulation.after):
        failing.append(simulation.after.status)
    if not failing:
        return SOLVED
    return NOT_PROVEN if set(failing) == {Status.UNKNOWN} else INFEASIBLE


def tell(error: Exception) -> int:
    """Print an error for people and return the exit code; the traceback only under FAIRLEAD_DEBUG."""
    if os.environ.get("FAIRLEAD_DEBUG"):
        console.note("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, ManifestError):
        console.warn(error.warnings)
        console.note("\n".join([*map(str, error.mistakes), counted(error)]))
        return WRONG_INPUT
    if isinstance(error, FairleadError) and not isinstance(error, InternalError):
        console.note("\n".join(f"error: {line}" for line in str(error).splitlines()))
        return WRONG_INPUT
    if isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f"{error.filename}: "
        console.note(f"error: {where}{error.strerror}")
        return WRONG_INPUT
    what = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
    where = "" if os.environ.get("FAIRLEAD_DEBUG") else " (FAIRLEAD_DEBUG=1 shows where)"
    console.note(f"internal error: {' '.join(what.split())}; please report it with the input{where}")
    return UNEXPECTED


def counted(error: ManifestError) -> str:
    """Return how many mistakes there are, such as ``3 mistakes in 2 files``."""
    mistakes, files = len(error.mistakes), len({mistake.source.file for mistake in error.mistakes})
    return f"{mistakes} mistake{'s' * (mistakes != 1)} in {files} file{'s' * (files != 1)}"
