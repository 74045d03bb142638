"""Simple placements that show that units can be kept, cheaper than asking a solver.

They fill one cluster after the other. What they keep is judged by the meaning of the rules; which of them are
looked at is a matter of luck.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Companionship,
    Duplicated,
    Grouped,
    GroupTotal,
    MoveBudget,
    Quota,
    Spread,
    Total,
)
from fairlead.models.rules.capacity import needs
from fairlead.solver.conflicts.subset import UnitJudge, widest
from fairlead.solver.conflicts.units import Room, Unit
from fairlead.solver.running.deadline import Deadline

MOST_PLACES = 5_000
"""Workloads times clusters up to which placements are judged by all units, not by those of the conflict."""

NO_LIMIT = 2**62
"""More than all replicas together."""

Numbers = NDArray[np.int64]
Amounts = NDArray[np.object_]


@dataclass(slots=True)
class _StatedBounds:
    """Bounds that some units state for one workload; arrays of replicas by cluster in name order."""

    key: str
    need: Mapping[str, int]
    """Request of one replica by resource."""
    is_open: NDArray[np.bool_]
    lower: Numbers
    upper: Numbers
    total: int = 0
    """Wanted replicas; 0 where no unit says how many."""

    def fits(self, placed: Numbers, left: Mapping[str, Amounts]) -> Numbers:
        """Return how many more replicas every cluster can take."""
        most = self.upper - placed
        for resource, room in left.items():
            need = self.need.get(resource, 0)
            if need:
                most = np.minimum(most, room // need)
        return np.where(self.is_open, np.maximum(most, 0), 0).astype(np.int64)

    def take(self, placed: Numbers, left: dict[str, Amounts]) -> None:
        """Take room for some replicas."""
        for resource in left.keys() & self.need.keys():
            left[resource] = left[resource] - placed.astype(object) * self.need[resource]


def filled(problem: Problem, units: Sequence[Unit], *, roomiest: bool = False) -> Placement:
    """Give every cluster the least it needs, then fill up to the totals in name order.

    Workloads that fit on the fewest clusters come first.

    `units`: what is to be kept, as far as it is a total, bounds, closed clusters or room. `roomiest`: True
    fills the cluster that takes most first, so that few are used; a workload without a total gets one
    replica, so that some are.
    """
    wishes, left = _read(problem, units)
    placed = {wish.key: np.where(wish.is_open, wish.lower, 0) for wish in wishes}
    for wish in wishes:
        wish.take(placed[wish.key], left)
    wanting = [wish for wish in wishes if wish.total or roomiest]
    places = {wish.key: int(np.count_nonzero(wish.fits(placed[wish.key], left))) for wish in wanting}
    for wish in sorted(wanting, key=lambda each: (places[each.key], each.key)):
        held = placed[wish.key]
        fits = wish.fits(held, left)
        missing = max(0, (wish.total or 1) - int(held.sum()))
        order = np.argsort(-fits if roomiest else np.zeros_like(fits), kind="stable")
        more = np.zeros_like(fits)
        more[order] = np.clip(missing - (np.cumsum(fits[order]) - fits[order]), 0, fits[order])
        wish.take(more, left)
        placed[wish.key] = held + more
    names = [cluster.name for cluster in problem.clusters]
    return Placement(
        {
            key: {name: count for name, count in zip(names, found.tolist(), strict=True) if count}
            for key, found in placed.items()
        }
    )


def _read(problem: Problem, units: Sequence[Unit]) -> tuple[list[_StatedBounds], dict[str, Amounts]]:
    """Return the bounds that units state of each workload, and the capacity by resource.

    Requests are not limited by 64 bits, nor is what many replicas ask for: amounts are of any size.
    """
    position = {cluster.name: at for at, cluster in enumerate(problem.clusters)}
    wanted = {unit.workload for unit in units if unit.workload is not None}
    wishes = {
        each.key: _wish(each.key, len(position), widest(each), needs(each))
        for each in problem.workloads
        if each.key in wanted
    }
    endless = NO_LIMIT * max((need for wish in wishes.values() for need in wish.need.values()), default=1)
    left: dict[str, Amounts] = {}
    for unit in units:
        match unit.part:
            case Room() as room:
                for resource in room.resources:
                    if resource not in left:
                        left[resource] = np.full(len(position), endless, dtype=object)
                    left[resource][position[room.cluster]] = problem.limits.get((room.cluster, resource), 0)
            case Total():
                key = unit.workload or ""
                wishes[key].total = problem.workload(key).replicas
            case Candidates() as rule:
                wish = wishes[unit.workload or ""]
                wish.is_open[:] = False
                wish.is_open[[position[name] for name in rule.names if name in position]] = True
            case Bounds() as rule:
                _bound(wishes[unit.workload or ""], rule, position)
            case Duplicated() | GroupTotal() | Grouped() | Companionship() | MoveBudget() | Quota():
                continue  # the judge looks at them
            case _:
                assert_never(unit.part)
    return list(wishes.values()), left


def _wish(key: str, clusters: int, most: int, need: Mapping[str, int]) -> _StatedBounds:
    """Return a workload that wants nothing yet."""
    lower, upper = np.zeros(clusters, dtype=np.int64), np.full(clusters, most, dtype=np.int64)
    return _StatedBounds(key, need, np.full(clusters, fill_value=True), lower, upper)


def _bound(wish: _StatedBounds, rule: Bounds, position: Mapping[str, int]) -> None:
    """Take in minima and maxima of single clusters."""
    for name, bound in rule.minimum.items():
        if name in position:
            at = position[name]
            wish.lower[at] = max(int(wish.lower[at]), bound.replicas)
    for name, bound in rule.maximum.items():
        if name in position:
            at = position[name]
            wish.upper[at] = min(int(wish.upper[at]), bound.replicas)


@dataclass(frozen=True, slots=True)
class Witnessed:
    """Facts about a conflict that simple placements show; units are told by position."""

    broken: tuple[frozenset[int], ...]
    """Units that each placement breaks; of all units where `complete`, else of the conflict's."""
    needed: frozenset[int]
    """The units of the conflict of which a placement breaks no other one of it."""
    unavoidable: frozenset[int]
    """The units that a placement breaks alone among all there are, so that no conflict is without them."""
    complete: bool
    """Whether placements were judged by all units."""


