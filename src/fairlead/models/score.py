"""The pure scorer: the objective vector of any placement. Knows no solver."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from fairlead.models.check import in_kept_groups
from fairlead.models.errors import InternalError
from fairlead.models.levels import CLUSTERS, COPIES, COST, DEVIATION, MINIMA, NET, ROOM, Level, tier
from fairlead.models.outcome import Attained
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Copies,
    Evenness,
    MovePrice,
    Moves,
    Price,
    Shares,
    Tiers,
    Weights,
    WorkloadRule,
    aggregated,
    bounds,
    copies,
    evenness,
    move_price,
    moves,
    price,
    shares,
    tiers,
    weights,
)
from fairlead.models.shortfall import (
    is_shortfall,
    name_of,
    shortfall_levels,
    shortfall_value,
    shortfall_values,
)
from fairlead.models.workload import Workload


def score(problem: Problem, placement: Placement | Mapping[str, Mapping[str, int]]) -> tuple[Attained, ...]:
    """Return the value of every level that the problem has, the most important first.

    Of several affinity groups the levels and weights of the one count by whose rules `check` looks at the
    placement.

    Parameters
    ----------
    problem
        The question; its `deviation` says how the distance from the ratio is measured.
    placement
        Replicas by workload key and cluster name.

    Returns
    -------
    tuple of Attained
        Exact values (int or Fraction), without bound or proof. Levels to which no rule contributes are left
        out.
    """
    placed = placement if isinstance(placement, Placement) else Placement(placement)
    problem = in_kept_groups(problem, placed)
    missing = shortfall_values(problem, placed) if problem.partial else {}
    costs = _costs(problem, placed)
    return tuple(
        Attained(
            name_of(level, problem), missing.get(level, 0) if is_shortfall(level) else _whole(costs[level])
        )
        for level in (*shortfall_levels(problem), *in_order(costs, problem))
    )


def _costs(problem: Problem, placement: Placement) -> dict[Level, Fraction]:
    """Return what all workloads cost together, by level; shortfalls left out."""
    parts: dict[tuple[Level, int], list[int | Fraction]] = {}
    for workload in problem.workloads:
        placed = placement.of(workload.key)
        for rule in workload.rules:
            for level in levels_of_rule(rule, workload):
                cost = _cost(rule, workload, placed, level, problem)
                parts.setdefault((level, workload.priority), []).append(cost)
    return {
        replace(level, priority=priority): sum(map(Fraction, costs), Fraction(0))
        for (level, priority), costs in parts.items()
    }


def _whole(value: Fraction) -> int | Fraction:
    """Return a number as an integer where it is one."""
    return int(value) if value.denominator == 1 else value


def levels_of(problem: Problem) -> tuple[Level, ...]:
    """Return the levels to which at least one rule of the problem contributes, in order.

    Every priority has levels of its own: of one key those of higher priority come first. In a partial problem
    those that count what gives way come before all others.
    """
    used = {
        replace(level, priority=workload.priority)
        for workload in problem.workloads
        for level in levels_of_workload(workload)
    }
    return (*shortfall_levels(problem), *in_order(used, problem))


def in_order(levels: Iterable[Level], problem: Problem) -> tuple[Level, ...]:
    """Return levels in the order of a problem, the most important first."""
    order = {key: place for place, key in enumerate(problem.levels)}
    return tuple(sorted(levels, key=lambda level: (order[level.key], level.number, -level.priority)))


def levels_of_workload(workload: Workload) -> frozenset[Level]:
    """Return the levels to which a workload contributes."""
    return frozenset(level for rule in workload.rules for level in levels_of_rule(rule, workload))


_LEVELS: Mapping[type, tuple[Level, ...]] = MappingProxyType(
    {
        Aggregated: (CLUSTERS,),
        Copies: (COPIES, ROOM),
        MovePrice: (NET,),
        Price: (COST,),
        Weights: (DEVIATION,),
    }
)
"""Rules that always contribute to the same levels."""


def levels_of_rule(rule: WorkloadRule, workload: Workload) -> tuple[Level, ...]:
    """Return the levels to which one rule contributes."""
    match rule:
        case Shares():
            return shares.levels(rule)
        case Moves():
            return (moves.level(rule, workload),)
        case Tiers():
            return tuple(tier(number) for number in range(1, len(rule.tiers)))
        case Evenness():
            return evenness.levels(rule, workload)
        case Bounds() if rule.preferred:
            return (MINIMA,)
        case _:
            return _LEVELS.get(type(rule), ())


def value_of(problem: Problem, placement: Placement, level: Level) -> int | Fraction:
    """Return what all workloads of the level's priority cost together."""
    if is_shortfall(level):
        return shortfall_value(problem, placement, level)
    base = level.base
    parts = (
        _cost(rule, workload, placement.of(workload.key), base, problem)
        for workload in problem.workloads
        if workload.priority == level.priority
        for rule in workload.rules
        if base in levels_of_rule(rule, workload)
    )
    return _whole(sum(map(Fraction, parts), Fraction(0)))


def _cost(
    rule: WorkloadRule, workload: Workload, placed: Mapping[str, int], level: Level, problem: Problem
) -> int | Fraction:
    """Return what one rule of one workload costs on a level to which it contributes."""
    match rule:
        case Weights() | MovePrice() | Shares():
            return _distance(rule, workload, placed, level, problem)
        case Moves():
            return moves.cost(rule, workload, placed)
        case Tiers():
            return tiers.beyond(rule, placed, level.number)
        case Evenness():
            return evenness.cost(rule, workload, placed, level)
        case Copies():
            return copies.cost(rule, placed, level)
        case Aggregated():
            return aggregated.cost(rule, placed)
        case Price():
            return price.cost(rule, placed)
        case Bounds():
            return bounds.passed_over(rule, workload, placed)
        case _:
            raise InternalError(f"{type(rule).__name__} contributes to no level")


def _distance(
    rule: Weights | MovePrice | Shares,
    workload: Workload,
    placed: Mapping[str, int],
    level: Level,
    problem: Problem,
) -> Fraction:
    """Return how far a workload is from a wanted ratio."""
    match rule:
        case Weights():
            return weights.cost(rule, workload, placed, problem.deviation)
        case MovePrice():
            return move_price.cost(rule, workload, placed, problem.deviation)
        case Shares():
            return shares.cost(rule, workload, placed, level, problem.deviation)
