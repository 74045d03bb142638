"""Kicks: a few replicas move at random, exchanges make the best of it, and CP-SAT of all that.

Exchanges end where no one or two moves win anything. What several moves together win is near: some that cost
little are made whatever they break, and exchanges go on from there ("iterated local search", H. R. Lourenço,
O. C. Martin and T. Stützle, 2003). The placements that this leads to differ in few places. What they hold
there is a small integer program, whose best placement is often better than each of them ("construct, merge,
solve and adapt", C. Blum and others, 2016).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.primal.exchange import Exchange
from fairlead.solver.batch.primal.moves import moves_of
from fairlead.solver.batch.primal.neighbourhood import Window, divide_anew
from fairlead.solver.running.search import RunLimits


def is_kicked(level: Incumbent) -> bool:
    """Tell whether a batch has a placement and kicks take milliseconds; smaller ones are divided whole."""
    size = 0 if level.best is None else level.best.size
    return tuning.PLACES_OF_WHOLE < size <= tuning.PLACES_OF_KICKS


def kick_and_merge(
    level: Incumbent, done: Callable[[], bool] = lambda: False, patience: int = tuning.PATIENCE_OF_KICKS
) -> None:
    """Kick the best placement of a small batch and merge what that leads to, until it is in vain for long."""
    if not is_kicked(level):
        return
    search, failures = _Kicks(level, np.random.default_rng(level.search.seed)), 0
    while not level.over and not done() and failures < patience:
        before = level.cost
        search.round()
        failures = 0 if level.cost != before else failures + 1


@dataclass(slots=True, eq=False)
class _Kicks:
    """State between rounds: the placements that kicks have led to, the oldest first."""

    level: Incumbent
    chance: np.random.Generator
    found: list[Whole] = field(default_factory=list)

    def round(self) -> None:
        """Make some kicks, each from the best placement or what the last one led to; merge all."""
        level, now = self.level, self.level.best
        slack = tuning.SLACK_OF_KICKS * level.model.unit
        for _ in range(tuning.KICKS):
            if now is None or level.cost is None or level.over:
                return
            cost, kicked = level.model.steps(now), self._kicked(now)
            if not level.model.keeps(kicked):
                continue
            self.found.append(kicked)
            level.offer(kicked)
            if level.model.steps(kicked) <= cost + slack * self.chance.random() ** 2:
                now = kicked
            elif cost > level.cost + 2 * slack:
                now = level.best
        self._merge()

    def _kicked(self, now: Whole) -> Whole:
        """Move a few replicas of as many workloads, each at little cost by the prices; then exchange."""
        level, unit = self.level, self.level.model.unit
        charge, reach = tuning.REPAIR_CHARGES[0], tuning.REACH_OF_KICK * unit
        exchange = Exchange.start(level.model, level.prices, level.rows, now, charge)
        moves = moves_of(level.model, level.prices, level.rows, now, reach)
        drawn = self.chance.permutation(len(moves.row))
        once = np.sort(np.unique(moves.row[drawn], return_index=True)[1])
        many = self.chance.integers(2, tuning.MOST_KICKED, endpoint=True)
        exchange.make(moves, drawn[once[:many]])
        for reach in tuning.REACHES_AFTER_KICK:
            for _ in range(tuning.ROUNDS_AFTER_KICK):
                if exchange.improve(reach * unit, level.deadline) <= tuning.WORTH_AFTER_KICK * unit:
                    break
        return exchange.replicas

    def _merge(self) -> None:
        """Divide anew where placements differ, as they do; forget the older half once that is too much."""
        level, best = self.level, self.level.best
        if best is None or not self.found:
            return
        every = (best, *self.found)
        window = Window(np.arange(len(best)), np.min(every, axis=0), np.max(every, axis=0))
        effort = RunLimits(level.deadline, 1, level.search.seed, tuning.WORK_OF_MERGING)
        merged = divide_anew(level.model, best, window, effort, tuning.COARSE_BITS)
        if merged.replicas is not None:
            level.offer(merged.replicas)
        if not merged.complete:
            del self.found[: (len(self.found) + 1) // 2]
