"""Prices by an interior point method: those of the whole linear program, for all rows at once.

What every row holds adds up to its total, and rows have nothing in common but what is shared. So the
equations of a step shrink to one for everything that is shared, which is little, and all else is arithmetic
on arrays (S. Mehrotra, 1992, for the steps). Costs that grow are taken as the quadratic functions that they
are at first, then once more in single units where the first optimum lies: there the best prices of whole
replicas differ from those of fractions. What is claimed is evaluated elsewhere, in whole numbers.
"""

from dataclasses import dataclass

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats
from fairlead.solver.batch.dual.continuous_program import ContinuousProgram
from fairlead.solver.batch.model import LevelModel, Prices
from fairlead.solver.running.deadline import Deadline


def inner_prices(model: LevelModel, deadline: Deadline) -> tuple[Prices | None, bool]:
    """Return prices at which the bound is high, and whether it is about as high as it can be.

    None where no prices are found in time.
    """
    program = ContinuousProgram.of(model, None)
    found, precise = _solved(program, deadline)
    if found is None:
        return None, False
    if model.curve.grows:
        # So far only fractions were looked at.
        finer, precise = _solved(ContinuousProgram.of(model, program.replicas(found.units)), deadline)
        found = finer or found
    return program.prices(model, found.prices), precise


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """Point of the method, or a step from it; all but rows stay above 0."""

    units: Floats
    """Replicas of every piece."""
    left: Floats
    """Part of each shared limit that is left."""
    prices: Floats
    """Price of each shared limit."""
    low: Floats
    high: Floats
    """Prices of having none of a piece, and of having all of it."""
    rows: Floats
    """Prices of the rows' totals."""

    @classmethod
    def first(cls, program: ContinuousProgram) -> "_Point":
        """Return a point that is far from all limits."""
        free = program.by_row(program.most)
        units = program.most * (program.totals / np.maximum(free, 1.0))[program.row]
        costs = program.costs(units)
        left = np.maximum(program.room - program.used(units, costs[1:]), tuning.INNER_LEFT)
        each = program.marginal(units)[0]
        pieces = np.bincount(program.row, minlength=len(free))
        rows = program.by_row(each) / np.maximum(1, pieces)
        typical = max(float(np.abs(program.slopes[0]).mean()), tuning.INNER_LEAST)
        whole = tuning.INNER_FIRST_PRICE * typical * float(program.totals.sum()) / program.base.shape[1]
        away = each - rows[program.row]
        low, high = np.maximum(away, 0.0) + typical, np.maximum(-away, 0.0) + typical
        return cls(units, left, np.full(len(left), whole), low, high, rows)

    def after(self, way: "_Point", primal: float, dual: float) -> "_Point":
        """Return the point after a step."""
        return _Point(
            self.units + primal * way.units,
            self.left + primal * way.left,
            self.prices + dual * way.prices,
            self.low + dual * way.low,
            self.high + dual * way.high,
            self.rows + dual * way.rows,
        )

    def gap(self, program: ContinuousProgram) -> float:
        """Return about how far the point is above its bound."""
        return float(
            self.low @ self.units + self.high @ (program.most - self.units) + self.prices @ self.left
        )

    def steps(self, way: "_Point", program: ContinuousProgram) -> tuple[float, float]:
        """Return how far a way can be gone until replicas, and until prices, are at a limit."""
        primal = min(
            _step(self.units, way.units),
            _step(program.most - self.units, -way.units),
            _step(self.left, way.left),
        )
        dual = min(_step(self.low, way.low), _step(self.high, way.high), _step(self.prices, way.prices))
        if program.growth.any():
            # What replicas cost depends on how many there are: they and prices have to go together.
            primal = dual = min(primal, dual)
        return primal, dual


def _step(at: Floats, way: Floats) -> float:
    """Return how far a way can be gone, at most all of it, until something reaches 0."""
    return 1.0 / max(1.0, float(np.max(-way / at, initial=0.0)))


def _solved(program: ContinuousProgram, deadline: Deadline) -> tuple[_Point | None, bool]:
    """Return a point near the optimum, and whether it is very near; None where no such point was reached."""
    if not len(program.row) or not len(program.room):
        return None, False
    at = _Point.first(program)
    with np.errstate(all="ignore"):
        for _ in range(tuning.INNER_TURNS):
            if _open(program, at) <= tuning.INNER_CLOSE or deadline.remaining() <= 0:
                break
            try:
                there = _after(program, at)
            except np.linalg.LinAlgError:
                break
            if not np.isfinite(there.gap(program)):
                break
            at = there
        left = _open(program, at)
    return at if left <= tuning.INNER_NEAR else None, left <= tuning.INNER_PRECISE


