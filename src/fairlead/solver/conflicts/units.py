"""Units of conflicts: the smallest parts of a problem that may be left out.

A unit is a rule, or a side of one, that a person could give up by itself: the total, one minimum, the most
regions, the room of one cluster. Leaving a unit out only ever allows more placements. A budget of moves is
too small where more runs on clusters that are closed to it.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from fairlead.models.cluster import PODS
from fairlead.models.data import WorkloadData
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.requirement import Side
from fairlead.models.rules import (
    BindingRule,
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    Grouped,
    GroupedRule,
    GroupTotal,
    MoveBudget,
    Numbered,
    Quota,
    SharedRule,
    Spread,
    Total,
    candidates,
    capacity,
    companionship,
    duplicated,
    move_budget,
    quota,
    total,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.move_budget import members, moved_by
from fairlead.models.statement import Statement
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.names import OWN, Tell, asked, telling


@dataclass(frozen=True, slots=True)
class Room:
    """Capacity of one cluster for some resources, shared by all workloads."""

    cluster: str
    resources: frozenset[str]


SharedPart = Companionship | MoveBudget | Quota
Part = BindingRule | SharedPart | Room
"""Rule, side of a rule or capacity that is left out with a unit."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Unit of a conflict: one rule, or one side of it, that may be left out."""

    part: Part
    """The rule by itself, without any other side that it may have."""
    tell: Tell = field(compare=False, repr=False)
    workload: str | None = None
    """Key of the workload whose rule it is; None where several share it."""

    @property
    def statement(self) -> Statement:
        """Statement of it in its own names."""
        return self.tell(OWN)


Positions = tuple[int, ...]
"""Positions of the units of a conflict."""


def units_of(problem: Problem) -> tuple[Unit, ...]:
    """Return everything that may be left out, in the order in which a conflict tells it.

    What workloads want comes first, then what limits them: their own maxima, rules that they share, the room
    of clusters, and last the clusters that are closed to them.
    """
    own = [unit for workload in problem.workloads for unit in _units_of(workload, problem)]
    shared = [unit for rule in problem.rules for unit in _shared(rule, problem)]
    rooms = list(_rooms(problem)) if problem.has_capacity else []
    return tuple(sorted([*own, *shared, *rooms], key=_rank))


def _rank(unit: Unit) -> int:
    """Return where a unit comes in a conflict; units of one rank keep their order."""
    match unit.part:
        case Total():
            return 0
        case Duplicated():
            return 1
        case Bounds():
            return 2 if unit.part.minimum else 6
        case GroupTotal():
            return 3 if unit.part.minimum else 7
        case Spread():
            return 4 if unit.part.minimum else 8
        case Grouped():
            return 5 if any(one.side is Side.LEAST for one in unit.part.numbers()) else 8
        case Companionship() | MoveBudget() | Quota():
            return 9
        case Room():
            return 10
        case Candidates():
            return 11
        case _:
            assert_never(unit.part)


def _units_of(workload: Workload, problem: Problem) -> Iterator[Unit]:
    for rule in workload.rules:
        if isinstance(rule, BindingRule):
            for part, tell in _parts(rule, workload, problem):
                yield Unit(part, tell, workload.key)
    if problem.has_capacity:
        for name in problem.candidates(workload):
            most = capacity.graded_room(workload, problem.cluster_by_name[name])
            if most is not None:
                cluster = problem.cluster_by_name[name]
                tell = telling(capacity.describe_grades, workload, cluster, cluster=name)
                yield Unit(Bounds(maximum={name: Bound(most)}), tell, workload.key)


def _parts(rule: BindingRule, workload: Workload, problem: Problem) -> Iterator[tuple[BindingRule, Tell]]:
    """Yield the parts of one rule that may be left out, each with what says it."""
    match rule:
        case Candidates():
            yield from _candidates(rule, workload, problem)
        case Total():
            yield rule, asked(total.requirement, rule, workload)
        case Duplicated():
            yield from _copies(rule, workload, problem)
        case Numbered():
            yield from _numbers(rule, workload, problem)
        case _:
            assert_never(rule)


def _candidates(rule: Candidates, workload: Workload, problem: Problem) -> Iterator[tuple[BindingRule, Tell]]:
    """Yield the closed clusters together, and every cluster that takes nothing new."""
    named = frozenset(rule.names)
    closed = [name for name in problem.cluster_by_name if name not in named]
    if closed:
        unknown = Exclusion("is not eligible")
        told = Candidates(rule.names, {name: rule.excluded.get(name, unknown) for name in closed})
        yield told, telling(candidates.describe_exclusions, told, workload)
    for name in rule.held_only:
        most = Bounds(maximum={name: Bound(workload.current.get(name, 0))})
        yield most, asked(candidates.closed, rule, workload, name)


