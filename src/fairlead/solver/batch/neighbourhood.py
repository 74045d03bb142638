"""Parts of a batch as models of CP-SAT: some workloads are divided anew, all others stay as they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from fairlead.models.errors import InternalError
from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.relaxation import Model
from fairlead.solver.batch.tally import Charges
from fairlead.solver.deadline import Deadline
from fairlead.solver.engine import SETTINGS
from fairlead.solver.interrupt import interruptible

# Costs of a part are given to the solver with so many bits less where it need not be exact.
COARSE_BITS = 14
# What a part costs at most, with charges, stays below 2 to this power.
SUM_BITS = 60
# More pieces than this make no model.
MOST_PIECES = 60_000


Charged = tuple[cp_model.IntVar, float, int]
"""By how much a limit is broken, what one unit of that is charged, and how many units that can be."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """What is open: some rows, with the fewest and most replicas of every place in them."""

    rows: Whole
    lower: Whole
    upper: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """How much a run may do: until when, with how many threads, and how many units of counted work."""

    deadline: Deadline
    workers: int = 1
    seed: int = 0
    units: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a run found.

    Parameters
    ----------
    replicas
        All rows with the open ones divided anew; None where nothing was found.
    bound
        No division within the window costs less, in steps of all rows; None where nothing is known or costs
        were not exact.
    complete
        Whether nothing better is left in the window, or nothing at all where `replicas` is None.
    """

    replicas: Whole | None
    bound: int | None
    complete: bool


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces in a window: row of the window, column, units, and the cost of one unit by level."""

    row: Whole
    column: Whole
    units: Whole
    slopes: tuple[Whole, ...]


def pieces_of(model: Model, window: Window) -> Pieces:
    """Cut the places of a window into pieces of one slope; where costs grow, into single units."""
    curve = model.curve
    grows = any(each is not None for each in curve.growth)
    rows, columns, units, firsts = [], [], [], []
    numbers = []
    for number in range(curve.pieces):
        start = np.maximum(curve.starts[number][window.rows], window.lower)
        end = np.minimum(curve.starts[number + 1][window.rows], window.upper)
        row, column = np.nonzero(end > start)
        width, first = (end - start)[row, column], start[row, column]
        if grows:
            each = np.repeat(np.arange(len(row)), width)
            within = np.arange(len(each)) - np.repeat(np.cumsum(width) - width, width)
            row, column, first, width = (
                row[each],
                column[each],
                first[each] + within,
                np.ones(len(each), dtype=np.int64),
            )
        rows.append(row)
        columns.append(column)
        units.append(width)
        firsts.append(first)
        numbers.append(np.full(len(row), number))
    row, column, unit, first = map(np.concatenate, (rows, columns, units, firsts))
    piece = np.concatenate(numbers)
    slopes = []
    for level, growth in zip(curve.slopes, curve.growth, strict=True):
        slope = np.choose(piece, [each[window.rows[row], column] for each in level])
        if growth is not None:
            begin = np.choose(piece, [each[window.rows[row], column] for each in curve.starts[:-1]])
            slope = slope + growth[window.rows[row], column] * (first - begin)
        slopes.append(slope)
    return Pieces(row, column, unit, tuple(slopes))


def divide_anew(
    model: Model,
    replicas: Whole,
    window: Window,
    work: Work,
    *,
    exact: bool,
    charges: Charges | None = None,
) -> Found:
    """Divide some rows anew as well as possible.

    Parameters
    ----------
    model
        What is minimised.
    replicas
        All rows as they are; where they keep the window they are the hint.
    window
        What is open.
    work
        How much may be done.
    exact
        Whether costs are given in full, so that bounds count.
    charges
        What breaking limits is charged; None where they are kept.

    Raises
    ------
    InternalError
        Where CP-SAT refuses the model.
    """
    pieces = pieces_of(model, window)
    if len(pieces.row) > MOST_PIECES or work.deadline.remaining() <= 0:
        return Found(None, None, complete=False)
    base = replicas.copy()
    base[window.rows] = window.lower
    hint = _hint(pieces, replicas[window.rows] - window.lower)
    bits = 0 if exact else COARSE_BITS
    program, variables, beyond = _program(model, pieces, base, window, hint, charges)
    if program is None:
        return Found(None, None, complete=True)
    if charges is not None:
        bits = max(bits, _bits_too_many(pieces, beyond))
    slopes = (pieces.slopes[0] >> bits).tolist()
    dear = [max(1, int(charge) >> bits) for _, charge, _ in beyond]
    program.minimize(
        cp_model.LinearExpr.weighted_sum([*variables, *(over for over, _, _ in beyond)], [*slopes, *dear])
    )
    solver = _solver(work)
    status = interruptible(lambda: solver.solve(program), solver.stop_search, work.deadline)
    if status == cp_model.MODEL_INVALID:
        raise InternalError(f"CP-SAT refuses the model: {program.validate()}")
    if status == cp_model.INFEASIBLE:
        return Found(None, None, complete=True)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Found(None, None, complete=False)
    taken = np.array([solver.value(variable) for variable in variables], dtype=np.int64)
    np.add.at(base, (window.rows[pieces.row], pieces.column), taken)
    bound = None
    if exact:
        start = replicas.copy()
        start[window.rows] = window.lower
        bound = model.steps(start) + int(solver.response_proto.inner_objective_lower_bound)
    return Found(base, bound, status == cp_model.OPTIMAL)


def _bits_too_many(pieces: Pieces, beyond: Sequence[Charged]) -> int:
    """Return by how many bits costs and charges have to be cut for their sum to stay in 64 bits."""
    most = float(np.abs(pieces.slopes[0].astype(np.float64)) @ pieces.units)
    most += sum(charge * units for _, charge, units in beyond)
    return max(0, math.ceil(math.log2(max(1.0, most))) - SUM_BITS)


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


def _hint(pieces: Pieces, above: Whole) -> Whole:
    """Return how many units of every piece are taken, the cheapest first, to stand so far above bounds."""
    order = np.lexsort((pieces.slopes[0], pieces.column, pieces.row))
    key = (pieces.row * above.shape[1] + pieces.column)[order]
    units = pieces.units[order]
    before = np.cumsum(units) - units
    fresh = np.concatenate([[True], key[1:] != key[:-1]]) if len(key) else np.zeros(0, dtype=bool)
    begin = np.maximum.accumulate(np.where(fresh, before, 0)) if len(key) else before
    taken = np.clip(above.ravel()[key] - (before - begin), 0, units)
    hint: Whole = np.empty_like(units)
    hint[order] = taken
    return hint


def _program(
    model: Model, pieces: Pieces, base: Whole, window: Window, hint: Whole, charges: Charges | None
) -> tuple[cp_model.CpModel | None, Sequence[cp_model.IntVar], Sequence[Charged]]:
    """Return the model, its variables, one a piece, and by how much limits are broken, with what that costs.

    There is no model where a row, or a limit that has to be kept, cannot be kept.
    """
    batch, coupling = model.batch, model.batch.coupling
    program = cp_model.CpModel()
    variables = [program.new_int_var(0, units, "") for units in pieces.units.tolist()]
    for variable, value in zip(variables, hint.tolist(), strict=True):
        program.add_hint(variable, value)
    left = batch.totals[window.rows] - window.lower.sum(axis=1)
    order = np.argsort(pieces.row, kind="stable")
    ends = np.searchsorted(pieces.row[order], np.arange(len(left) + 1)).tolist()
    for row, amount in enumerate(left.tolist()):
        inside = [variables[at] for at in order[ends[row] : ends[row + 1]].tolist()]
        if not inside and amount:
            return None, (), ()
        program.add(cp_model.LinearExpr.sum(inside) == amount)
    beyond: list[Charged] = []
    room = coupling.limit - batch.usage(base)
    by_column: dict[int, list[int]] = {}
    for at, column in enumerate(pieces.column.tolist()):
        by_column.setdefault(column, []).append(at)
    for column, resource, amount in zip(
        coupling.column.tolist(), coupling.resource.tolist(), room.tolist(), strict=True
    ):
        places = by_column.get(column, [])
        if charges is None and amount < 0:
            return None, (), ()
        needs = batch.needs[window.rows[pieces.row[places]], resource].tolist() if places else []
        most = sum(need * int(pieces.units[one]) for need, one in zip(needs, places, strict=True))
        if places and most > amount:
            used = cp_model.LinearExpr.weighted_sum([variables[one] for one in places], needs)
            charge = None if charges is None else float(charges.charge[column, resource])
            _limit(program, used, amount, most, charge, beyond)
    for number, pin in enumerate(model.pins, 1):
        slopes = pieces.slopes[number]
        used = cp_model.LinearExpr.weighted_sum(variables, slopes.tolist())
        most = int((np.maximum(slopes, 0) * pieces.units).sum())
        charge = None if charges is None else float(charges.pin_charge[number - 1])
        _limit(program, used, pin - model.steps(base, number), most, charge, beyond)
    return program, variables, beyond


def _limit(
    program: cp_model.CpModel,
    used: cp_model.LinearExprT,
    amount: int,
    most: int,
    charge: float | None,
    beyond: list[Charged],
) -> None:
    """Keep within an amount, or charge for what is beyond it."""
    if charge is None:
        program.add(used <= amount)
    elif most > amount:
        over = program.new_int_var(0, most - amount, "")
        program.add(used <= amount + over)
        beyond.append((over, charge, most - amount))
