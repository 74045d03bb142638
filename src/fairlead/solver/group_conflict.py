"""Conflicts about sets of clusters that need no solver: wrong totals, missing groups."""

import numpy as np

from fairlead.models.rules import (
    Candidates,
    GroupTotal,
    Spread,
    Total,
    candidates,
    group_total,
    spread,
    total,
)
from fairlead.models.statement import Conflict, Statement
from fairlead.models.workload import Workload
from fairlead.solver.boxes import WorkloadBox
from fairlead.solver.marginal import exact_sum


def group_conflict(workload: Workload, boxed: WorkloadBox) -> Conflict | None:
    """Return a conflict about sets of clusters; None where none is found so easily.

    Parameters
    ----------
    workload
        The workload; its box is not empty.
    boxed
        Its box.
    """
    if not workload.replicas or workload.rule(Total) is None:
        return None
    return _sum_differs(workload, boxed) or _too_few_groups(workload) or _set_misfits(workload, boxed)


def _sum_differs(workload: Workload, boxed: WorkloadBox) -> Conflict | None:
    """Find exact totals of disjoint sets that cover all candidates and do not add up to the total."""
    exact = [rule for rule in workload.rules_of(GroupTotal) if rule.minimum == rule.maximum]
    covering = [rule for rule in exact if rule.clusters >= set(boxed.names)]
    for rule in covering:
        if rule.minimum != workload.replicas:
            return Conflict((wanted_total(workload), group_total.describe(rule, workload)))
    parts = [rule for rule in exact if rule not in covering]
    inside = frozenset[str]().union(*(rule.clusters for rule in parts))
    disjoint = len(inside) == sum(len(rule.clusters) for rule in parts)
    told = sum(rule.minimum for rule in parts)
    too_many = disjoint and told > workload.replicas
    too_few = disjoint and inside >= set(boxed.names) and told < workload.replicas
    if parts and (too_many or too_few):
        return Conflict((wanted_total(workload), *(group_total.describe(rule, workload) for rule in parts)))
    return None


def _set_misfits(workload: Workload, boxed: WorkloadBox) -> Conflict | None:
    """Find a set that must hold more than its clusters can, or less than they have to."""
    for rule in workload.rules_of(GroupTotal):
        inside = np.array([name in rule.clusters for name in boxed.names], dtype=bool)
        most, least = exact_sum(boxed.box.upper[inside]), exact_sum(boxed.box.lower[inside])
        if most < rule.minimum:
            text = f"{rule.name} can hold at most {most} of {workload.key}"
            room = Statement("capacity", text, None, workload.key)
            return Conflict((group_total.describe(rule, workload), room))
        if rule.maximum is not None and least > rule.maximum:
            text = f"the clusters of {rule.name} need at least {least} of {workload.key}"
            return Conflict(
                (group_total.describe(rule, workload), Statement("bounds", text, None, workload.key))
            )
    return None


def _too_few_groups(workload: Workload) -> Conflict | None:
    """Find a spread over more groups than there are, or than there are replicas."""
    for rule in workload.rules_of(Spread):
        present = sum(1 for clusters in rule.groups.values() if clusters)
        if rule.minimum > present:
            text = f"only {present} {rule.field} group(s) hold a candidate of {workload.key}"
            reason = workload.rule(Candidates)
            why = f"{text}: {candidates.summarise(reason)}" if reason and reason.excluded else text
            about = Statement(candidates.KIND, why, None, workload.key)
            return Conflict((spread.describe(rule, workload), about))
        in_one_only = sum(len(clusters) for clusters in rule.groups.values()) == len(
            frozenset[str]().union(*rule.groups.values())
        )
        if in_one_only and rule.minimum > workload.replicas:
            return Conflict((spread.describe(rule, workload), wanted_total(workload)))
    return None


def wanted_total(workload: Workload) -> Statement:
    """Say how many replicas are wanted."""
    return total.describe(workload.rule(Total) or Total(), workload)
