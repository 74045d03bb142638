"""Scarcity: totals ask for more than the clusters open to them have, or than a quota allows.

Each replica stands on one of the clusters that are open to its workload. Where the room of all of these is
limited, what the totals ask for cannot exceed what the rooms hold, each rounded down to what a number of
replicas can take of it. A quota is scarce as well for full copies and minima.
"""

import math
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import TypeVar

from fairlead.models.cluster import PODS
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, MoveBudget, Quota, Total, quota
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.quota import QuotaScope
from fairlead.models.statement import Proof
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.units import Positions, Room, Unit, over_budget

Asker = TypeVar("Asker")

MOST_POOLS = 50
"""Sets of clusters that are looked at for each resource, those that are open to most workloads first."""
MOST_DEMANDS = 1_000_000
"""Demands that are looked at for each resource, over all sets of clusters: of many workloads in fewer
sets."""


@dataclass(frozen=True, slots=True)
class FoundConflict:
    """A conflict by the positions of its units, and how certain it is that all are needed."""

    units: Positions
    proof: Proof
    adds_up: bool = False
    """True where sums tell that it is one, and that without any one unit the others have a placement."""


@dataclass(frozen=True, slots=True)
class Demand:
    """Request of one workload for one resource, in the resource's unit, and the clusters open to it."""

    key: str
    need: int
    """Request of one replica."""
    replicas: int
    names: frozenset[str]

    @property
    def amount(self) -> int:
        """Request of all replicas together."""
        return self.need * self.replicas


