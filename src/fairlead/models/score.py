"""The pure scorer: the objective vector of any placement, and the least it can be. Knows no solver."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from operator import is_
from typing import TYPE_CHECKING

from fairlead.models.check import in_kept_groups
from fairlead.models.cluster import PODS, connected
from fairlead.models.in_order import WORTH_ARRAYS, kept
from fairlead.models.levels import BALANCE, Deviation, Level, Measured
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.quantity import summed
from fairlead.models.result import Attained
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Duplicated,
    Preference,
    Shares,
    Weights,
    WorkloadRule,
    balance,
    weights,
)
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.capacity import needs
from fairlead.models.shortfall import is_shortfall, name_of, shortfall_levels, shortfall_values
from fairlead.models.variants import Rules, every_rule, with_rules
from fairlead.models.workload import Workload, Workloads

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.models.workload import Workload

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
    """Return the cost of all workloads together, by level and in its unit; shortfalls left out."""
    found = placement.once(_costs_of, problem.all_workloads, problem.deviation)
    return {**found, BALANCE: _balance(problem, placement)} if problem.balances else dict(found)


def _balance(problem: Problem, placement: Placement) -> Fraction:
    return summed(balance.cost(each, problem, placement) for each in problem.balances or ())


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
    """Return the cost of all workloads of the level's priority together, in the unit of the level."""
    if is_shortfall(level):
        return shortfall_values(problem, placement).get(level, 0)
    if level == BALANCE:
        return as_whole(_balance(problem, placement))
    base = level.base
    parts = (
        rule.cost_of(Measured(workload, placement.of(workload.key), base, problem.deviation))
        for workload, rule, levels in problem.all_workloads.once(_contributions)
        if workload.priority == level.priority and base in levels
    )
    return as_whole(sum(map(Fraction, parts), Fraction(0)))


TOLERANCE = Fraction(25, 10_000)
"""Tolerance of balance unless a profile says so: clusters filled alike within 5 %."""


def with_balance(problem: Problem) -> Problem:
    """Return a problem of which is known who is to fill clusters together; see `Problem.balances`.

    Workloads that share candidates, one with the next, are to fill them together where at least two of them
    are due, have replicas, and are divided by weights or Aggregated. Of these the deviation from dynamic
    weights has a level of its own, after balance.
    """
    if problem.balances is not None:
        return problem
    found = tuple(_found(problem)) if BALANCE.key in problem.levels else ()
    balanced = frozenset[str]().union(*(each.members for each in found))
    if found:  # what has no replicas deviates from nothing, on the level where those with dynamic weights do
        balanced |= {each.key for each in problem.workloads if not each.replicas}
    return replace(problem, workloads=_all_marked(problem, balanced, apart=True), balances=found)


def without_balance(problem: Problem) -> Problem:
    """Return a problem of which nothing is known of who is to fill clusters together."""
    if problem.balances is None:
        return problem
    everybody = problem.workload_by_key
    return replace(problem, workloads=_all_marked(problem, everybody, apart=False), balances=None)


def follows_balance(level: Level, problem: Problem) -> bool:
    """Tell whether a level comes after balance; what gives way has no place in the order, and comes first."""
    order = problem.levels
    known = {BALANCE.key, level.key} <= {*order}
    return known and order.index(level.key) > order.index(BALANCE.key)


def tolerance(rule: Balance, problem: Problem) -> Fraction:
    """Return the tolerance of a balance, unless a profile says otherwise.

    `TOLERANCE`, or what half a replica of the largest makes: sum (e / 2)^2 / s over clusters and resources,
    with ``e`` its request over what all replicas request together.
    """
    members = [(needs(each), _copies(each)) for each in problem.workloads if each.key in rule.members]
    half = Fraction(0)
    for resource, shares in rule.shares.items():
        asked = [(needed.get(resource, 0), replicas) for needed, replicas in members]
        total = sum(need * replicas for need, replicas in asked)
        if total:
            part = Fraction(max(need for need, replicas in asked if replicas), 2 * total)
            half += part * part * sum((1 / share for share in shares.values()), Fraction(0))
    return max(TOLERANCE, half)


def _found(problem: Problem) -> Iterator[Balance]:
    """Yield who is to fill clusters together: those that share candidates, one with the next."""
    if sum(map(_is_spread, problem.workloads)) < 2:
        return
    # A workload of no replicas ties nobody to others: it may stand anywhere, and fills nothing.
    placed = (each for each in problem.workloads if each.replicas)
    for keys in connected({each.key: problem.candidates(each) for each in placed}):
        inside = tuple(map(problem.workload, keys))
        if problem.candidates(inside[0]) and sum(map(_is_spread, inside)) > 1:
            shares = _shares(inside, problem)
            if shares:
                yield Balance(frozenset(keys), shares)


def _is_spread(workload: Workload) -> bool:
    """Tell whether a workload is placed now, and divided by weights or Aggregated."""
    divided = any(isinstance(rule, Weights | Shares | Aggregated) for rule in workload.rules)
    return divided and bool(workload.replicas) and (workload.due or workload.fresh)


def _all_marked(problem: Problem, keys: Container[str], *, apart: bool) -> tuple[Workload, ...]:
    """Return the workloads with those of some keys marked; the same where nothing changes."""
    found = tuple(_marked(each, apart=apart) if each.key in keys else each for each in problem.workloads)
    return problem.workloads if all(map(is_, found, problem.workloads)) else found


def _marked(workload: Workload, *, apart: bool) -> Workload:
    """Return a workload of which the level of the deviation from dynamic weights is told, in every group."""

    def told(rules: Rules) -> Rules:
        return tuple(
            replace(rule, apart=apart) if isinstance(rule, Weights) and rule.dynamic else rule
            for rule in rules
        )

    dynamic = (rule for rule in every_rule(workload) if isinstance(rule, Weights) and rule.dynamic)
    return with_rules(workload, told) if any(rule.apart is not apart for rule in dynamic) else workload


def _copies(workload: Workload) -> int:
    """Return how many replicas a workload has in all; of copies one for every candidate."""
    rule = workload.rule(Candidates)
    if workload.rule(Duplicated) is None or rule is None:
        return workload.replicas
    return workload.replicas * len(rule.names)


def _shares(workloads: Sequence[Workload], problem: Problem) -> dict[str, dict[str, Fraction]]:
    """Return the clusters' shares of what there is of every resource that is requested.

    Pods count only where nothing else is requested.
    """
    asked = {resource for each in workloads for resource in needs(each)}
    names = sorted(frozenset[str]().union(*{problem.candidates(each) for each in workloads}))
    found: dict[str, dict[str, Fraction]] = {}
    for resource in sorted(asked - {PODS} or asked):
        offered = {name: problem.limits.get((name, resource), 0) for name in names}
        total = sum(offered.values())
        if total:
            found[resource] = {name: Fraction(amount, total) for name, amount in offered.items() if amount}
    return found
