"""Workloads: their replicas, the request of one replica, and where replicas run now.

Affinity groups are exclusive sets of clusters that are tried in order, from the observed one on.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol

from fairlead.models.data import WorkloadData
from fairlead.models.in_order import Known
from fairlead.models.rules import Bounds, Candidates, WorkloadRule, total
from fairlead.models.rules.bounds import Bound
from fairlead.models.shapes import fit
from fairlead.models.source import Source
from fairlead.models.words import amounts, called, each_of

if TYPE_CHECKING:
    from fairlead.models.cluster import Cluster, Taint


class Reading(Protocol):
    """Manifests that the rules of a workload were read from; read once more where something has changed."""

    def again(self, workload: Workload, clusters: Sequence[Cluster]) -> Workload:
        """Return a workload that has no rules yet with those of its placement or policy.

        `workload`: the workload, with the replicas that it wants and holds now. `clusters`: the clusters that
        there are now.
        """
        ...

    def tolerates(self, taint: Taint) -> bool:
        """Tell whether a taint keeps nothing of the workload off a cluster."""
        ...

    def tolerating(self, taints: Sequence[Taint]) -> Reading:
        """Return the same with some taints tolerated."""
        ...

    def with_weight(self, cluster: str, weight: int) -> Reading:
        """Return the same with another static weight of a cluster."""
        ...

    def with_maximum(self, cluster: str, most: int) -> Reading | None:
        """Return the same with another maximum on a cluster; None where it states none there."""
        ...


@dataclass(frozen=True, slots=True)
class AffinityGroup:
    """One of several exclusive sets of clusters (``clusterAffinities``), tried in order."""

    name: str
    """Name of the group."""
    rules: tuple[WorkloadRule, ...]
    """The rules of the workload where this group is chosen."""
    source: Source | None = None
    """Where the group was declared."""


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """Autoscaler that changes the number of replicas of a workload."""

    name: str
    """Name with kind, such as ``FederatedHPA shop/web``."""
    minimum: int
    maximum: int
    """Fewest and most replicas."""
    source: Source | None = None
    """Where that was declared."""


@dataclass(frozen=True, slots=True)
class Workload(WorkloadData):
    """A workload whose replicas are to be placed."""

    rules: tuple[WorkloadRule, ...] = ()
    """The placement rules, each a member of the closed union `WorkloadRule`."""
    group: str | None = None
    """Affinity group that the rules belong to; None where the workload has none."""
    groups: tuple[AffinityGroup, ...] = ()
    """All affinity groups in declared order; empty where the workload has none."""
    settled: bool = False
    """True where a group was chosen for good, so that `rules` alone count. False where any of the groups from
    the observed one on may still be chosen; a placement then counts by the first one that it keeps."""
    observed: str | None = None
    """Affinity group in which the workload was scheduled last; None where unknown."""
    without_replicas: bool = False
    """True for what has no replicas at all, such as a ConfigMap: it goes to clusters as a whole and is not
    divided. A workload that is scaled to 0 has replicas."""
    replicas_source: Source | None = field(default=None, compare=False, repr=False)
    """Where the number of replicas was declared; None where that is not known. Left out of comparisons."""
    without: frozenset[str] = frozenset()
    """Kinds of rules that are left out on purpose: without ``total`` any number of replicas is right, but for
    a workload scaled to 0, which holds none. Else `solve` and its like add `Total` where neither it nor
    `Duplicated` is among the rules, and `Candidates` with all clusters where nothing says less."""
    autoscaler: Autoscaler | None = None
    """Autoscaler of the workload; None where there is none. `replicas` is what is wanted now."""
    reading: Reading | None = field(default=None, compare=False, repr=False)
    """Manifests of the rules, for a what-if that opens clusters of which they say nothing; None where the
    workload did not come from manifests. Left out of comparisons."""

    def __repr__(self) -> str:
        return called(
            "Workload",
            self.key,
            kind="" if self.kind == "Deployment" else self.kind,
            replicas=self.replicas,
            requests=amounts(self.requests or None),
            current=self.current or None,
            priority=self.priority or None,
            policy=self.policy,
            rules=each_of(self.rules, lambda rule: type(rule).__name__),
        )


class Workloads(tuple[Workload, ...], Known):  # noqa: SLOT001 - keeps what was found out
    """Workloads in key order."""

    @classmethod
    def of(cls, workloads: Iterable[Workload]) -> Workloads:
        """Return workloads in key order."""
        return workloads if isinstance(workloads, cls) else cls(sorted(workloads, key=attrgetter("key")))

    def __reduce__(self) -> tuple[type[Workloads], tuple[tuple[Workload, ...]]]:
        return Workloads, (tuple(self),)

    @cached_property
    def as_declared(self) -> bool:
        """Whether all of them hold what they are declared to hold, as far as types tell."""
        return fit(self, Workload)

    def vouch(self) -> None:
        """Let `as_declared` be known, of workloads that were read from manifests."""
        vars(self)["as_declared"] = True

    @cached_property
    def by_key(self) -> Mapping[str, Workload]:
        """Workloads by key."""
        return {workload.key: workload for workload in self}

    @cached_property
    def by_namespace(self) -> Mapping[str, tuple[Workload, ...]]:
        """Workloads by namespace."""
        found: dict[str, list[Workload]] = {}
        for workload in self:
            found.setdefault(workload.namespace, []).append(workload)
        return {namespace: tuple(inside) for namespace, inside in found.items()}


def running(workload: Workload, clusters: Container[str] | None = None) -> dict[str, int]:
    """Return where a workload runs, with the replicas on each cluster; of some clusters if they are given."""
    there = workload.current if clusters is None else clusters
    return {name: count for name, count in workload.current.items() if count and name in there}


def as_it_runs(workload: Workload, clusters: Container[str]) -> Workload:
    """Return a workload whose only placement is what runs, whatever number is wanted.

    `clusters`: names of the clusters that there are; what runs elsewhere is left out.
    """
    runs = sorted(running(workload, clusters).items())
    held = {name: Bound(count, workload.source) for name, count in runs}
    open_to = workload.rule(Candidates)
    excluded = open_to.excluded if open_to else {}
    rules = (Candidates(tuple(held), excluded), Bounds(held, held))
    return replace(workload, rules=rules, without=workload.without | {total.KIND})


def from_start(workload: Workload) -> tuple[AffinityGroup, ...]:
    """Return the groups that may be chosen, in the order in which they are tried.

    From the group in which the workload was scheduled last; from the first one where that is unknown or a
    reschedule was asked for. It never wraps round to earlier groups.
    """
    if workload.fresh:
        return workload.groups
    names = [group.name for group in workload.groups]
    start = names.index(workload.observed) if workload.observed in names else 0
    return workload.groups[start:]


def earlier_groups(workload: Workload) -> tuple[AffinityGroup, ...]:
    """Return the groups before the one in which it was scheduled last, where only a reschedule leads."""
    return workload.groups[: len(workload.groups) - len(from_start(workload))]


def in_group(workload: Workload, group: AffinityGroup) -> Workload:
    """Return the workload with the rules of one of its groups, which is not settled by that."""
    return replace(workload, rules=group.rules, group=group.name, settled=False)


def at_start(workload: Workload) -> Workload:
    """Return the workload with the rules of the first group that may be chosen."""
    groups = from_start(workload)
    return in_group(workload, groups[0]) if groups else workload


def settled_in(workload: Workload, group: AffinityGroup) -> Workload:
    """Return the workload with the rules of the group that was chosen for it."""
    return replace(workload, rules=group.rules, group=group.name, settled=True)


def as_scheduled(workload: Workload) -> Workload:
    """Return the workload as what runs now is to be judged: from the group in which it was scheduled last.

    Where that is unknown it is any of those that may be chosen.
    """
    if not workload.groups:
        return workload
    known = workload.observed in [group.name for group in workload.groups]
    return replace(workload, settled=False, fresh=workload.fresh and not known)


def turn(workload: Workload) -> tuple[int, str]:
    """Return the place in the queue: by priority, then by key."""
    return -workload.priority, workload.key


def scheduling_order(workload: Workload, clusters: Container[str]) -> tuple[bool, int, str]:
    """Return the place among workloads of one group: those that run on some of the clusters come first."""
    return not running(workload, clusters), *turn(workload)
