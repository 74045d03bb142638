"""Bounds that could be moved by one: what would be done, and the problem that it would make."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

from fairlead.models.cluster import PODS, Grade
from fairlead.models.problem import Problem
from fairlead.models.requirement import Side
from fairlead.models.rules import (
    Bounds,
    Capacity,
    Companionship,
    Duplicated,
    Grouped,
    GroupTotal,
    MoveBudget,
    Quota,
    SharedRule,
    Total,
)
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.source import Source
from fairlead.models.statement import Change as Moved
from fairlead.models.validity import largest, together
from fairlead.models.variants import exchanged, with_workload
from fairlead.models.workload import Workload
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import ChangeKind
from fairlead.solver.why.answered import AnsweredPart
from fairlead.solver.why.steps import most_that_fit


@dataclass(frozen=True, slots=True)
class BoundShift:
    """A bound that could be moved by one."""

    action: str
    build: Callable[[Problem], Problem]
    """Makes the change in the part that is asked about; one of a cluster also where others were made."""
    source: Source | None = None
    cluster: str | None = None
    """Cluster whose bound it is; None where it is no single cluster's."""
    binding: bool = True
    """True where the answer stands at the bound."""


def changes_of(about: AnsweredPart) -> tuple[BoundShift, ...]:
    """Return the bounds of a workload that could be moved by one, those at which the answer stands first."""
    workload = about.workload
    copies = workload.rule(Duplicated)
    # Where nothing gives way, every copy is there that is asked for.
    fixed = copies is not None and not copies.choice and not about.part.partial
    if not workload.replicas or fixed:
        return ()
    found = (*_of_numbers(about), *_of_room(about), *_of_shared(about), *_of_total(about))
    return tuple(sorted(found, key=lambda change: not change.binding))


def _of_numbers(about: AnsweredPart) -> Iterator[BoundShift]:
    """Yield the numbers of rules, each moved by one as far as that may help."""
    workload, placed = about.workload, about.placement.of(about.key)
    for rule in (each for each in workload.rules if isinstance(each, Bounds | GroupTotal | Grouped)):
        for number in rule.numbers():
            value, cluster, less = number.value, number.cluster, number.side is Side.LEAST
            after = value + (-1 if less else 1)
            # Only of groups there may be more than replicas.
            match rule:
                case Grouped():
                    most = after
                case GroupTotal():
                    most = together(workload, largest(workload), rule.clusters)
                case _:
                    most = workload.replicas
            end = most if number.farthest is None else min(most, number.farthest)
            stays = cluster is not None and (cluster not in about.candidates or value == number.farthest)
            if number.idle or stays or (not less and value >= end):
                continue
            action = f"{'lowering' if less else 'raising'} {number.words} from {value} to {after}"
            if isinstance(rule, GroupTotal) and rule.minimum == rule.maximum:
                low, high = sorted((value, after))
                action = f"letting {rule.name} hold {low} or {high} instead of {value}"
            other = replace(workload, rules=exchanged(workload.rules, rule, rule.changed(number, after)))
            build: Callable[[Problem], Problem] = partial(with_workload, workload=other)
            if cluster is not None:
                moved = Moved(
                    ChangeKind(number.change), workload.key, cluster, "", value, after, 1, number.source
                )
                build = partial(apply, changes=(moved,))
            yield BoundShift(action, build, number.source, cluster, rule.tight(number, workload, placed))


def _of_total(about: AnsweredPart) -> Iterator[BoundShift]:
    """Yield one replica more and one less in all; where replicas stay unplaced, neither helps any of them."""
    workload = about.workload
    rule = workload.rule(Total)
    if rule is None or about.part.partial:
        return
    for replicas in (workload.replicas + 1, workload.replicas - 1):
        if replicas:
            changed = replace(workload, replicas=replicas)
            action = f"placing {replicas} instead of {workload.replicas} replicas"
            yield BoundShift(action, partial(with_workload, workload=changed), rule.source)


