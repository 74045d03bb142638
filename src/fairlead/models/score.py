"""The pure scorer: the objective vector of any placement. Knows no solver."""

from collections.abc import Mapping
from fractions import Fraction

from fairlead.models.levels import DEVIATION, MOVES_FIRST, MOVES_LAST, Level
from fairlead.models.outcome import Attained
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Moves, Weights, moves, weights
from fairlead.models.workload import Workload


def score(problem: Problem, placement: Placement | Mapping[str, Mapping[str, int]]) -> tuple[Attained, ...]:
    """Return the value of every level that the problem has, the most important first.

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
    return tuple(Attained(level.name, _value(problem, placed, level)) for level in levels_of(problem))


def levels_of(problem: Problem) -> tuple[Level, ...]:
    """Return the levels to which at least one rule of the problem contributes, in order."""
    used = {level.key for workload in problem.workloads for level in levels_of_workload(workload)}
    return tuple(level for level in problem.levels if level.key in used)


def levels_of_workload(workload: Workload) -> tuple[Level, ...]:
    """Return the levels to which a workload contributes, in no particular order."""
    found: list[Level] = []
    for rule in workload.rules:
        match rule:
            case Weights():
                found.append(DEVIATION)
            case Moves():
                found.append(MOVES_FIRST if moves.comes_first(rule, workload) else MOVES_LAST)
            case _:
                pass
    return tuple(found)


def _value(problem: Problem, placement: Placement, level: Level) -> int | Fraction:
    """Add up what the workloads cost on one level."""
    parts = [_cost(problem, workload, placement.of(workload.key), level) for workload in problem.workloads]
    total = sum(parts, Fraction(0))
    return int(total) if total.denominator == 1 else total


def _cost(problem: Problem, workload: Workload, placed: Mapping[str, int], level: Level) -> int | Fraction:
    """Return what one workload costs on one level; 0 where it does not contribute."""
    cost: int | Fraction = 0
    for rule in workload.rules:
        match rule:
            case Weights() if level == DEVIATION:
                cost += weights.cost(rule, workload, placed, problem.deviation)
            case Moves() if level == (MOVES_FIRST if moves.comes_first(rule, workload) else MOVES_LAST):
                cost += moves.cost(rule, workload, placed)
            case _:
                pass
    return cost