def witnessed(
    problem: Problem, units: Sequence[Unit], conflict: Sequence[int], deadline: Deadline
) -> Witnessed:
    """Look for a placement without each unit of a conflict, by filling clusters one after the other.

    `conflict`: positions of the units of the conflict.
    """
    complete = len(problem.workloads) * len(problem.clusters) <= MOST_PLACES
    inside = frozenset(conflict)
    judged = list(range(len(units))) if complete else sorted(inside)
    judge = UnitJudge(problem, [units[at] for at in judged])
    found: list[frozenset[int]] = []
    needed, unavoidable = set[int](), set[int]()
    # Few groups are kept where few clusters are used.
    few = any(isinstance(unit.part, Spread) and unit.part.maximum is not None for unit in units)
    ways = [(kept, False) for kept in ((judged, sorted(inside)) if complete else (judged,))]
    for left_out in conflict:
        for kept, roomiest in [(judged, True), *ways] if few else ways:
            if not deadline.remaining():
                break
            placement = filled(problem, [units[at] for at in kept if at != left_out], roomiest=roomiest)
            broken = frozenset(judged[at] for at in judge.broken(placement))
            found.append(broken)
            if complete and broken == {left_out}:
                unavoidable.add(left_out)
            if broken & inside == {left_out}:
                needed.add(left_out)
                break
    return Witnessed(tuple(found), frozenset(needed), frozenset(unavoidable), complete)