def _of_room(about: AnsweredPart) -> Iterator[BoundShift]:
    """Yield clusters that could have room for one replica more."""
    workload, part = about.workload, about.part
    if not part.has_capacity:
        return
    needed = needs(workload).keys() - {PODS}
    for name in about.candidates:
        cluster, replicas = part.cluster_by_name[name], about.replicas(name)
        most = most_that_fit(part, workload, cluster)
        # Of a resource that a cluster does not list there cannot be more; pods it need not list.
        if cluster.free is None or most is None or not needed <= cluster.free.keys():
            continue
        crowded = not about.alone and not about.has_room(name)
        if most >= workload.replicas and not crowded:
            continue
        full = replicas >= most if about.alone else crowded or _is_full(about, name)
        action = f"capacity for one more replica on {name}"
        build = partial(_roomier, key=workload.key, name=name)
        yield BoundShift(action, build, cluster.source, name, full)


def _is_full(about: AnsweredPart, cluster: str) -> bool:
    """Tell whether any workload might use more room on a cluster even if nobody else did."""
    emptied = about.part.cluster_by_name[cluster]
    return any(
        (most := most_that_fit(about.part, each, emptied)) is not None
        and about.placement.of(each.key).get(cluster, 0) >= most
        for each in about.part.workloads
    )


def _of_shared(about: AnsweredPart) -> Iterator[BoundShift]:
    """Yield quotas and budgets of moves that could be larger."""
    workload, rules = about.workload, about.part.rules
    for rule in rules:
        match rule:
            case Quota():
                if rule.namespace != workload.namespace:
                    continue
                for cluster in sorted({scope.cluster for scope in rule.limits}, key=lambda each: each or ""):
                    where = "" if cluster is None else f" on {cluster}"
                    action = f"capacity for one more replica in {rule}{where}"
                    build = partial(_sharing, rule=rule, other=_larger(rule, workload, cluster))
                    yield BoundShift(action, build, rule.source, cluster)
            case MoveBudget():
                if rule.workloads is not None and workload.key not in rule.workloads:
                    continue
                action = f"letting {rule.name} move {rule.most + 1} instead of {rule.most} replicas"
                build = partial(_sharing, rule=rule, other=replace(rule, most=rule.most + 1))
                yield BoundShift(action, build, rule.source)
            case Capacity() | Companionship():
                continue
            case _:
                assert_never(rule)


def _larger(rule: Quota, workload: Workload, cluster: str | None) -> Quota:
    """Return a quota with room for one replica more on a cluster, or on all together."""
    needed = needs(workload)
    limits = {
        scope: limit._replace(hard=limit.hard + needed.get(scope.resource, 0))
        if scope.cluster == cluster
        else limit
        for scope, limit in rule.limits.items()
    }
    return replace(rule, limits=limits)


def _sharing(problem: Problem, rule: SharedRule, other: SharedRule) -> Problem:
    """Return the problem with another shared rule in the place of one."""
    return replace(problem, rules=exchanged(problem.rules, rule, other))


def _roomier(problem: Problem, key: str, name: str) -> Problem:
    """Return the problem in which a cluster has room for one replica more of a workload."""
    workload, cluster = problem.workload(key), problem.cluster_by_name[name]
    needed, free = demands(workload, cluster), dict(cluster.free or {})
    offered = None if cluster.allocatable is None else dict(cluster.allocatable)
    for resource, need in needed.items():
        own = sum(
            demands(each, cluster).get(resource, 0) * each.current.get(cluster.name, 0)
            for each in problem.workloads
        )
        # A cluster that is overcommitted by others offers nothing: one replica starts from there.
        free[resource] = max(free.get(resource, 0), -own) + need
        if offered is not None and resource in offered:
            # No more is used than a cluster offers, whatever is free.
            offered[resource] += need
    nodes = (Grade(1, needs(workload)),) if cluster.grades else ()
    larger = replace(cluster, free=free, allocatable=offered, grades=(*cluster.grades, *nodes))
    return replace(problem, clusters=exchanged(problem.clusters, cluster, larger))
