"""What a workload costs on a level by itself, as a bowl of every cluster, less what is saved there."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from fairlead.models.levels import DEVIATIONS, MOVES, Deviation, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Moves, Weights, moves
from fairlead.models.score import levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.exact.costs.bowls import Bowls
from fairlead.solver.exact.costs.levels import weights_of
from fairlead.solver.levels.choice import Choice, Floats, Numbers


@dataclass(frozen=True, slots=True)
class OwnCost:
    """The cost ``constant + sum bend x^2 + slope x - saved min(x, held)`` of a placement.

    Parameters
    ----------
    bend, slope
        By cluster; exactly.
    constant
        What is added.
    saved
        What each replica saves where replicas are held, as many as are.
    held
        How many that are, by cluster.
    """

    bend: Sequence[Fraction]
    slope: Sequence[Fraction]
    constant: Fraction = Fraction(0)
    saved: int = 0
    held: Numbers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    floats: tuple[Floats, Floats] = field(init=False)

    def __post_init__(self) -> None:
        bend, slope = (np.array([float(each) for each in some]) for some in (self.bend, self.slope))
        object.__setattr__(self, "floats", (bend, slope))

    @classmethod
    def nothing(cls, clusters: int) -> "OwnCost":
        """Return the cost of which nothing is known but that it is not below 0."""
        return cls([Fraction(0)] * clusters, [Fraction(0)] * clusters)

    @property
    def counts(self) -> bool:
        """Whether anything is known of the cost."""
        return bool(self.floats[1].any()) or bool(self.constant) or bool(self.saved)

    def by_cluster(self, counts: Numbers | Floats) -> Floats:
        """Return about what placements cost, by cluster, without what is constant."""
        bend, slope = self.floats
        found: Floats = (bend * counts + slope) * counts
        return found - self.saved * np.minimum(counts, self.held) if self.saved else found

    def about(self, counts: Numbers) -> float:
        """Return about what a placement costs."""
        return float(self.by_cluster(counts).sum()) + float(self.constant)

    def dearest(self, most: int) -> Floats:
        """Return about what the last of so many replicas costs at most, by cluster."""
        bend, slope = self.floats
        found: Floats = 2 * most * bend + np.abs(slope) + self.saved
        return found


def in_steps(costs: Sequence[OwnCost], scales: Sequence[int]) -> tuple[Bowls, Fraction]:
    """Return several costs in so many whole steps a unit, rounded towards less, as one; constants apart.

    Of one of them at most replicas save anything.
    """
    known = [(each, scale) for each, scale in zip(costs, scales, strict=True) if scale and each.counts]
    parts = [
        [[each.numerator * scale // each.denominator for each in some] for some in (own.bend, own.slope)]
        for own, scale in known
    ]
    whole = np.array(parts or [[[0] * len(costs[0].bend)] * 2], dtype=np.int64).sum(axis=0)
    saving = next(
        ((np.full_like(own.held, scale * own.saved), own.held) for own, scale in known if own.saved), None
    )
    bowls = Bowls(whole[0], whole[1], *(saving or ()))
    return bowls, sum((scale * own.constant for own, scale in known), Fraction(0))


def is_own(level: Level) -> bool:
    """Tell whether it may be known of a level what single workloads cost on it."""
    return level.base in DEVIATIONS or level.key in MOVES


def own_cost(workload: Workload, choice: Choice, problem: Problem, level: Level) -> OwnCost:
    """Return what a workload costs on a level; nothing where that is not known."""
    found = None
    if level.priority == workload.priority and level.base in levels_of_workload(workload):
        if level.base in DEVIATIONS and problem.deviation is Deviation.WEBSTER:
            found = _webster(workload, choice)
        elif level.key in MOVES:
            found = _moves(workload, choice)
    return found or OwnCost.nothing(len(choice.names))


def _webster(workload: Workload, choice: Choice) -> OwnCost | None:
    """Return the distance from the quotas; None where it is open what is measured."""
    rule = workload.rule(Weights)
    if rule is None:
        return None
    used = {name for name, most in zip(choice.names, choice.most.tolist(), strict=True) if most}
    holding = [each for each in rule.tiers if not each.isdisjoint(used)]
    weights, whole = weights_of(rule, choice.names, holding[0] if holding else None)
    one_tier = len(holding) == 1 and used <= holding[0]
    if not whole or not workload.replicas or (rule.tiers and not one_tier):
        return None
    # The sum of (x - q)^2 / q over quotas q = N w / W is the sum of W x^2 / N w - 2 x, and N.
    bend = [Fraction(whole, workload.replicas * each) if each else Fraction(0) for each in weights.tolist()]
    slope = [Fraction(-2) if each else Fraction(0) for each in weights.tolist()]
    return OwnCost(bend, slope, Fraction(workload.replicas))


def _moves(workload: Workload, choice: Choice) -> OwnCost | None:
    """Return the replicas that are stopped where they run: each that stays saves one."""
    rule = workload.rule(Moves)
    if rule is None:
        return None
    held = moves.movable(
        workload, {name: count for name, count in workload.current.items() if name in rule.present}
    )
    gone = sum(held.values()) - moves.unavoidable(workload, held)
    nothing = [Fraction(0)] * len(choice.names)
    return OwnCost(nothing, nothing, Fraction(gone), 1, choice.counts(held))
