"""Capacity: what a cluster can take, shared by all workloads of the problem."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import gt
from typing import NamedTuple

from fairlead.models.cluster import PODS, Cluster, Grade
from fairlead.models.data import ProblemData, WorkloadData
from fairlead.models.in_order import anywhere
from fairlead.models.mistaken import Unmistakable
from fairlead.models.placement import Placement
from fairlead.models.quantity import format_alike, format_units
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import counted, listed

KIND = "capacity"

PODS_OF_A_NODE = 110
"""Pods that Karmada takes every node to run at most."""


@dataclass(frozen=True, slots=True, repr=False)
class Capacity(Unmistakable):
    """No cluster is asked for more of a resource than it can give.

    For every cluster and resource, the requests of all replicas placed there add up to at most what is free
    now plus what the workloads of the problem hold there now, and never to more than what the cluster has:
    its status may lag behind what was placed a moment ago. A cluster of unknown capacity has no limit; one
    that is overcommitted by others takes nothing new, and is not asked for more than nothing. Where a cluster
    tells the grades of its nodes, every workload has to fit onto whole nodes as well, see `graded_room`.
    """

    def violations(self, problem: ProblemData, placement: Placement) -> Iterator[Violation]:
        """List clusters and resources that are asked for more than there is, and nodes for more than fits."""
        over: dict[tuple[str, str], tuple[int, int]] = {}
        for resource, column in problem.used_columns(placement).items():
            offered = problem.room.get(resource, {})
            # Nearly always all of it fits, which is seen at one look.
            if anywhere(gt, column, offered):
                pairs = ((name, amount, offered.get(name, 0)) for name, amount in column.items())
                over |= {(name, resource): (amount, had) for name, amount, had in pairs if amount > had}
        for (name, resource), (amount, had) in sorted(over.items()):
            yield too_much(problem.cluster_by_name[name], resource, amount, had)
        graded = {cluster.name: cluster for cluster in problem.all_clusters.graded}
        for workload in problem.workloads if graded else ():
            for name, replicas in placement.of(workload.key).items():
                cluster = graded.get(name)
                most = graded_room(workload, cluster) if cluster else None
                if cluster and most is not None and replicas > most:
                    yield too_many(workload, cluster, replicas, most)

    def tied(self, problem: ProblemData) -> tuple[str, ...]:
        """Return the keys of the workloads that it ties together whatever the clusters have: none."""
        del problem
        return ()


def demands(workload: WorkloadData, cluster: Cluster) -> Mapping[str, int]:
    """Return the request of one replica on a cluster by resource: millicores of cpu, whole units of others.

    Pods count where the cluster tells how many it can run. Resources without a positive request are left out.
    """
    needed = needs(workload)
    if cluster.free is None or PODS not in cluster.free:
        del needed[PODS]
    return needed


def needs(workload: WorkloadData) -> dict[str, int]:
    """Return the request of one replica by resource, itself as a pod among them."""
    needed = {resource: need for resource, need in workload.requests.items() if need > 0}
    needed[PODS] = max(1, needed.get(PODS, 1))
    return needed


def room(workload: WorkloadData, cluster: Cluster) -> int | None:
    """Return how many replicas of one workload fit on a cluster before anything else is moved.

    ``floor(free / request) + replicas held now`` for the scarcest resource, at least 0, and at most
    `graded_room`; None where nothing limits it. A requested resource that the cluster does not list has
    nothing free.
    """
    rooms = [_summed_room(workload, cluster), graded_room(workload, cluster)]
    return min((one for one in rooms if one is not None), default=None)


def weighed(most: int | None) -> int:
    """Return a room as a weight: no workload has more than 2^31 - 1 replicas, so no room counts as more."""
    return min(most or 0, 2**31 - 1)


def _summed_room(workload: WorkloadData, cluster: Cluster) -> int | None:
    """Return how many replicas fit into what the cluster has free as a whole; None where it does not say."""
    if cluster.free is None:
        return None
    needed = demands(workload, cluster)
    if not needed:
        return None
    scarcest = min(cluster.free.get(resource, 0) // need for resource, need in needed.items())
    return max(0, scarcest + workload.current.get(cluster.name, 0))


def graded_room(workload: WorkloadData, cluster: Cluster) -> int | None:
    """Return the most replicas of one workload that the nodes of a cluster can hold.

    What fits onto its free nodes, grade by grade (see `fits`), plus the replicas held now, which stay on
    their nodes; None where the cluster does not tell its grades. Each workload counts alone: what others
    place there is left to the sums of the cluster.
    """
    if not cluster.grades:
        return None
    return fits(cluster.grades, needs(workload)) + workload.current.get(cluster.name, 0)


def fits(grades: Iterable[Grade], needs: Mapping[str, int]) -> int:
    """Return how many equal replicas fit onto the free nodes of some grades.

    Every node of a grade counts with the least that the grade promises, and with 110 pods. Karmada places the
    replicas first-fit, one after another; as they are equal, they fill every node, so that counting node by
    node gives the same.

    `needs`: what one replica takes by resource, itself as a pod among them; positive. A resource that a grade
    does not name is not there.
    """
    return sum(grade.nodes * _on_node(grade, needs) for grade in grades if grade.nodes)


def _on_node(grade: Grade, needs: Mapping[str, int]) -> int:
    counts = [
        PODS_OF_A_NODE // need if resource == PODS else grade.offers.get(resource, 0) // need
        for resource, need in needs.items()
    ]
    return min(counts, default=PODS_OF_A_NODE)


def too_many(workload: WorkloadData, cluster: Cluster, replicas: int, most: int) -> Violation:
    """Say that a workload does not fit onto the nodes of a cluster."""
    text = f"{workload.key}: {replicas} on {cluster.name}, where the nodes of its grades fit {most}"
    return Violation(KIND, text, replicas - most, cluster.source, workload.key, cluster.name, "grades")


def too_much(cluster: Cluster, resource: str, amount: int, most: int) -> Violation:
    """Say that a cluster is asked for more of a resource than there is."""
    asked, had = format_alike(resource, amount, most)
    text = f"{cluster.name}: {asked} {resource} requested, {had} available"
    return Violation(KIND, text, amount - most, cluster.source, None, cluster.name, resource)


def amount_of(resource: str, units: int) -> str:
    """Return an amount of a resource: ``500m cpu``, ``2Gi memory``, ``3 pods``."""
    return counted(units, "pod") if resource == PODS else f"{format_units(resource, units)} {resource}"


class More(NamedTuple):
    """How many more replicas of a workload fit into what is left, and what runs out first."""

    replicas: int
    resource: str
    left: int
    """Free capacity, at least 0: millicores of cpu, whole units of anything else."""
    need: int
    """Request of one replica, in the same unit."""

    @property
    def told(self) -> str:
        """Free capacity and request of one replica, in words: ``1500m free, 500m per replica``."""
        left, need = amount_of(self.resource, self.left), format_units(self.resource, self.need)
        return f"{left} free, {need} per replica"


def offer_of(resource: str, units: int) -> str:
    """Return an amount of a resource that is there for others: ``500m cpu``, ``room for 3 pods``."""
    return f"{'room for ' if resource == PODS else ''}{amount_of(resource, units)}"


def _has_capacity(cluster: str, most: int, workload: WorkloadData, because: str) -> str:
    """Say how many replicas of a workload a cluster has capacity for, and why not for more."""
    has = f"capacity for {most} of" if most else "no capacity for"
    return f"{cluster} has {has} {workload.key} ({because})"


def describe_grades(workload: WorkloadData, cluster: Cluster, name: str | None = None) -> Statement:
    """Say how many replicas fit onto the nodes of a cluster, which may be called by another name."""
    name = cluster.name if name is None else name
    held = workload.current.get(cluster.name, 0)
    holds = f", {held} held now" if held else ""
    fit = fits(cluster.grades, needs(workload))
    known = f"nodes of its grades fit {fit}{holds}"
    text = _has_capacity(name, fit + held, workload, known)
    return Statement(KIND, text, cluster.source, workload.key, name)


def describe_sums(
    workload: WorkloadData, cluster: Cluster, problem: ProblemData, name: str | None = None
) -> Statement:
    """Say how many replicas of a workload fit into what a cluster has as a whole, others gone from there.

    The cluster may be called by another name.
    """
    name = cluster.name if name is None else name
    available = problem.limits
    needed = demands(workload, cluster)
    most = min(available.get((cluster.name, each), 0) // need for each, need in needed.items())
    if most == _summed_room(workload, cluster):
        held = workload.current.get(cluster.name, 0)
        text = f"{_scarce_sum(workload, cluster)}{f', {held} held now' if held else ''}"
    else:
        scarce = min(sorted(needed), key=lambda each: available.get((cluster.name, each), 0) // needed[each])
        left = amount_of(scarce, available.get((cluster.name, scarce), 0))
        text = f"{left} including what runs there now, {format_units(scarce, needed[scarce])} per replica"
    told = _has_capacity(name, most, workload, text)
    return Statement(KIND, told, cluster.source, workload.key, name)


def describe_shared(
    workloads: Sequence[WorkloadData],
    cluster: Cluster,
    resource: str,
    problem: ProblemData,
    name: str | None = None,
) -> Statement:
    """Say how much of a resource a cluster has for several workloads, and what each of them asks for.

    The cluster may be called by another name.
    """
    name = cluster.name if name is None else name
    told = describe_needs({each.key: demands(each, cluster)[resource] for each in workloads}, resource)
    if cluster.free is not None and resource not in cluster.free:
        has = f"{name} offers no {resource}"
    else:
        amount = offer_of(resource, problem.limits.get((cluster.name, resource), 0))
        running = any(workload.current.get(cluster.name) for workload in problem.workloads)
        has = f"{name} has {amount}{', including what runs there now' if running else ''}"
    return Statement(KIND, f"{has}; {told}", cluster.source, None, name)


def describe_needs(needed: Mapping[str, int], resource: str) -> str:
    """Say how much of a resource a replica of each workload needs; by key, in the resource's unit."""
    asks: dict[int, list[str]] = {}
    for key, need in needed.items():
        asks.setdefault(need, []).append(key)
    told = [
        f"{listed(keys, 'workload')} need{'s' * (len(keys) == 1)} {format_units(resource, need)} per replica"
        for need, keys in sorted(asks.items(), reverse=True)
    ]
    return listed(told, "request size", parted=any(len(keys) > 1 for keys in asks.values()))


def _scarce_sum(workload: WorkloadData, cluster: Cluster) -> str:
    free = cluster.free or {}
    needed = demands(workload, cluster)
    scarce = min(sorted(needed), key=lambda resource: free.get(resource, 0) // needed[resource])
    if scarce not in free:
        return f"it offers no {scarce}"
    if free[scarce] < 0:
        return f"overcommitted by {amount_of(scarce, -free[scarce])}"
    return f"{amount_of(scarce, free[scarce])} free, {format_units(scarce, needed[scarce])} per replica"
