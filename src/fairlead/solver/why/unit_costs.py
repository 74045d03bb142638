"""What a single replica costs on a cluster: the marginals of levels that add up cluster by cluster."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from fairlead.models.levels import (
    COST,
    DEVIATION,
    EVENNESS,
    EVENNESS_FRESH,
    EVENNESS_RESULT,
    MOVES,
    Deviation,
    Level,
    tier,
)
from fairlead.models.problem import Problem
from fairlead.models.rules import Evenness, Moves, Price, Tiers, Weights
from fairlead.models.rules.weights import quotas
from fairlead.models.workload import Workload

EVEN = frozenset({EVENNESS_FRESH, EVENNESS, EVENNESS_RESULT})

Number = int | Fraction

UnitCost = Callable[[str, int], Number]
"""What the unit k on a cluster costs: the cost of k + 1 replicas less that of k."""


def unit_cost(
    level: Level, workload: Workload, problem: Problem, placed: Mapping[str, int]
) -> UnitCost | None:
    """Return what a unit costs on a level; None where that depends on other clusters.

    Parameters
    ----------
    level
        One of the workload's levels.
    workload
        The workload.
    problem
        Where it belongs; gives the measure of deviation.
    placed
        Its answer: overflow tiers share what each of them holds there.
    """
    level = level.base
    if level.key in MOVES:
        return _of_moves(workload)
    if level in EVEN:
        return _of_evenness(workload, level)
    if level == COST:
        rule = workload.rule(Price)
        prices = rule.prices if rule else {}
        return lambda name, _: prices.get(name, 0)
    if level.key == tier(1).key:
        tiers = workload.rule(Tiers)
        inside = frozenset().union(*tiers.tiers[: level.number]) if tiers else frozenset[str]()
        return lambda name, _: int(name not in inside)
    if level == DEVIATION and problem.deviation is not Deviation.MINIMAX:
        return _of_deviation(workload, problem.deviation, placed)
    return None


def _of_moves(workload: Workload) -> UnitCost:
    """Return what a unit saves: one move where it runs already."""
    rule = workload.rule(Moves)
    present = rule.present if rule else frozenset[str]()
    held = {name: count for name, count in workload.current.items() if name in present}
    return lambda name, unit: -1 if unit < held.get(name, 0) else 0


def _of_evenness(workload: Workload, level: Level) -> UnitCost:
    """Return what a unit adds to the sum of squares."""
    rule = workload.rule(Evenness)
    inside = frozenset(rule.clusters if rule else ())
    before = workload.current if level == EVENNESS else {}
    return lambda name, unit: 2 * (unit - before.get(name, 0)) + 1 if name in inside else 0


def _of_deviation(workload: Workload, deviation: Deviation, placed: Mapping[str, int]) -> UnitCost | None:
    """Return what a unit adds to the distance from the quotas, exactly."""
    rule = workload.rule(Weights)
    if rule is None:
        return None
    wanted = {name: quota for name, quota in quotas(rule, workload, placed).items() if quota}

    def webster(name: str, unit: int) -> Number:
        # ((k + 1 - q)^2 - (k - q)^2) / q = (2 k + 1 - 2 q) / q
        if name not in wanted:
            return 0
        above, below = wanted[name].numerator, wanted[name].denominator
        return Fraction((2 * unit + 1) * below - 2 * above, above)

    def absolute(name: str, unit: int) -> Number:
        quota = wanted.get(name)
        return 0 if quota is None else abs(unit + 1 - quota) - abs(unit - quota)

    return webster if deviation is Deviation.WEBSTER else absolute
