"""Amounts used by placements, capacity, free capacity, and how full clusters are: by cluster and resource.

Amounts are millicores of cpu, and whole units of anything else. Clusters of unknown capacity are absent, as
they have no limit.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, repeat
from operator import add as add_up

from fairlead.models.cluster import PODS, Cluster
from fairlead.models.data import ProblemData, WorkloadData
from fairlead.models.in_order import WORTH_ARRAYS, Clusters, Column, extremes, in_order_of
from fairlead.models.placement import Placement
from fairlead.models.rules.capacity import More, demands, needs

Row = tuple[str, str]
"""Name of a cluster of known capacity, and a resource."""

Amounts = Mapping[Row, int]
"""Amounts by cluster and resource: millicores of cpu, whole units of anything else."""

Columns = Mapping[str, Mapping[str, int]]
"""Amounts by resource, then cluster: those of `Amounts`, to look at all clusters at once."""


@dataclass(frozen=True, slots=True)
class Charged:
    """Clusters on which it counts what replicas use."""

    names: AbstractSet[str]
    """Clusters of known capacity; or all, where what is asked of the others counts as well."""
    with_pods: AbstractSet[str]
    """Clusters of these that tell how many pods they can run, or whose capacity is unknown."""

    def of(self, resource: str) -> AbstractSet[str]:
        """Return the clusters on which a resource counts."""
        return self.with_pods if resource == PODS else self.names


def charged(clusters: Clusters, *, unlimited: bool = False) -> Charged:
    """Return the clusters on which it counts what replicas use.

    `unlimited`: True counts what clusters of unknown capacity are asked for as well.
    """
    pods = clusters.free.get(PODS, ())
    # Mostly all of them tell how many pods they can run.
    with_pods = clusters.known if len(pods) == len(clusters.known) else frozenset(pods)
    if not unlimited:
        return Charged(clusters.known, with_pods)
    names = clusters.by_name.keys()
    return Charged(names, with_pods | (names - clusters.known))


def usage_of(workload: WorkloadData, placed: Mapping[str, int], problem: ProblemData) -> dict[Row, int]:
    """Return the amounts that replicas of a workload use, by cluster and resource.

    `placed`: its replicas by cluster; negative numbers where replicas go. `problem`: the clusters; what
    stands elsewhere uses nothing.
    """
    return _rows(_used([workload], {workload.key: placed}, problem.all_clusters.once(charged)))


def usage(
    workloads: Iterable[WorkloadData],
    placed: Mapping[str, Mapping[str, int]],
    problem: ProblemData,
    *,
    unlimited: bool = False,
) -> dict[Row, int]:
    """Return the amounts that workloads use together, by cluster and resource.

    `workloads`, `placed`: workloads and their replicas by key and cluster; one without a placement uses
    nothing. `problem`: the clusters; what stands elsewhere uses nothing. `unlimited`: True counts what
    clusters of unknown capacity are asked for as well.
    """
    if workloads is problem.workloads and not unlimited:
        return _rows(used_columns(problem, placed))
    counted = (
        charged(problem.all_clusters, unlimited=True) if unlimited else problem.all_clusters.once(charged)
    )
    return _rows(_used(workloads, placed, counted))


def used_columns(problem: ProblemData, placed: Mapping[str, Mapping[str, int]]) -> Columns:
    """Return the amounts that all workloads use where they are placed, by resource and cluster."""
    if not isinstance(placed, Placement):
        return _used(problem.workloads, placed, problem.all_clusters.once(charged))
    return placed.once(_used_by_all, problem.workloads, problem.all_clusters)


def _used_by_all(placement: Placement, workloads: Sequence[WorkloadData], clusters: Clusters) -> Columns:
    held = [placement.of(workload.key) for workload in workloads]
    return _used_together(workloads, held, clusters.once(charged), clusters.names)


def _used_together(
    workloads: Sequence[WorkloadData],
    held: Sequence[Mapping[str, int]],
    counted: Charged,
    names: tuple[str, ...],
) -> Columns:
    """Return the amounts used where each holds replicas; where there are many places, seen at once."""
    found = None
    if sum(map(len, held)) >= WORTH_ARRAYS:
        from fairlead.models.at_once import used_at_once

        with suppress(OverflowError):
            found = used_at_once([needs(each) for each in workloads], held, names, counted.of)
    if found is not None:
        return found
    keys = (workload.key for workload in workloads)
    return _used(workloads, dict(zip(keys, held, strict=True)), counted)


def _used(
    workloads: Iterable[WorkloadData], placed: Mapping[str, Mapping[str, int]], counted: Charged
) -> dict[str, dict[str, int]]:
    """Return the amounts that workloads use together, by resource and cluster."""
    used: dict[str, dict[str, int]] = {}
    for workload in workloads:
        held = placed.get(workload.key)
        if not held:
            continue
        for resource, need in needs(workload).items():
            column = used.setdefault(resource, {})
            names = counted.of(resource)
            for name, replicas in held.items():
                if replicas and name in names:
                    column[name] = column.get(name, 0) + need * replicas
    return used


def _rows(columns: Columns) -> dict[Row, int]:
    return {
        (name, resource): amount for resource, column in columns.items() for name, amount in column.items()
    }


def add(amounts: dict[Row, int], more: Amounts, times: int = 1) -> None:
    """Add amounts to the caller's own; -1 times takes them away."""
    for row, amount in more.items():
        amounts[row] = amounts.get(row, 0) + times * amount


