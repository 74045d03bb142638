"""Conflicts with a quota that need no solver: what its workloads want at least does not fit into it."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Duplicated, Quota, Total, bounds, duplicated, quota, total
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import Scope, allowed
from fairlead.models.statement import Conflict, Proof, Statement
from fairlead.models.workload import Workload
from fairlead.solver.quotas import candidates_of


class Wish(NamedTuple):
    """How many replicas a workload has to have somewhere, and how people say it."""

    workload: Workload
    replicas: int
    statement: Callable[[], Statement]


def quota_conflicts(problem: Problem) -> tuple[Conflict, ...]:
    """Return a conflict for every quota that what its workloads want at least does not fit into.

    Only totals, full copies and minima are looked at; leaving out any one statement of a conflict resolves
    it. None where replicas may stay unplaced.
    """
    if problem.partial:
        return ()
    found = (_conflict(rule, problem) for rule in problem.rules if isinstance(rule, Quota))
    return tuple(conflict for conflict in found if conflict is not None)


def _conflict(rule: Quota, problem: Problem) -> Conflict | None:
    """Return why a quota cannot be kept, for the first of its limits."""
    wishes: dict[Scope, list[Wish]] = {}
    for workload in problem.workloads_in(rule.namespace) if rule.limits else ():
        needed = needs(workload)
        for cluster, wish in _wishes(workload, problem):
            for resource in needed:
                wishes.setdefault(Scope(resource, cluster), []).append(wish)
    may = allowed(rule, problem)
    for scope in sorted(may, key=lambda each: each.order):
        amounts = [
            (needs(each.workload)[scope.resource] * each.replicas, each) for each in wishes.get(scope, ())
        ]
        if sum(amount for amount, _ in amounts) > may[scope]:
            told = tuple(each.statement() for each in _fewest(amounts, may[scope]))
            return Conflict((*told, quota.describe(rule, scope, problem)), proof=Proof.MINIMAL)
    return None


def _fewest(wishes: Sequence[tuple[int, Wish]], most: int) -> Iterator[Wish]:
    """Yield the largest wishes until they are more than allowed; without any one of them they are not."""
    left = most
    for amount, wish in sorted(wishes, key=lambda each: -each[0]):
        yield wish
        left -= amount
        if left < 0:
            return


def _wishes(workload: Workload, problem: Problem) -> Iterator[tuple[str | None, Wish]]:
    """Yield what a workload has to have on single clusters, and on all of them (None)."""
    copies, divided = workload.rule(Duplicated), workload.rule(Total)
    if not workload.replicas or (copies is not None and copies.choice):
        return
    if copies is not None:
        for name in candidates_of(workload, problem):
            size = copy_on(copies, workload, name)
            wish = Wish(workload, size, partial(duplicated.describe, copies, workload, name))
            yield name, wish
            yield None, wish
        return
    if divided is not None:
        yield None, Wish(workload, workload.replicas, partial(total.describe, divided, workload))
    rule, names = workload.rule(Bounds) or Bounds(), frozenset(candidates_of(workload, problem))
    for name, bound in rule.minimum.items():
        if bound.replicas and name in names and name not in rule.where_held:
            yield name, Wish(workload, bound.replicas, partial(bounds.describe_minimum, rule, workload, name))
