"""State of the fleet as one scheduler has left it, and the problem that it is given at a moment.

It is asked about the workloads that are due; what runs, waits or is evicted of all others is left as it is.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, assert_never

from fairlead.models.check import with_due
from fairlead.models.cluster import Cluster
from fairlead.models.in_order import kept
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    MoveBudget,
    Quota,
    SharedRule,
    Total,
)
from fairlead.models.rules.capacity import demands
from fairlead.models.rules.duplicated import copy_on, unplaced
from fairlead.models.rules.quota import recounted
from fairlead.models.source import Declared, FederatedUnit, KarmadaBinding
from fairlead.models.triggers import TRIGGERS
from fairlead.models.usage import usage
from fairlead.models.variants import every_rule
from fairlead.models.workload import Workload, as_it_runs, running, turn
from fairlead.solver.changes.open_clusters import DRAINED, interpreted
from fairlead.solver.script.moments import ScriptMoment

Placed = Mapping[str, Mapping[str, int]]
"""Replicas by workload and cluster."""


class LastDecision(NamedTuple):
    """Basis of KubeAdmiral's last decision: replicas wanted, and the clusters that there were."""

    replicas: int
    clusters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SchedulerState:
    """State that a scheduler has left behind."""

    placed: Placed
    """Replicas by workload and cluster; a workload that stands nowhere may be absent."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Affinity group in which a workload was scheduled last, where it has several."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Workloads that their scheduler could not place in full when it tried last, and why."""
    decided: Mapping[str, LastDecision] = field(default_factory=dict)
    """Basis of the last decision by workload; empty before the first one."""

    @classmethod
    def of(cls, problem: Problem) -> SchedulerState:
        """Return the state that runs in a problem, on the clusters that it has."""
        held = {each.key: running(each, problem.cluster_by_name) for each in problem.workloads}
        groups = {each.key: each.observed for each in problem.workloads if each.observed is not None}
        return cls(held, groups)

    def on(self, key: str) -> Mapping[str, int]:
        """Return the replicas of a workload by cluster."""
        return self.placed.get(key, {})


def differs(workload: Workload, placed: Mapping[str, int]) -> bool:
    """Tell whether other numbers stand than are wanted, fewer or more."""
    copies = workload.rule(Duplicated)
    if copies is not None and any(count != copy_on(copies, workload, name) for name, count in placed.items()):
        return True
    more = workload.rule(Total) is not None and sum(placed.values()) > workload.replicas
    return more or bool(missing(workload, placed))


def missing(workload: Workload, placed: Mapping[str, int]) -> int:
    """Return how many replicas that are wanted stand nowhere, on the clusters that its policy names."""
    rule = workload.rule(Candidates)
    return unplaced(workload, placed, placed if rule is None else rule.names)


def evicted(moment: ScriptMoment, standing: SchedulerState) -> Placed:
    """Return replicas that leave at once: from clusters that are gone, drained or tainted against them."""
    fleet = moment.fleet
    clusters = fleet.cluster_by_name
    drained = {one.name for one in fleet.clusters if DRAINED in one.taints}
    gone: dict[str, dict[str, int]] = {}
    for key, placed in standing.placed.items():
        workload = fleet.workload_by_key.get(key)
        left = {
            name: count
            for name, count in placed.items()
            if workload is None
            or name not in clusters
            or name in drained
            or _is_repelled(workload, clusters[name])
        }
        if left:
            gone[key] = left
    return gone


def _is_repelled(workload: Workload, cluster: Cluster) -> bool:
    """Tell whether a taint of a cluster evicts a workload, whatever else closes the cluster to it."""
    evicting = [taint for taint in cluster.taints if taint.effect == "NoExecute"]
    if not evicting or (isinstance(workload.declared, FederatedUnit) and workload.declared.sticky):
        return False
    if workload.reading is not None:
        return not all(map(workload.reading.tolerates, evicting))
    excluded = (rule.excluded for rule in every_rule(workload) if isinstance(rule, Candidates))
    closed = (each[cluster.name] for each in excluded if cluster.name in each)
    return any(taint in evicting for each in closed for taint in each.taints)