def _copies(rule: Duplicated, workload: Workload, problem: Problem) -> Iterator[tuple[BindingRule, Tell]]:
    """Yield the copy of every cluster; where the solver chooses, or nothing is open, all of them together."""
    names = problem.candidates(workload)
    if rule.choice or not names:
        sizes = {each.name: copy_on(rule, workload, each.name) for each in problem.clusters}
        yield Duplicated(rule.source, True, sizes), asked(duplicated.any_copy, rule, workload, ())
        return
    for name in names:
        full = Bound(copy_on(rule, workload, name))
        yield Bounds({name: full}, {name: full}), asked(duplicated.full_copy, rule, workload, name)


def _numbers(
    rule: Bounds | GroupTotal | GroupedRule, workload: Workload, problem: Problem
) -> Iterator[tuple[BindingRule, Tell]]:
    """Yield the numbers of a rule, each over the closed clusters as well: they may be opened."""
    known = frozenset(problem.candidates(workload))
    closed = [each for each in problem.clusters if each.name not in known]
    for number in rule.numbers() if rule.rows else ():
        if number.side is Side.MOST or (number.value and workload.replicas):
            yield rule.only(number).widened(closed), asked(type(rule).requirement, rule, workload, number)


def _shared(rule: SharedRule, problem: Problem) -> Iterator[Unit]:
    """Yield the units of a rule that several workloads share, capacity aside."""
    match rule:
        case Companionship():
            yield Unit(rule, telling(companionship.describe, rule))
        case MoveBudget():
            yield Unit(rule, telling(move_budget.describe, rule))
        case Quota():
            for scope in sorted(rule.limits, key=lambda each: each.order):
                alone = replace(rule, limits={scope: rule.limits[scope]})
                told = telling(quota.describe, rule, scope, problem, cluster=scope.cluster or "")
                yield Unit(alone, told)
        case Capacity():
            # Units of it are the rooms of single clusters.
            return
        case _:
            assert_never(rule)


def _rooms(problem: Problem) -> Iterator[Unit]:
    """Yield the capacity of every cluster: together where one workload may use it, else by resource."""
    users: dict[str, list[Workload]] = {}
    asking = {workload.key: tuple(capacity.needs(workload)) for workload in problem.workloads}
    for workload in problem.workloads:
        for name in problem.candidates(workload):
            users.setdefault(name, []).append(workload)
    for cluster in problem.clusters:
        if cluster.free is None or cluster.name not in users:
            continue
        wanted: dict[str, list[Workload]] = {}
        for workload in users[cluster.name]:
            for resource in asking[workload.key]:
                # Pods count where the cluster tells how many it can run.
                if resource != PODS or PODS in cluster.free:
                    wanted.setdefault(resource, []).append(workload)
        if len(users[cluster.name]) == 1 and wanted:
            about = (*users[cluster.name], cluster, problem)
            told = telling(capacity.describe_sums, *about, cluster=cluster.name)
            yield Unit(Room(cluster.name, frozenset(wanted)), told)
            continue
        for resource, several in sorted(wanted.items()):
            shared = (several, cluster, resource, problem)
            told = telling(capacity.describe_shared, *shared, cluster=cluster.name)
            yield Unit(Room(cluster.name, frozenset({resource})), told)


def has_to_move(rule: MoveBudget, workload: WorkloadData, problem: Problem) -> int:
    """Return how many replicas of a workload count against a budget at the least, whatever the placement."""
    if not workload.current:
        return 0
    stays = {name: workload.current.get(name, 0) for name in problem.candidates(workload)}
    # Nothing else has to stop, and what starts elsewhere may start where no budget counts.
    return max(0, moved_by(rule, workload, problem, Placement({workload.key: stays})))


def over_budget(
    rule: MoveBudget, problem: Problem, keys: Container[str | None] | None = None
) -> Mapping[str, int]:
    """Return how many replicas of which workloads have to move; nothing where the budget allows them all.

    `keys`: the workloads that are looked at; None looks at all that share the budget.
    """
    inside = (each for each in members(rule, problem) if keys is None or each.key in keys)
    moving = {each.key: count for each in inside if (count := has_to_move(rule, each, problem))}
    return moving if sum(moving.values()) > rule.most else {}


def moves_too_many(workload: Workload, problem: Problem) -> bool:
    """Tell whether a workload alone has to move more than a budget allows that it may share."""
    if not workload.current or workload.current.keys() <= set(problem.candidates(workload)):
        return False
    return any(
        isinstance(rule, MoveBudget)
        and rule.concerns((workload.key,))
        and has_to_move(rule, workload, problem) > rule.most
        for rule in problem.rules
    )


def is_over(problem: Problem, units: Sequence[Unit]) -> bool:
    """Tell whether a budget among some units does not allow what clusters closed by them force to move."""
    closed = frozenset(unit.workload for unit in units if isinstance(unit.part, Candidates))
    budgets = (unit.part for unit in units if isinstance(unit.part, MoveBudget))
    return any(over_budget(rule, problem, closed) for rule in budgets)
