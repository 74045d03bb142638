"""Rows of capacity: what placements ask of every cluster and resource, and what runs out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Companionship
from fairlead.models.usage import Row, usage
from fairlead.models.workload import Workload

Placed = Mapping[str, Mapping[str, int]]
"""Replicas by workload key and cluster name."""


def overfull(used: Mapping[Row, int], part: Problem) -> frozenset[Row]:
    """Return the rows that are asked for more than there is; none where capacity is left out."""
    if not part.has_capacity:
        return frozenset()
    return frozenset(row for row, amount in used.items() if amount > part.limits.get(row, 0))


def left_by(part: Problem, fixed: Iterable[Workload], placed: Placed) -> dict[Row, int]:
    """Return what workloads that stand as they are placed leave of every cluster and resource, at least 0."""
    left = dict(part.limits)
    for row, amount in usage(fixed, placed, part).items():
        left[row] = max(0, left.get(row, 0) - amount)
    return left


def among(part: Problem, workloads: Iterable[Workload], limits: Mapping[Row, int]) -> Problem:
    """Return the problem of some workloads that may use so much of every cluster.

    Companions of whom none is among them are left out.

    `limits`: what they may use by cluster and resource, what they hold now included.
    """
    chosen = tuple(workloads)
    held = usage(chosen, {each.key: each.current for each in chosen}, part)
    free: dict[str, dict[str, int]] = {}
    for name, resource in {**limits, **held}:
        row = (name, resource)
        free.setdefault(name, {})[resource] = limits.get(row, 0) - held.get(row, 0)
    clusters = tuple(_with_free(cluster, free.get(cluster.name, {}), limits) for cluster in part.clusters)
    keys = {each.key for each in chosen}
    rules = (
        rule
        for rule in part.rules
        if not isinstance(rule, Companionship) or not keys.isdisjoint(rule.members)
    )
    return replace(part, clusters=clusters, workloads=chosen, rules=tuple(rules))


def beside(part: Problem, workloads: Sequence[Workload], placed: Placed) -> Problem:
    """Return the problem of some workloads while all others stand as they are placed."""
    chosen = {each.key for each in workloads}
    others = (each for each in part.workloads if each.key not in chosen)
    return among(part, workloads, left_by(part, others, placed))


def _with_free(cluster: Cluster, free: Mapping[str, int], limits: Mapping[Row, int]) -> Cluster:
    """Return a cluster that has so much free, and no less in all; one of unknown capacity stays as it is."""
    if cluster.free is None:
        return cluster
    offered = {
        resource: max(amount, limits.get((cluster.name, resource), 0))
        for resource, amount in (cluster.allocatable or {}).items()
    }
    return replace(cluster, free=dict(free), allocatable=offered)
