"""Levers: every number of a problem that a relaxation may change."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from fairlead.encoders import capacity, quota
from fairlead.encoders.costs import Because
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Capacity,
    Companionship,
    MoveBudget,
    Quota,
    SharedRule,
    companionship,
)
from fairlead.solver.changes.kinds import Kind
from fairlead.solver.changes.quota import detail_of
from fairlead.solver.relaxing.lever import PLENTY, Key, Lever
from fairlead.solver.relaxing.sharing import shared
from fairlead.solver.relaxing.stock import asked_of, askers_of, at_hand
from fairlead.solver.relaxing.workload_levers import levers_of


def pairwise(problem: Problem) -> Problem:
    """Return the problem with a rule of its own for every two companions, so that each gives way alone."""
    rules: list[SharedRule] = []
    for rule in problem.rules:
        if isinstance(rule, Companionship):
            rules += [
                replace(rule, name=pair_name(rule, earlier, later), members=(earlier, later))
                for earlier, later in combinations(rule.members, 2)
            ]
        else:
            rules.append(rule)
    return replace(problem, rules=tuple(rules))


def pair_name(rule: Companionship, earlier: str, later: str) -> str:
    """Return a name for the rule of two companions alone."""
    return f"{rule.name}\n{earlier}\n{later}"


def levers(problem: Problem) -> tuple[Lever, ...]:
    """Return all levers of a problem, in a fixed order."""
    found: list[Lever] = []
    for workload in problem.workloads:
        found += levers_of(workload)
    for rule in problem.rules:
        match rule:
            case Capacity():
                found += _capacities(problem)
            case Companionship():
                found += _companions(rule, problem)
            case Quota():
                found += _quotas(rule, problem)
            case MoveBudget():
                found.append(_budget(rule))
    # A number that one workload could not use otherwise still changes for it, where others share it.
    return tuple(lever for lever in shared(found, problem) if lever.most > 0)


def _capacities(problem: Problem) -> Iterator[Lever]:
    """Yield more of every resource that workloads ask of a cluster of known capacity."""
    for cluster in problem.clusters:
        if cluster.free is None:
            continue
        for resource, asked in asked_of(problem, cluster).items():
            # What others take beyond all measure is no matter of what to add.
            if at_hand(problem, cluster.name, resource) < -PLENTY * max(asked.values()):
                continue
            key: Key = (capacity.gives_way(cluster.name, resource), "most")
            before = cluster.free.get(resource, 0)
            yield Lever(
                Kind.CAPACITY, None, cluster.name, resource, before, 1, PLENTY, (key,), cluster.source
            )


def _companions(rule: Companionship, problem: Problem) -> Iterator[Lever]:
    """Yield every member, which may leave the group; of what labels say that is no number of anybody."""
    if rule.source is not None and rule.source.holder is not None and rule.source.manifest is None:
        return
    for member in rule.members:
        names = [cluster.name for cluster in problem.clusters]
        pairs = [pair for pair in combinations(rule.members, 2) if member in pair]
        keys: tuple[Key, ...] = tuple(
            (Because(companionship.KIND, later, name, pair_name(rule, earlier, later)), "most")
            for earlier, later in pairs
            for name in names
        )
        yield Lever(Kind.COMPANION, member, None, rule.name, 1, -1, 1, keys, rule.source)


def _quotas(rule: Quota, problem: Problem) -> Iterator[Lever]:
    """Yield more of everything that a quota limits and workloads could ask for."""
    for scope, limit in sorted(rule.limits.items(), key=lambda each: each[0].order):
        if askers_of(rule, scope, problem):
            key: Key = (quota.gives_way(rule, scope), "most")
            detail = detail_of(rule, scope.resource)
            source = limit.source or rule.source
            yield Lever(Kind.QUOTA, None, scope.cluster, detail, limit.hard, 1, PLENTY, (key,), source)


def _budget(rule: MoveBudget) -> Lever:
    """Return more moves; no constraint of the encoding gives way, see `budgets`."""
    return Lever(Kind.MOVE_BUDGET, None, None, rule.name, rule.most, 1, PLENTY, (), rule.source)
