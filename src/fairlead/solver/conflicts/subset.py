"""A problem with some of its units only, and which units a placement keeps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from fairlead.models.check import required_by, violations_of
from fairlead.models.cluster import Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    MoveBudget,
    Numbered,
    Quota,
    SharedRule,
    Total,
    WorkloadRule,
    move_budget,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on, largest_copy
from fairlead.models.rules.moves import unavoidable
from fairlead.models.usage import Amounts
from fairlead.models.validity import largest
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.units import Room, Unit
from fairlead.solver.exact.boxes import box_of
from fairlead.solver.exact.nested.choose import most_held


def widest(workload: Workload) -> int:
    """Return so many replicas that no cluster has to hold more, whatever is left out.

    A placement with more on a cluster stays one with so many: every minimum is met by them. A workload
    without a total has never more on a cluster than its replicas or a minimum.
    """
    if not workload.replicas or not any(isinstance(rule, Total | Duplicated) for rule in workload.rules):
        return largest(workload)
    numbered = [rule for rule in workload.rules if isinstance(rule, Numbered)]
    copies = [largest_copy(rule, workload) for rule in workload.rules_of(Duplicated)]
    most = sum(copies) + sum(rule.wanted for rule in numbered)
    needed = [rule.needed(most) for rule in numbered]
    return max([workload.replicas, *workload.current.values(), *copies, *needed])


def only(problem: Problem, units: Sequence[Unit]) -> Problem:
    """Return a problem that asks for these units and nothing else.

    Where the total of a workload is left out it may place any number of replicas; where its closed clusters
    are left out it may stand on all; where a resource of a cluster is left out there is enough of it.
    """
    if any(isinstance(unit.part, MoveBudget) for unit in units):
        problem = _holding_copies(problem)
    own: dict[str, list[WorkloadRule]] = {workload.key: [] for workload in problem.workloads}
    shared: list[SharedRule] = []
    kept: dict[str, set[str]] = {}
    for unit in units:
        match unit.part:
            case Room() as room:
                kept.setdefault(room.cluster, set()).update(room.resources)
            case Companionship() | MoveBudget() | Quota() as rule:
                shared.append(rule)
            case rule:
                own[unit.workload or ""].append(rule)
    everywhere = tuple(problem.cluster_by_name)
    clusters = tuple(
        _with_resources(cluster, kept.get(cluster.name), problem) for cluster in problem.clusters
    )
    workloads = tuple(_with_rules(workload, own[workload.key], everywhere) for workload in problem.workloads)
    rules = (*([Capacity()] if kept else []), *shared)
    reduced = replace(problem, clusters=clusters, workloads=workloads, rules=rules, partial=False)
    moving = tuple(_as_before(rule, problem, reduced) for rule in rules)
    return reduced if moving == rules else replace(reduced, rules=moving)


def most_within(problem: Problem, key: str, units: Sequence[Unit]) -> int | None:
    """Return how many replicas of a workload stand at most on clusters that it may choose together.

    `units`: all that is asked, its total with it. None where that is not told; see
    `fairlead.solver.exact.nested.choose.most_held`.
    """
    reduced = only(problem, units)
    workload = reduced.workload(key)
    return most_held(workload, box_of(workload, reduced))


def _holding_copies(problem: Problem) -> Problem:
    """Return a problem in which nobody holds more of a copy than it is: only that much of it could move.

    What is held beyond that is free instead, so that there is as much room as before.
    """
    freed: dict[tuple[str, str], int] = {}
    workloads: list[Workload] = []
    for workload in problem.workloads:
        copies = workload.rule(Duplicated)
        if copies is None:
            workloads.append(workload)
            continue
        held = {name: min(count, copy_on(copies, workload, name)) for name, count in workload.current.items()}
        for name, count in workload.current.items():
            for resource, need in needs(workload).items():
                freed[name, resource] = freed.get((name, resource), 0) + need * (count - held[name])
        workloads.append(replace(workload, current={name: count for name, count in held.items() if count}))
    clusters = tuple(_with_freed(cluster, freed) for cluster in problem.clusters)
    return replace(problem, workloads=tuple(workloads), clusters=clusters)


def _with_freed(cluster: Cluster, freed: Mapping[tuple[str, str], int]) -> Cluster:
    if cluster.free is None:
        return cluster
    free = {name: amount + freed.get((cluster.name, name), 0) for name, amount in cluster.free.items()}
    return replace(cluster, free=free)


def _as_before(rule: SharedRule, problem: Problem, reduced: Problem) -> SharedRule:
    """Return a budget that counts as stopped by need what the workloads as they were have to stop."""
    if not isinstance(rule, MoveBudget) or rule.leaving is not None or rule.arriving is not None:
        return rule
    more = 0
    for workload in move_budget.members(rule, problem):
        held = move_budget.could_move(rule, workload, problem)
        more += unavoidable(workload, held) - unavoidable(reduced.workload(workload.key), held)
    return replace(rule, most=rule.most + more)


def _with_resources(cluster: Cluster, kept: set[str] | None, problem: Problem) -> Cluster:
    """Return a cluster that has enough of everything but some resources."""
    if cluster.free is None or not kept:
        return replace(cluster, free=None, grades=())
    free = {resource: amount for resource, amount in cluster.free.items() if resource in kept}
    for workload in problem.workloads:
        for resource, need in needs(workload).items():
            if resource not in kept and resource in workload.requests:
                free[resource] = free.get(resource, 0) + need * widest(workload)
    return replace(cluster, free=free, grades=())


def _with_rules(workload: Workload, rules: Sequence[WorkloadRule], everywhere: tuple[str, ...]) -> Workload:
    """Return a workload with some rules, all its bounds in one."""
    told: list[WorkloadRule] = [rule for rule in rules if not isinstance(rule, Bounds)]
    if not any(isinstance(rule, Candidates) for rule in told):
        told.insert(0, Candidates(everywhere))
    together = _together([rule for rule in rules if isinstance(rule, Bounds)])
    if together is not None:
        told.append(together)
    counted = any(isinstance(rule, Total) for rule in rules)
    replicas = workload.replicas if counted else widest(workload)
    return replace(workload, replicas=replicas, rules=tuple(told), group=None, groups=())


def _together(rules: Sequence[Bounds]) -> Bounds | None:
    """Return several bounds as one; None where there are none."""
    if not rules:
        return None
    minimum: dict[str, Bound] = {}
    maximum: dict[str, Bound] = {}
    always: set[str] = set()
    for rule in rules:
        always |= {name for name, bound in rule.always.items() if bound.replicas}
        for name, bound in rule.minimum.items():
            minimum[name] = max(minimum.get(name, bound), bound, key=lambda each: each.replicas)
        for name, bound in rule.maximum.items():
            maximum[name] = min(maximum.get(name, bound), bound, key=lambda each: each.replicas)
    return Bounds(minimum, maximum, frozenset(name for name in minimum if name not in always))


class UnitJudge:
    """Tells which units a placement keeps, by the meaning of each rule (`fairlead.models.rules`)."""

    def __init__(self, problem: Problem, units: Sequence[Unit]) -> None:
        self._problem = problem
        self._breaks = [_breaking(unit, problem) for unit in units]

    def broken(self, placement: Placement) -> frozenset[int]:
        """Return the positions of the units that a placement breaks."""
        used = self._problem.used(placement)
        return frozenset(at for at, breaks in enumerate(self._breaks) if breaks(placement, used))


def _breaking(unit: Unit, problem: Problem) -> Callable[[Placement, Amounts], bool]:
    """Return a function that tells whether a placement, the use of which is known, breaks one unit."""
    match unit.part:
        case Room(cluster, resources):
            has = {(cluster, each): problem.limits.get((cluster, each), 0) for each in resources}
            return lambda _, used: any(used.get(row, 0) > amount for row, amount in has.items())
        case Companionship() | MoveBudget() | Quota() as tie:
            return lambda placement, _: any(True for _ in tie.violations(problem, placement))
        case rule:
            key = unit.workload or ""
            # Full copies are counted on candidates, so these have to be told along with them.
            rules = (Candidates(tuple(problem.cluster_by_name)), rule)
            alone = replace(problem.workload(key), rules=rules, group=None, groups=())
            if isinstance(rule, Candidates):
                return lambda placement, _: any(violations_of(alone, placement.of(key), (rule,)))
            needed = tuple(required_by(rule, alone, ()))
            return lambda placement, _: any(each.excess(placement.of(key)) for each in needed)
