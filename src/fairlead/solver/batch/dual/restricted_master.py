"""The core (restricted master): a linear program over the few pieces with a cost near the price of their row.

All other pieces are taken or left as the prices say, and so are those of rows that have no choice. Of very
many rows a part is looked at: it tells how all of them react to prices, while what all of them leave or
exceed there is known in full. The dual of the core gives better prices, see
`fairlead.solver.batch.dual.sifting`.
"""

import math
from dataclasses import dataclass

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole
from fairlead.solver.batch.dual.linear_program import Basis, LinearProgram, optimum
from fairlead.solver.batch.dual.relaxation import LagrangianOptimum, PricedRows
from fairlead.solver.batch.model import LevelModel, Prices, chunks, place_prices, rows_of
from fairlead.solver.running.deadline import Deadline


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Pieces near the price of their row."""

    row: Whole
    column: Whole
    """Row and column of every piece."""
    units: Whole
    """Number of units of every piece."""
    slope: Floats
    """Cost of each unit of a piece, in units of the level."""
    pinned: Floats
    """Cost of each unit, by piece and pinned level, in steps of that level."""
    key: Whole
    """Numbers by which pieces are known again in the next core, rising."""
    base: Whole
    """Replicas by place when no piece of the core is taken."""

    def of_rows(self, rows: Whole) -> "Segments":
        """Return the pieces of some rows."""
        at = np.flatnonzero(np.isin(self.row, rows))
        where = (self.row[at], self.column[at], self.units[at], self.slope[at])
        return Segments(*where, self.pinned[at], self.key[at], self.base)


@dataclass(frozen=True, slots=True, eq=False)
class RestrictedMaster:
    """Rows that have a choice among pieces near their prices; all others stay as the prices divide them."""

    segments: Segments
    rows: Whole
    """The pieces, and their rows, rising."""
    part: float
    """Part of all rows with a choice that these are; at most 1."""


@dataclass(frozen=True, slots=True, eq=False)
class MasterOptimum:
    """An optimum of the core: prices are its dual.

    Replicas are its primal, by place and not whole; None where its rows stand for others as well. Promised is
    by how much the bound rises, in steps; inside tells whether no price stands at the edge of its region.
    """

    prices: Prices
    rows: Floats
    replicas: Floats | None
    promised: float
    inside: bool
    basis: Basis | None


def region_of(model: LevelModel, reach: float, centre: Prices) -> Prices:
    """Return how far prices may go in one turn: no replica's price by much more than the reach.

    The price of a pin says how many units of the level one unit of the pinned one is worth.
    """
    needs, coupling = model.batch.needs.astype(np.float64), model.batch.coupling
    asked = needs * model.batch.totals[:, None]
    typical = asked.sum(axis=0) / np.maximum(1, (model.batch.totals[:, None] * (needs > 0)).sum(axis=0))
    capacity = reach / np.maximum(1.0, typical)[coupling.resource]
    pins = reach / np.array(model.pin_units, dtype=np.float64)
    # Beside a pin prices can be of any size: they change by a part of themselves as well.
    part = min(tuning.MOST_OF_PRICE, tuning.PART_OF_PRICE * reach / model.unit) if model.pins else 0.0
    return Prices(capacity + part * centre.capacity, pins + part * centre.pins)


def segments_of(model: LevelModel, prices: Prices, rows: Floats, reach: float | Floats | Prices) -> Segments:
    """Return the pieces whose cost with prices is within reach of the price of their row; or of each row.

    With a region as reach: as near as its prices may come, which is farther for what is dear.
    """
    found = [
        _windows(model, prices, each, rows[each], _reach_of(model, reach, each)) for each in chunks(len(rows))
    ]
    row, column, units, slope, pinned, key, base = (np.concatenate(each) for each in zip(*found, strict=True))
    at = np.argsort(key, kind="stable")
    slope = slope[at] / model.unit
    return Segments(row[at], column[at], units[at], slope, pinned[at], key[at], base)


def _windows(
    model: LevelModel, prices: Prices, rows: slice, row_prices: Floats, reach: float | Floats
) -> tuple[Whole, Whole, Whole, Floats, Floats, Whole, Whole]:
    """Return the segments of some rows within reach of their prices, each of one slope.

    Returns
    -------
    tuple
        By segment: row, column, units, slope in steps without prices, slope on every pinned level, and a
        number by which it is known again. Then, by row and column, the replicas when all cheaper units are
        taken.
    """
    part = PricedRows.of(model, prices, rows)
    low, high = part.upto(row_prices[:, None] - reach), part.upto(row_prices[:, None] + reach)
    # A piece whose units all cost the same stays whole.
    grown = np.any([growth > 0 for growth in part.curve.growth if growth is not None], axis=0)
    cuts = np.where(grown, tuning.CUTS, 1)
    found: list[tuple[Whole, Whole, Whole, Floats, Floats, Whole]] = []
    for number in range(len(part.dear)):
        start, end = (
            np.maximum(part.curve.starts[number], low),
            np.minimum(part.curve.starts[number + 1], high),
        )
        width = np.maximum(end - start, 0)
        for cut in range(1 if part.growth is None else tuning.CUTS):
            first = start + width * np.minimum(cut, cuts) // cuts
            last = start + width * np.minimum(cut + 1, cuts) // cuts
            row, column = np.nonzero((last > first) & (width > 0))
            at = (row, column)
            # The mean cost of the units of a segment; one unit costs just what it costs.
            middle = (first[at] + last[at] - 1) / 2.0 - part.curve.starts[number][at]
            slopes = [
                slope[number][at] + (0.0 if growth is None else growth[at] * middle)
                for slope, growth in zip(part.curve.slopes, part.curve.growth, strict=True)
            ]
            pinned = np.array(slopes[1:], dtype=np.float64).reshape(len(slopes) - 1, len(row)).T
            piece = ((row + rows.start) * low.shape[1] + column) * len(part.dear) + number
            key = piece * tuning.CUTS + cut
            found.append(
                (row + rows.start, column, last[at] - first[at], slopes[0].astype(np.float64), pinned, key)
            )
    merged = [np.concatenate(each) for each in zip(*found, strict=True)]
    return merged[0], merged[1], merged[2], merged[3], merged[4], merged[5], low


def _reach_of(model: LevelModel, reach: float | Floats | Prices, rows: slice) -> Floats | float:
    """Return how near pieces of some rows have to be, by place where prices may go different ways."""
    if not isinstance(reach, Prices):
        return reach[rows] if isinstance(reach, np.ndarray) else reach
    changes = place_prices(model, reach, rows)
    for change, unit, level in zip(reach.pins, model.pin_units, model.curve.slopes[1:], strict=True):
        counts = np.any([np.any(slope[rows] != 0, axis=1) for slope in level], axis=0)
        changes += (change * unit * counts)[:, None]
    # The price of the row's total moves as well, about as far as those of its places do on average.
    moved: Floats = changes + changes.mean(axis=1, keepdims=True)
    return moved


def core_of(
    model: LevelModel, prices: Prices, rows: Floats, reach: float | Prices, most: float
) -> RestrictedMaster:
    """Return the rows with a choice among pieces within reach; every so manieth where these are too many."""
    segments = segments_of(model, prices, rows, reach)
    pieces = np.bincount(segments.row, minlength=len(rows))
    # A row with a single piece takes what its total leaves of it, whatever the prices in this reach.
    choosing = np.flatnonzero(pieces > 1)
    stride = max(1, math.ceil(int(pieces[choosing].sum()) / most))
    drawn = choosing[min(len(choosing) - 1, stride // 2) :: stride] if stride > 1 else choosing
    return RestrictedMaster(
        segments.of_rows(drawn), drawn, len(drawn) / len(choosing) if len(choosing) else 1.0
    )


def solve_master(
    model: LevelModel,
    core: RestrictedMaster,
    centre: Prices,
    stands: LagrangianOptimum,
    region: Prices,
    deadline: Deadline,
    basis: Basis | None = None,
) -> MasterOptimum | None:
    """Solve the linear program of the core, with prices kept in a region; None where that takes too long.

    The region is around the centre, and stands tells how all rows are divided there.
    """
    batch, at, count = model.batch, core.rows, len(core.rows)
    some, inside = rows_of(model, at), stands.replicas[at]
    base = core.segments.base[at]
    # What all rows leave there, below 0 where they ask for too much: these rows answer for their part of it.
    left = np.concatenate([batch.coupling.limit - stands.usage, np.array(model.pins) - stands.pinned])
    used = [*some.batch.usage(inside - base).tolist()]
    used += [some.steps(inside, each) - some.steps(base, each) for each in range(1, 1 + len(model.pins))]
    found = optimum(_program(model, core, core.part * left + used, centre, region), deadline, basis)
    if found is None:
        return None
    pieces = len(core.segments.row)
    over, under = np.split(found.primal[pieces:], 2)
    floors = centre.joined - region.joined
    edge = np.any(over > tuning.MASTER_TINY) or np.any((under > tuning.MASTER_TINY) & (floors > 0))
    rows = stands.rows.copy()
    rows[at] = found.dual[:count] * model.unit
    down = np.maximum(0.0, -found.dual[count:]) * model.unit / _sizes(model)
    prices = Prices(*np.split(down, [len(batch.coupling.limit)]))
    gained = found.cost * model.unit - (some.steps(inside) - some.steps(base))
    promised = gained / core.part + float(centre.joined @ left)
    replicas = None
    if core.part == 1:
        replicas = stands.replicas.astype(np.float64)
        replicas[at] = base
        np.add.at(replicas, (core.segments.row, core.segments.column), found.primal[:pieces])
    return MasterOptimum(prices, rows, replicas, promised, not edge, found.basis)


def _sizes(model: LevelModel) -> Floats:
    """Return by what the rows of capacity and pins are divided."""
    return np.concatenate([np.maximum(1.0, model.batch.coupling.limit), np.array(model.pin_units)])


def _program(
    model: LevelModel, core: RestrictedMaster, room: Floats, centre: Prices, region: Prices
) -> LinearProgram:
    """Return the core as a linear program in which pieces may use so much of what is shared.

    Rows: the totals, then what is shared as parts of the limits, then the pins likewise. Columns: the
    pieces, then by how much limits and pins are passed, then what is left of them. What passing costs and
    leaving earns keeps the prices of the rows inside the region.
    """
    batch, segments = model.batch, core.segments
    sizes = _sizes(model)
    middle, away = (each.joined * sizes / model.unit for each in (centre, region))
    after = batch.lower.size * model.curve.pieces * tuning.CUTS
    left = batch.totals[core.rows] - segments.base[core.rows].sum(axis=1)
    return LinearProgram(
        np.concatenate([segments.key, after + np.arange(2 * len(sizes))]),
        np.concatenate([segments.units, np.full(2 * len(sizes), np.inf)]),
        np.concatenate([segments.slope, middle + away, -np.maximum(0.0, middle - away)]),
        np.concatenate([core.rows, len(batch.keys) + np.arange(len(sizes))]),
        np.concatenate([left, room / sizes]),
        _entries(model, core, sizes),
    )


def _entries(model: LevelModel, core: RestrictedMaster, sizes: Floats) -> tuple[Whole, Whole, Floats]:
    """Return the coefficients of the program by row and column."""
    batch, coupling, segments = model.batch, model.batch.coupling, core.segments
    count, first = len(segments.row), len(core.rows)
    rows, columns, values = [np.searchsorted(core.rows, segments.row)], [np.arange(count)], [np.ones(count)]
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
