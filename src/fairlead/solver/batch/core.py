"""The core: a linear program over the few pieces whose cost is near the price of their row.

All other pieces are taken or left as the prices say. The dual of the core gives better prices, at which
pieces may come into it that were out of it; a few turns reach the optimum of the whole linear program
("sifting", R. E. Bixby and others, 1992). What is claimed is evaluated elsewhere, in whole numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np
from ortools.math_opt import model_pb2  # type: ignore[import-untyped]
from ortools.math_opt.python import mathopt  # type: ignore[import-untyped]

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.relaxation import CUTS, Floats, Model, Prices, chunks, relax, windows
from fairlead.solver.deadline import Deadline

# Programs of at most so many pieces are solved whole: where a place has several, and where it has one.
WHOLE_PROGRAM = 8000
WHOLE_STRAIGHT = 80_000
# Pieces come into the core whose cost is so near to the price of their row, in units of the level.
REACH = 0.1
# Fewer come in where that were more pieces than this, at first and in the end.
FIRST_SEGMENTS = 10_000
MOST_SEGMENTS = 40_000
# How far prices may go in the first turn where the program is solved whole.
FIRST_REGION = 2.0
# The bound counts as reached when so little is promised beyond it.
CLOSE = 1e-9
# A turn was good when it won this part of what was promised.
WORTHWHILE = 0.1
# It was very good when it won this part.
KEPT = 0.8
TINY = 1e-7
# What part of itself a price changes by at most in one turn, for every unit of the reach, and in all.
PART_OF_PRICE = 4.0
MOST_OF_PRICE = 0.5
# How often the reach is halved to keep the program small; pieces that cost just their price stay in.
HALVINGS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Pieces near the price of their row.

    Parameters
    ----------
    row, column
        Where.
    units
        How many units a piece has.
    slope
        What each costs, in units of the level.
    pinned
        The same on every pinned level, by piece and level, in steps of that level.
    key
        Numbers by which pieces are known again in the next core, rising.
    base
        Replicas by place when no piece of the core is taken.
    """

    row: Whole
    column: Whole
    units: Whole
    slope: Floats
    pinned: Floats
    key: Whole
    base: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Where the simplex method ended: what stands not at its lower bound, by number of piece and of row."""

    pieces: Mapping[int, Any]
    rows: Mapping[int, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """An optimum of the core.

    Parameters
    ----------
    prices, rows
        Its dual.
    replicas
        Its primal, by place, not whole.
    value
        What it costs, in steps.
    inside
        Whether no price stands at the edge of its region.
    """

    prices: Prices
    rows: Floats
    replicas: Floats
    value: float
    inside: bool
    basis: Basis | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Sifted:
    """The best prices that were found.

    Parameters
    ----------
    prices, rows
        Of what is shared, and of the rows' totals.
    value
        The bound there, in steps, as a float.
    replicas
        A placement that is not whole and as cheap as the bound; None where no core was solved.
    """

    prices: Prices
    rows: Floats
    value: float
    replicas: Floats | None


def segments_of(model: Model, prices: Prices, rows: Floats, reach: float) -> Segments:
    """Return the pieces whose cost with prices is within reach of the price of their row."""
    found = [windows(model, prices, part, rows[part], reach) for part in chunks(len(rows))]
    row, column, units, slope, pinned, key, base = (np.concatenate(each) for each in zip(*found, strict=True))
    at = np.argsort(key, kind="stable")
    slope = slope[at] / model.unit
    return Segments(row[at], column[at], units[at], slope, pinned[at], key[at], base)


def not_too_many(
    model: Model, prices: Prices, rows: Floats, reach: float, most: int
) -> tuple[Segments, float]:
    """Return the pieces within reach, and what part of the reach was looked at to keep them few enough."""
    part = 1.0
    segments = segments_of(model, prices, rows, reach)
    for _ in range(HALVINGS):
        if len(segments.row) <= most:
            break
        part /= 2
        segments = segments_of(model, prices, rows, reach * part)
    return segments, part


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """How far prices may go from where they are in one turn, by coupling row and by pin."""

    capacity: Floats
    pins: Floats


def region_of(model: Model, reach: float, centre: Prices) -> Region:
    """Return a region in which no replica's price changes by much more than the reach.

    The price of a pin says how many units of the level one unit of the pinned one is worth.
    """
    needs, coupling = model.batch.needs.astype(np.float64), model.batch.coupling
    asked = needs * model.batch.totals[:, None]
    typical = asked.sum(axis=0) / np.maximum(1, (model.batch.totals[:, None] * (needs > 0)).sum(axis=0))
    capacity = reach / np.maximum(1.0, typical)[coupling.resource]
    pins = reach / np.array(model.pin_units, dtype=np.float64)
    # Beside a pin prices can be of any size: they change by a part of themselves as well.
    part = min(MOST_OF_PRICE, PART_OF_PRICE * reach / model.unit) if model.pins else 0.0
    return Region(capacity + part * centre.capacity, pins + part * centre.pins)


@dataclass(frozen=True, slots=True)
class Sifting:
    """How much sifting may do.

    Parameters
    ----------
    turns
        How many linear programs are solved at most.
    most
        How many pieces one of them has at most, unless more cost just their price.
    close
        How little may be left to win, as a part of the bound.
    """

    turns: int = 16
    most: int = MOST_SEGMENTS
    close: float = CLOSE


def sift(
    model: Model, prices: Prices, rows: Floats, deadline: Deadline, how: Sifting | None = None
) -> Sifted:
    """Raise the bound to that of the whole linear program, as far as the turns go.

    Parameters
    ----------
    model
        What is minimised.
    prices, rows
        Where to start.
    deadline
        When to stop.
    how
        How much may be done; None for the usual.
    """
    how = how or Sifting()
    grows = any(each is not None for each in model.curve.growth)
    most_whole = WHOLE_STRAIGHT if model.curve.pieces == 1 else WHOLE_PROGRAM
    small = not grows and model.batch.lower.size * model.curve.pieces <= most_whole
    widest, radius = REACH, FIRST_REGION if small else REACH / 2
    most = most_whole if small else min(FIRST_SEGMENTS, how.most)
    best = Sifted(prices, rows, relax(model, prices, rows).value, None)
    basis = None
    for _ in range(how.turns):
        if deadline.remaining() <= 0:
            break
        # Where costs grow from unit to unit, fewer of them are looked at the closer the end is.
        reach = np.inf if small else model.unit * (3 * radius if grows else widest)
        segments, part = not_too_many(model, best.prices, best.rows, reach, most)
        widest, radius = widest * part, radius * part
        region = region_of(model, radius * model.unit, best.prices)
        solved = solve_core(model, segments, best.prices, region, deadline, basis)
        if solved is None:
            break
        basis = solved.basis
        found = relax(model, solved.prices, solved.rows)
        promised, gained = solved.value - best.value, found.value - best.value
        if gained >= 0:
            best = Sifted(solved.prices, found.rows, found.value, solved.replicas)
        # What the program of the core still promises tells whether there is anything left to win.
        if promised - max(gained, 0.0) <= how.close * abs(best.value):
            if solved.inside:
                best = replace(best, replicas=solved.replicas)
                break
            farther = 4.0
        elif gained < WORTHWHILE * promised:
            radius *= 0.4
            continue
        else:
            farther = 3.0 if gained > KEPT * promised else 1.5
        radius, widest, most = (
            radius * farther,
            min(REACH, widest * farther),
            max(most, min(2 * most, how.most)),
        )
    return best


def solve_core(
    model: Model,
    segments: Segments,
    centre: Prices,
    region: Region,
    deadline: Deadline,
    basis: Basis | None = None,
) -> Solved | None:
    """Solve the linear program of the core, with prices kept in a region; None where that takes too long."""
    seconds = deadline.remaining()
    limit = None if seconds == float("inf") else timedelta(seconds=max(0.01, seconds))
    core = mathopt.Model.from_model_proto(_program(model, segments, centre, region))
    result = mathopt.solve(
        core,
        mathopt.SolverType.GLOP,
        params=mathopt.SolveParameters(time_limit=limit),
        model_params=mathopt.ModelSolveParameters(
            initial_basis=None if basis is None else _start(core, basis)
        ),
    )
    if result.termination.reason is not mathopt.TerminationReason.OPTIMAL:
        return None
    batch = model.batch
    dual, primal = result.dual_values(), result.variable_values()
    duals = np.array([dual[row] for row in core.linear_constraints()])
    values = np.array([primal[variable] for variable in core.variables()])
    count, couplings = len(batch.keys), len(batch.coupling.limit)
    replicas = segments.base.astype(np.float64)
    np.add.at(replicas, (segments.row, segments.column), values[: len(segments.row)])
    down = np.maximum(0.0, -duals[count:])
    capacity = down[:couplings] * model.unit / np.maximum(1, batch.coupling.limit)
    pins = down[couplings:] * model.unit / _pin_sizes(model)
    shared = len(duals) - count
    over = values[len(segments.row) : len(segments.row) + shared]
    under = values[len(segments.row) + shared :]
    floors = np.concatenate([centre.capacity - region.capacity, centre.pins - region.pins])
    inside = not bool(np.any(over > TINY)) and not bool(np.any((under > TINY) & (floors > 0)))
    value = result.objective_value() * model.unit + model.steps(segments.base)
    return Solved(Prices(capacity, pins), duals[:count] * model.unit, replicas, value, inside, _basis(result))


def _start(core: Any, basis: Basis) -> Any:
    """Return where the simplex method starts: as it ended in the last core, as far as that is still there."""
    lower, basic = mathopt.BasisStatus.AT_LOWER_BOUND, mathopt.BasisStatus.BASIC
    variables = {each: basis.pieces.get(each.id, lower) for each in core.variables()}
    rows = {each: basis.rows[each.id] for each in core.linear_constraints()}
    # Rows take the place of basic pieces that are gone: as many are basic as there are rows.
    missing = len(rows) - sum(status is basic for status in (*variables.values(), *rows.values()))
    free = [row for row, status in rows.items() if status is not basic]
    return mathopt.Basis(variables, rows | dict.fromkeys(free[: max(0, missing)], basic))


def _basis(result: Any) -> Basis | None:
    """Return where the simplex method ended; None where it does not say."""
    basis = result.solutions[0].basis
    if basis is None:
        return None
    lower = mathopt.BasisStatus.AT_LOWER_BOUND
    return Basis(
        {each.id: status for each, status in basis.variable_status.items() if status is not lower},
        {each.id: status for each, status in basis.constraint_status.items()},
    )


def _sizes(model: Model) -> Floats:
    """Return by what the rows of capacity and pins are divided."""
    return np.concatenate([np.maximum(1, model.batch.coupling.limit).astype(np.float64), _pin_sizes(model)])


def _pin_sizes(model: Model) -> Floats:
    """Return by what the row of a pin is divided."""
    return np.maximum(1.0, np.abs(np.array(model.pins, dtype=np.float64)))


def _program(model: Model, segments: Segments, centre: Prices, region: Region) -> model_pb2.ModelProto:
    """Return the core as a linear program.

    Rows: the totals, then what is shared as parts of the limits, then the pins likewise. Columns: the
    pieces, then by how much limits and pins are passed, then what is left of them. What passing costs and
    leaving earns keeps the prices of the rows inside the region.
    """
    batch, coupling = model.batch, model.batch.coupling
    count, shared = len(segments.row), len(coupling.limit) + len(model.pins)
    width = count + 2 * shared
    program = model_pb2.ModelProto()
    after = model.batch.lower.size * model.curve.pieces * CUTS
    numbers = [*segments.key.tolist(), *range(after, after + 2 * shared)]
    program.variables.ids.extend(numbers)
    program.variables.lower_bounds.extend([0.0] * width)
    free = [float("inf")] * (2 * shared)
    program.variables.upper_bounds.extend([*segments.units.astype(float).tolist(), *free])
    program.variables.integers.extend([False] * width)
    sizes = _sizes(model)
    middle = np.concatenate([centre.capacity, centre.pins]) * sizes / model.unit
    away = np.concatenate([region.capacity, region.pins]) * sizes / model.unit
    costs = [segments.slope, middle + away, -np.maximum(0.0, middle - away)]
    program.objective.linear_coefficients.ids.extend(numbers)
    program.objective.linear_coefficients.values.extend(np.concatenate(costs).tolist())
    left = (batch.totals - segments.base.sum(axis=1)).astype(float)
    room = (coupling.limit - batch.usage(segments.base)).astype(float)
    unpinned = [float(pin - model.steps(segments.base, number)) for number, pin in enumerate(model.pins, 1)]
    sides = [*left.tolist(), *(np.concatenate([room, np.array(unpinned)]) / sizes).tolist()]
    program.linear_constraints.ids.extend(range(len(sides)))
    program.linear_constraints.lower_bounds.extend(sides)
    program.linear_constraints.upper_bounds.extend(sides)
    row, column, value = _entries(model, segments, sizes)
    order = np.lexsort((column, row))
    program.linear_constraint_matrix.row_ids.extend(row[order].tolist())
    program.linear_constraint_matrix.column_ids.extend(
        np.array(numbers, dtype=np.int64)[column[order]].tolist()
    )
    program.linear_constraint_matrix.coefficients.extend(value[order].tolist())
    return program


def _entries(model: Model, segments: Segments, sizes: Floats) -> tuple[Whole, Whole, Floats]:
    """Return the coefficients of the program by row and column."""
    batch, coupling = model.batch, model.batch.coupling
    count, first = len(segments.row), len(batch.keys)
    rows, columns, values = [segments.row], [np.arange(count)], [np.ones(count)]
    number_of = np.full((len(batch.clusters), batch.needs.shape[1]), -1, dtype=np.int64)
    number_of[coupling.column, coupling.resource] = np.arange(len(coupling.limit))
    for resource in range(batch.needs.shape[1]):
        number = number_of[segments.column, resource]
        need = batch.needs[segments.row, resource]
        at = np.flatnonzero((number >= 0) & (need > 0))
        rows.append(first + number[at])
        columns.append(at)
        values.append(need[at] / sizes[number[at]])
    for pin in range(len(model.pins)):
        at = np.flatnonzero(segments.pinned[:, pin])
        rows.append(np.full(len(at), first + len(coupling.limit) + pin))
        columns.append(at)
        values.append(segments.pinned[at, pin] / sizes[len(coupling.limit) + pin])
    slack = np.arange(len(sizes))
    for sign, place in ((-1.0, count), (1.0, count + len(sizes))):
        rows.append(first + slack)
        columns.append(place + slack)
        values.append(np.full(len(slack), sign))
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
