"""Blends: where very many rows ask for the same few things, whole groups of them are divided in shares.

Rows of the same requests see the same prices, and at the best prices they stand undecided between clusters,
thousands together. Steps that follow one division at a time swing around such prices. So the divisions of
some turns are kept, and a small linear program says which share of every group follows which of them (G. B.
Dantzig and P. Wolfe, 1960); its dual are better prices, and the shares a placement close to what is allowed.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.batch.arrays import Floats, Whole
from fairlead.solver.batch.dual.linear_program import LinearProgram, optimum
from fairlead.solver.batch.dual.relaxation import Relaxed, relax
from fairlead.solver.batch.dual.restricted_master import (
    Region,
    costs_of_region,
    prices_of,
    region_of,
    sizes_of,
)
from fairlead.solver.batch.model import Model, Prices, in_chunks
from fairlead.solver.batch.tuning import (
    COLUMNS_CLOSE,
    COLUMNS_LONGER,
    COLUMNS_PRECISION,
    COLUMNS_SHORTER,
    COLUMNS_TINY,
    COLUMNS_WORTHWHILE,
    EDGE,
    LEAST_STRIDE,
    MOST_DIVISIONS,
    MOST_GROUPS,
    MOST_STRIDE,
)
from fairlead.solver.deadline import Deadline


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """What one turn gave.

    Parameters
    ----------
    replicas
        By row and column.
    cost
        In units of the level, by group.
    shared
        What is asked for and what it costs on pinned levels, as parts of the limits, by group and limit.
    """

    replicas: NDArray[np.int32]
    cost: Floats
    shared: Floats


@dataclass(slots=True, eq=False)
class Blend:
    """Divisions of a batch, and the best prices so far.

    Parameters
    ----------
    model
        What is minimised.
    group
        Group by row.
    prices, rows, value
        The best prices, those of the rows' totals, and the bound there in steps, as a float.
    divisions
        What was found so far.
    shares
        Share of every group that follows each division, by group and division; None before the first program.
    strides, heading
        By coupling row: how much farther than others the price may go, and where it went in the last turn.
    """

    model: Model
    group: Whole
    prices: Prices
    rows: Floats | None
    value: float
    divisions: list[Division] = field(default_factory=list)
    shares: Floats | None = None
    strides: Floats = field(default_factory=lambda: np.ones(1))
    heading: Floats = field(default_factory=lambda: np.zeros(1))

    @classmethod
    def start(cls, model: Model, prices: Prices) -> "Blend":
        """Start at prices."""
        blend = cls(model, groups_of(model), prices, None, -np.inf)
        blend.take(prices)
        return blend

    def take(self, prices: Prices) -> float:
        """Divide all rows at prices and keep the division; return by how much the bound rose."""
        found = relax(self.model, prices, self.rows, COLUMNS_PRECISION)
        self.divisions.append(self._division(found))
        gained = found.value - self.value
        if gained > 0:
            self.prices, self.rows, self.value = prices, found.rows, found.value
        return gained

    def _division(self, found: Relaxed) -> Division:
        """Add up a division by group."""
        model, batch = self.model, self.model.batch
        groups = int(self.group.max(initial=0)) + 1

        def added(rows: slice) -> Floats:
            replicas = found.replicas[rows]
            member = np.zeros((groups, replicas.shape[0]))
            member[self.group[rows], np.arange(replicas.shape[0])] = 1.0
            wide = replicas.astype(np.float64)
            used = [(member * need) @ wide for need in batch.needs[rows].T]
            cells = np.stack(used)[batch.coupling.resource, :, batch.coupling.column].T
            curve = [member @ cost for cost in _costs(model, rows, replicas)]
            pinned = np.array(curve[1:]).reshape(-1, groups).T
            return np.concatenate([cells, pinned, curve[0][:, None]], axis=1)

        total = np.sum(in_chunks(model, added), axis=0)
        return Division(
            found.replicas.astype(np.int32), total[:, -1] / model.unit, total[:, :-1] / sizes_of(model)
        )

    def turn(self, radius: float, deadline: Deadline, *, firm: bool = False) -> tuple[Prices, float] | None:
        """Solve the program of shares; return its prices and what bound it promises, None if out of time.

        Firmly all prices may go as far as the radius says, so that missing a limit is as dear everywhere.
        """
        region = region_of(self.model, radius * self.model.unit, self.prices)
        if not firm:
            region = replace(region, capacity=region.capacity * self.strides)
        found = optimum(self._program(region), deadline)
        if found is None:
            return None
        groups, many = len(self.divisions[0].cost), len(self.divisions)
        self.shares = found.primal[: groups * many].reshape(many, groups).T
        return prices_of(self.model, found.dual[groups:]), found.cost * self.model.unit

    def adapt(self, towards: Prices, radius: float) -> None:
        """Let prices go farther that stand at the edge of the region and head where they went before."""
        away = region_of(self.model, radius * self.model.unit, self.prices).capacity * self.strides
        moved = towards.capacity - self.prices.capacity
        heading = np.sign(moved) * (np.abs(moved) >= EDGE * away)
        steady, turned = heading * self.heading > 0, np.sign(moved) * self.heading < 0
        changed = self.strides * np.where(steady, COLUMNS_LONGER, np.where(turned, COLUMNS_SHORTER, 1.0))
        self.strides, self.heading = np.clip(changed, LEAST_STRIDE, MOST_STRIDE), heading

    def _program(self, region: Region) -> LinearProgram:
        """Return the program: shares of every group by division, and by how much limits are missed."""
        sizes = sizes_of(self.model)
        groups, many, shared = len(self.divisions[0].cost), len(self.divisions), len(sizes)
        costs = [
            *(each.cost for each in self.divisions),
            *costs_of_region(self.model, self.prices, region),
        ]
        width = groups * many + 2 * shared
        limits = np.concatenate(
            [self.model.batch.coupling.limit, np.array(self.model.pins, dtype=np.float64)]
        )
        matrix = np.zeros((groups + shared, width))
        for number, division in enumerate(self.divisions):
            columns = slice(number * groups, (number + 1) * groups)
            matrix[np.arange(groups), np.arange(number * groups, (number + 1) * groups)] = 1.0
            matrix[groups:, columns] = division.shared.T
        slack = np.arange(shared)
        matrix[groups + slack, groups * many + slack] = -1.0
        matrix[groups + slack, groups * many + shared + slack] = 1.0
        row, column = np.nonzero(matrix)
        return LinearProgram(
            np.arange(width),
            np.full(width, np.inf),
            np.concatenate(costs),
            np.concatenate([np.ones(groups), limits / sizes]),
            (row, column, matrix[row, column]),
        )

    def placement(self) -> Whole:
        """Return a placement in which every group follows the divisions by its shares, row by row."""
        if self.shares is None:
            return self.divisions[0].replicas.astype(np.int64)
        chosen = np.zeros(len(self.group), dtype=np.int64)
        for group, shares in enumerate(self.shares):
            rows = np.flatnonzero(self.group == group)
            ends = np.cumsum(np.where(shares > COLUMNS_TINY, shares, 0.0))
            # Multiples of the golden section are spread evenly, whatever stretch of rows is looked at.
            at = (np.arange(len(rows)) + 0.5) * ((5**0.5 - 1) / 2) % 1.0 * ends[-1]
            chosen[rows] = np.searchsorted(ends, at, side="right")
        replicas = np.empty_like(self.model.batch.lower)
        for number, division in enumerate(self.divisions):
            rows = np.flatnonzero(chosen == number)
            replicas[rows] = division.replicas[rows]
        return replicas

    def forget(self, most: int) -> None:
        """Keep the divisions that the shares use, and the latest, so many in all."""
        if self.shares is None or len(self.divisions) <= most:
            return
        used = self.shares.sum(axis=0)
        used[-1] = np.inf
        kept = np.sort(np.argsort(-used, kind="stable")[:most])
        self.divisions = [self.divisions[number] for number in kept.tolist()]
        self.shares = None


def _costs(model: Model, rows: slice, replicas: Whole) -> list[Floats]:
    """Return what some rows cost, by level and row."""
    found = []
    for base, parts in model.curve.of_rows(rows).costs(replicas):
        total = base.astype(np.float64)
        for part in parts:
            total += part.sum(axis=1)
        found.append(total)
    return found


def groups_of(model: Model) -> Whole:
    """Return the group of every row: rows that ask for the same."""
    kinds, group = np.unique(model.batch.needs, axis=0, return_inverse=True)
    group = group.ravel().astype(np.int64)
    return group * MOST_GROUPS // len(kinds) if len(kinds) > MOST_GROUPS else group


def run(blend: Blend, turns: int, radius: float, deadline: Deadline) -> float:
    """Raise the bound turn by turn.

    Parameters
    ----------
    blend
        Divisions so far; more are added.
    turns
        How often all rows are divided at most.
    radius
        How far prices go in the first turn, in units of the level for a replica.
    deadline
        When to stop before that.

    Returns
    -------
    float
        How far prices would go in the next turn.
    """
    for _ in range(turns):
        found = None if deadline.remaining() <= 0 else blend.turn(radius, deadline)
        if found is None:
            break
        promised = found[1] - blend.value
        if promised <= COLUMNS_CLOSE * abs(blend.value):
            break
        blend.adapt(found[0], radius)
        gained = blend.take(found[0])
        blend.forget(MOST_DIVISIONS)
        radius *= 0.5 if gained < COLUMNS_WORTHWHILE * promised else 1.3
    return radius
