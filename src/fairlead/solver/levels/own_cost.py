"""What a workload costs on a level by itself, as a bowl of every cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fairlead.models.levels import DEVIATIONS, Deviation, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Weights
from fairlead.models.score import levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.exact.costs.bowls import Bowls
from fairlead.solver.exact.costs.levels import weights_of
from fairlead.solver.levels.filled_rows import Choice, Floats, Numbers


@dataclass(frozen=True, slots=True)
class OwnCost:
    """The cost ``constant + sum bend x^2 + slope x`` of a placement, or less than that.

    Parameters
    ----------
    bend, slope
        By cluster; exactly.
    constant
        What is added.
    """

    bend: Sequence[Fraction]
    slope: Sequence[Fraction]
    constant: Fraction = Fraction(0)

    def about(self, counts: Numbers) -> float:
        """Return about what a placement costs."""
        bend, slope = (np.array(each, dtype=float) for each in (self.bend, self.slope))
        return float(((bend * counts + slope) * counts).sum()) + float(self.constant)

    def dearest(self, most: int) -> Floats:
        """Return about what the last of so many replicas costs at most, by cluster."""
        bend, slope = (np.array(each, dtype=float) for each in (self.bend, self.slope))
        found: Floats = 2 * most * bend + np.abs(slope)
        return found

    def in_steps(self, scale: int) -> Bowls:
        """Return the cost in so many whole steps a unit, rounded towards less."""
        bend, slope = ([int(each * scale // 1) for each in some] for some in (self.bend, self.slope))
        return Bowls(np.array(bend, dtype=np.int64), np.array(slope, dtype=np.int64))


def own_cost(workload: Workload, choice: Choice, problem: Problem, level: Level) -> OwnCost:
    """Return what a workload costs on a level; nothing where that is not known."""
    nothing = [Fraction(0)] * len(choice.names)
    rule = workload.rule(Weights)
    counted = level.priority == workload.priority and level.base in levels_of_workload(workload)
    webster = level.base in DEVIATIONS and problem.deviation is Deviation.WEBSTER
    if rule is None or not (counted and webster):
        return OwnCost(nothing, nothing)
    open_to = np.any([face.open_to for face in choice.faces], axis=0)
    used = {name for name, each in zip(choice.names, open_to.tolist(), strict=True) if each}
    holding = [each for each in rule.tiers if not each.isdisjoint(used)]
    weights, whole = weights_of(rule, choice.names, holding[0] if holding else None)
    one_tier = len(holding) == 1 and used <= holding[0]
    if not whole or not workload.replicas or (rule.tiers and not one_tier):
        return OwnCost(nothing, nothing)
    # The sum of (x - q)^2 / q over quotas q = N w / W is the sum of W x^2 / N w - 2 x, and N.
    bend = [Fraction(whole, workload.replicas * each) if each else Fraction(0) for each in weights.tolist()]
    slope = [Fraction(-2) if each else Fraction(0) for each in weights.tolist()]
    return OwnCost(bend, slope, Fraction(workload.replicas))
