"""What the rules of one workload say of single clusters and of their total, as two numbers a cluster."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Quota, Total, quota
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.workload import Workload
from fairlead.solver.explaining.units import Room, Unit, open_to


@dataclass(slots=True)
class Outline:
    """What the units of one workload say of single clusters and of their total.

    Parameters
    ----------
    workload
        The workload.
    names
        Its candidates.
    least, most
        The greatest minimum and the smallest maximum by candidate, each with the position of its unit; absent
        where there is none. Minima that bind only where replicas are held are left out.
    total, closed
        Positions of the total and of the closed clusters; None where there is no such unit.
    others
        Positions of all other units.
    """

    workload: Workload
    names: tuple[str, ...]
    least: dict[str, tuple[int, int]] = field(default_factory=dict)
    most: dict[str, tuple[int, int]] = field(default_factory=dict)
    total: int | None = None
    closed: int | None = None
    others: list[int] = field(default_factory=list)
    only_boxes: bool = True


def outline_of(workload: Workload, problem: Problem, units: Sequence[Unit]) -> Outline:
    """Read the units of a workload."""
    outline = Outline(workload, open_to(workload, problem))
    for at, unit in enumerate(units):
        match unit.part:
            case Total():
                outline.total = at
            case Candidates():
                outline.closed = at
            case Bounds() as rule:
                _bound(outline, at, rule)
            case Room() as room:
                cluster = problem.cluster_by_name[room.cluster]
                asked = demands(workload, cluster)
                fits = [
                    problem.limits.get((room.cluster, resource), 0) // asked[resource]
                    for resource in room.resources
                    if resource in asked
                ]
                if fits:
                    _cap(outline, at, room.cluster, min(fits))
            case Quota() as limits:
                _quota(outline, at, limits, problem)
            case _:
                outline.others.append(at)
                outline.only_boxes = False
    return outline


def _quota(outline: Outline, at: int, rule: Quota, problem: Problem) -> None:
    """Take in a quota: on one cluster it is a maximum, on all of them a limit of the total."""
    for scope, limit in quota.allowed(rule, problem).items():
        need = needs(outline.workload).get(scope.resource, 0)
        if scope.cluster is None:
            outline.others.append(at)
            outline.only_boxes = False
        elif need and outline.workload.namespace == rule.namespace:
            _cap(outline, at, scope.cluster, limit // need)


def _bound(outline: Outline, at: int, rule: Bounds) -> None:
    """Take in a minimum, a maximum or both."""
    for name, bound in rule.minimum.items():
        if name in rule.where_held:
            outline.only_boxes = False
        elif bound.replicas and bound.replicas > outline.least.get(name, (0, 0))[0]:
            outline.least[name] = bound.replicas, at
    for name, bound in rule.maximum.items():
        _cap(outline, at, name, bound.replicas)


def _cap(outline: Outline, at: int, name: str, most: int) -> None:
    """Take in that a cluster holds at most so many."""
    if name not in outline.most or most < outline.most[name][0]:
        outline.most[name] = most, at
