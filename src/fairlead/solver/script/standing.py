"""Where everything stands for one scheduler: what it has placed, what runs of that, and what is evicted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from fairlead.models.affinity_groups import turn
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates
from fairlead.models.rules.capacity import demands
from fairlead.models.rules.duplicated import unplaced
from fairlead.models.usage import usage
from fairlead.models.variants import every_rule
from fairlead.models.workload import Workload
from fairlead.solver.script.moments import Moment
from fairlead.solver.simulate.closing import DRAINED

Placed = Mapping[str, Mapping[str, int]]
"""Replicas by workload and cluster."""


class Decided(NamedTuple):
    """What KubeAdmiral's last decision was based on: replicas wanted, and the clusters that there were."""

    replicas: int
    clusters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a scheduler has left behind.

    Parameters
    ----------
    placed
        Replicas by workload and cluster; a workload that stands nowhere may be absent.
    groups
        Affinity group in which a workload was scheduled last, where it has several.
    failed
        Workloads that their scheduler could not place when it tried last.
    decided
        What the last decision about a workload was based on; empty before the first one.
    """

    placed: Placed
    groups: Mapping[str, str] = field(default_factory=dict)
    failed: frozenset[str] = frozenset()
    decided: Mapping[str, Decided] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem) -> Standing:
        """Return what runs in a problem, on the clusters that it has."""
        there = problem.cluster_by_name
        held = {
            each.key: {name: count for name, count in each.current.items() if count and name in there}
            for each in problem.workloads
        }
        groups = {each.key: each.observed for each in problem.workloads if each.observed is not None}
        return cls(held, groups)

    def on(self, key: str) -> Mapping[str, int]:
        """Return the replicas of a workload by cluster."""
        return self.placed.get(key, {})


def missing(workload: Workload, placed: Mapping[str, int]) -> int:
    """Return how many replicas that are wanted stand nowhere, on the clusters that its policy names."""
    rule = workload.rule(Candidates)
    return unplaced(workload, placed, placed if rule is None else rule.names)


def evicted(moment: Moment, standing: Standing) -> Placed:
    """Return what leaves at once: from clusters that are gone or drained, or have a taint against it."""
    fleet = moment.fleet
    clusters = fleet.cluster_by_name
    drained = {one.name for one in fleet.clusters if DRAINED in one.taints}
    tainted = {one.name for one in fleet.clusters if any(t.effect == "NoExecute" for t in one.taints)}
    gone: dict[str, dict[str, int]] = {}
    for key, placed in standing.placed.items():
        workload = fleet.workload_by_key.get(key)
        left = {
            name: count
            for name, count in placed.items()
            if workload is None
            or name not in clusters
            or name in drained
            or (name in tainted and _is_repelled(workload, name))
        }
        if left:
            gone[key] = left
    return gone


def _is_repelled(workload: Workload, cluster: str) -> bool:
    """Tell whether a cluster is closed to a workload by a taint that evicts."""
    closed = (rule.excluded.get(cluster) for rule in every_rule(workload) if isinstance(rule, Candidates))
    return any(one is not None and any(taint.effect == "NoExecute" for taint in one.taints) for one in closed)


def without(placed: Placed, gone: Placed) -> dict[str, Mapping[str, int]]:
    """Return what is left where some replicas have gone."""
    return {
        key: {name: count for name, count in held.items() if name not in gone.get(key, {})}
        for key, held in placed.items()
    }


def waiting(moment: Moment, placed: Placed, ran: Placed) -> Placed:
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
