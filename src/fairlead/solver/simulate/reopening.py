"""Placements read once more: where a change opens clusters that the rules know only as closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fairlead.models.affinity_groups import at_start
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.errors import UnsupportedError
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    CustomCost,
    Evenness,
    Grouped,
    GroupTotal,
    Price,
    Shares,
    Spread,
    WorkloadRule,
)
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.statement import Statement
from fairlead.models.usage import without_lag
from fairlead.models.variants import every_rule, exchanged, sets_of_rules, with_rules
from fairlead.models.workload import Workload

DRAINED = Taint("fairlead.io/drained", "", "NoExecute")
CORDONED = Taint("fairlead.io/cordoned", "", "NoSchedule")
"""Marks on clusters of a changed problem, so that a later change knows of an earlier one."""

IS_DRAINED = "is being drained"
IS_CORDONED = "is cordoned"

_FROM_ELSEWHERE = (Evenness, GroupTotal, Price, Shares)
"""Rules that a placement alone does not tell: totals around it, and manifests of our own kinds."""


class Reopened(NamedTuple):
    """A workload after clusters were closed, and what there is to say."""

    workload: Workload
    warnings: tuple[Statement, ...] = ()


def reopened(before: Workload, after: Workload, clusters: Sequence[Cluster]) -> Reopened:
    """Open the clusters that stood back for those that are closed now.

    Where no cluster with a static weight is left, all others weigh the same; where no cluster of the first
    overflow tier is left, the next tier is the first; where a workload that must not be rescheduled runs
    nowhere any more, it is scheduled anew. Which rules hold there the placement tells again.

    Parameters
    ----------
    before, after
        The workload before and after clusters were closed to it.
    clusters
        The clusters that are left.
    """
    if not any(_stands_back(rules) for rules in _emptied(before, after)):
        return Reopened(after)
    again = interpreted(after, clusters)
    if again is not None:
        return Reopened(again)
    text = (
        f"{after.key}: clusters that stood back for those that are closed now may open;"
        " the rules do not tell, so they stay closed here"
    )
    return Reopened(after, (Statement("candidates", text, after.source, after.key),))


def _emptied(before: Workload, after: Workload) -> list[tuple[WorkloadRule, ...]]:
    """Return the rules after the change, of those affinity groups that lost what others stood back for."""
    pairs = zip(sets_of_rules(before), sets_of_rules(after), strict=True)
    return [new for old, new in pairs if _open(old) and (not _open(new) or _depths(old) != _depths(new))]


def _open(rules: Sequence[WorkloadRule]) -> tuple[str, ...]:
    """Return the candidates."""
    return next((rule.names for rule in rules if isinstance(rule, Candidates)), ())


def _depths(rules: Sequence[WorkloadRule]) -> list[int]:
    """Return the number of groups of every depth of hierarchical weights."""
    return [len(groups) for rule in rules if isinstance(rule, Shares) for groups in rule.depths]


def _stands_back(rules: Sequence[WorkloadRule]) -> bool:
    """Tell whether a cluster is closed only as long as others are open."""
    found = next((rule for rule in rules if isinstance(rule, Candidates)), None)
    return found is not None and any(one.cause is Cause.BESIDE_OTHERS for one in found.excluded.values())


def restored(problem: Problem, cluster: Cluster) -> Problem:
    """Open a cluster again to every workload.

    Raises
    ------
    UnsupportedError
        Where a workload for which it is closed was not read from manifests, or has rules from elsewhere.
    """
    fresh = replace(
        cluster,
        taints=tuple(one for one in cluster.taints if one.effect not in ("NoSchedule", "NoExecute")),
        implied_taints=(),
        deleting=False,
        joined=True,
        ready=True,
    )
    clusters = exchanged(problem.clusters, cluster, fresh)
    up_to_date = without_lag(clusters, problem.workloads)
    workloads = tuple(_restored(workload, cluster.name, up_to_date) for workload in problem.workloads)
    return replace(problem, clusters=clusters, workloads=workloads)


def _restored(workload: Workload, cluster: str, clusters: Sequence[Cluster]) -> Workload:
    """Return a workload with its rules once a cluster is open."""
    closed = [rule for rule in every_rule(workload) if isinstance(rule, Candidates)]
    if not any(cluster in rule.excluded or cluster in rule.held_only for rule in closed):
        return workload
    again = interpreted(workload, clusters)
    if again is None:
        why = "only the manifests tell what holds there; edit them and solve again"
        raise UnsupportedError(f"{cluster} cannot be opened again to {workload.key}: {why}")
    return again


def interpreted(workload: Workload, clusters: Sequence[Cluster]) -> Workload | None:
    """Return a workload with the rules that its placement or policy makes of some clusters.

    Returns
    -------
    Workload or None
        None where that alone does not tell: the workload was not read from manifests, or has rules from
        elsewhere.
    """
    stated = (rule for rule in every_rule(workload) if isinstance(rule, _FROM_ELSEWHERE))
    if workload.reading is None or any(stated):
        return None
    bare = replace(workload, rules=(), groups=(), group=None)
    found = workload.reading.again(bare, [_as_read(one) for one in clusters])
    # Placements tell spread constraints; everything else about groups comes from kinds of our own.
    others = (one for one in workload.rules if not isinstance(one, Spread))
    ours = [one for one in others if isinstance(one, Grouped | CustomCost)]

    def completed(rules: Sequence[WorkloadRule]) -> tuple[WorkloadRule, ...]:
        names = _open(rules)
        inside = [one for one in clusters if one.name in names]
        again = (rule.over(inside) for rule in ours)
        return (*(_worded(rule, clusters) for rule in rules), *again)

    return at_start(with_rules(found, completed))


def _as_read(cluster: Cluster) -> Cluster:
    """Return a cluster so that the reader of manifests closes it as its marks ask for, tolerated or not."""
    return replace(
        cluster,
        taints=tuple(one for one in cluster.taints if one not in (DRAINED, CORDONED)),
        deleting=cluster.deleting or DRAINED in cluster.taints,
        ready=cluster.ready and CORDONED not in cluster.taints,
    )


def _worded(rule: WorkloadRule, clusters: Sequence[Cluster]) -> WorkloadRule:
    """Say that clusters are drained or cordoned, not that they are being deleted or not ready."""
    if not isinstance(rule, Candidates):
        return rule
    drained = {one.name: Exclusion(IS_DRAINED) for one in clusters if DRAINED in one.taints}
    cordoned = {one.name: Exclusion(IS_CORDONED) for one in clusters if CORDONED in one.taints}
    ours = {**cordoned, **drained}

    def reasons(found: Mapping[str, Exclusion]) -> dict[str, Exclusion]:
        stood_for = (Cause.DELETING, Cause.NOT_READY)
        return {name: ours.get(name, one) if one.cause in stood_for else one for name, one in found.items()}

    return replace(rule, excluded=reasons(rule.excluded), held_only=reasons(rule.held_only))
