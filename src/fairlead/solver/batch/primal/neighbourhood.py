"""A small integer program, apart from the batch it was cut out of, so that any machine can solve it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from ortools.sat.python import cp_model

from fairlead.models.errors import InternalError
from fairlead.solver.batch.arrays import Whole, total_of
from fairlead.solver.batch.model import Model
from fairlead.solver.batch.primal.moves import Charges
from fairlead.solver.deadline import Deadline
from fairlead.solver.engine import SETTINGS
from fairlead.solver.interrupt import interruptible, listening
from fairlead.solver.machines import Machines


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


# Costs of a part are given to the solver with so many bits less where it need not be exact.
COARSE_BITS = 14


# What a part costs at most, with charges, stays below 2 to this power.
SUM_BITS = 60


# More pieces than this make no model.
MOST_PIECES = 60_000


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """What is open: some rows, with the fewest and most replicas of every place in them."""

    rows: Whole
    lower: Whole
    upper: Whole


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
    rows, columns, units, firsts = [], [], [], []
    numbers = []
    for number in range(curve.pieces):
        start = np.maximum(curve.starts[number][window.rows], window.lower)
        end = np.minimum(curve.starts[number + 1][window.rows], window.upper)
        row, column = np.nonzero(end > start)
        width, first = (end - start)[row, column], start[row, column]
        if curve.grows:
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


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A neighbourhood cut out of a batch.

    Parameters
    ----------
    task
        What is left to solve; None where nothing can be done.
    complete
        Whether it is known without solving anything that there is nothing in the window.
    base
        All rows, the open ones with their fewest replicas.
    row, column
        Where the pieces of the task stand.
    fixed
        What the base costs, in steps; None where costs are not exact.
    """

    task: Subproblem | None
    complete: bool
    base: Whole
    row: Whole
    column: Whole
    fixed: int | None = None

    def closed(self, solution: Solution | None) -> Found:
        """Return the solution of the task, if there was one to solve, as replicas of the batch."""
        if solution is None:
            return Found(None, None, self.complete)
        if solution.taken is None:
            return Found(None, None, solution.complete)
        replicas = self.base.copy()
        np.add.at(replicas, (self.row, self.column), solution.taken)
        bound = None if self.fixed is None else self.fixed + solution.bound
        return Found(replicas, bound, solution.complete)


def close_all(opened: Sequence[Opened], machines: Machines) -> list[Whole | None]:
    """Solve neighbourhoods side by side; return all rows as each of them divides them, where one does."""
    tasks = [each.task for each in opened if each.task is not None]
    solutions = iter(machines.run(solve_subproblem, tasks))
    return [each.closed(None if each.task is None else next(solutions)).replicas for each in opened]


def divide_anew(model: Model, replicas: Whole, window: Window, work: Work, *, exact: bool) -> Found:
    """Divide some rows anew as well as possible, right here.

    Parameters
    ----------
    model, replicas, window, work, exact
        See `open_up`.

    Raises
    ------
    InternalError
        Where CP-SAT refuses the model.
    """
    opened = open_up(model, replicas, window, work, exact=exact)
    return opened.closed(None if opened.task is None else solve_subproblem(opened.task))


def open_up(
    model: Model,
    replicas: Whole,
    window: Window,
    work: Work,
    *,
    exact: bool,
    charges: Charges | None = None,
) -> Opened:
    """Cut what is open out of a batch, to be divided anew as well as possible.

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
    """
    pieces = pieces_of(model, window)
    base = replicas.copy()
    base[window.rows] = window.lower
    row, column = window.rows[pieces.row], pieces.column
    if len(pieces.row) > MOST_PIECES or work.deadline.remaining() <= 0:
        return Opened(None, False, base, row, column)
    totals = model.batch.totals[window.rows] - window.lower.sum(axis=1)
    limits = _limits(model, pieces, base, window, charges)
    filled = np.bincount(pieces.row, minlength=len(totals)) > 0
    if limits is None or totals[~filled].any():
        return Opened(None, True, base, row, column)
    bits = 0 if exact else COARSE_BITS
    if charges is not None:
        bits = max(bits, _bits_too_many(pieces, limits))
    task = Subproblem(
        pieces.units,
        pieces.slopes[0] >> bits,
        _hint(pieces, replicas[window.rows] - window.lower),
        pieces.row,
        totals,
        tuple(_with_fewer_bits(limit, bits) for limit in limits),
        work,
    )
    return Opened(task, False, base, row, column, model.steps(base) if exact else None)


def _with_fewer_bits(limit: Limit, bits: int) -> Limit:
    """Return a limit whose charge is cut as costs are."""
    return limit if limit.charge is None else replace(limit, charge=max(1, limit.charge >> bits))


def _bits_too_many(pieces: Pieces, limits: Sequence[Limit]) -> int:
    """Return by how many bits costs and charges have to be cut for their sum to stay in 64 bits."""
    most = float(np.abs(pieces.slopes[0].astype(np.float64)) @ pieces.units)
    most += sum((limit.charge or 0) * float(limit.most - limit.amount) for limit in limits)
    return max(0, math.ceil(math.log2(max(1.0, most))) - SUM_BITS)


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


def _limits(
    model: Model, pieces: Pieces, base: Whole, window: Window, charges: Charges | None
) -> list[Limit] | None:
    """Return the limits that the pieces could break; None where one is broken that has to be kept."""
    batch, coupling = model.batch, model.batch.coupling
    order = np.argsort(pieces.column, kind="stable")
    ends = np.searchsorted(pieces.column[order], np.arange(len(batch.clusters) + 1))
    room = coupling.limit - batch.usage(base)
    limits: list[Limit] = []
    for column, resource, left in zip(coupling.column, coupling.resource, room.tolist(), strict=True):
        inside = order[ends[column] : ends[column + 1]]
        needs = batch.needs[window.rows[pieces.row[inside]], resource]
        charge = None if charges is None else int(charges.charge[column, resource])
        limits.append(_limit(pieces, inside, needs, left, charge))
    everything = np.arange(len(pieces.row))
    for number, pin in enumerate(model.pins, 1):
        left = pin - model.steps(base, number)
        charge = None if charges is None else int(charges.pin_charge[number - 1])
        limits.append(_limit(pieces, everything, pieces.slopes[number], left, charge))
    if any(limit.charge is None and limit.least > limit.amount for limit in limits):
        return None
    return [limit for limit in limits if limit.most > max(limit.least, limit.amount)]


def _limit(pieces: Pieces, inside: Whole, needs: Whole, amount: int, charge: int | None) -> Limit:
    """Return what some pieces use together."""
    units = pieces.units[inside]
    least, most = total_of(np.minimum(needs, 0) * units), total_of(np.maximum(needs, 0) * units)
    return Limit(inside, needs, amount, least, most, charge)
