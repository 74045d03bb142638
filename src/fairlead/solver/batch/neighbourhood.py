"""Neighbourhoods of a placement: some workloads are divided anew, all others stay as they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.costs import total_of
from fairlead.solver.batch.relaxation import Model
from fairlead.solver.batch.subproblem import Limit, Solution, Subproblem, Work, solve_subproblem
from fairlead.solver.batch.tally import Charges
from fairlead.solver.machines import Machines

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
