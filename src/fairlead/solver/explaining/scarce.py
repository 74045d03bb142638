"""Conflicts over something scarce: totals ask for more than their clusters have, or a quota allows."""

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairlead.models.cluster import PODS
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Quota, Total, quota
from fairlead.models.rules.capacity import needs
from fairlead.solver.explaining.units import Room, Unit, open_to

MOST_POOLS = 50
"""Sets of clusters that are looked at for each resource, those that are open to most workloads first."""


@dataclass(frozen=True, slots=True)
class _Asking:
    """What a workload asks of a resource.

    Parameters
    ----------
    key
        The workload.
    need
        What one replica takes.
    replicas
        How many are wanted.
    names
        The clusters that are open to it.
    """

    key: str
    need: int
    replicas: int
    names: frozenset[str]


def scarce(problem: Problem, units: Sequence[Unit]) -> tuple[int, ...] | None:
    """Return a conflict of totals with a quota, or with the rooms of all clusters open to their workloads.

    Parameters
    ----------
    problem
        The whole question, with several workloads.
    units
        Everything that may be left out.

    Returns
    -------
    tuple of int or None
        The positions of its units; the fewest of those seen, though perhaps not all of them are needed.
        None where there is no such conflict.
    """
    totals = {unit.workload: at for at, unit in enumerate(units) if isinstance(unit.part, Total)}
    closed = {unit.workload: at for at, unit in enumerate(units) if isinstance(unit.part, Candidates)}
    rooms = {
        (unit.part.cluster, resource): at
        for at, unit in enumerate(units)
        if isinstance(unit.part, Room)
        for resource in unit.part.resources
    }
    best = min(_over_quotas(problem, units, totals), key=len, default=None)
    for resource, asking in _asking(problem, rooms, totals).items():
        room = {name: problem.limits.get((name, resource), 0) for name in problem.cluster_by_name}
        for pool in _pools(asking):
            if not _over(pool, room):
                continue
            kept = _fewest(pool, room)
            names = frozenset[str]().union(*(each.names for each in kept))
            # Where every cluster counts already, to open one more changes nothing.
            shut = [] if len(names) == len(problem.clusters) else [closed[each.key] for each in kept]
            found = {totals[each.key] for each in kept}.union(shut, (rooms[name, resource] for name in names))
            if best is None or len(found) < len(best):
                best = tuple(sorted(found))
    return best


def _over_quotas(
    problem: Problem, units: Sequence[Unit], totals: Mapping[str | None, int]
) -> Iterator[tuple[int, ...]]:
    """Yield every quota for all clusters, with the largest totals until they are more than it allows."""
    for at, unit in enumerate(units):
        if not isinstance(unit.part, Quota):
            continue
        inside = [each for each in problem.workloads_in(unit.part.namespace) if each.key in totals]
        for scope, limit in quota.allowed(unit.part, problem).items():
            asked = ((needs(each).get(scope.resource, 0) * each.replicas, each.key) for each in inside)
            found, left = [at], limit
            for amount, key in sorted(asked, key=lambda each: (-each[0], each[1])):
                if scope.cluster is not None or left < 0:
                    break
                found.append(totals[key])
                left -= amount
            if left < 0:
                yield tuple(sorted(found))


def is_scarce(problem: Problem) -> bool:
    """Tell whether totals are seen to ask for more of a resource than all their clusters have; quotas aside.

    Parameters
    ----------
    problem
        The question.
    """
    if len(problem.workloads) < 2 or not any(isinstance(rule, Capacity) for rule in problem.rules):
        return False
    totals = {each.key for each in problem.workloads if each.rule(Total) is not None}
    resources = frozenset(resource for each in problem.workloads for resource in needs(each))
    rooms = {
        (cluster.name, resource): 0
        for cluster in problem.clusters
        if cluster.free is not None
        for resource in resources
        if resource != PODS or PODS in cluster.free
    }
    for resource, asking in _asking(problem, rooms, totals).items():
        room = {name: problem.limits.get((name, resource), 0) for name in problem.cluster_by_name}
        if any(_over(pool, room) for pool in _pools(asking)):
            return True
    return False


def _asking(
    problem: Problem, rooms: Mapping[tuple[str, str], int], totals: Container[str | None]
) -> dict[str, list[_Asking]]:
    """Return by resource the workloads that can only take of what is limited."""
    found: dict[str, list[_Asking]] = {}
    for workload in problem.workloads:
        names = frozenset(open_to(workload, problem))
        if workload.key not in totals or not workload.replicas or not names:
            continue
        for resource, need in needs(workload).items():
            if all((name, resource) in rooms for name in names):
                asking = _Asking(workload.key, need, workload.replicas, names)
                found.setdefault(resource, []).append(asking)
    return dict(sorted(found.items()))


def _pools(asking: Sequence[_Asking]) -> Iterator[list[_Asking]]:
    """Yield workloads that share clusters: all, and those that have no others than some workload has."""
    yield list(asking)
    members: dict[frozenset[str], int] = {}
    for each in asking:
        members[each.names] = members.get(each.names, 0) + 1
    ordered = sorted(members, key=lambda names: (-members[names], len(names), sorted(names)))
    for names in ordered[:MOST_POOLS]:
        inside = [each for each in asking if each.names <= names]
        if len(inside) < len(asking):
            yield inside


def _over(asking: Sequence[_Asking], room: Mapping[str, int]) -> bool:
    """Tell whether some workloads ask for more than their clusters have, in steps that replicas take."""
    if not asking:
        return False
    step = math.gcd(*(each.need for each in asking))
    names = frozenset[str]().union(*(each.names for each in asking))
    return sum(each.need * each.replicas for each in asking) > sum(
        room[name] // step * step for name in names
    )


def _fewest(asking: Sequence[_Asking], room: Mapping[str, int]) -> list[_Asking]:
    """Leave out workloads, those that ask for least first, as long as the others ask for too much."""
    kept = sorted(asking, key=lambda each: (each.need * each.replicas, each.key))
    for each in list(kept):
        rest = [other for other in kept if other is not each]
        if _over(rest, room):
            kept = rest
    return kept
