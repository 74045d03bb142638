"""Opening clusters to a workload: a taint is tolerated, or all that closes a cluster is taken away.

Every rule of a workload has to know a cluster that is opened. What it was read from tells that, if it may be
read again; else the rules tell it of themselves, where they know enough.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeGuard

from fairlead.models.closed_clusters import rule_opened
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.errors import UnsupportedError
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    BindingRule,
    Candidates,
    CustomCost,
    CustomRule,
    GroupedRule,
    GroupTotal,
    Price,
    Shares,
    Skew,
    Spread,
    Survival,
    WorkloadRule,
)
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.usage import without_lag
from fairlead.models.variants import Rules, binding, every_rule, exchanged, with_rules
from fairlead.models.workload import Workload, at_start, in_group

DRAINED = Taint("fairlead.io/drained", "", "NoExecute")
CORDONED = Taint("fairlead.io/cordoned", "", "NoSchedule")
"""Marks on clusters of a changed problem, so that a later change knows of an earlier one."""

IS_DRAINED = "is being drained"
IS_CORDONED = "is cordoned"


def _may_stay(exclusion: Exclusion, held: int) -> bool:
    """Tell whether what a workload holds may stay: the taints that are left only keep away what is new."""
    return bool(held and exclusion.taints) and all(each.effect == "NoSchedule" for each in exclusion.taints)


def _without(exclusion: Exclusion, taint: Taint) -> Exclusion:
    """Take a taint off the grounds for an exclusion."""
    left = tuple(each for each in exclusion.taints if each != taint)
    return replace(exclusion, taints=left)


def restored(problem: Problem, cluster: Cluster) -> Problem:
    """Open a cluster again to every workload.

    Raises `UnsupportedError` where a workload for which it is closed was not read from manifests, or has
    rules from elsewhere.
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


def tolerating(workload: Workload, taints: Sequence[Taint], problem: Problem) -> Workload:
    """Return a workload that tolerates some taints more, in every affinity group.

    What it was read from is read again; where that does not tell, its rules tell of themselves what holds on
    a cluster that opens.
    """
    if workload.reading is not None:
        read = replace(workload, reading=workload.reading.tolerating(taints))
        again = _read_again(read, problem.clusters)
        if again is not None:
            return again

    def opened(rules: Rules, taint: Taint) -> Rules:
        return _opened(rules, taint, workload, problem)

    return with_rules(workload, lambda rules: reduce(opened, taints, rules))


def _opened(rules: Rules, taint: Taint, workload: Workload, problem: Problem) -> Rules:
    """Return the rules of a workload that tolerates one taint more, as they tell it.

    A cluster that only tolerated taints kept closed becomes a candidate: it counts in every spread
    constraint and in what has to survive as its region, zone, provider or label says. It has the bounds that
    all candidates have from the same line, and is in the sets that know of it. It belongs to the last
    overflow tier. Its static weight is not known here; it gets the least that any candidate has. Where taints
    are left that only keep away what is new, the workload keeps what it holds there.
    """
    found = next((rule for rule in rules if isinstance(rule, Candidates)), None)
    if found is None:
        return rules
    left = {name: _without(exclusion, taint) for name, exclusion in found.excluded.items()}
    stays = {
        name: each
        for name, each in left.items()
        if len(each.taints) < len(found.excluded[name].taints)
        and _may_stay(each, workload.current.get(name, 0))
    }
    opened = [
        name
        for name, each in left.items()
        if found.excluded[name].taints and (not each.taints or name in stays)
    ]
    kept = {name: _without(exclusion, taint) for name, exclusion in found.held_only.items()}
    candidates = Candidates(
        tuple(sorted((*found.names, *opened))),
        {name: exclusion for name, exclusion in left.items() if name not in opened},
        {
            **{name: each for name, each in kept.items() if each.taints or not found.held_only[name].taints},
            **stays,
        },
    )
    clusters = {name: problem.cluster_by_name[name] for name in opened}
    return tuple(
        candidates if rule is found else rule_opened(rule, found, clusters, workload) for rule in rules
    )


def _read_again(workload: Workload, clusters: Sequence[Cluster]) -> Workload | None:
    """Return a workload that was read again, without preferences where it has none; see `interpreted`."""
    again = interpreted(workload, clusters)
    bare = all(isinstance(rule, BindingRule) for rule in every_rule(workload))
    return with_rules(again, binding) if again is not None and bare else again


def raised(workload: Workload, cluster: str, most: int, problem: Problem) -> Workload | None:
    """Return a workload of full copies with another maximum on a cluster that its maximum of 0 closes.

    None where another reason closes the cluster, or where nothing tells what would hold there.
    """
    if not any(found[cluster].cause is Cause.NO_COPY for found in _closed(workload) if cluster in found):
        return None
    reading = None if workload.reading is None else workload.reading.with_maximum(cluster, most)
    return None if reading is None else _read_again(replace(workload, reading=reading), problem.clusters)


def _closed(workload: Workload) -> Iterator[Mapping[str, Exclusion]]:
    """Yield the clusters that are closed to a workload, in each of its affinity groups."""
    yield from (rule.excluded for rule in every_rule(workload) if isinstance(rule, Candidates))


def may_be_untold(workload: Workload) -> bool:
    """Tell whether some toleration opens a cluster of which its rules do not say what would hold there."""
    return any(each.spoiling for excluded in _closed(workload) for each in excluded.values())


def is_untold(workload: Workload, taints: Container[Taint]) -> bool:
    """Tell whether rules do not say what would hold on some cluster if a workload tolerated some taints."""
    return any(
        taint in taints
        for excluded in _closed(workload)
        for each in excluded.values()
        for taint in each.spoiling
    )


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

    One that has a single group left keeps that. None where that does not tell: the workload was not read from
    manifests, or has rules that were added in Python and say nothing of other clusters.
    """
    if workload.reading is None or any(_is_mute(rule) for rule in every_rule(workload)):
        return None
    bare = replace(workload, rules=(), groups=(), group=None)
    found = workload.reading.again(bare, [_as_read(one) for one in clusters])
    known = {type(rule) for rule in every_rule(found)}
    ours = [rule for rule in workload.rules if _is_added(rule, known)]

    def completed(rules: Sequence[WorkloadRule]) -> tuple[WorkloadRule, ...]:
        names = next((rule.names for rule in rules if isinstance(rule, Candidates)), ())
        inside = [one for one in clusters if one.name in names]
        again = (rule.over(inside) for rule in ours)
        return (*(_worded(rule, clusters) for rule in rules), *again)

    again = with_rules(found, completed)
    for group in again.groups if workload.group is not None and not workload.groups else ():
        if group.name == workload.group:
            return replace(in_group(again, group), groups=(), settled=workload.settled)
    return at_start(again)


def _is_mute(rule: WorkloadRule) -> bool:
    """Tell whether neither manifests nor a rule itself tell what it says of other clusters."""
    match rule:
        case GroupTotal() | Shares():
            return rule.source is None
        case Price():
            return rule.source is None and rule.everywhere is None
        case _:
            return False


def _is_added(rule: WorkloadRule, known: Container[type]) -> TypeGuard[GroupedRule | CustomCost | Price]:
    """Tell whether a rule was added to those that manifests tell, and can be told of other clusters.

    `known`: the kinds of the rules that they tell. Rules from outside have no line that would tell.
    """
    match rule:
        case CustomCost() | CustomRule():
            return type(rule) not in known
        case Spread() | Survival() | Skew() | Price():
            return rule.source is None
        case _:
            return False


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
