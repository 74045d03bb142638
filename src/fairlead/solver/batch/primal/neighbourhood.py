"""Neighbourhoods of a placement: some workloads are divided anew by CP-SAT, all others stay as they are.

What is left to solve is a small integer program, apart from the batch it was cut out of, so that any machine
can solve it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from ortools.sat.python import cp_model

from fairlead.encoders.convex import Term
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Whole, spelled_out, total_of
from fairlead.solver.batch.model import LevelModel
from fairlead.solver.batch.primal.moves import Charges
from fairlead.solver.running.deadline import listening
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import Machines, RunLimits, Verdict

# What a part costs at most, with charges, stays below 2 to this power.
SUM_BITS = 60


@dataclass(frozen=True, slots=True, eq=False)
class SharedLimit:
    """Limit on the use of something shared by some pieces together."""

    pieces: Whole
    needs: Whole
    """Positions of the pieces, and the use of one unit of each."""
    amount: int
    """Most that may be used; below zero where others use too much."""
    least: int
    most: int
    """Least and most that the pieces can use."""
    charge: int | None
    """Cost of one unit beyond the amount, in the unit of `Subproblem.slopes`; None where the amount is
    kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Subproblem:
    """Integer program: how many units of every piece are taken, so that together they cost least."""

    units: Whole
    slopes: Whole
    hint: Whole
    """Number of units of every piece, the cost of each, and how many are taken at first."""
    rows: Whole
    totals: Whole
    """Row of every piece, and the number of units taken of every row."""
    limits: tuple[SharedLimit, ...]
    """Limits on what pieces use together."""
    effort: RunLimits
    """Limits of the run of CP-SAT."""


@dataclass(frozen=True, slots=True, eq=False)
class SubproblemResult:
    """Result of a run."""

    replicas: Whole | None
    """Units taken, by piece of a subproblem; of a neighbourhood all rows, with the open ones divided anew.
    None where nothing was found."""
    bound: int | None
    """Least cost of all solutions, of a neighbourhood in steps of all rows; None where nothing is known or
    costs were not exact."""
    complete: bool
    """Whether nothing better is left, or nothing at all where `replicas` is None."""


def solve_subproblem(task: Subproblem) -> SubproblemResult:
    """Solve a small integer program by CP-SAT. Runs in any process.

    Raises `InternalError` where CP-SAT refuses the model.
    """
    program = cp_model.CpModel()
    variables = [program.new_int_var(0, units, "") for units in task.units.tolist()]
    order = np.argsort(task.rows, kind="stable")
    ends = np.searchsorted(task.rows[order], np.arange(len(task.totals) + 1)).tolist()
    places = order.tolist()
    for row, total in enumerate(task.totals.tolist()):
        inside = [variables[at] for at in places[ends[row] : ends[row + 1]]]
        program.add(cp_model.LinearExpr.sum(inside) == total)
    cost: list[Term] = list(zip(variables, task.slopes.tolist(), strict=True))
    for limit in task.limits:
        pieces = [variables[at] for at in limit.pieces.tolist()]
        used = cp_model.LinearExpr.weighted_sum(pieces, limit.needs.tolist())
        if limit.charge is None:
            program.add(used <= limit.amount)
        else:
            over = program.new_int_var(0, limit.most - limit.amount, "")
            program.add(used <= limit.amount + over)
            cost.append((over, limit.charge))
    hint = list(zip(variables, task.hint.tolist(), strict=True))
    with listening(task.effort.deadline):
        found = run(program, variables, cost, hint, task.effort)
    taken = None if found.values is None else np.array(found.values, dtype=np.int64)
    complete = found.verdict in (Verdict.OPTIMAL, Verdict.INFEASIBLE)
    return SubproblemResult(taken, found.bound if cost else 0, complete)


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Open part of a batch: some rows, with the fewest and most replicas of every place in them."""

    rows: Whole
    lower: Whole
    upper: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """A neighbourhood cut out of a batch."""

    task: Subproblem | SubproblemResult
    """Program that is left to solve; its result where nothing can be done."""
    base: Whole
    """All rows, the open ones with their fewest replicas."""
    row: Whole
    column: Whole
    """Row and column of every piece of the task."""
    fixed: int | None = None
    """Cost of the base, in steps; None where limits may be broken."""
    bits: int = 0
    """By how many bits costs of the task are cut, which never makes them higher."""

    def closed(self, found: SubproblemResult) -> SubproblemResult:
        """Return the result of the task as replicas of the batch."""
        if found.replicas is None:
            return SubproblemResult(None, None, found.complete)
        replicas = self.base.copy()
        np.add.at(replicas, (self.row, self.column), found.replicas)
        bound = None
        if self.fixed is not None and found.bound is not None:
            bound = self.fixed + (found.bound << self.bits)
        return SubproblemResult(replicas, bound, found.complete)


def close_all(opened: Sequence[Neighbourhood], machines: Machines) -> list[SubproblemResult]:
    """Solve neighbourhoods side by side."""
    tasks = [each.task for each in opened if isinstance(each.task, Subproblem)]
    solved = iter(machines.run(solve_subproblem, tasks))
    return [each.closed(next(solved) if isinstance(each.task, Subproblem) else each.task) for each in opened]


def divide_anew(
    model: LevelModel, replicas: Whole, window: Window, effort: RunLimits, bits: int = 0
) -> SubproblemResult:
    """Divide some rows anew as well as possible, right here; see `open_up`."""
    opened = open_up(model, replicas, window, effort, bits=bits)
    task = opened.task
    return opened.closed(solve_subproblem(task) if isinstance(task, Subproblem) else task)


def open_up(
    model: LevelModel,
    replicas: Whole,
    window: Window,
    effort: RunLimits,
    *,
    bits: int,
    charges: Charges | None = None,
) -> Neighbourhood:
    """Cut what is open out of a batch, to be divided anew as well as possible.

    How rows stand is the hint where that keeps the window. Costs are given with so many bits less, rounded
    down, so that bounds count; charges are for breaking limits, which are kept where there are none.
    """
    pieces = _pieces_of(model, window)
    base = replicas.copy()
    base[window.rows] = window.lower
    row, column = window.rows[pieces.row], pieces.column
    if len(pieces.row) > tuning.MOST_PIECES or effort.deadline.remaining() <= 0:
        return Neighbourhood(SubproblemResult(None, None, complete=False), base, row, column)
    totals = model.batch.totals[window.rows] - window.lower.sum(axis=1)
    limits = _limits(model, pieces, base, row, charges)
    filled = np.bincount(pieces.row, minlength=len(totals)) > 0
    if limits is None or totals[~filled].any():
        return Neighbourhood(SubproblemResult(None, None, complete=True), base, row, column)
    if charges is not None:
        # Costs and charges are cut as far as it takes for their sum to stay in 64 bits.
        most = float(np.abs(pieces.slopes[0].astype(np.float64)) @ pieces.units)
        most += sum((limit.charge or 0) * float(limit.most - limit.amount) for limit in limits)
        bits = max(bits, math.ceil(math.log2(max(1.0, most))) - SUM_BITS)
        limits = [replace(limit, charge=max(1, (limit.charge or 0) >> bits)) for limit in limits]
    task = Subproblem(
        pieces.units,
        pieces.slopes[0] >> bits,
        _hint(pieces, replicas[window.rows] - window.lower),
        pieces.row,
        totals,
        tuple(limits),
        # There are few limits that matter, and the linear program of all of them says most.
        replace(effort, linearization=2),
    )
    return Neighbourhood(task, base, row, column, model.steps(base) if charges is None else None, bits)


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Pieces in a window: row of the window, column, units, and the cost of one unit by level."""

    row: Whole
    column: Whole
    units: Whole
    slopes: tuple[Whole, ...]


