"""Better prices by linear programs of the pieces that are near, turn by turn.

The dual of a core gives better prices, at which pieces may come into the next one that were out of it; a few
turns reach the optimum of the whole linear program ("sifting", R. E. Bixby and others, 1992). In every turn
prices stay in a region in which the core says about the truth. What is claimed is evaluated elsewhere, in
whole numbers.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from fairlead.solver.batch.arrays import Floats
from fairlead.solver.batch.dual.linear_program import Basis
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.restricted_master import Region, not_too_many, region_of, solve_master
from fairlead.solver.batch.model import Model, Prices
from fairlead.solver.batch.tuning import (
    ALL_WON,
    ENDLESS,
    EXACT,
    FEW_STEPS,
    FIRST_REGION,
    FIRST_SEGMENTS,
    KEPT,
    LESS,
    MANY_STEPS,
    MORE,
    MOST_SEGMENTS,
    MUCH_LONGER,
    NARROW,
    NARROWER,
    REACH,
    SIFTING_CLOSE,
    SIFTING_LONGER,
    SIFTING_PATIENCE,
    SIFTING_PRECISION,
    SIFTING_SHORTER,
    SIFTING_WORTHWHILE,
    WHOLE_PROGRAM,
    WHOLE_STRAIGHT,
    WIDE,
    WIDER,
)
from fairlead.solver.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Sifting:
    """How much sifting may do.

    Parameters
    ----------
    turns
        How many linear programs are solved at most.
    close
        How little may be left to win, as a part of the bound.
    """

    turns: int = 60
    close: float = SIFTING_CLOSE


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
    sieve = _Sieve.start(model, Sifted(prices, rows, relax(model, prices, rows).value, None), how)
    for _ in range(how.turns):
        if deadline.remaining() <= 0 or not sieve.turn(deadline):
            break
    best = sieve.best
    return replace(best, rows=relax(model, best.prices, best.rows).rows)


@dataclass(slots=True, eq=False)
class _Sieve:
    """Turns of sifting.

    Parameters
    ----------
    model, how
        What is minimised, and how much may be done.
    best
        The best prices so far.
    radius
        How far prices may go, in units of the level.
    widest
        How near the pieces of the core are, in units of the level, where nothing else says it.
    allowed
        How many pieces a core may have now.
    whole
        Whether all pieces are in the core.
    ratio
        How near the pieces of the core are, as a multiple of how far prices may go, where that decides.
    values
        The bound after every turn.
    basis
        Where the last program ended.
    """

    model: Model
    how: Sifting
    best: Sifted
    radius: float
    widest: float
    allowed: int
    whole: bool
    ratio: float = WIDE
    values: list[float] = field(default_factory=list)
    basis: Basis | None = None

    @classmethod
    def start(cls, model: Model, best: Sifted, how: Sifting) -> "_Sieve":
        """Start at prices."""
        pieces = model.batch.lower.size * model.curve.pieces
        few = WHOLE_STRAIGHT if model.curve.pieces == 1 else WHOLE_PROGRAM
        if not model.curve.grows and pieces <= few:
            return cls(model, how, best, FIRST_REGION, np.inf, pieces, whole=True)
        return cls(model, how, best, REACH / 2, REACH, FIRST_SEGMENTS, whole=False)

    def turn(self, deadline: Deadline) -> bool:
        """Solve a core and go where it says, if that is better; tell whether there is more to win."""
        model, best = self.model, self.best
        if best.value > ENDLESS * model.unit:
            return False
        segments, part = not_too_many(model, best.prices, best.rows, self._reach(), self.allowed)
        self.widest, self.radius = self.widest * part, self.radius * part
        solved = solve_master(model, segments, best.prices, self._region(), deadline, self.basis)
        if solved is None:
            return False
        self.basis = solved.basis
        self._allow(solved.iterations)
        found = relax(model, solved.prices, solved.rows, SIFTING_PRECISION)
        promised, gained = solved.value - best.value, found.value - best.value
        if gained >= 0:
            self.best = Sifted(solved.prices, found.rows, found.value, solved.replicas)
        close = self.how.close * abs(self.best.value)
        self.values.append(self.best.value)
        if (
            len(self.values) > SIFTING_PATIENCE
            and self.best.value - self.values[-SIFTING_PATIENCE - 1] <= close
        ):
            return False
        # What the program of the core still promises tells whether there is anything left to win.
        if promised - max(gained, 0.0) <= close:
            if solved.inside:
                self.best = replace(self.best, replicas=solved.replicas)
                return False
            self._widen(ALL_WON)
        elif gained < SIFTING_WORTHWHILE * promised:
            self.radius *= SIFTING_SHORTER
        else:
            self._widen(MUCH_LONGER if gained > KEPT * promised else SIFTING_LONGER)
        self._narrow(gained / promised if promised > 0 else 1.0)
        return True

    def _region(self) -> Region:
        """Return how far prices may go."""
        return region_of(self.model, self.radius * self.model.unit, self.best.prices)

    def _reach(self) -> float | Region:
        """Return how near the pieces of the core are."""
        if self.whole:
            return np.inf
        if self.model.pins:
            return self._region() * (self.ratio / WIDE)
        # Where costs grow from unit to unit, fewer of them are looked at the closer the end is.
        return self.model.unit * (self.ratio * self.radius if self.model.curve.grows else self.widest)

    def _widen(self, factor: float) -> None:
        """Let prices go farther."""
        self.radius, self.widest = self.radius * factor, min(REACH, self.widest * factor)

    def _narrow(self, kept: float) -> None:
        """Look at pieces less far away where all that was promised was won, and farther where it was not."""
        if kept > EXACT:
            self.ratio = max(NARROW, self.ratio * NARROWER)
        elif kept < KEPT:
            self.ratio = min(WIDE, self.ratio * WIDER)

    def _allow(self, steps: int) -> None:
        """Allow more pieces where the last program was quick, and less where it was not: steps, not seconds.

        A program of many pieces may take far longer than a few short turns.
        """
        # Beside pins what is near lies in a narrow band, and many pieces do not help to find it.
        more = 1.0 if self.model.pins else MORE
        factor = more if steps < FEW_STEPS else LESS if steps > MANY_STEPS else 1.0
        self.allowed = min(MOST_SEGMENTS, max(FIRST_SEGMENTS, int(factor * self.allowed)))
