"""What replicas cost on every cluster of one workload, all levels in one number: for bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import DEVIATION, MOVES_FIRST, MOVES_LAST, MOVES_UNCHANGED, Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Weights
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.boxes import WorkloadBox

MOVES = frozenset({MOVES_UNCHANGED, MOVES_FIRST, MOVES_LAST})


@dataclass(frozen=True, slots=True)
class ClusterCost:
    """The cost ``f_c(x) = m moves_c(x) + d distance_c(x)`` of x replicas on every candidate c.

    The multipliers make one number of two levels: the less important level cannot reach one unit of the
    other.

    Parameters
    ----------
    quotas
        Exact shares of the candidates; all positive.
    held
        Replicas that run there now.
    upper
        Most replicas.
    moves, distance
        The multipliers m and d.
    webster
        True where the distance is (x - q)^2 / q, False where it is abs(x - q).
    """

    quotas: Sequence[Fraction]
    held: NDArray[np.int64]
    upper: NDArray[np.int64]
    moves: int
    distance: int
    webster: bool

    def at(self, position: int, replicas: int) -> Fraction:
        """Return the exact cost of replicas on one candidate."""
        gap = replicas - self.quotas[position]
        distance = gap * gap / self.quotas[position] if self.webster else abs(gap)
        return self.distance * distance + self.moves * max(0, int(self.held[position]) - replicas)

    def steps(self, placed: Mapping[str, int], names: Sequence[str], steps: int) -> int:
        """Return what a placement costs in steps, rounded down as the bounds are."""
        whole = sum((self.at(i, placed.get(name, 0)) for i, name in enumerate(names)), Fraction(0))
        return int(whole * steps // 1)

    def worst(self, steps: int) -> int:
        """Return more steps than any placement costs."""
        most = (max(self.at(i, 0), self.at(i, int(upper))) for i, upper in enumerate(self.upper.tolist()))
        return int(sum(most, Fraction(1)) * steps)

    def price_range(self) -> tuple[float, float]:
        """Return a price at which every candidate is empty, and one at which every one is full."""
        quotas = np.array([float(quota) for quota in self.quotas])
        slope = 2.0 * self.upper / quotas + 2.0 if self.webster else np.full(len(quotas), 2.0)
        reach = float(self.distance * slope.max() + self.moves + 1.0)
        return -reach, reach

    def guess(self, price: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return about how many replicas each candidate takes at a price, and what that saves."""
        quotas = np.array([float(quota) for quota in self.quotas])
        found = self._best(price, quotas)
        cost = self._about(found, quotas) - price * found
        return found, self._about(np.zeros_like(found), quotas) - cost

    def exactly(self, price: Fraction, steps: int) -> tuple[int, list[int]]:
        """Return what all empty candidates cost, rounded down, and what each saves, rounded up, in steps."""
        found, _ = self.guess(float(price))
        empty, saved = 0, []
        for position, near in enumerate(found.tolist()):
            at_zero = self.at(position, 0)
            best = self._descend(position, near, price)
            empty += int(at_zero * steps // 1)
            saved.append(int(-((best - at_zero) * steps // 1)))
        return empty, saved

    def _descend(self, position: int, near: int, price: Fraction) -> Fraction:
        """Return the least of ``f(x) - price x``, which is convex: from a guess in steps that double."""

        def falls(x: int) -> bool:
            """Tell whether one replica more than x costs less than its price."""
            return self.at(position, x + 1) - self.at(position, x) < price

        # The least x between `low` and `high` that one replica more does not make cheaper.
        low, high, step = 0, int(self.upper[position]), 1
        at = min(max(near, low), high)
        while low < high:
            if at < high and falls(at):
                low, at = at + 1, min(high, at + step)
            else:
                high, at = at, max(low, at - step)
            step *= 2
            if step > high - low:
                at = (low + high) // 2
        return self.at(position, low) - price * low

    def _best(self, price: float, quotas: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return about where ``f(x) - price x`` is least: one of few points between the kinks."""
        points = [np.zeros_like(self.upper), self.upper, np.minimum(self.held, self.upper)]
        for slope in (price, price + self.moves):
            middle = quotas * (1 + slope / (2.0 * self.distance)) if self.webster else quotas
            clipped = np.clip(middle, 0, self.upper)
            points += [np.floor(clipped).astype(np.int64), np.ceil(clipped).astype(np.int64)]
        values = np.array([self._about(point, quotas) - price * point for point in points])
        best: NDArray[np.int64] = np.array(points)[values.argmin(axis=0), np.arange(len(self.upper))]
        return best

    def _about(self, replicas: NDArray[np.int64], quotas: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return about what replicas cost."""
        gap = replicas - quotas
        distance = gap * gap / quotas if self.webster else np.abs(gap)
        moved: NDArray[np.float64] = self.distance * distance + self.moves * np.maximum(
            0, self.held - replicas
        )
        return moved


def cluster_costs(workload: Workload, problem: Problem, boxed: WorkloadBox) -> ClusterCost | None:
    """Return the costs of a workload whose levels are moves and the deviation only; None elsewhere."""
    rule = workload.rule(Weights)
    levels = in_order(levels_of_workload(workload), problem)
    if rule is None or rule.tiers or problem.deviation is Deviation.MINIMAX or not workload.replicas:
        return None
    if set(levels) - MOVES - {DEVIATION} or not all(rule.weights.get(name) for name in boxed.names):
        return None
    whole = sum(rule.weights.values())
    quotas = [Fraction(workload.replicas * rule.weights[name], whole) for name in boxed.names]
    held = np.array([workload.current.get(name, 0) for name in boxed.names], dtype=np.int64)
    webster = problem.deviation is Deviation.WEBSTER
    moves, distance = 0, 1
    if len(levels) > 1 and levels[0] in MOVES:
        moves = _greatest(quotas, boxed.box.upper, webster=webster)
    elif len(levels) > 1:
        # Moves that come last only settle what is equal on the deviation; the bound may leave them out.
        held = np.zeros_like(held)
    return ClusterCost(quotas, held, boxed.box.upper, moves, distance, webster)


def _greatest(quotas: Sequence[Fraction], upper: NDArray[np.int64], *, webster: bool) -> int:
    """Return a whole number that no deviation exceeds."""
    total = Fraction(0)
    for quota, most in zip(quotas, upper.tolist(), strict=True):
        gap = max(quota, abs(most - quota))
        total += gap * gap / quota if webster else gap
    return int(total) + 1
