"""The pure scorer: the objective vector of any placement, and the least it can be. Knows no solver."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from fairlead.models.check import in_kept_groups
from fairlead.models.in_order import WORTH_ARRAYS
from fairlead.models.kept import kept
from fairlead.models.levels import BALANCE, Deviation, Level, Measured
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.quantity import summed
from fairlead.models.result import Attained
from fairlead.models.rules import Bounds, Preference, Weights, WorkloadRule, balance, weights
from fairlead.models.shortfall import (
    is_shortfall,
    name_of,
    shortfall_levels,
    shortfall_value,
    shortfall_values,
)
from fairlead.models.workload import Workload, Workloads

Counting = Preference | Bounds
"""Rules that may contribute to levels."""


def score(problem: Problem, placement: Placement | Mapping[str, Mapping[str, int]]) -> tuple[Attained, ...]:
    """Return the value of every level, as `fairlead.score` does, of a problem that is complete.

    Of several affinity groups the levels and weights of the one count by whose rules `check` looks at the
    placement.
    """
    placed = placement if isinstance(placement, Placement) else Placement(placement)
    problem = in_kept_groups(problem, placed)
    missing = shortfall_values(problem, placed) if problem.partial else {}
    costs = _costs(problem, placed)
    return tuple(
        Attained(
            name_of(level, problem), missing.get(level, 0) if is_shortfall(level) else as_whole(costs[level])
        )
        for level in (*shortfall_levels(problem), *in_order(costs, problem))
    )


def _costs(problem: Problem, placement: Placement) -> dict[Level, Fraction]:
    """Return what all workloads cost together, by level; shortfalls left out."""
    found = placement.once(_costs_of, problem.all_workloads, problem.deviation)
    if problem.balances:
        spread = (balance.cost(each, problem, placement) for each in problem.balances)
        return {**found, BALANCE: summed(spread)}
    return dict(found)


def _costs_of(placement: Placement, workloads: Workloads, deviation: Deviation) -> Mapping[Level, Fraction]:
    parts: dict[tuple[Level, int], list[int | Fraction]] = {}
    divided: dict[tuple[Level, int], list[tuple[Weights, Workload]]] = {}
    for workload, rule, levels in workloads.once(_contributions):
        placed = placement.of(workload.key)
        for level in levels:
            if isinstance(rule, Weights):
                divided.setdefault((level, workload.priority), []).append((rule, workload))
            else:
                cost = rule.cost_of(Measured(workload, placed, level, deviation))
                parts.setdefault((level, workload.priority), []).append(cost)
    for at, inside in divided.items():
        parts.setdefault(at, []).append(_distance(inside, placement, deviation))
    return {replace(level, priority=priority): summed(costs) for (level, priority), costs in parts.items()}


def _distance(
    divided: Sequence[tuple[Weights, Workload]], placement: Placement, deviation: Deviation
) -> Fraction:
    """Return how far workloads are from their weights; where they stand in many places, seen at once."""
    held = [placement.of(workload.key) for _, workload in divided]
    if sum(map(len, held)) >= WORTH_ARRAYS:
        from fairlead.models.at_once import Divided, distance_at_once

        rows = [
            Divided(inside, replicas, placed)
            for (rule, workload), placed in zip(divided, held, strict=True)
            for inside, replicas in weights.divided(rule, workload, placed)
        ]
        with suppress(OverflowError):
            found = distance_at_once(rows, deviation)
            if found is not None:
                return found
    return summed(
        weights.cost(rule, workload, placed, deviation)
        for (rule, workload), placed in zip(divided, held, strict=True)
    )


def as_whole(value: int | Fraction) -> int | Fraction:
    """Return a number as an integer where it is one."""
    return int(value) if value.denominator == 1 else value


def _contributions(workloads: Workloads) -> tuple[tuple[Workload, Counting, tuple[Level, ...]], ...]:
    """Return the rules that contribute to levels, of which workload, and to which."""
    return tuple(
        (workload, rule, levels)
        for workload in workloads
        for rule in workload.rules
        if isinstance(rule, Counting) and (levels := rule.levels(workload))
    )


def better(problem: Problem, *placements: Placement | None) -> Placement | None:
    """Return the best of some valid placements, the first of equals; None where there is none."""
    known = [each for each in placements if each is not None]
    if len(known) == 1:
        return known[0]
    return min(known, key=lambda each: tuple(level.value for level in score(problem, each)), default=None)


@kept
def levels_of(problem: Problem) -> tuple[Level, ...]:
    """Return the levels to which at least one rule of the problem contributes, in order.

    Every priority has levels of its own: of one key those of higher priority come first. In a partial problem
    those that count what gives way come before all others.
    """
    used = set(problem.all_workloads.once(told))
    if problem.balances:
        used.add(BALANCE)
    return (*shortfall_levels(problem), *in_order(used, problem))


def told(workloads: Workloads) -> frozenset[Level]:
    """Return the levels to which workloads contribute."""
    found = workloads.once(_contributions)
    told = {(level, workload.priority) for workload, _, levels in found for level in levels}
    return frozenset(replace(level, priority=priority) for level, priority in told)


def in_order(levels: Iterable[Level], problem: Problem) -> tuple[Level, ...]:
    """Return levels in the order of a problem, the most important first."""
    order = {key: place for place, key in enumerate(problem.levels)}
    return tuple(sorted(levels, key=lambda level: (order[level.key], level.number, -level.priority)))


def levels_of_workload(workload: Workload) -> frozenset[Level]:
    """Return the levels to which a workload contributes."""
    return frozenset(level for rule in workload.rules for level in levels_of_rule(rule, workload))


def levels_of_rule(rule: WorkloadRule, workload: Workload) -> tuple[Level, ...]:
    """Return the levels to which one rule contributes; none where it only says what must hold."""
    return rule.levels(workload) if isinstance(rule, Counting) else ()


def value_of(problem: Problem, placement: Placement, level: Level) -> int | Fraction:
    """Return what all workloads of the level's priority cost together."""
    if is_shortfall(level):
        return shortfall_value(problem, placement, level)
    if level == BALANCE:
        return as_whole(
            sum((balance.cost(each, problem, placement) for each in problem.balances or ()), Fraction(0))
        )
    base = level.base
    parts = (
        rule.cost_of(Measured(workload, placement.of(workload.key), base, problem.deviation))
        for workload, rule, levels in problem.all_workloads.once(_contributions)
        if workload.priority == level.priority and base in levels
    )
    return as_whole(sum(map(Fraction, parts), Fraction(0)))