@dataclass(frozen=True, slots=True)
class Supply:
    """Amount of a resource that workloads ask for together, and capacity of all clusters open to them."""

    rooms: Mapping[str, int]
    """Capacity by cluster name, in the resource's unit."""
    asked: int
    step: int
    """Greatest common divisor of the requests of one replica: replicas take multiples of it."""

    @property
    def excess(self) -> int:
        """Amount asked for beyond what replicas can take; negative or 0 where it is enough."""
        return self.asked - sum(room // self.step * self.step for room in self.rooms.values())


def supply_of(demands: Sequence[Demand], resource: str, problem: Problem) -> Supply:
    """Return the amount that some workloads, one at least, ask for of a resource, and the capacity."""
    rooms = {
        name: problem.limits.get((name, resource), 0)
        for name in frozenset[str]().union(*(each.names for each in demands))
    }
    return Supply(rooms, sum(each.amount for each in demands), math.gcd(*(each.need for each in demands)))


def demands_on(
    problem: Problem,
    limited: Collection[tuple[str, str]],
    keys: Container[str | None],
    names_of: Callable[[Workload], Iterable[str]] | None = None,
) -> dict[str, list[Demand]]:
    """Return by resource the workloads that can only take of what is limited.

    `limited`: clusters and resources of which there is not enough for everybody; `names_of`: the clusters on
    which a workload may stand; its candidates where that is not said.
    """
    found: dict[str, list[Demand]] = {}
    resources = {resource for _, resource in limited}
    scarce = {each: frozenset(name for name, resource in limited if resource == each) for each in resources}
    for workload in problem.workloads:
        names = frozenset((names_of or problem.candidates)(workload))
        if workload.key not in keys or not workload.replicas or not names:
            continue
        for resource, need in needs(workload).items():
            if names <= scarce.get(resource, frozenset()):
                demand = Demand(workload.key, need, workload.replicas, names)
                found.setdefault(resource, []).append(demand)
    return dict(sorted(found.items()))


def over_quota(
    rule: Quota, problem: Problem, keys: Container[str | None]
) -> Iterator[tuple[QuotaScope, int, dict[str, int]]]:
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


def scarce(problem: Problem, units: Sequence[Unit]) -> FoundConflict | None:
    """Return a conflict of what has to be with a quota, a budget or the rooms of all clusters open to it.

    It has the fewest units of those seen, though perhaps not all of them are needed. None where there is no
    such conflict.
    """
    # Without any other rule totals can be placed on any cluster, and whatever is not closed may stay.
    whole = [*_over_quotas(problem, units), *_over_budgets(problem, units)]
    every = [*((each, True) for each in whole), *((each, False) for each in _over_rooms(problem, units))]
    found = min(every, key=lambda each: len(each[0]), default=None)
    return None if found is None else FoundConflict(found[0], Proof.UNVERIFIED, found[1])


def _positions(units: Sequence[Unit], kind: type[Total] | type[Candidates]) -> dict[str | None, int]:
    """Return where the unit of one kind of every workload is."""
    return {unit.workload: at for at, unit in enumerate(units) if isinstance(unit.part, kind)}


def _over_quotas(problem: Problem, units: Sequence[Unit]) -> Iterator[Positions]:
    """Yield quotas with totals that do not fit into them."""
    totals = _positions(units, Total)
    for at, unit in enumerate(units):
        for _, limit, asked in over_quota(unit.part, problem, totals) if isinstance(unit.part, Quota) else ():
            keys = fewest_over([(amount, key) for key, amount in sorted(asked.items())], limit) or ()
            yield tuple(sorted((at, *(totals[key] for key in keys))))


def _over_budgets(problem: Problem, units: Sequence[Unit]) -> Iterator[Positions]:
    """Yield budgets with closed clusters off which more has to move."""
    closed = _positions(units, Candidates)
    for at, unit in enumerate(units):
        if isinstance(unit.part, MoveBudget):
            moving = over_budget(unit.part, problem, closed)
            keys = fewest_over([(count, key) for key, count in sorted(moving.items())], unit.part.most)
            if keys is not None:
                yield tuple(sorted((at, *(closed[key] for key in keys))))


def _over_rooms(problem: Problem, units: Sequence[Unit]) -> Iterator[Positions]:
    """Yield the rooms of all clusters that are open to some workloads, with totals that do not fit in."""
    totals, closed = _positions(units, Total), _positions(units, Candidates)
    rooms = {
        (unit.part.cluster, resource): at
        for at, unit in enumerate(units)
        if isinstance(unit.part, Room)
        for resource in unit.part.resources
    }
    for resource, demands in demands_on(problem, rooms, totals).items():
        for pool in _pools(demands):
            kept = _fewest(pool, resource, problem)
            names = frozenset[str]().union(*(each.names for each in kept))
            # Where every cluster counts already, to open one more changes nothing.
            shut = [] if len(names) == len(problem.clusters) else [closed[each.key] for each in kept]
            found = {totals[each.key] for each in kept}.union(shut, (rooms[name, resource] for name in names))
            if kept:
                yield tuple(sorted(found))


def is_scarce(problem: Problem) -> bool:
    """Tell whether totals are seen to ask for more of a resource than their clusters have, quotas aside.

    It is seen as well where more has to move than a budget allows.
    """
    if any(over_budget(rule, problem) for rule in problem.rules if isinstance(rule, MoveBudget)):
        return True
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
    # As bits of a number sets are compared far faster, which counts where every workload has its own.
    bits = {name: 1 << at for at, name in enumerate(sorted(frozenset[str]().union(*members)))}
    sets = {names: sum(map(bits.__getitem__, names)) for names in members}
    asked = [(each, sets[each.names]) for each in demands]
    most = min(MOST_POOLS, MOST_DEMANDS // len(demands))
    for names in nsmallest(most, members, lambda names: (-members[names], len(names), sets[names])):
        outside = ~sets[names]
        inside = [each for each, among in asked if not among & outside]
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
    """Amount of a resource that is asked for, and that is there, in the resource's unit."""

    resource: str
    """The resource."""
    asked: int
    """Amount that the totals ask for together."""
    has: int
    """Capacity of the rooms together, or the amount that the quota allows."""
    workloads: tuple[str, ...]
    """Keys of the workloads that ask for it."""
    clusters: tuple[str, ...] = ()
    """Names of the clusters that have any of it, of all where none has; empty where a quota limits it."""
    quota: str = ""
    """Namespace and name of the quota; empty where clusters limit it."""


def excess_of(problem: Problem, units: Sequence[Unit]) -> Excess | None:
    """Return a resource of which totals among some units ask for more than rooms or a quota among them have.

    None where there is none: then the units may have a placement or not.
    """
    keys = {unit.workload for unit in units if isinstance(unit.part, Total)}
    for rule in (unit.part for unit in units if isinstance(unit.part, Quota)):
        for scope, limit, asked in over_quota(rule, problem, keys):
            asking = tuple(key for key, amount in asked.items() if amount)
            named = f"{rule.namespace}/{rule.name}"
            return Excess(scope.resource, sum(asked.values()), limit, asking, quota=named)
    rooms = [unit.part for unit in units if isinstance(unit.part, Room)]
    limited = {(room.cluster, resource) for room in rooms for resource in room.resources}
    closed = {unit.workload for unit in units if isinstance(unit.part, Candidates)}

    def names_of(workload: Workload) -> Iterable[str]:
        return problem.candidates(workload) if workload.key in closed else problem.cluster_by_name

    for resource, demands in demands_on(problem, limited, keys, names_of).items():
        supply = supply_of(demands, resource, problem)
        if supply.excess > 0:
            having = sorted(name for name, amount in supply.rooms.items() if amount) or sorted(supply.rooms)
            asking = tuple(each.key for each in demands)
            return Excess(resource, supply.asked, sum(supply.rooms.values()), asking, tuple(having))
    return None
