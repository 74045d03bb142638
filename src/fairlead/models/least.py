"""The least that a level can be, whatever the placement: what every bound is at least."""

from collections.abc import Mapping
from fractions import Fraction

from fairlead.models.levels import NET, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, MovePrice, Moves, Total, moves
from fairlead.models.score import levels_of
from fairlead.models.workload import Workload


def least_of_all(problem: Problem) -> Mapping[Level, int | Fraction]:
    """Return the least value of every level that a problem has; see `least_of`."""
    return {level: least_of(problem, level) for level in levels_of(problem)}


def least_of(problem: Problem, level: Level) -> int | Fraction:
    """Return what no placement is below on a level: 0, as counts, prices and sums of squares are.

    Moves count less what has to stop because there are fewer replicas than are running. Where no total says
    that there must be fewer, less may stop, so the level can be as low as that number below 0.
    """
    parts = (
        _spared(rule, workload, level.base) for workload, rule in _moving(problem) if _is_on(level, workload)
    )
    total = sum(parts, Fraction(0))
    return int(total) if total.denominator == 1 else total


def _moving(problem: Problem) -> list[tuple[Workload, Moves | MovePrice]]:
    """Return the workloads whose moves count although nothing says how many replicas there are in all."""
    return [
        (workload, rule)
        for workload in problem.workloads
        if workload.rule(Total) is None and workload.rule(Duplicated) is None
        for rule in workload.rules
        if isinstance(rule, Moves | MovePrice)
    ]


def _is_on(level: Level, workload: Workload) -> bool:
    """Tell whether a level is about workloads of this priority."""
    return level.priority == workload.priority


def _spared(rule: Moves | MovePrice, workload: Workload, level: Level) -> Fraction:
    """Return what one rule may contribute below 0 to a level."""
    held = sum(count for cluster, count in workload.current.items() if cluster in rule.present)
    spared = -max(0, held - workload.replicas)
    if isinstance(rule, MovePrice):
        return rule.price * spared if level == NET else Fraction(0)
    return Fraction(spared if level == moves.level(rule, workload) else 0)
