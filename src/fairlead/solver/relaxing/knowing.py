"""Rules that know the clusters which tolerations would open, while these are still closed."""

from dataclasses import replace

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Duplicated, WorkloadRule
from fairlead.models.workload import Workload
from fairlead.solver.changes.opening import spelled, tolerated


def knowing_all(problem: Problem) -> Problem:
    """Return a problem whose rules know the clusters that tolerations would open; these stay closed."""
    workloads = tuple(replace(each, rules=_knowing(each, problem)) for each in problem.workloads)
    return replace(problem, workloads=workloads)


def _knowing(workload: Workload, problem: Problem) -> tuple[WorkloadRule, ...]:
    """Return the rules of a workload that know the clusters that tolerations would open."""
    known = workload.rule(Candidates)
    copies = workload.rule(Duplicated)
    if known is None or (copies is not None and not copies.choice):
        return workload.rules
    rules = workload.rules
    for taint in sorted({spelled(taint) for each in known.excluded.values() for taint in each.taints}):
        rules = tolerated(rules, taint, workload, problem)
    open_now = frozenset(known.names)
    return tuple(_only_where_open(rule, known, open_now) for rule in rules)


def _only_where_open(rule: WorkloadRule, known: Candidates, open_now: frozenset[str]) -> WorkloadRule:
    """Keep clusters closed, and minima there without effect."""
    match rule:
        case Candidates():
            return known
        case Bounds():
            return replace(rule, where_held=rule.where_held.union(rule.minimum.keys() - open_now))
        case _:
            return rule