def _running(workloads: Iterable[WorkloadData], counted: Charged) -> Columns:
    running = [workload for workload in workloads if workload.current]
    if not running:
        return {}
    return _used_together(running, [each.current for each in running], counted, tuple(sorted(counted.names)))


def room(problem: ProblemData) -> Columns:
    """Return the capacity for the workloads of a problem together, by resource and cluster.

    What is free now plus what they hold there now, at least 0 and at most what the cluster has (allocatable)
    or what runs there, where its own numbers lag behind that.
    """
    clusters = problem.all_clusters
    running = _running(problem.workloads, problem.all_clusters.once(charged))
    found: dict[str, Mapping[str, int]] = {}
    for resource in dict.fromkeys(chain(running, clusters.free)):
        held = running.get(resource, {})
        column = clusters.free.get(resource, Column((), []))
        names, amounts = column.names, column.amounts
        if held:
            names = (*names, *(name for name in held if name not in column))
            amounts = [*map(add_up, in_order_of(names, column, 0), map(held.get, names, repeat(0)))]
        if resource in clusters.allocatable:
            # More can run there than it has only where its own numbers say otherwise: what runs may stay,
            # and it takes nothing new.
            has = clusters.allocatable[resource]
            most: Iterable[int] = in_order_of(names, has, 0)
            if has.names != names:
                most = map(has.by_name.get, names, amounts)
            if held:
                most = map(max, most, map(held.get, names, repeat(0)))
            amounts = [*map(min, amounts, most)]
        left = column if amounts is column.amounts else Column(names, amounts)
        if extremes(left)[0] < 0:
            left = Column(names, [max(0, amount) for amount in amounts])
        found[resource] = left
    return found


def limits(problem: ProblemData) -> dict[Row, int]:
    """Return the capacity for the workloads of a problem together, by cluster and resource; see `room`."""
    return _rows(problem.room)


def as_they_run(
    clusters: Iterable[Cluster], workloads: Iterable[WorkloadData], more: Amounts
) -> tuple[Cluster, ...]:
    """Return clusters on which replicas that run count as today's and use what they really do.

    `more`: what they request today more than what runs, or less where it is negative. What a cluster has for
    the workloads of a problem (see `room`) is then the same as with what runs.
    """
    known = {cluster.name: cluster for cluster in clusters}
    held = _rows(_running(workloads, charged(Clusters.of(known.values())))) if more else {}
    free = {name: dict(known[name].free or {}) for name, _ in more if name in known}
    for (name, resource), amount in more.items():
        if name in free and resource in free[name]:
            runs = held.get((name, resource), 0) - amount
            has = (known[name].allocatable or {}).get(resource)
            left = free[name][resource] + runs
            free[name][resource] = (left if has is None else min(left, max(has, runs))) - runs - amount
    return tuple(replace(one, free=free[one.name]) if free.get(one.name) else one for one in known.values())


