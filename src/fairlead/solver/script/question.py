"""What a scheduler is asked at a moment: the workloads that are due, and what all others leave them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from fairlead.models.cluster import Cluster
from fairlead.models.declared import Declared, FederatedUnit, KarmadaBinding
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity, Companionship, MoveBudget, Quota, SharedRule, total
from fairlead.models.rules.quota import asked, taken_by_others
from fairlead.models.triggers import TRIGGERS
from fairlead.models.usage import usage
from fairlead.models.workload import Workload, as_it_runs
from fairlead.solver.script.moments import Moment
from fairlead.solver.script.standing import Placed, Standing
from fairlead.solver.simulate.closing import interpreted


def question(moment: Moment, standing: Standing, due: Collection[str]) -> Problem:
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
            workloads.append(now(workload, standing, clusters))
        elif workload.key in beside:
            kept = as_it_runs(_held(workload, standing), fleet.cluster_by_name)
            workloads.append(replace(kept, without=kept.without | {total.KIND}))
    return replace(fleet, clusters=clusters, workloads=tuple(workloads), rules=rules, warnings=())


def whole_question(moment: Moment, standing: Standing) -> Problem:
    """Return the problem of all workloads as they run now; due are those that do not stand as they should."""
    clusters = clusters_now(moment, standing.placed)
    fleet = moment.fleet
    rules = tuple(_rules(moment, standing, fleet.workload_by_key))
    workloads = tuple(now(each, standing, clusters) for each in fleet.workloads)
    return replace(fleet, clusters=clusters, workloads=workloads, rules=rules, warnings=())


def as_held(moment: Moment, standing: Standing) -> Problem:
    """Return the fleet with what workloads hold, and the rules that they had when it was loaded."""
    return replace(moment.fleet, workloads=tuple(_held(each, standing) for each in moment.fleet.workloads))


def clusters_now(moment: Moment, placed: Placed) -> tuple[Cluster, ...]:
    """Return the clusters with what is free once what is placed counts; grades are not known then."""
    taken = usage(moment.fleet.workloads, placed, moment.fleet)

    def left(cluster: Cluster) -> Cluster:
        if cluster.free is None:
            return cluster
        rows = ((resource, (cluster.name, resource)) for resource in cluster.free)
        free = {resource: moment.room.get(row, 0) - taken.get(row, 0) for resource, row in rows}
        return cluster if free == dict(cluster.free) else replace(cluster, free=free, grades=())

    return tuple(map(left, moment.fleet.clusters))


def now(workload: Workload, standing: Standing, clusters: tuple[Cluster, ...]) -> Workload:
    """Return a workload that holds what it stands on, with the rules that follow from that."""
    held = _held(workload, standing)
    again = interpreted(held, clusters)
    return held if again is None else again


def _held(workload: Workload, standing: Standing) -> Workload:
    """Return a workload that holds what it stands on."""
    placed = {name: count for name, count in standing.on(workload.key).items() if count}
    observed = standing.groups.get(workload.key)
    declared = _declared(workload.declared, placed, standing, workload)
    return replace(workload, current=placed, observed=observed, declared=declared, fresh=False)


def _declared(
    declared: Declared | None, placed: Mapping[str, int], standing: Standing, workload: Workload
) -> Declared | None:
    """Return what the real scheduler sees of a workload that stands where it does."""
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


def _with_triggers(declared: FederatedUnit, standing: Standing, workload: Workload) -> Mapping[str, str]:
    """Return annotations with what KubeAdmiral's last decision was based on."""
    decided = standing.decided.get(workload.key)
    if decided is None:
        return declared.annotations
    record = {"replicaCount": decided.replicas, "clusters": decided.clusters}
    return {**declared.annotations, TRIGGERS: json.dumps(record)}


def _rules(moment: Moment, standing: Standing, due: Collection[str]) -> Iterator[SharedRule]:
    """Yield the shared rules as they stand: quotas count what is placed now."""
    for rule in moment.fleet.rules:
        match rule:
            case Quota():
                yield _counted(rule, moment, standing.placed)
            case Companionship():
                members = tuple(key for key in rule.members if key in moment.fleet.workload_by_key)
                if not set(members).isdisjoint(due):
                    yield replace(rule, members=members)
            case Capacity() | MoveBudget():
                yield rule
            case _:
                assert_never(rule)


def _counted(rule: Quota, moment: Moment, placed: Placed) -> Quota:
    """Return a quota of which so much is used as is placed now, and as others use."""
    taken = taken_by_others(rule, moment.fleet)
    for workload in moment.fleet.workloads_in(rule.namespace):
        for scope, amount in asked(rule, workload, placed.get(workload.key, {})).items():
            taken[scope] += amount
    limits = {scope: limit._replace(used=taken[scope]) for scope, limit in rule.limits.items()}
    return replace(rule, limits=limits)
