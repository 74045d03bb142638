"""Workloads that an answer changes although KubeAdmiral itself would not look at them again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fairlead.models.cluster import CPU
from fairlead.models.rules import Aggregated, Candidates, Duplicated, Total, Weights
from fairlead.models.source import FederatedUnit
from fairlead.models.statement import Statement
from fairlead.models.words import listed
from fairlead.models.workload import as_it_runs, running

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.models.result import Result
    from fairlead.models.source import Source
    from fairlead.models.workload import Workload

KIND = "rescheduling"

TRIGGERS = "kubeadmiral.io/scheduling-triggers"
"""Annotation in which KubeAdmiral keeps what its last decision was based on."""

MEMORY = "memory"


def untriggered(outcome: Result) -> tuple[Statement, ...]:
    """Say which workloads the answer changes although KubeAdmiral would leave them as they run.

    One for every policy, with its workloads; none where there is no placement.
    """
    if outcome.placement is None:
        return ()
    found: dict[str, list[Workload]] = {}
    for workload in untouched(outcome.problem):
        if dict(outcome.placement.of(workload.key)) != running(workload):
            found.setdefault(workload.policy, []).append(workload)
    return tuple(_told(policy, inside) for policy, inside in sorted(found.items()))


def as_triggered(problem: Problem) -> Problem:
    """Return the problem with the workloads that KubeAdmiral would not look at again kept as they run."""
    kept = {workload.key: as_it_runs(workload, problem.cluster_by_name) for workload in untouched(problem)}
    return replace(problem, workloads=tuple(kept.get(one.key, one) for one in problem.workloads))


def stays(workload: Workload) -> bool:
    """Tell whether KubeAdmiral leaves a running workload exactly as it is, whatever number is wanted."""
    divided = any(isinstance(rule, Weights | Aggregated | Duplicated) for rule in workload.rules)
    return isinstance(workload.declared, FederatedUnit) and not divided


def is_held_back(workload: Workload) -> bool:
    """Tell whether it does so because rescheduling is disabled."""
    unit = workload.declared
    return isinstance(unit, FederatedUnit) and unit.sticky and stays(workload)


def held_back(workload: Workload, source: Source | None) -> Statement:
    """Say that another number of replicas runs than is wanted, and that this stays so."""
    running = sum(workload.current.values())
    text = (
        f"{workload.key}: {running} replicas run and {workload.replicas} are requested, "
        f"but {workload.policy or 'its policy'} disables rescheduling"
    )
    return Statement(KIND, text, source, workload.key)


def untouched(problem: Problem) -> Iterator[Workload]:
    """Yield the running workloads that KubeAdmiral would not look at again.

    Whether a policy or a label has been edited since the last decision is not in the input, so that they have
    not is taken for granted.
    """
    joined = frozenset(cluster.name for cluster in problem.clusters if cluster.joined)
    for workload in problem.workloads:
        unit = workload.declared
        if isinstance(unit, FederatedUnit) and unit.federated and running(workload):
            open_to = workload.rule(Candidates)
            closed = running(workload).keys() - set(open_to.names if open_to else ())
            # What closes a cluster to a running workload is a taint, an eviction or that the cluster is gone.
            limited = open_to is not None and not open_to.held_only.keys().isdisjoint(running(workload))
            seen = closed or limited or unit.triggered
            if not seen and not _looked_at_again(workload, unit, joined):
                yield workload


def triggered(before: Problem, now: Problem) -> Problem:
    """Return a changed problem that tells at whom KubeAdmiral looks again because of what changed.

    Unlike the input alone, two problems tell which clusters came and went, and whose taints are others: that
    always counts, where anything does. Other static weights are another policy. What the changed problem said
    of that before is forgotten.
    """
    if not any(isinstance(each.declared, FederatedUnit) for each in now.workloads):
        return now
    joined = [frozenset(one.name for one in each.clusters if one.joined) for each in (before, now)]
    tainted = any(
        set(one.taints) != set(now.cluster_by_name[one.name].taints)
        for one in before.clusters
        if one.name in now.cluster_by_name
    )

    def looked_at(workload: Workload, unit: FederatedUnit) -> bool:
        earlier, when = before.workload_by_key.get(workload.key), _when(unit)
        if earlier is None or when is None:
            return False
        edited = when.get("policyContentChanged", True) and _weights(workload) != _weights(earlier)
        return tainted or edited or _clusters_count(unit, *joined)

    def told(workload: Workload) -> Workload:
        unit = workload.declared
        if not isinstance(unit, FederatedUnit) or unit.triggered is looked_at(workload, unit):
            return workload
        return replace(workload, declared=replace(unit, triggered=not unit.triggered))

    return replace(now, workloads=tuple(map(told, now.workloads)))


def _weights(workload: Workload) -> dict[str, int]:
    """Return the static weights that a policy gives, where clusters have any."""
    return {
        name: weight
        for rule in workload.rules_of(Weights)
        for name, weight in rule.weights.items()
        if not rule.dynamic
    }


def _looked_at_again(workload: Workload, unit: FederatedUnit, joined: frozenset[str]) -> bool:
    """Tell whether KubeAdmiral would look at a workload again.

    Other replicas and other requests always count, changes of the clusters as the policy says. What clusters
    have free or offer never counts.
    """
    record = _record(unit)
    before = sum(workload.current.values()) if workload.rule(Total) else workload.replicas
    replicas = record.get("replicaCount", before)
    requests = {**workload.requests, **_requests_before(record, workload)}
    if replicas != workload.replicas or requests != workload.requests:
        return True
    known = record.get("clusters")
    names = known if isinstance(known, list) else [name for name in workload.current if name in joined]
    return _clusters_count(unit, frozenset(map(str, names)), joined)


def _clusters_count(unit: FederatedUnit, before: frozenset[str], now: frozenset[str]) -> bool:
    """Tell whether a change of the clusters makes KubeAdmiral look again at a workload.

    Without ``reschedulePolicy`` the API server writes one that clusters which are gone trigger; with one, but
    without ``rescheduleWhen``, it adds nothing, and clusters never count. New ones count where the policy
    asks for it and all old ones are still there.
    """
    when = _when(unit)
    return when is not None and (not before <= now or (bool(when.get("clusterJoined")) and before < now))


def _when(unit: FederatedUnit) -> Mapping[str, Any] | None:
    """Return the triggers of KubeAdmiral for a workload; None where no change of clusters ever does."""
    declared = unit.policy.get("reschedulePolicy")
    when: Mapping[str, Any] | None = {} if declared is None else declared.get("rescheduleWhen")
    return None if unit.sticky else when


def _record(unit: FederatedUnit) -> Mapping[str, Any]:
    """Return the record that KubeAdmiral has kept of its last decision; empty where that cannot be read."""
    try:
        record = json.loads(unit.annotations.get(TRIGGERS, "{}"))
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _requests_before(record: Mapping[str, Any], workload: Workload) -> Mapping[str, int]:
    """Return the requests at the last decision as far as they are kept and requested now."""
    kept = record.get("resourceRequest")
    if not isinstance(kept, dict):
        return {}
    found = {CPU: kept.get("millicpu"), MEMORY: kept.get(MEMORY)}
    return {
        name: amount
        for name, amount in found.items()
        if isinstance(amount, int) and (amount or name in workload.requests)
    }


def _told(policy: str, workloads: list[Workload]) -> Statement:
    """Say that KubeAdmiral would leave workloads of one policy as they run, and what would make it act."""
    names = listed([workload.key for workload in workloads], "workload")
    text = (
        f"{names}: KubeAdmiral itself would change nothing: by rescheduleWhen of {policy} nothing that it"
        " looks at has changed, and what clusters have free never counts; other replicas, requests,"
        " annotations or taints make it look again"
    )
    first = workloads[0]
    return Statement(KIND, text, first.source, first.key if len(workloads) == 1 else None)
