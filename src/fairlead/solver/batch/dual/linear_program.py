"""Linear programs of equations, handed to GLOP as numbers.

MathOpt's own classes keep an object for every variable and look each up by hash; for programs that are solved
many times a second that takes longer than the simplex method. Its protocol buffers are what these classes are
translated to, and what its solver takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
from ortools.math_opt import (  # type: ignore[import-untyped]
    callback_pb2,
    model_parameters_pb2,
    model_pb2,
    parameters_pb2,
    result_pb2,
    solution_pb2,
)
from ortools.math_opt.core.python import solver  # type: ignore[import-untyped]
from pybind11_abseil.status import StatusNotOk  # type: ignore[import-untyped]

from fairlead.models.errors import InternalError
from fairlead.solver.batch.arrays import Floats, Whole
from fairlead.solver.running.deadline import Deadline

SHORTEST = 0.01
"""Seconds that a program is given at least."""


AT_LOWER_BOUND = int(solution_pb2.BASIS_STATUS_AT_LOWER_BOUND)
BASIC = int(solution_pb2.BASIS_STATUS_BASIC)
FIXED = int(solution_pb2.BASIS_STATUS_FIXED_VALUE)


@dataclass(frozen=True, slots=True, eq=False)
class LinearProgram:
    """Minimise costs where every row adds up to its side, and no variable is below 0.

    Variables and rows are known again in other programs by their keys, which rise; entries are rows, columns
    and values of the coefficients that are not 0.
    """

    keys: Whole
    upper: Floats
    cost: Floats
    rows: Whole
    sides: Floats
    entries: tuple[Whole, Whole, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Where the simplex method ended: variables that are not at their lower bound, and rows, by key."""

    keys: Whole
    variables: Whole
    row_keys: Whole
    rows: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """Values of variables and rows, what they cost, and where it ended, if known."""

    primal: Floats
    dual: Floats
    cost: float
    basis: Basis | None


def optimum(program: LinearProgram, deadline: Deadline, start: Basis | None = None) -> Optimum | None:
    """Solve a program, perhaps from where the last one ended; None where that takes too long."""
    model = _written(program)
    result = _best(model, deadline, None if start is None else _start(program, start))
    if result is None and start is not None and deadline.remaining() > 0:
        # GLOP gives up on some starts that are far from what is left of the program.
        result = _best(model, deadline, None)
    if result is None:
        return None
    solution = result.solutions[0]
    primal, dual = np.zeros(len(program.cost)), np.zeros(len(program.sides))
    values = solution.primal_solution.variable_values
    primal[np.searchsorted(program.keys, _whole(values.ids))] = values.values
    values = solution.dual_solution.dual_values
    dual[np.searchsorted(program.rows, _whole(values.ids))] = values.values
    basis = _ended(solution.basis) if solution.HasField("basis") else None
    return Optimum(primal, dual, solution.primal_solution.objective_value, basis)


def _best(model: Any, deadline: Deadline, basis: Any) -> Any:
    """Return the result of GLOP for a program; None where it finds no optimum in time."""
    how = parameters_pb2.SolveParametersProto()
    seconds = deadline.remaining()
    if seconds != float("inf"):
        how.time_limit.FromTimedelta(timedelta(seconds=max(SHORTEST, seconds)))
    try:
        result = solver.solve(
            model,
            parameters_pb2.SOLVER_TYPE_GLOP,
            parameters_pb2.SolverInitializerProto(),
            how,
            model_parameters_pb2.ModelSolveParametersProto(initial_basis=basis),
            None,
            callback_pb2.CallbackRegistrationProto(),
            None,
            None,
        )
    except StatusNotOk as refusal:
        raise InternalError(f"a linear program is refused: {refusal}") from None
    return result if result.termination.reason == result_pb2.TERMINATION_REASON_OPTIMAL else None


def _written(program: LinearProgram) -> Any:
    """Return a program as MathOpt takes it: coefficients by row, then by column."""
    keys, width = program.keys.tolist(), len(program.keys)
    model = model_pb2.ModelProto()
    model.variables.ids.extend(keys)
    model.variables.lower_bounds.extend([0.0] * width)
    model.variables.upper_bounds.extend(program.upper.tolist())
    model.variables.integers.extend([False] * width)
    model.objective.linear_coefficients.ids.extend(keys)
    model.objective.linear_coefficients.values.extend(program.cost.tolist())
    sides = program.sides.tolist()
    model.linear_constraints.ids.extend(program.rows.tolist())
    model.linear_constraints.lower_bounds.extend(sides)
    model.linear_constraints.upper_bounds.extend(sides)
    row, column, value = program.entries
    order = np.lexsort((column, row))
    model.linear_constraint_matrix.row_ids.extend(program.rows[row[order]].tolist())
    model.linear_constraint_matrix.column_ids.extend(program.keys[column[order]].tolist())
    model.linear_constraint_matrix.coefficients.extend(value[order].tolist())
    return model


def _start(program: LinearProgram, ended: Basis) -> Any:
    """Return where the simplex method starts: as it ended, as far as that is still there."""
    statuses = np.full(len(program.keys), AT_LOWER_BOUND)
    at = np.searchsorted(program.keys, ended.keys)
    there = np.flatnonzero(at < len(program.keys))
    there = there[program.keys[at[there]] == ended.keys[there]]
    statuses[at[there]] = ended.variables[there]
    rows = np.full(len(program.rows), FIXED)
    at = np.searchsorted(ended.row_keys, program.rows)
    there = np.flatnonzero(at < len(ended.row_keys))
    there = there[ended.row_keys[at[there]] == program.rows[there]]
    rows[there] = ended.rows[at[there]]
    # Rows take the place of basic variables that are gone: as many are basic as there are rows.
    missing = len(rows) - int((statuses == BASIC).sum()) - int((rows == BASIC).sum())
    rows[np.flatnonzero(rows != BASIC)[: max(0, missing)]] = BASIC
    basis = solution_pb2.BasisProto()
    basis.variable_status.ids.extend(program.keys.tolist())
    basis.variable_status.values.extend(statuses.tolist())
    basis.constraint_status.ids.extend(program.rows.tolist())
    basis.constraint_status.values.extend(rows.tolist())
    return basis


def _ended(basis: Any) -> Basis:
    """Read where the simplex method ended."""
    keys, statuses = _whole(basis.variable_status.ids), _whole(basis.variable_status.values)
    away = np.flatnonzero(statuses != AT_LOWER_BOUND)
    rows = basis.constraint_status
    return Basis(keys[away], statuses[away], _whole(rows.ids), _whole(rows.values))


def _whole(values: Sequence[int]) -> Whole:
    """Return whole numbers as an array."""
    return np.array(values, dtype=np.int64)
