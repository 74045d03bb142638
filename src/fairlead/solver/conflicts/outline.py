"""Bounds by cluster and the total that units of one workload state."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar, assert_never

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
    Total,
    quota,
)
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.units import Part, Positions, Room, Unit

P = TypeVar("P", bound=Part)


class ClusterLimit(NamedTuple):
    """Bounds of one cluster by a unit (its position): fewest and most replicas; `most` None: no limit."""

    unit: int
    least: int
    most: int | None


@dataclass(slots=True)
class Outline:
    """Bounds by cluster and total of one workload, each with the position of its unit."""

    workload: Workload
    problem: Problem
    units: Sequence[Unit]
    names: tuple[str, ...]
    limits: dict[str, list[ClusterLimit]] = field(default_factory=dict)
    """Bounds by cluster name; minima that bind only where replicas are held are left out."""
    total: int | None = None
    """Position of the total; None where there is no such unit."""
    closed: Positions = ()
    """Position of the closed clusters; empty where there is no such unit."""
    others: list[int] = field(default_factory=list)
    """Positions of all other units, what is left out of minima aside."""
    only_boxes: bool = True
    """Whether nothing was left out: units bound single clusters and the total only."""

    def least(self, name: str) -> tuple[int, int] | None:
        """Return the greatest minimum of a cluster and its unit, the first of several; None without one."""
        found = [limit for limit in self.limits.get(name, ()) if limit.least]
        greatest = max(found, key=lambda each: each.least, default=None)
        return None if greatest is None else (greatest.least, greatest.unit)

    def most(self, name: str) -> tuple[int, int] | None:
        """Return the smallest maximum of a cluster and its unit, the first of several; None without one."""
        found = [(limit.most, limit.unit) for limit in self.limits.get(name, ()) if limit.most is not None]
        return min(found, default=None)

    def of(self, kind: type[P]) -> dict[int, P]:
        """Return the units of one kind that are about several clusters, by position."""
        return {at: part for at in self.others if isinstance(part := self.units[at].part, kind)}


def outline_of(workload: Workload, problem: Problem, units: Sequence[Unit]) -> Outline:
    """Read the units of a workload."""
    outline = Outline(workload, problem, units, problem.candidates(workload))
    for at, unit in enumerate(units):
        match unit.part:
            case Total():
                outline.total = at
            case Candidates():
                outline.closed = (at,)
            case Bounds() as rule:
                outline.only_boxes = outline.only_boxes and not rule.where_held
            case Room():
                pass
            case Quota() as rule if all(scope.cluster is not None for scope in rule.limits):
                pass
            case Companionship() | Duplicated() | GroupTotal() | Grouped() | MoveBudget() | Quota():
                outline.others.append(at)
                outline.only_boxes = False
            case _:
                assert_never(unit.part)
        for name, least, most in limits_of(unit, workload, problem):
            outline.limits.setdefault(name, []).append(ClusterLimit(at, least, most))
    return outline


def limits_of(unit: Unit, workload: Workload, problem: Problem) -> Iterator[tuple[str, int, int | None]]:
    """Yield the bounds that a unit states of single clusters: name, fewest replicas, and most or None.

    0 where it asks for none, or only where replicas are held; None where it allows any number.
    """
    match unit.part:
        case Bounds() as rule:
            for name in dict.fromkeys((*rule.minimum, *rule.maximum)):
                least, most = rule.minimum.get(name), rule.maximum.get(name)
                wanted = 0 if least is None or name in rule.where_held else least.replicas
                yield name, wanted, None if most is None else most.replicas
        case Room() as room:
            asked = demands(workload, problem.cluster_by_name[room.cluster])
            fits = [
                problem.limits.get((room.cluster, resource), 0) // asked[resource]
                for resource in room.resources
                if resource in asked
            ]
            if fits:
                yield room.cluster, 0, min(fits)
        case Quota() as rule if rule.namespace == workload.namespace:
            for scope, limit in quota.allowed(rule, problem).items():
                need = needs(workload).get(scope.resource, 0)
                if scope.cluster is not None and need:
                    yield scope.cluster, 0, limit // need
        case (
            Total()
            | Candidates()
            | Companionship()
            | Duplicated()
            | GroupTotal()
            | Grouped()
            | MoveBudget()
            | Quota()
        ):
            return  # what is said of several clusters at once, or of none
        case _:
            assert_never(unit.part)
