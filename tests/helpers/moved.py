"""A problem some time later: what was moved has left its clusters and stands on others."""

from dataclasses import replace

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Quota
from fairlead.models.rules.quota import asked, taken_by_others
from fairlead.models.usage import remaining as left_in


def moved_to(problem: Problem, standing: Placement) -> Problem:
    """Return the problem as it is when its workloads stand elsewhere.

    What they left is free, what they took is not. Where a cluster tells the grades of its nodes, those still
    count what was free before.
    """
    left: dict[str, dict[str, int]] = {}
    for (name, resource), amount in left_in(problem, standing).items():
        left.setdefault(name, {})[resource] = amount
    clusters = tuple(
        cluster if cluster.free is None else replace(cluster, free=left.get(cluster.name, {}))
        for cluster in problem.clusters
    )
    workloads = tuple(
        replace(workload, current=dict(standing.of(workload.key))) for workload in problem.workloads
    )
    rules = tuple(
        _quota_after(rule, problem, standing) if isinstance(rule, Quota) else rule for rule in problem.rules
    )
    return replace(problem, clusters=clusters, workloads=workloads, rules=rules)


def _quota_after(rule: Quota, problem: Problem, standing: Placement) -> Quota:
    """Return a quota whose use is what others take and what the workloads hold now."""
    used = dict(taken_by_others(rule, problem))
    for workload in problem.workloads_in(rule.namespace):
        for scope, amount in asked(rule, workload, standing.of(workload.key)).items():
            used[scope] += amount
    limits = {scope: limit._replace(used=used[scope]) for scope, limit in rule.limits.items()}
    return replace(rule, limits=limits)
