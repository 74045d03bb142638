"""What a placement costs, and what it saves against what runs now."""

from collections.abc import Mapping
from fractions import Fraction

from fairlead.models.levels import PRICED, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Price
from fairlead.models.rules.price import cost
from fairlead.models.words import format_number, format_percent

Placed = Mapping[str, Mapping[str, int]]
"""Replicas by workload and cluster."""


def cost_lines(problem: Problem, now: Placed, then: Placed) -> list[str]:
    """Return a line per level on which anything has a price; none where nothing has.

    Parameters
    ----------
    problem
        The workloads with their prices.
    now, then
        What runs, and what is compared with it; where nothing runs, nothing is compared.
    """
    return [_line(problem, level, now, then) for level in sorted(PRICED) if _rules(problem, level)]


def _line(problem: Problem, level: Level, now: Placed, then: Placed) -> str:
    rules = _rules(problem, level)
    unit = next((rule.currency for rule in rules.values() if rule.currency), "")
    after = sum((cost(rule, then.get(key, {})) for key, rule in rules.items()), Fraction(0))
    told = f"{level.name.capitalize()}: {_amount(after, unit)}"
    before = _before(problem, rules, now)
    if before is None:
        return f"{told}."
    if before == after:
        return f"{told}, as now."
    share = f" ({format_percent(abs(after - before) / before)})" if before else ""
    change = f"{_amount(abs(after - before), unit)}{share} {'less' if after < before else 'more'}"
    return f"{told}, {change} than now."


def _rules(problem: Problem, level: Level) -> dict[str, Price]:
    """Return the prices that count on a level, by workload."""
    return {
        workload.key: rule
        for workload in problem.workloads
        for rule in workload.rules_of(Price)
        if rule.level == level
    }


def _before(problem: Problem, rules: Mapping[str, Price], now: Placed) -> Fraction | None:
    """Return what runs now costs; None where nothing runs, or where it has no price."""
    held = {key: {name: count for name, count in now.get(key, {}).items() if count} for key in rules}
    if not any(held.values()) or any(_strangers(problem, key, held[key]) for key in rules):
        return None
    return sum((cost(rule, held[key]) for key, rule in rules.items()), Fraction(0))


def _strangers(problem: Problem, key: str, held: Mapping[str, int]) -> tuple[str, ...]:
    """Return clusters without a price on which a workload runs: it is not eligible there."""
    candidates = problem.workload(key).rule(Candidates)
    known = candidates.names if candidates else problem.cluster_by_name
    return tuple(name for name in held if name not in known)


def _amount(amount: Fraction, unit: str) -> str:
    return f"{format_number(amount)} {unit}".rstrip()