def _pieces_of(model: LevelModel, window: Window) -> _Pieces:
    """Cut the places of a window into pieces of one slope; where costs grow, into single units."""
    curve = model.curve
    found = []
    for number in range(curve.pieces):
        start = np.maximum(curve.starts[number][window.rows], window.lower)
        end = np.minimum(curve.starts[number + 1][window.rows], window.upper)
        row, column = np.nonzero(end > start)
        width, first = (end - start)[row, column], start[row, column]
        if curve.grows:
            each, within = spelled_out(width)
            row, column, first = row[each], column[each], first[each] + within
            width = np.ones(len(each), dtype=np.int64)
        found.append((row, column, width, first, np.full(len(row), number)))
    row, column, units, first, piece = map(np.concatenate, zip(*found, strict=True))
    place = (window.rows[row], column)
    slopes = []
    for level, growth in zip(curve.slopes, curve.growth, strict=True):
        slope = np.choose(piece, [each[place] for each in level])
        if growth is not None:
            begin = np.choose(piece, [each[place] for each in curve.starts[:-1]])
            slope = slope + growth[place] * (first - begin)
        slopes.append(slope)
    return _Pieces(row, column, units, tuple(slopes))


def _hint(pieces: _Pieces, above: Whole) -> Whole:
    """Return how many units of every piece are taken, the cheapest first, to stand so far above bounds."""
    order = np.lexsort((pieces.slopes[0], pieces.column, pieces.row))
    key = (pieces.row * above.shape[1] + pieces.column)[order]
    units = pieces.units[order]
    before = np.cumsum(units) - units
    fresh = np.diff(key, prepend=-1) != 0
    begin = np.maximum.accumulate(np.where(fresh, before, 0))
    hint: Whole = np.empty_like(units)
    hint[order] = np.clip(above.ravel()[key] - (before - begin), 0, units)
    return hint


def _limits(
    model: LevelModel, pieces: _Pieces, base: Whole, row: Whole, charges: Charges | None
) -> list[SharedLimit] | None:
    """Return the limits that pieces of some rows could break; None where one is broken that is kept."""
    batch, coupling = model.batch, model.batch.coupling
    order = np.argsort(pieces.column, kind="stable")
    ends = np.searchsorted(pieces.column[order], np.arange(len(batch.clusters) + 1))
    room = coupling.limit - batch.usage(base)
    limits: list[SharedLimit] = []
    for column, resource, left in zip(coupling.column, coupling.resource, room.tolist(), strict=True):
        inside = order[ends[column] : ends[column + 1]]
        charge = None if charges is None else int(charges.charge[column, resource])
        limits.append(_limit(pieces, inside, batch.needs[row[inside], resource], left, charge))
    everything = np.arange(len(pieces.row))
    for number, pin in enumerate(model.pins, 1):
        left = pin - model.steps(base, number)
        charge = None if charges is None else int(charges.pin_charge[number - 1])
        limits.append(_limit(pieces, everything, pieces.slopes[number], left, charge))
    if any(limit.charge is None and limit.least > limit.amount for limit in limits):
        return None
    return [limit for limit in limits if limit.most > max(limit.least, limit.amount)]


def _limit(pieces: _Pieces, inside: Whole, needs: Whole, amount: int, charge: int | None) -> SharedLimit:
    """Return the limit on the use of some pieces together."""
    units = pieces.units[inside]
    least, most = total_of(np.minimum(needs, 0) * units), total_of(np.maximum(needs, 0) * units)
    return SharedLimit(inside, needs, amount, least, most, charge)