def _open(program: ContinuousProgram, at: _Point) -> float:
    """Return how far a point is from what is asked for: above its bound, in rows, and in what is shared."""
    costs = program.costs(at.units)
    above = at.gap(program) / max(1.0, abs(float(costs[0] @ at.units)))
    missing = np.abs(program.totals - program.by_row(at.units)).sum() / max(1.0, float(program.totals.sum()))
    over = np.abs(program.used(at.units, costs[1:]) + at.left - program.room).max(initial=0.0)
    return float(max(above, missing, over))


def _after(program: ContinuousProgram, at: _Point) -> _Point:
    """Return the point after one step: first it is seen how far the gap could fall, then how to go there."""
    gap, middle = at.gap(program), program.most - at.units
    equations = _Equations.of(program, at)
    straight = equations.way(-at.low * at.units, -at.high * middle, -at.prices * at.left)
    reached = at.after(straight, *at.steps(straight, program)).gap(program)
    goal = max(0.0, reached / gap) ** 3 * gap / (2 * len(at.units) + len(at.left))
    way = equations.way(
        goal - at.low * at.units - straight.low * straight.units,
        goal - at.high * middle + straight.high * straight.units,
        goal - at.prices * at.left - straight.prices * straight.left,
    )
    primal, dual = (tuning.INNER_STEP * each for each in at.steps(way, program))
    return at.after(way, primal, dual)


@dataclass(frozen=True, slots=True, eq=False)
class _Equations:
    """The equations of a step, all unknowns but the prices of shared limits eliminated."""

    program: ContinuousProgram
    at: _Point
    pinned: Floats
    """Cost of one replica more of every piece, by pinned level and piece."""
    excess: Floats
    """Cost of one replica more of every piece beyond its prices."""
    missing: Floats
    """Replicas that are missing, by row."""
    over: Floats
    """Amount used and left beyond each shared limit."""
    give: Floats
    """Replicas more of a piece for each unit that it costs less."""
    part: Floats
    """Reciprocal of the sum of `give` over a row's pieces; 0 where that is 0."""
    shared: Floats
    """Use of each shared limit by what rows give, by row."""
    inverse: Floats
    """The inverse of the matrix of these equations."""

    @classmethod
    def of(cls, program: ContinuousProgram, at: _Point) -> "_Equations":
        """Look at a point; raises `LinAlgError` where the equations cannot be told apart."""
        count, needs = len(program.columns), program.needs
        marginal, high = program.marginal(at.units), program.most - at.units
        pinned = marginal[1:]
        weights = np.concatenate([[1.0], at.prices[count:]])
        give = 1.0 / (weights @ program.growth + at.low / at.units + at.high / high)
        row_give = program.by_row(give)
        part = np.where(row_give > 0, 1.0 / np.where(row_give > 0, row_give, 1.0), 0.0)
        place = program.by_place(give)
        on_pins = [program.by_row(give * each) for each in pinned]
        shared = np.column_stack([place[:, program.columns] * needs, *on_pins])
        matrix = -(shared * part[:, None]).T @ shared
        for column in np.unique(program.columns):
            at_column = np.flatnonzero(program.columns == column)
            inside = needs[:, at_column]
            matrix[np.ix_(at_column, at_column)] += inside.T @ (inside * place[:, column, None])
        for number, each in enumerate(pinned, count):
            across = program.used(give * each, pinned)
            matrix[number] += across
            matrix[:count, number] += across[:count]
        matrix[np.diag_indices_from(matrix)] += at.left / at.prices
        excess = marginal[0] + program.priced(at.prices, pinned) - at.rows[program.row] - at.low + at.high
        over = program.used(at.units, program.costs(at.units)[1:]) + at.left - program.room
        missing = program.totals - program.by_row(at.units)
        inverse: Floats = np.linalg.inv(matrix).astype(np.float64, copy=False)
        return cls(program, at, pinned, excess, missing, over, give, part, shared, inverse)

    def way(self, low: Floats, high: Floats, left: Floats) -> _Point:
        """Return the way to where prices times what they are the price of have changed by so much."""
        program, at, middle = self.program, self.at, self.program.most - self.at.units
        asked = self.give * (self.excess - low / at.units + high / middle)
        rows = (self.missing + program.by_row(asked)) * self.part
        sides = self.shared.T @ rows - program.used(asked, self.pinned) + left / at.prices + self.over
        prices = self.inverse @ sides
        rows = rows + (self.shared @ prices) * self.part
        dearer = program.priced(prices, self.pinned) - rows[program.row]
        units = -asked - self.give * dearer
        return _Point(
            units,
            (left - at.left * prices) / at.prices,
            prices,
            (low - at.low * units) / at.units,
            (high + at.high * units) / middle,
            rows,
        )