def without(placed: Placed, gone: Placed) -> dict[str, Mapping[str, int]]:
    """Return the placement without replicas that have gone."""
    return {
        key: {name: count for name, count in held.items() if name not in gone.get(key, {})}
        for key, held in placed.items()
    }


def waiting(moment: ScriptMoment, placed: Placed, ran: Placed) -> Placed:
    """Return the replicas that are placed on clusters where they find no room: their pods wait.

    As in a cluster, pods that ran go on running as long as there is room; others get what is left, by
    priority and then by key.
    """
    full = sorted(
        {
            row[0]
            for row, amount in usage(moment.fleet.workloads, placed, moment.fleet).items()
            if amount > moment.room.get(row, amount)
        }
    )
    queue = sorted(moment.fleet.workloads, key=turn)
    found: dict[str, dict[str, int]] = {}
    for name in full:
        cluster = moment.fleet.cluster_by_name[name]
        left = {resource: amount for (one, resource), amount in moment.room.items() if one == name}
        asked = {each.key: placed.get(each.key, {}).get(name, 0) for each in queue}
        for first in (True, False):
            for workload in queue if any(asked.values()) else ():
                wants = asked[workload.key]
                count = min(wants, ran.get(workload.key, {}).get(name, 0)) if first else wants
                needs = demands(workload, cluster)
                fits = min(
                    [count, *(max(0, left.get(each, 0)) // need for each, need in needs.items() if need)]
                )
                left.update({each: left.get(each, 0) - need * fits for each, need in needs.items()})
                asked[workload.key] -= fits
        for key, count in asked.items():
            if count:
                found.setdefault(key, {})[name] = count
    return found


def question(moment: ScriptMoment, standing: SchedulerState, due: Collection[str]) -> Problem:
    """Return the problem of the workloads that are due.

    All others keep what they have, and only what they use counts; those that stand with or apart from one
    that is due are in the problem, and can stand nowhere else.
    """
    fleet = moment.fleet
    clusters = clusters_now(moment, standing.placed)
    rules = tuple(_rules(moment, standing, due))
    beside = {key for rule in rules if isinstance(rule, Companionship) for key in rule.members}
    workloads = []
    for workload in fleet.workloads:
        if workload.key in due:
            found = now(workload, standing, clusters)
            workloads.append(replace(found, due=False) if _rests(workload, moment, standing) else found)
        elif workload.key in beside:
            workloads.append(as_it_runs(_held(workload, standing), fleet.cluster_by_name))
    return replace(fleet, clusters=clusters, workloads=with_due(workloads), rules=rules, warnings=())


def _rests(workload: Workload, moment: ScriptMoment, standing: SchedulerState) -> bool:
    """Tell whether the placement that counts is the one that was applied last, so that only what runs counts.

    `due` says of a workload what was so when its manifests were read.
    """
    binding = workload.declared
    decided = workload.key in standing.decided and workload.key not in moment.touched
    return isinstance(binding, KarmadaBinding) and (decided or binding.up_to_date)


def as_it_stands(workload: Workload, placed: Mapping[str, int], problem: Problem) -> Workload:
    """Return a workload with the rules that follow from where it stands.

    A cluster with a taint against what is new is open to what stands there, and closed once nothing does.
    """
    if all(bool(workload.current.get(name)) == bool(placed.get(name)) for name in _closing(problem)):
        return workload
    held = {name: workload.current.get(name) or count for name, count in placed.items() if count}
    return interpreted(replace(workload, current=held), problem.clusters) or workload


@kept
def _closing(problem: Problem) -> tuple[str, ...]:
    """Return the clusters that take nothing new of whoever does not tolerate it."""
    clusters = problem.clusters
    return tuple(one.name for one in clusters if any(each.effect == "NoSchedule" for each in one.taints))


def whole_question(moment: ScriptMoment, standing: SchedulerState) -> Problem:
    """Return the problem of all workloads as they run now; due are those that do not stand as they should."""
    clusters = clusters_now(moment, standing.placed)
    fleet = moment.fleet
    rules = tuple(_rules(moment, standing, fleet.workload_by_key))
    workloads = tuple(now(each, standing, clusters) for each in fleet.workloads)
    return replace(fleet, clusters=clusters, workloads=workloads, rules=rules, warnings=())


def as_held(moment: ScriptMoment, standing: SchedulerState) -> Problem:
    """Return the fleet with what workloads hold, and the rules that they had when it was loaded."""
    return replace(moment.fleet, workloads=tuple(_held(each, standing) for each in moment.fleet.workloads))


def clusters_now(moment: ScriptMoment, placed: Placed) -> tuple[Cluster, ...]:
    """Return the clusters with what is free once what is placed counts; grades are not known then."""
    taken = usage(moment.fleet.workloads, placed, moment.fleet)

    def left(cluster: Cluster) -> Cluster:
        if cluster.free is None:
            return cluster
        rows = ((resource, (cluster.name, resource)) for resource in cluster.free)
        free = {resource: moment.room.get(row, 0) - taken.get(row, 0) for resource, row in rows}
        return cluster if free == dict(cluster.free) else replace(cluster, free=free, grades=())

    return tuple(map(left, moment.fleet.clusters))


def now(workload: Workload, standing: SchedulerState, clusters: tuple[Cluster, ...]) -> Workload:
    """Return a workload that holds what it stands on, with the rules that follow from that."""
    held = _held(workload, standing)
    again = interpreted(held, clusters)
    return held if again is None else again


def _held(workload: Workload, standing: SchedulerState) -> Workload:
    """Return a workload that holds what it stands on."""
    placed = {name: count for name, count in standing.on(workload.key).items() if count}
    observed = standing.groups.get(workload.key)
    declared = _declared(workload.declared, placed, standing, workload)
    return replace(workload, current=placed, observed=observed, declared=declared, fresh=False)


def _declared(
    declared: Declared | None, placed: Mapping[str, int], standing: SchedulerState, workload: Workload
) -> Declared | None:
    """Return the manifests of a workload as the real scheduler sees them where it stands now."""
    match declared:
        case KarmadaBinding():
            return replace(declared, previous=tuple(sorted(placed.items())), evicting=frozenset())
        case FederatedUnit():
            return replace(
                declared,
                current=dict(placed),
                annotations=_with_triggers(declared, standing, workload),
                federated=workload.key in standing.placed,
            )
        case None:
            return None
        case _:
            assert_never(declared)


def _with_triggers(
    declared: FederatedUnit, standing: SchedulerState, workload: Workload
) -> Mapping[str, str]:
    """Return annotations with what KubeAdmiral's last decision was based on."""
    decided = standing.decided.get(workload.key)
    if decided is None:
        return declared.annotations
    record = {"replicaCount": decided.replicas, "clusters": decided.clusters}
    return {**declared.annotations, TRIGGERS: json.dumps(record)}


def _rules(moment: ScriptMoment, standing: SchedulerState, due: Collection[str]) -> Iterator[SharedRule]:
    """Yield the shared rules as they stand: quotas count what is placed now."""
    for rule in moment.fleet.rules:
        match rule:
            case Quota():
                yield recounted(rule, moment.fleet, standing.placed)
            case Companionship():
                members = tuple(key for key in rule.members if key in moment.fleet.workload_by_key)
                if not set(members).isdisjoint(due):
                    yield replace(rule, members=members)
            case Capacity() | MoveBudget():
                yield rule
            case _:
                assert_never(rule)
