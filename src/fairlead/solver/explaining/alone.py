"""One workload of a problem by itself, with all that the others leave to it."""

from dataclasses import replace

from fairlead.models.cluster import PODS, Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity, Quota, quota
from fairlead.models.rules.capacity import needs
from fairlead.models.workload import Workload


def alone(workload: Workload, problem: Problem) -> Problem:
    """Return a problem of one workload in which every other one has left its clusters.

    Whatever is infeasible there is infeasible beside the others as well.
    """
    held = {name for each in problem.workloads for name in each.current}
    clusters = tuple(
        _left_to(workload, cluster, problem) if cluster.name in held else cluster
        for cluster in problem.clusters
    )
    rules = tuple(
        _quota_left_to(workload, rule, problem) if isinstance(rule, Quota) else rule
        for rule in problem.rules
        if isinstance(rule, Capacity | Quota)
    )
    return replace(problem, clusters=clusters, workloads=(workload,), rules=rules, partial=False)


def _quota_left_to(workload: Workload, rule: Quota, problem: Problem) -> Quota:
    """Return a quota of which used is what this workload holds and what others take that stay."""
    held = quota.asked(rule, workload, workload.current)
    limits = {
        scope: rule.limits[scope]._replace(used=taken + held.get(scope, 0) if taken else 0)
        for scope, taken in quota.taken_by_others(rule, problem).items()
    }
    return replace(rule, limits=limits)


def _left_to(workload: Workload, cluster: Cluster, problem: Problem) -> Cluster:
    """Return a cluster of which free is what all workloads may use together, less what this one holds."""
    if cluster.free is None:
        return cluster
    held = workload.current.get(cluster.name, 0)
    free = dict(cluster.free)
    for resource, need in needs(workload).items():
        left = problem.limits.get((cluster.name, resource))
        if left is not None and (resource != PODS or PODS in cluster.free):
            free[resource] = left - need * held
    return replace(cluster, free=free)
