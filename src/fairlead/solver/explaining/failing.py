"""Whether one workload fails by itself, as far as numbers of clusters and replicas tell."""

import numpy as np

from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Duplicated,
    GroupTotal,
    Quota,
    SharedRule,
    Spread,
    Survival,
    Total,
    quota,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.workload import Workload
from fairlead.solver.boxes import WorkloadBox, box_of, has_box
from fairlead.solver.marginal import exact_sum


def fails_alone(workload: Workload, problem: Problem, boxed: WorkloadBox | None = None) -> bool:
    """Tell whether a workload is seen to have no placement of its own, without a solver.

    Parameters
    ----------
    workload
        The workload.
    problem
        Where it belongs.
    boxed
        Its box; None where it is not known yet.
    """
    if boxed is None:
        if not has_box(workload):
            return False
        boxed = box_of(workload, problem, problem.limits)
    if not boxed.box.feasible:
        return True
    if not workload.replicas or workload.rule(Total) is None:
        return False
    return _sum_differs(workload, boxed) or _too_few_groups(workload) or _set_misfits(workload, boxed)


def settled(workload: Workload, problem: Problem) -> bool:
    """Tell whether `fails_alone` is the whole truth about a workload: its rules bound single clusters only.

    Parameters
    ----------
    workload
        The workload.
    problem
        Where it belongs.
    """
    if not has_box(workload) or not all(_is_kept_alone(rule, workload, problem) for rule in problem.rules):
        return False
    known = workload.rule(Candidates)
    inside = problem.cluster_by_name.keys() if known is None else frozenset(known.names)
    for rule in workload.rules:
        match rule:
            case Bounds() if rule.where_held or not inside >= rule.minimum.keys():
                return False
            case GroupTotal() | Spread() | Survival():
                return False
            case _:
                continue
    return True


def _is_kept_alone(rule: SharedRule, workload: Workload, problem: Problem) -> bool:
    """Tell whether a shared rule leaves to a workload alone all that its box allows."""
    match rule:
        case Capacity():
            return True
        case Quota():
            needed = needs(workload)
            return workload.rule(Duplicated) is None and all(
                scope.cluster is not None or needed.get(scope.resource, 0) * workload.replicas <= limit
                for scope, limit in quota.allowed(rule, problem).items()
                if workload.namespace == rule.namespace
            )
        case _:
            return False


def _sum_differs(workload: Workload, boxed: WorkloadBox) -> bool:
    """Tell whether exact totals of disjoint sets add up to something else than the total."""
    exact = [rule for rule in workload.rules_of(GroupTotal) if rule.minimum == rule.maximum]
    covering = [rule for rule in exact if rule.clusters >= set(boxed.names)]
    if any(rule.minimum != workload.replicas for rule in covering):
        return True
    parts = [rule for rule in exact if rule not in covering]
    inside = frozenset[str]().union(*(rule.clusters for rule in parts))
    if not parts or len(inside) != sum(len(rule.clusters) for rule in parts):
        return False
    told = sum(rule.minimum for rule in parts)
    return told > workload.replicas or (told < workload.replicas and inside >= set(boxed.names))


def _too_few_groups(workload: Workload) -> bool:
    """Tell whether a spread wants more groups than there are, or than there are replicas."""
    for rule in workload.rules_of(Spread):
        if rule.minimum > sum(1 for clusters in rule.groups.values() if clusters):
            return True
        inside = frozenset[str]().union(*rule.groups.values())
        in_one_only = sum(len(clusters) for clusters in rule.groups.values()) == len(inside)
        if in_one_only and rule.minimum > workload.replicas:
            return True
    return False


def _set_misfits(workload: Workload, boxed: WorkloadBox) -> bool:
    """Tell whether a set must hold more than its clusters can, or less than they have to."""
    for rule in workload.rules_of(GroupTotal):
        inside = np.array([name in rule.clusters for name in boxed.names], dtype=bool)
        most, least = exact_sum(boxed.box.upper[inside]), exact_sum(boxed.box.lower[inside])
        if most < rule.minimum or (rule.maximum is not None and least > rule.maximum):
            return True
    return False
