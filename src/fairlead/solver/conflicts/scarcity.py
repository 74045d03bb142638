"""Something scarce: totals ask for more than the clusters open to them have, or than a quota allows.

Each replica stands on one of the clusters that are open to its workload. Where the room of all of these is
limited, what the totals ask for cannot exceed what the rooms hold, each rounded down to what a number of
replicas can take of it. A quota is scarce as well for full copies and minima.
"""

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from fairlead.models.affinity_groups import from_start
from fairlead.models.cluster import PODS
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Duplicated,
    Quota,
    Total,
    bounds,
    duplicated,
    quota,
    total,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import Scope
from fairlead.models.statement import Conflict, Proof, Statement
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.units import Room, Unit, open_to

Asker = TypeVar("Asker")

MOST_POOLS = 50
"""Sets of clusters that are looked at for each resource, those that are open to most workloads first."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a workload asks of a resource."""

    key: str
    need: int
    """What one replica takes."""
    replicas: int
    names: frozenset[str]

    @property
    def amount(self) -> int:
        """What all replicas take."""
        return self.need * self.replicas


@dataclass(frozen=True, slots=True)
class Supply:
    """What some workloads ask for of a resource together, and what all clusters open to them have of it."""

    rooms: Mapping[str, int]
    """What each of the clusters has, in the resource's unit."""
    asked: int
    step: int
    """What any number of replicas takes is a multiple of this."""

    @property
    def excess(self) -> int:
        """How much more is asked for than replicas can take; negative or 0 where it is enough."""
        return self.asked - sum(room // self.step * self.step for room in self.rooms.values())


def supply_of(demands: Sequence[Demand], resource: str, problem: Problem) -> Supply:
    """Return what some workloads, one at least, ask for of a resource, and what there is of it."""
    rooms = {
        name: problem.limits.get((name, resource), 0)
        for name in frozenset[str]().union(*(each.names for each in demands))
    }
    return Supply(rooms, sum(each.amount for each in demands), math.gcd(*(each.need for each in demands)))


def demands_on(
    problem: Problem, limited: Container[tuple[str, str]], keys: Container[str | None]
) -> dict[str, list[Demand]]:
    """Return by resource the workloads that can only take of what is limited.

    `limited`: clusters and resources of which there is not enough for everybody.
    """
    found: dict[str, list[Demand]] = {}
    for workload in problem.workloads:
        names = frozenset(open_to(workload, problem))
        if workload.key not in keys or not workload.replicas or not names:
            continue
        for resource, need in needs(workload).items():
            if all((name, resource) in limited for name in names):
                demand = Demand(workload.key, need, workload.replicas, names)
                found.setdefault(resource, []).append(demand)
    return dict(sorted(found.items()))


def over_quota(
    rule: Quota, problem: Problem, keys: Container[str | None]
) -> Iterator[tuple[Scope, int, dict[str, int]]]:
    """Yield every number for all clusters that totals do not fit into, and what each asks for, by key."""
    inside = [each for each in problem.workloads_in(rule.namespace) if each.key in keys]
    for scope, limit in quota.allowed(rule, problem).items():
        if scope.cluster is None:
            asked = {each.key: needs(each).get(scope.resource, 0) * each.replicas for each in inside}
            if sum(asked.values()) > limit:
                yield scope, limit, asked


def fewest_over(amounts: Iterable[tuple[int, Asker]], limit: int) -> tuple[Asker, ...] | None:
    """Return the fewest of some amounts that add up to more than a limit; None where all of them do not.

    Without any one of them the others fit. Of equal amounts the earlier ones are taken.
    """
    found: list[Asker] = []
    left = limit
    for amount, asker in sorted(amounts, key=lambda each: -each[0]):
        found.append(asker)
        left -= amount
        if left < 0:
            return tuple(found)
    return None


def scarce(problem: Problem, units: Sequence[Unit]) -> tuple[int, ...] | None:
    """Return a conflict of totals with a quota, or with the rooms of all clusters open to their workloads.

    The positions of its units; the fewest of those seen, though perhaps not all of them are needed. None
    where there is no such conflict.
    """
    totals = {unit.workload: at for at, unit in enumerate(units) if isinstance(unit.part, Total)}
    closed = {unit.workload: at for at, unit in enumerate(units) if isinstance(unit.part, Candidates)}
    rooms = {
        (unit.part.cluster, resource): at
        for at, unit in enumerate(units)
        if isinstance(unit.part, Room)
        for resource in unit.part.resources
    }
    best: tuple[int, ...] | None = None
    for at, unit in enumerate(units):
        for _, limit, asked in over_quota(unit.part, problem, totals) if isinstance(unit.part, Quota) else ():
            keys = fewest_over([(amount, key) for key, amount in sorted(asked.items())], limit) or ()
            if best is None or len(keys) + 1 < len(best):
                best = tuple(sorted((at, *(totals[key] for key in keys))))
    for resource, demands in demands_on(problem, rooms, totals).items():
        for pool in _pools(demands):
            kept = _fewest(pool, resource, problem)
            names = frozenset[str]().union(*(each.names for each in kept))
            # Where every cluster counts already, to open one more changes nothing.
            shut = [] if len(names) == len(problem.clusters) else [closed[each.key] for each in kept]
            found = {totals[each.key] for each in kept}.union(shut, (rooms[name, resource] for name in names))
            if kept and (best is None or len(found) < len(best)):
                best = tuple(sorted(found))
    return best


def is_scarce(problem: Problem) -> bool:
    """Tell whether totals are seen to ask for more of a resource than their clusters have, quotas aside."""
    if len(problem.workloads) < 2 or not problem.has_capacity:
        return False
    totals = {each.key for each in problem.workloads if each.rule(Total) is not None}
    resources = frozenset(resource for each in problem.workloads for resource in needs(each))
    limited = {
        (cluster.name, resource)
        for cluster in problem.clusters
        if cluster.free is not None
        for resource in resources
        if resource != PODS or PODS in cluster.free
    }
    return any(
        supply_of(pool, resource, problem).excess > 0
        for resource, demands in demands_on(problem, limited, totals).items()
        for pool in _pools(demands)
    )


def _pools(demands: Sequence[Demand]) -> Iterator[Sequence[Demand]]:
    """Yield workloads that share clusters: all, and those that have no others than some workload has."""
    yield demands
    members: dict[frozenset[str], int] = {}
    for each in demands:
        members[each.names] = members.get(each.names, 0) + 1
    ordered = sorted(members, key=lambda names: (-members[names], len(names), sorted(names)))
    for names in ordered[:MOST_POOLS]:
        inside = [each for each in demands if each.names <= names]
        if len(inside) < len(demands):
            yield inside


def _fewest(pool: Sequence[Demand], resource: str, problem: Problem) -> Sequence[Demand]:
    """Leave out workloads, those that ask for least first, while the others ask for too much.

    Empty where all of them do not ask for too much.
    """
    if supply_of(pool, resource, problem).excess <= 0:
        return ()
    kept = sorted(pool, key=lambda each: (each.amount, each.key))
    for each in list(kept):
        rest = [other for other in kept if other is not each]
        if rest and supply_of(rest, resource, problem).excess > 0:
            kept = rest
    return kept


@dataclass(frozen=True, slots=True)
class Excess:
    """What is asked for of a resource, and what there is of it, in the resource's unit."""

    resource: str
    """The resource."""
    asked: int
    """What the totals ask for together."""
    has: int
    """What the rooms have together, or what the quota allows."""
    workloads: tuple[str, ...]
    """Keys of those that ask for it."""
    clusters: tuple[str, ...] = ()
    """Names of the clusters that have any of it, of all where none has; empty where a quota limits it."""
    quota: str = ""
    """Namespace and name of the quota; empty where clusters limit it."""


def excess_of(problem: Problem, units: Sequence[Unit]) -> Excess | None:
    """Return a resource of which totals among some units ask for more than rooms or a quota among them have.

    None where there is none: then the units may have a placement or not.
    """
    everywhere = frozenset(problem.cluster_by_name)
    wanting = [problem.workload(unit.workload or "") for unit in units if isinstance(unit.part, Total)]
    for rule in (unit.part for unit in units if isinstance(unit.part, Quota)):
        for scope, limit, asked in over_quota(rule, problem, {each.key for each in wanting}):
            keys = tuple(key for key, amount in asked.items() if amount)
            named = f"{rule.namespace}/{rule.name}"
            return Excess(scope.resource, sum(asked.values()), limit, keys, quota=named)
    open_now = {
        unit.workload: everywhere.intersection(unit.part.names)
        for unit in units
        if isinstance(unit.part, Candidates)
    }
    rooms: dict[str, set[str]] = {}
    for room in (unit.part for unit in units if isinstance(unit.part, Room)):
        for resource in room.resources:
            rooms.setdefault(resource, set()).add(room.cluster)
    for resource, limited in sorted(rooms.items()):
        demands = [
            Demand(each.key, need, each.replicas, names)
            for each in wanting
            if (need := needs(each).get(resource, 0))
            and limited.issuperset(names := open_now.get(each.key, everywhere))
        ]
        supply = supply_of(demands, resource, problem) if demands else None
        if supply is not None and supply.excess > 0:
            having = sorted(name for name, amount in supply.rooms.items() if amount) or sorted(supply.rooms)
            keys = tuple(each.key for each in demands)
            return Excess(resource, supply.asked, sum(supply.rooms.values()), keys, tuple(having))
    return None


def is_minimal_under_quota(problem: Problem, units: Sequence[Unit]) -> bool:
    """Tell whether some units are totals and one number of a quota, a conflict of which none can be spared.

    Without any other rule, totals can be placed on any cluster, so that sums are the whole truth.
    """
    quotas = [unit.part for unit in units if isinstance(unit.part, Quota)]
    keys = {unit.workload for unit in units if isinstance(unit.part, Total)}
    if len(quotas) != 1 or len(keys) + 1 != len(units) or not problem.clusters:
        return False
    return any(
        len(asked) == len(keys) and min(asked.values()) >= sum(asked.values()) - limit
        for _, limit, asked in over_quota(quotas[0], problem, keys)
    )


class Wish(NamedTuple):
    """How many replicas a workload has to have on a cluster, or on all of them (None), and how it is said."""

    cluster: str | None
    replicas: int
    statement: Callable[[], Statement]


def quota_conflicts(problem: Problem) -> tuple[Conflict, ...]:
    """Return a conflict for every quota that what its workloads want at least does not fit into.

    Only totals, full copies and minima are looked at; leaving out any one statement of a conflict resolves
    it. None where replicas may stay unplaced.
    """
    if problem.partial:
        return ()
    found = (_conflict(rule, problem) for rule in problem.rules if isinstance(rule, Quota) and rule.limits)
    return tuple(conflict for conflict in found if conflict is not None)


def _conflict(rule: Quota, problem: Problem) -> Conflict | None:
    """Return why a quota cannot be kept, for the first of its limits."""
    asked: dict[Scope, list[tuple[int, Wish]]] = {}
    for workload in problem.workloads_in(rule.namespace):
        needed = needs(workload)
        for wish in _wishes(workload, problem):
            for resource, need in needed.items():
                asked.setdefault(Scope(resource, wish.cluster), []).append((need * wish.replicas, wish))
    for scope, limit in sorted(quota.allowed(rule, problem).items(), key=lambda each: each[0].order):
        wishes = fewest_over(asked.get(scope, ()), limit)
        if wishes is not None:
            told = (wish.statement() for wish in wishes)
            return Conflict((*told, quota.describe(rule, scope, problem)), proof=Proof.MINIMAL)
    return None


def _wishes(workload: Workload, problem: Problem) -> Iterator[Wish]:
    """Yield what a workload has to have on single clusters, and on all of them, in every affinity group."""
    copies, divided = workload.rule(Duplicated), workload.rule(Total)
    several = len(from_start(workload)) > 1
    if not workload.replicas or (copies is not None and (copies.choice or several)):
        return
    if copies is not None:
        for name in problem.candidates(workload):
            told = duplicated.full_copy(copies, workload, name).statement
            size = copy_on(copies, workload, name)
            yield from (Wish(name, size, told), Wish(None, size, told))
        return
    if divided is not None:
        yield Wish(None, workload.replicas, total.requirement(divided, workload).statement)
    if several:
        return
    rule, names = workload.rule(Bounds) or Bounds(), frozenset(problem.candidates(workload))
    for name, bound in rule.always.items():
        if bound.replicas and name in names:
            yield Wish(name, bound.replicas, bounds.minimum(rule, workload, name).statement)
