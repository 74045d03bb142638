"""A small integer program, apart from the batch it was cut out of, so that any machine can solve it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from fairlead.models.errors import InternalError
from fairlead.solver.batch.arrays import Whole
from fairlead.solver.deadline import Deadline
from fairlead.solver.engine import SETTINGS
from fairlead.solver.interrupt import interruptible, listening


@dataclass(frozen=True, slots=True)
class Work:
    """How much a run may do: until when, with how many threads, and how many units of counted work."""

    deadline: Deadline
    workers: int = 1
    seed: int = 0
    units: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """What some pieces use together at most.

    Parameters
    ----------
    pieces, needs
        The pieces, and what one unit of each uses.
    amount
        How much may be used; below zero where something else uses too much.
    least, most
        How much the pieces use at least and at most.
    charge
        What one unit beyond the amount costs; None where the amount is kept.
    """

    pieces: Whole
    needs: Whole
    amount: int
    least: int
    most: int
    charge: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Subproblem:
    """How many units of every piece are taken, so that together they cost least.

    Parameters
    ----------
    units, slopes, hint
        Of every piece: how many units it has, what each costs, and how many are taken at first.
    rows, totals
        Of every piece its row, and of every row how many units are taken.
    limits
        What pieces use together.
    work
        How much may be done.
    """

    units: Whole
    slopes: Whole
    hint: Whole
    rows: Whole
    totals: Whole
    limits: tuple[Limit, ...]
    work: Work


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What was found.

    Parameters
    ----------
    taken
        How many units of every piece are taken; None where nothing was found.
    bound
        What all solutions cost at least.
    complete
        Whether nothing better is left, or nothing at all where `taken` is None.
    """

    taken: Whole | None
    bound: int
    complete: bool


def solve_subproblem(task: Subproblem) -> Solution:
    """Solve a small integer program by CP-SAT. Runs in any process.

    Parameters
    ----------
    task
        The program.

    Raises
    ------
    InternalError
        Where CP-SAT refuses the model.
    """
    if task.work.deadline.remaining() <= 0:
        return Solution(None, 0, complete=False)
    program, variables = _program(task)
    solver = _solver(task.work)
    with listening(task.work.deadline):
        status = interruptible(lambda: solver.solve(program), solver.stop_search, task.work.deadline)
    if status == cp_model.MODEL_INVALID:
        raise InternalError(f"CP-SAT refuses the model: {program.validate()}")
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Solution(None, 0, complete=status == cp_model.INFEASIBLE)
    taken = np.array([solver.value(variable) for variable in variables], dtype=np.int64)
    bound = int(solver.response_proto.inner_objective_lower_bound)
    return Solution(taken, bound, complete=status == cp_model.OPTIMAL)


def _program(task: Subproblem) -> tuple[cp_model.CpModel, Sequence[cp_model.IntVar]]:
    """Return the model and its variables, one a piece."""
    program = cp_model.CpModel()
    variables = [program.new_int_var(0, units, "") for units in task.units.tolist()]
    for variable, value in zip(variables, task.hint.tolist(), strict=True):
        program.add_hint(variable, value)
    order = np.argsort(task.rows, kind="stable")
    ends = np.searchsorted(task.rows[order], np.arange(len(task.totals) + 1)).tolist()
    places = order.tolist()
    for row, total in enumerate(task.totals.tolist()):
        inside = [variables[at] for at in places[ends[row] : ends[row + 1]]]
        program.add(cp_model.LinearExpr.sum(inside) == total)
    counted, costs = list(variables), task.slopes.tolist()
    for limit in task.limits:
        pieces = [variables[at] for at in limit.pieces.tolist()]
        used = cp_model.LinearExpr.weighted_sum(pieces, limit.needs.tolist())
        if limit.charge is None:
            program.add(used <= limit.amount)
        else:
            over = program.new_int_var(0, limit.most - limit.amount, "")
            program.add(used <= limit.amount + over)
            counted.append(over)
            costs.append(limit.charge)
    program.minimize(cp_model.LinearExpr.weighted_sum(counted, costs))
    return program, variables


def _solver(work: Work) -> cp_model.CpSolver:
    """Return a solver with its parameters set."""
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    for name, value in SETTINGS.items():
        setattr(parameters, name, value)
    parameters.num_workers = work.workers
    # There are few limits that matter, and the linear program of all of them says most.
    parameters.linearization_level = 2
    parameters.catch_sigint_signal = False  # see `fairlead.solver.engine`
    parameters.random_seed = work.seed
    if work.units is not None:
        parameters.max_deterministic_time = work.units
    seconds = work.deadline.remaining()
    if seconds != float("inf"):
        parameters.max_time_in_seconds = seconds
    return solver
