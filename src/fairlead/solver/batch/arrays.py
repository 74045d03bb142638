"""A batch as arrays: workloads are rows, clusters are columns, and the capacity they share is priced.

Only what can be said place by place ends here: a box and a total for every workload, convex costs of single
places, and the capacity of clusters. `fairlead.solver.batch.separable` tells which problems are of this kind.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.models.cluster import PODS
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Quota,
)
from fairlead.models.rules.capacity import graded_room, needs
from fairlead.models.rules.quota import QuotaScope
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import UNBOUND

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


# Replicas, and what a cluster may be asked for, stay below this, so that sums of a row fit 64 bits.
MOST = 2**31


# What all replicas together ask of a resource, in its units, stays below this.
MOST_ASKED = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class SharedCapacity:
    """Limits of clusters, one row for each cluster and resource that could run out."""

    column: Whole
    """Position of the cluster, by row."""
    resource: Whole
    """Position of the resource, by row."""
    limit: Whole
    """Capacity for the batch, by row, in units of the resource (see `Batch.needs`)."""
    names: tuple[tuple[str, str], ...]
    """Cluster and resource, by row."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Workloads as rows, clusters as columns."""

    problem: Problem
    """The question."""
    keys: tuple[str, ...]
    clusters: tuple[str, ...]
    """Keys of the rows and names of the columns, both in order."""
    lower: Whole
    upper: Whole
    """Fewest and most replicas by place; 0 and 0 where the cluster is no candidate. Every bound is attained
    by some division of the row alone."""
    totals: Whole
    """Replicas by row."""
    needs: Whole
    """Request of one replica, by row and resource, in units of the resource."""
    coupling: SharedCapacity
    """Limits that rows share."""
    units: Mapping[str, int]
    """Greatest common divisor of the requests, by the name of the resource, in the order of the columns of
    `needs`."""

    @property
    def feasible(self) -> bool:
        """Whether every row has a division by itself."""
        return bool(divisible(self.lower, self.upper, self.totals).all())

    @property
    def sizes(self) -> Whole:
        """Size of one unit of every row of the coupling, in the unit in which its limit was given."""
        return np.array(list(self.units.values()), dtype=np.int64)[self.coupling.resource]

    def usage(self, replicas: Whole) -> Whole:
        """Return the requests of a placement, by row of the coupling."""
        by_cluster = np.empty((self.needs.shape[1], replicas.shape[1]), dtype=np.int64)
        for number in range(self.needs.shape[1]):
            by_cluster[number] = self.needs[:, number] @ replicas
        used: Whole = by_cluster[self.coupling.resource, self.coupling.column]
        return used

    def placement(self, replicas: Whole) -> Placement:
        """Return a matrix of replicas as a placement."""
        rows, columns = np.nonzero(replicas)
        counts = replicas[rows, columns].tolist()
        ends = np.searchsorted(rows, np.arange(len(self.keys) + 1)).tolist()
        names = [self.clusters[column] for column in columns.tolist()]
        return Placement(
            {
                key: dict(zip(names[start:end], counts[start:end], strict=True))
                for key, start, end in zip(self.keys, ends[:-1], ends[1:], strict=True)
            }
        )

    def matrix(self, placement: Mapping[str, Mapping[str, int]]) -> Whole:
        """Return a placement as a matrix of replicas."""
        placed = [placement.get(key, {}) for key in self.keys]
        return _scattered(placed, self.clusters, 0)


