"""Conflicts with a quota that need no solver: what its workloads want at least does not fit into it."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Duplicated, Quota, Total, bounds, duplicated, quota, total
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import Scope, allowed
from fairlead.models.statement import Conflict, Proof, Statement
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.scarcity import fewest_over


class Wish(NamedTuple):
    """How many replicas a workload has to have on a cluster, or on all of them (None), and how it is said."""

    cluster: str | None
    replicas: int
    statement: Callable[[], Statement]


def quota_conflicts(problem: Problem) -> tuple[Conflict, ...]:
    """Return a conflict for every quota that what its workloads want at least does not fit into.

    Only totals, full copies and minima are looked at; leaving out any one statement of a conflict resolves
    it. None where replicas may stay unplaced.
    """
    if problem.partial:
        return ()
    found = (_conflict(rule, problem) for rule in problem.rules if isinstance(rule, Quota) and rule.limits)
    return tuple(conflict for conflict in found if conflict is not None)


def _conflict(rule: Quota, problem: Problem) -> Conflict | None:
    """Return why a quota cannot be kept, for the first of its limits."""
    asked: dict[Scope, list[tuple[int, Wish]]] = {}
    for workload in problem.workloads_in(rule.namespace):
        needed = needs(workload)
        for wish in _wishes(workload, problem):
            for resource, need in needed.items():
                asked.setdefault(Scope(resource, wish.cluster), []).append((need * wish.replicas, wish))
    for scope, limit in sorted(allowed(rule, problem).items(), key=lambda each: each[0].order):
        wishes = fewest_over(asked.get(scope, ()), limit)
        if wishes is not None:
            told = (wish.statement() for wish in wishes)
            return Conflict((*told, quota.describe(rule, scope, problem)), proof=Proof.MINIMAL)
    return None


def _wishes(workload: Workload, problem: Problem) -> Iterator[Wish]:
    """Yield what a workload has to have on single clusters, and on all of them."""
    copies, divided = workload.rule(Duplicated), workload.rule(Total)
    if not workload.replicas or (copies is not None and copies.choice):
        return
    if copies is not None:
        for name in problem.candidates(workload):
            told = duplicated.full_copy(copies, workload, name).statement
            size = copy_on(copies, workload, name)
            yield from (Wish(name, size, told), Wish(None, size, told))
        return
    if divided is not None:
        yield Wish(None, workload.replicas, total.requirement(divided, workload).statement)
    rule, names = workload.rule(Bounds) or Bounds(), frozenset(problem.candidates(workload))
    for name, bound in rule.minimum.items():
        if bound.replicas and name in names and name not in rule.where_held:
            yield Wish(name, bound.replicas, bounds.minimum(rule, workload, name).statement)
