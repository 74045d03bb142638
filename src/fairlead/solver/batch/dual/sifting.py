"""Better prices by linear programs of the pieces that are near, turn by turn.

The dual of a core gives better prices, at which pieces may come into the next one that were out of it; a few
turns reach the optimum of the whole linear program ("sifting", R. E. Bixby and others, 1992). In every turn
prices stay in a region in which the core says about the truth. What is claimed is evaluated elsewhere, in
whole numbers.
"""

from dataclasses import dataclass, field

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats
from fairlead.solver.batch.dual.linear_program import Basis
from fairlead.solver.batch.dual.relaxation import EvaluatedPrices, LagrangianOptimum, relax
from fairlead.solver.batch.dual.restricted_master import core_of, region_of, solve_master
from fairlead.solver.batch.model import LevelModel, Prices
from fairlead.solver.running.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Sifting:
    """Limits of sifting.

    Most linear programs, and how little may be left to win in the end, as a part of the bound. A radius says
    that the first prices are about the best, and how far the first program may go from there, in units of the
    level; the first one that promises next to nothing is then the last.
    """

    turns: int = 60
    close: float = tuning.SIFTING_CLOSE
    radius: float | None = None


def sift(
    model: LevelModel, prices: Prices, rows: Floats, deadline: Deadline, how: Sifting | None = None
) -> EvaluatedPrices:
    """Raise the bound from prices to that of the whole linear program, as far as the turns go."""
    how = how or Sifting()
    sieve = _Sieve.start(model, prices, relax(model, prices, rows), how)
    for _ in range(how.turns):
        if deadline.remaining() <= 0 or not sieve.turn(deadline):
            break
    last = relax(model, sieve.prices, sieve.at.rows)
    replicas = sieve.replicas
    if replicas is None and sieve.values:
        replicas = last.replicas.astype(np.float64)
    return EvaluatedPrices(sieve.prices, last.rows, sieve.at.value, replicas)


@dataclass(slots=True, eq=False)
class _Sieve:
    """Turns of sifting."""

    model: LevelModel
    how: Sifting
    prices: Prices
    at: LagrangianOptimum
    """The best prices, and how rows are divided there."""
    radius: float
    """Distance that prices may go, and of the costs of pieces of the core from the price of their row, in
    units of the level."""
    whole: bool
    """Whether all pieces are in the core."""
    most: float = tuning.MOST_SEGMENTS
    """Most pieces of a core, about."""
    bad: int = 0
    """Turns in a row that have won next to nothing of what was promised."""
    values: list[float] = field(default_factory=list)
    """The bound after every turn."""
    basis: Basis | None = None
    replicas: Floats | None = None
    """A placement of the last core that won something; it is not whole."""

    @classmethod
    def start(cls, model: LevelModel, prices: Prices, at: LagrangianOptimum, how: Sifting) -> "_Sieve":
        """Start at prices."""
        pieces = model.batch.lower.size * model.curve.pieces
        few = tuning.WHOLE_STRAIGHT if model.curve.pieces == 1 else tuning.WHOLE_PROGRAM
        whole = not model.curve.grows and pieces <= few
        radius = tuning.FIRST_RADIUS_OF_WHOLE if whole else tuning.FIRST_RADIUS
        return cls(model, how, prices, at, radius if how.radius is None else how.radius, whole)

    def turn(self, deadline: Deadline) -> bool:
        """Solve a core and go where it says, if that is better; tell whether there is more to win."""
        model, before = self.model, self.at.value
        if before > tuning.ENDLESS * model.unit:
            return False
        region = region_of(model, self.radius * model.unit, self.prices)
        # Beside pins prices go farther where they are dear.
        near = min(self.radius, tuning.REACH) * model.unit
        reach = np.inf if self.whole else region if model.pins else near
        core = core_of(model, self.prices, self.at.rows, reach, np.inf if self.whole else self.most)
        due = deadline.part(tuning.SHARE_OF_A_PROGRAM)
        solved = solve_master(model, core, self.prices, self.at, region, due, self.basis)
        if solved is None:
            # One of fewer pieces takes less time.
            self.most = len(core.segments.row) / 2
            return not self.whole
        self.basis = solved.basis
        found = relax(model, solved.prices, solved.rows, tuning.SIFTING_PRECISION)
        promised, gained = solved.promised, found.value - before
        close = self.how.close * abs(self.at.value)
        if gained >= 0:
            self.prices, self.at, self.replicas = solved.prices, found, solved.replicas
        elif self.how.radius is not None and promised <= close:
            # The last program is about the best one whether or not rounding lets the bound rise.
            self.replicas = solved.replicas
        won = promised - max(gained, 0.0) <= close
        if not won and gained < tuning.SIFTING_WORTHWHILE * promised:
            self.radius *= tuning.SIFTING_SHORTER
            # Perhaps the rows that stood for others were too few.
            self.most *= 1 if core.part == 1 else 2
            self.bad += 1
            return self.bad < tuning.SIFTING_PATIENCE
        self.bad, self.most = 0, max(tuning.MOST_SEGMENTS, self.most / 2)
        self.values.append(self.at.value)
        if (
            len(self.values) > tuning.SIFTING_PATIENCE
            and self.at.value - self.values[-tuning.SIFTING_PATIENCE - 1] <= close
        ):
            return False
        if not won:
            # Rows that stand for others err by a part of how far prices go: the next program comes nearer.
            longer = tuning.SIFTING_LONGER if core.part == 1 else tuning.SIFTING_NEARER
            self.radius *= tuning.MUCH_LONGER if gained > tuning.KEPT * promised else longer
        elif core.part == 1 and (solved.inside or self.how.radius is not None):
            # What the program of the core still promises tells that there is nothing left to win.
            self.replicas = solved.replicas
            return False
        else:
            self.radius *= tuning.ALL_WON
        return True