def batch_of(problem: Problem) -> Batch:
    """Return a problem as arrays; `applies` must hold."""
    clusters = tuple(cluster.name for cluster in problem.clusters)
    workloads = problem.workloads
    totals = np.array([workload.replicas for workload in workloads], dtype=np.int64)
    asked = _asked(problem)
    resources = tuple(sorted({resource for each in asked for resource in each}))
    # Whole units of a common divisor keep numbers small; what is left over of a limit is of no use.
    units = {resource: math.gcd(*(each.get(resource, 0) for each in asked)) for resource in resources}
    table = [[each.get(resource, 0) // units[resource] for resource in resources] for each in asked]
    needed = np.array(table, dtype=np.int64).reshape(len(workloads), len(resources))
    limits = _whole_limits(problem, units)
    lower, upper = _bounds(problem, clusters, totals)
    for (column, resource), amount in limits.items():
        wanted = needed[:, resource]
        room = np.where(wanted > 0, amount // np.maximum(wanted, 1), MOST)
        upper[:, column] = np.minimum(upper[:, column], room)
    lower, upper = tight(lower, upper, totals)
    binding = {
        (column, resource): amount
        for (column, resource), amount in limits.items()
        if int(needed[:, resource] @ upper[:, column]) > amount
    }
    return Batch(
        problem,
        tuple(workload.key for workload in workloads),
        clusters,
        lower,
        upper,
        totals,
        needed,
        _coupling(binding, clusters, resources),
        units,
    )


def beside_others(batch: Batch) -> Batch:
    """Return a batch in which everything that is limited is shared: others, who are not in it, use it too."""
    limits = _whole_limits(batch.problem, batch.units)
    return replace(batch, coupling=_coupling(limits, batch.clusters, tuple(batch.units)))


def _asked(problem: Problem) -> list[dict[str, int]]:
    """Return the request of one replica of each workload, also of quotas that limit single clusters."""
    found = [needs(workload) for workload in problem.workloads]
    for rule in (rule for rule in problem.rules if isinstance(rule, Quota)):
        for workload, asked in zip(problem.workloads, found, strict=True):
            if workload.namespace == rule.namespace:
                each = needs(workload)
                asked.update(
                    {
                        _name_of(rule, scope): each[scope.resource]
                        for scope in rule.limits
                        if scope.cluster is not None and scope.resource in each
                    }
                )
    return found


def _name_of(rule: Quota, scope: QuotaScope) -> str:
    """Return the name under which a quota limits a resource."""
    return f"{rule} {scope.resource}"


def _limits(problem: Problem, resources: Sequence[str]) -> dict[tuple[int, int], int]:
    """Return the limits of clusters, by column and resource; absent where there is none."""
    position = {name: number for number, name in enumerate(resources)}
    columns = {cluster.name: column for column, cluster in enumerate(problem.clusters)}
    quotas = {
        (columns[scope.cluster], position[_name_of(allowance.rule, scope)]): max(0, left)
        for allowance in problem.allowances
        for scope, left in allowance.left.items()
        if scope.cluster in columns and _name_of(allowance.rule, scope) in position
    }
    if not problem.has_capacity:
        return quotas
    limits = problem.limits
    asked = {resource for workload in problem.workloads for resource in needs(workload)}
    return quotas | {
        (column, number): limits.get((cluster.name, resource), 0)
        for column, cluster in enumerate(problem.clusters)
        if cluster.free is not None
        for number, resource in enumerate(resources)
        if resource in asked and (resource != PODS or PODS in cluster.free)
    }


def _whole_limits(problem: Problem, units: Mapping[str, int]) -> dict[tuple[int, int], int]:
    """Return the limits of clusters, by column and resource, in units of the resource."""
    sizes = list(units.values())
    limits = _limits(problem, tuple(units))
    return {
        (column, number): min(MOST_ASKED, each // sizes[number]) for (column, number), each in limits.items()
    }


def _bounds(problem: Problem, clusters: tuple[str, ...], totals: Whole) -> tuple[Whole, Whole]:
    """Return the fewest and the most replicas by place, capacity that is shared left aside."""
    workloads = problem.workloads
    lower = _scattered(list(map(_minima, workloads)), clusters, 0)
    most = _scattered(list(map(_maxima, workloads)), clusters, UNBOUND)
    upper = np.minimum(_open(workloads, clusters) * totals[:, None], most)
    if problem.has_capacity:
        _grade(problem, upper)
    return lower, upper


def _minima(workload: Workload) -> dict[str, int]:
    """Return the minima that bind, by cluster."""
    bounds = workload.rule(Bounds)
    if bounds is None or not workload.replicas:
        return {}
    return {name: bound.replicas for name, bound in bounds.always.items()}


def _maxima(workload: Workload) -> dict[str, int]:
    """Return the maxima by cluster, with what clusters that take nothing new may keep."""
    bounds, candidates = workload.rule(Bounds), workload.rule(Candidates)
    most = {} if bounds is None else {name: bound.replicas for name, bound in bounds.maximum.items()}
    for name in () if candidates is None else candidates.held_only:
        held = workload.current.get(name, 0)
        most[name] = min(held, most.get(name, held))
    return most


def _grade(problem: Problem, upper: Whole) -> None:
    """Cut bounds to what fits onto the nodes of clusters that tell their grades."""
    for column, cluster in enumerate(problem.clusters):
        if cluster.grades:
            for row, workload in enumerate(problem.workloads):
                most = graded_room(workload, cluster) if upper[row, column] else None
                if most is not None:
                    upper[row, column] = min(upper[row, column], most)


def _open(workloads: Sequence[Workload], clusters: tuple[str, ...]) -> Whole:
    """Return 1 where a cluster is a candidate, else 0."""
    rules = (workload.rule(Candidates) for workload in workloads)
    names = [clusters if rule is None else rule.names for rule in rules]
    row = {inside: number for number, inside in enumerate(dict.fromkeys(names))}
    found = _scattered([dict.fromkeys(inside, 1) for inside in row], clusters, 0)
    return found[[row[inside] for inside in names]]


def divisible(lower: Whole, upper: Whole, totals: Whole) -> NDArray[np.bool_]:
    """Tell which rows have any division within bounds by place."""
    enough = (lower.sum(axis=1) <= totals) & (totals <= upper.sum(axis=1))
    found: NDArray[np.bool_] = enough & (lower <= upper).all(axis=1)
    return found


def filled_up(bottom: Whole, top: Whole, totals: Whole) -> Whole:
    """Return divisions that hold the totals, between two that hold too little and too much, first by name."""
    room = top - bottom
    left = totals - bottom.sum(axis=1)
    before = np.cumsum(room, axis=1) - room
    filled: Whole = bottom + np.clip(left[:, None] - before, 0, room)
    return filled


def tight(lower: Whole, upper: Whole, totals: Whole) -> tuple[Whole, Whole]:
    """Return bounds that a division of the row alone attains; as they are where a row has none."""
    for start in range(0, len(totals), 4096):
        rows = slice(start, start + 4096)
        low, high, total = lower[rows], upper[rows], totals[rows, None]
        fits = divisible(low, high, totals[rows])
        tops = np.minimum(high, low + (total - low.sum(axis=1, keepdims=True)))
        bottoms = np.maximum(low, tops - (tops.sum(axis=1, keepdims=True) - total))
        upper[rows], lower[rows] = np.where(fits[:, None], tops, high), np.where(fits[:, None], bottoms, low)
    return lower, upper


def _coupling(
    limits: Mapping[tuple[int, int], int], clusters: tuple[str, ...], resources: Sequence[str]
) -> SharedCapacity:
    """Return limits by column and resource as rows of capacity."""
    rows = [(column, resource, amount) for (column, resource), amount in sorted(limits.items())]
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 3)
    names = tuple((clusters[column], resources[resource]) for column, resource, _ in rows)
    return SharedCapacity(table[:, 0], table[:, 1], table[:, 2], names)


def table_of(values: Iterable[Mapping[str, Any]], clusters: tuple[str, ...], scale: int = 1) -> Whole:
    """Return mappings by cluster as rows of whole numbers, each times a scale that makes it whole.

    Other clusters are left out.
    """
    if scale != 1:
        values = ({name: int(each * scale) for name, each in row.items()} for row in values)
    return _scattered(list(values), clusters, 0)


def _scattered(values: Sequence[Mapping[str, int]], clusters: tuple[str, ...], default: int) -> Whole:
    """Write mappings by cluster into the rows of a matrix."""
    if all(len(row) == len(clusters) and tuple(row) == clusters for row in values):
        every = chain.from_iterable(row.values() for row in values)
        numbers = np.fromiter(every, dtype=np.int64, count=len(values) * len(clusters))
        return numbers.reshape(len(values), len(clusters))
    position = {name: column for column, name in enumerate(clusters)}
    found = np.full((len(values), len(clusters) + 1), default, dtype=np.int64)
    lengths = np.fromiter(map(len, values), dtype=np.int64, count=len(values))
    count = int(lengths.sum())
    # Names that are no cluster of the problem end in a column that is cut off.
    places = map(position.get, chain.from_iterable(values), repeat(len(clusters)))
    columns = np.fromiter(places, dtype=np.int64, count=count)
    numbers = np.fromiter(chain.from_iterable(row.values() for row in values), dtype=np.int64, count=count)
    found[np.repeat(np.arange(len(values)), lengths), columns] = numbers
    return np.ascontiguousarray(found[:, :-1])


def total_of(values: Whole) -> int:
    """Add numbers of up to 62 bits, right also where 64 bits cannot hold the sum."""
    high, low = values >> 31, values & (2**31 - 1)
    return (int(high.sum()) << 31) + int(low.sum())


def spelled_out(counts: Whole) -> tuple[Whole, Whole]:
    """Return every position as often as its count says, and which of its own each of these is, from 0 on."""
    each = np.repeat(np.arange(len(counts)), counts)
    return each, np.arange(len(each)) - np.repeat(np.cumsum(counts) - counts, counts)
