"""Which workloads are to fill clusters together, and how exactly."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from operator import is_
from typing import TYPE_CHECKING

from fairlead.models.cluster import PODS, connected
from fairlead.models.levels import BALANCE
from fairlead.models.rules import Aggregated, Candidates, Duplicated, Shares, Weights
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.capacity import needs
from fairlead.models.variants import Rules, every_rule, with_rules

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.models.workload import Workload

TOLERANCE = Fraction(25, 10_000)
"""What balance may be worse than best by, unless a profile says so: clusters filled alike within 5 %."""


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
    return replace(problem, workloads=_all_marked(problem, balanced, apart=True), balances=found)


def without_balance(problem: Problem) -> Problem:
    """Return a problem of which nothing is known of who is to fill clusters together."""
    if problem.balances is None:
        return problem
    everybody = problem.workload_by_key
    return replace(problem, workloads=_all_marked(problem, everybody, apart=False), balances=None)


def tolerance(rule: Balance, problem: Problem) -> Fraction:
    """Return how much less than best a balance may be, unless a profile says otherwise.

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
    if sum(map(_is_spread, problem.workloads)) < 2:
        return
    for inside in _tied(problem):
        if sum(map(_is_spread, inside)) > 1:
            shares = _shares(inside, problem)
            if shares:
                yield Balance(frozenset(each.key for each in inside), shares)


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
    asked = {resource for each in workloads if each.replicas for resource in needs(each)}
    names = sorted(frozenset[str]().union(*{problem.candidates(each) for each in workloads}))
    found: dict[str, dict[str, Fraction]] = {}
    for resource in sorted(asked - {PODS} or asked):
        offered = {name: problem.limits.get((name, resource), 0) for name in names}
        total = sum(offered.values())
        if total:
            found[resource] = {name: Fraction(amount, total) for name, amount in offered.items() if amount}
    return found


def _tied(problem: Problem) -> Iterator[tuple[Workload, ...]]:
    """Yield the workloads that share candidates, one with the next; each time in key order."""
    for keys in connected({each.key: problem.candidates(each) for each in problem.workloads}):
        inside = tuple(map(problem.workload, keys))
        if problem.candidates(inside[0]):
            yield inside