def without_lag(clusters: Iterable[Cluster], workloads: Iterable[WorkloadData]) -> tuple[Cluster, ...]:
    """Return clusters of which no more is free than what the workloads that run there leave.

    A cluster tells what is allocated some time after replicas were placed there; until then its own number
    promises room that is taken: free is at most allocatable less what the workloads hold.
    """
    known = {cluster.name: cluster for cluster in clusters}
    free = {name: dict(cluster.free) for name, cluster in known.items() if cluster.free is not None}
    late = False
    for (name, resource), amount in _rows(_running(workloads, charged(Clusters.of(known.values())))).items():
        offered = known[name].allocatable or {}
        if resource in offered and max(0, offered[resource] - amount) < free[name].get(resource, 0):
            free[name][resource] = max(0, offered[resource] - amount)
            late = True
    if not late:
        return tuple(known.values())
    return tuple(replace(one, free=free[one.name]) if one.name in free else one for one in known.values())


def remaining(problem: ProblemData, placement: Placement) -> dict[Row, int]:
    """Return the capacity that all workloads leave of every cluster; negative where they ask for too much."""
    rest = dict(problem.limits)
    add(rest, usage(problem.workloads, placement, problem), -1)
    return rest


def more_of(workload: WorkloadData, cluster: Cluster, rest: Amounts) -> More | None:
    """Return how many more replicas of a workload fit into what is left; None where nothing limits it."""
    needed = {} if cluster.free is None else demands(workload, cluster)
    left = {resource: rest.get((cluster.name, resource), 0) for resource in needed}
    scarce = min(sorted(needed), key=lambda each: left[each] // needed[each], default=None)
    if scarce is None:
        return None
    some, need = max(0, left[scarce]), needed[scarce]
    return More(some // need, scarce, some, need)


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Use of one resource of one cluster by the workloads of a problem."""

    cluster: str
    resource: str
    """Cluster and resource."""
    used: int
    """Amount that their replicas request there: millicores of cpu, whole units of anything else."""
    offered: int | None
    """Amount that they may use there together: what is free plus what they hold now (`Problem.limits`). None
    where the capacity is unknown, which is no limit."""
    allocatable: int | None = None
    """Allocatable capacity of the cluster, for everybody. None where it does not say."""

    @property
    def share(self) -> Fraction | None:
        """The used part, 1 where all is used; None where the capacity is unknown or nothing is offered."""
        return Fraction(self.used, self.offered) if self.offered else None

    @property
    def others(self) -> int:
        """Amount used there by others: what is allocatable and not offered; 0 where that is not known."""
        return max(0, self.allocatable - self.offered) if self.allocatable and self.offered is not None else 0

    @property
    def fullness(self) -> Fraction | None:
        """The part that is used with what others use; `share` where the cluster does not say what it has."""
        if self.offered is None or not self.allocatable:
            return self.share
        return Fraction(self.others + self.used, self.others + self.offered)


def utilisation(problem: ProblemData, placement: Placement) -> tuple[Utilisation, ...]:
    """Return how full every cluster is by resource.

    By cluster and resource, in name order: resources that some workload requests, and pods where the cluster
    tells how many it can run.

    `placement`: replicas by workload and cluster; replicas on clusters that the problem does not have count
    nowhere.
    """
    asked = {resource for workload in problem.workloads for resource in needs(workload)}
    counted = charged(problem.all_clusters, unlimited=True)
    used = usage(problem.workloads, placement, problem, unlimited=True)
    return tuple(
        Utilisation(
            cluster.name,
            resource,
            used.get((cluster.name, resource), 0),
            None if cluster.free is None else problem.limits.get((cluster.name, resource), 0),
            (cluster.allocatable or {}).get(resource),
        )
        for cluster in problem.all_clusters
        for resource in sorted(asked)
        if cluster.name in counted.of(resource)
    )
