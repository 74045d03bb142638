"""Better prices by linear programs of the pieces that are near, turn by turn.

The dual of a core gives better prices, at which pieces may come into the next one that were out of it; a few
turns reach the optimum of the whole linear program ("sifting", R. E. Bixby and others, 1992). In every turn
prices stay in a region in which the core says about the truth. What is claimed is evaluated elsewhere, in
whole numbers.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats
from fairlead.solver.batch.dual.linear_program import Basis
from fairlead.solver.batch.dual.relaxation import Evaluated, relax
from fairlead.solver.batch.dual.restricted_master import not_too_many, region_of, solve_master
from fairlead.solver.batch.model import Model, Prices
from fairlead.solver.running.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Sifting:
    """Most linear programs, and how little may be left to win in the end, as a part of the bound."""

    turns: int = 60
    close: float = tuning.SIFTING_CLOSE


def sift(
    model: Model, prices: Prices, rows: Floats, deadline: Deadline, how: Sifting | None = None
) -> Evaluated:
    """Raise the bound from prices to that of the whole linear program, as far as the turns go."""
    how = how or Sifting()
    sieve = _Sieve.start(model, Evaluated(prices, rows, relax(model, prices, rows).value), how)
    for _ in range(how.turns):
        if deadline.remaining() <= 0 or not sieve.turn(deadline):
            break
    best = sieve.best
    return replace(best, rows=relax(model, best.prices, best.rows).rows)


@dataclass(slots=True, eq=False)
class _Sieve:
    """Turns of sifting."""

    model: Model
    how: Sifting
    best: Evaluated
    radius: float
    """How far prices may go, in units of the level."""
    widest: float
    """How near the pieces of the core are, in units of the level, where nothing else says it."""
    allowed: int
    whole: bool
    """How many pieces a core may have now, and whether that is all."""
    ratio: float = tuning.WIDE
    """How near the pieces of the core are, as a multiple of how far prices may go, where that decides."""
    values: list[float] = field(default_factory=list)
    """The bound after every turn."""
    basis: Basis | None = None

    @classmethod
    def start(cls, model: Model, best: Evaluated, how: Sifting) -> "_Sieve":
        """Start at prices."""
        pieces = model.batch.lower.size * model.curve.pieces
        few = tuning.WHOLE_STRAIGHT if model.curve.pieces == 1 else tuning.WHOLE_PROGRAM
        if not model.curve.grows and pieces <= few:
            return cls(model, how, best, tuning.FIRST_REGION, np.inf, pieces, whole=True)
        return cls(model, how, best, tuning.REACH / 2, tuning.REACH, tuning.FIRST_SEGMENTS, whole=False)

    def turn(self, deadline: Deadline) -> bool:
        """Solve a core and go where it says, if that is better; tell whether there is more to win."""
        model, best = self.model, self.best
        if best.value > tuning.ENDLESS * model.unit:
            return False
        segments, part = not_too_many(model, best.prices, best.rows, self._reach(), self.allowed)
        self.widest, self.radius = self.widest * part, self.radius * part
        solved = solve_master(model, segments, best.prices, self._region(), deadline, self.basis)
        if solved is None:
            return False
        self.basis = solved.basis
        self._allow(solved.iterations)
        found = relax(model, solved.prices, solved.rows, tuning.SIFTING_PRECISION)
        promised, gained = solved.value - best.value, found.value - best.value
        if gained >= 0:
            self.best = Evaluated(solved.prices, found.rows, found.value, solved.replicas)
        close = self.how.close * abs(self.best.value)
        self.values.append(self.best.value)
        if (
            len(self.values) > tuning.SIFTING_PATIENCE
            and self.best.value - self.values[-tuning.SIFTING_PATIENCE - 1] <= close
        ):
            return False
        # What the program of the core still promises tells whether there is anything left to win.
        if promised - max(gained, 0.0) <= close:
            if solved.inside:
                self.best = replace(self.best, replicas=solved.replicas)
                return False
            self._widen(tuning.ALL_WON)
        elif gained < tuning.SIFTING_WORTHWHILE * promised:
            self.radius *= tuning.SIFTING_SHORTER
        else:
            self._widen(tuning.MUCH_LONGER if gained > tuning.KEPT * promised else tuning.SIFTING_LONGER)
        self._narrow(gained / promised if promised > 0 else 1.0)
        return True

    def _region(self) -> Prices:
        """Return how far prices may go."""
        return region_of(self.model, self.radius * self.model.unit, self.best.prices)

    def _reach(self) -> float | Prices:
        """Return how near the pieces of the core are."""
        if self.whole:
            return np.inf
        if self.model.pins:
            return self._region() * (self.ratio / tuning.WIDE)
        # Where costs grow from unit to unit, fewer of them are looked at the closer the end is.
        return self.model.unit * (self.ratio * self.radius if self.model.curve.grows else self.widest)

    def _widen(self, factor: float) -> None:
        """Let prices go farther."""
        self.radius, self.widest = self.radius * factor, min(tuning.REACH, self.widest * factor)

    def _narrow(self, kept: float) -> None:
        """Look at pieces less far away where all that was promised was won, and farther where it was not."""
        if kept > tuning.EXACT:
            self.ratio = max(tuning.NARROW, self.ratio * tuning.NARROWER)
        elif kept < tuning.KEPT:
            self.ratio = min(tuning.WIDE, self.ratio * tuning.WIDER)

    def _allow(self, steps: int) -> None:
        """Allow more pieces where the last program was quick, and less where it was not: steps, not seconds.

        A program of many pieces may take far longer than a few short turns.
        """
        # Beside pins what is near lies in a narrow band, and many pieces do not help to find it.
        more = 1.0 if self.model.pins else tuning.MORE
        factor = more if steps < tuning.FEW_STEPS else tuning.LESS if steps > tuning.MANY_STEPS else 1.0
        self.allowed = min(tuning.MOST_SEGMENTS, max(tuning.FIRST_SEGMENTS, int(factor * self.allowed)))
