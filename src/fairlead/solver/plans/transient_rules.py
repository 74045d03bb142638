"""Every rule as rows that bind at certain moments of a wave, for the simulator.

A row asks the rule itself what is broken, and by how much; see `transient` for what binds when.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from fairlead.models.check import broken, required_by
from fairlead.models.cluster import PODS
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.quantity import format_units
from fairlead.models.requirement import Kind, Requirement, Side
from fairlead.models.rules import (
    Candidates,
    Capacity,
    Companionship,
    MoveBudget,
    Quota,
    WorkloadRule,
    companionship,
    quota,
)
from fairlead.models.rules.capacity import graded_room, needs
from fairlead.models.statement import Violation
from fairlead.models.workload import Workload
from fairlead.solver.plans.transient import Course, Moment, Placed
from fairlead.solver.plans.waves import WaveOptions

STANDING = (Moment.AFTER,)
MOST = (Moment.STARTED, Moment.AFTER)
FEWEST = (Moment.STOPPED, Moment.AFTER)

Place = tuple[str, ...]
"""What tells two violations of one row apart."""


@dataclass(frozen=True, slots=True)
class Row:
    """A rule of one workload, or a part of it that binds at certain moments.

    Parameters
    ----------
    moments
        When it binds.
    find
        Lists what is broken.
    """

    moments: tuple[Moment, ...]
    find: Callable[[Placed], Iterable[Violation]]

    def violations(self, placed: Placed) -> Iterator[tuple[Place, Violation]]:
        """Yield what is broken and where."""
        for violation in self.find(placed):
            yield (violation.cluster or "",), violation

    def amounts(self, placed: Placed) -> dict[Place, int]:
        """Return by how much it is broken, by place."""
        return {place: violation.amount for place, violation in self.violations(placed)}


@dataclass(frozen=True, slots=True)
class SharedRow:
    """A rule that some workloads share.

    Parameters
    ----------
    members
        Keys of the workloads.
    moments
        When it binds.
    find
        Lists what is broken.
    """

    members: tuple[str, ...]
    moments: tuple[Moment, ...]
    find: Callable[[Placement], Iterable[tuple[Place, Violation]]]

    def violations(self, placement: Placement) -> Iterator[tuple[Place, Violation]]:
        """Yield what is broken and where."""
        yield from self.find(placement)

    def amounts(self, placement: Placement) -> dict[Place, int]:
        """Return by how much it is broken, by place."""
        return {place: violation.amount for place, violation in self.violations(placement)}


def shared_rows(problem: Problem) -> tuple[SharedRow, ...]:
    """Return the rules that workloads share, apart from the capacity of clusters."""
    rows: list[SharedRow] = []
    for rule in problem.rules:
        match rule:
            case Companionship():
                snapshots = (Moment.STOPPED, Moment.STARTED, Moment.AFTER)
                rows.append(SharedRow(rule.members, snapshots, partial(_companions, rule, problem)))
            case Quota():
                inside = tuple(workload.key for workload in problem.workloads_in(rule.namespace))
                rows.append(SharedRow(inside, MOST, partial(_quota, rule, problem)))
            case Capacity() | MoveBudget():
                continue
            case _:
                assert_never(rule)
    return tuple(rows)


def _companions(
    rule: Companionship, problem: Problem, placement: Placement
) -> Iterator[tuple[Place, Violation]]:
    """Yield workloads that are together or apart and should not be."""
    for violation in companionship.violations(rule, problem, placement):
        yield (violation.text,), violation


def _quota(rule: Quota, problem: Problem, placement: Placement) -> Iterator[tuple[Place, Violation]]:
    """Yield what is requested beyond a quota."""
    for violation in quota.violations(rule, problem, placement):
        yield (violation.cluster or "", violation.detail or ""), violation


def workload_rows(workload: Workload, target: Placed, options: WaveOptions) -> Iterator[Row]:
    """Yield the rules of one workload and its availability."""
    yield from _availability(workload, target, options)
    for rule in workload.rules:
        yield from _of_rule(rule, workload)


def _of_rule(rule: WorkloadRule, workload: Workload) -> Iterator[Row]:
    """Yield the rows of one rule; preferences have none."""
    if isinstance(rule, Candidates):
        yield Row(MOST, lambda placed: broken(required_by(rule, workload, placed), placed))
        return
    parts: dict[tuple[Side, str], list[Requirement]] = {}
    for requirement in required_by(rule, workload, ()):
        parts.setdefault((requirement.side, requirement.detail), []).append(requirement)
    for part in parts.values():
        yield Row(_moments(part[0]), partial(broken, part))


def _moments(requirement: Requirement) -> tuple[Moment, ...]:
    """Return when a requirement binds."""
    least = requirement.side is Side.LEAST
    match requirement.kind:
        case Kind.TOTAL:
            return STANDING
        case Kind.CANDIDATES:
            return MOST
        case Kind.DUPLICATED:
            # That there is a copy at all is left to the availability.
            return () if least else MOST
        case Kind.BOUNDS:
            return FEWEST if least else MOST
        case Kind.GROUP_TOTAL:
            return (Moment.UNDER_WAY, Moment.AFTER) if least else STANDING
        case Kind.SPREAD:
            return FEWEST if least and requirement.limit > 1 else STANDING
        case Kind.SURVIVAL:
            return FEWEST
        case _:
            assert_never(requirement.kind)


def _availability(workload: Workload, target: Placed, options: WaveOptions) -> Iterator[Row]:
    """Yield what may be missing and what may be too many."""
    key, wanted = workload.key, sum(target.values())
    least = wanted - options.missing(key, wanted)

    def too_few(placed: Placed) -> Iterator[Violation]:
        running = sum(placed.values())
        if running < least:
            text = f"{key}: {running} replicas run, at least {least} of {wanted} have to"
            yield Violation("availability", text, least - running, workload.source, key)

    yield Row(FEWEST, too_few)
    surplus = options.surplus(key, wanted)
    if surplus is not None:
        yield Row((Moment.STARTED,), lambda placed: _surge(workload, wanted, surplus, placed))


def _surge(workload: Workload, wanted: int, surplus: int, placed: Placed) -> Iterator[Violation]:
    """Tell whether too many run; replicas beyond the surplus that run before the wave are allowed for."""
    running = sum(placed.values())
    if running > wanted + surplus:
        text = f"{workload.key}: {running} replicas run, at most {wanted} and {surplus} more may"
        yield Violation("surge", text, running - wanted - surplus, workload.source, workload.key)


class Capacities:
    """What is used of every cluster and resource in the course of a replay.

    Parameters
    ----------
    problem
        The clusters and workloads.
    state
        What stands before the first wave.
    target
        What stands in the end; what it asks for beyond a limit is allowed for.
    """

    def __init__(self, problem: Problem, state: Mapping[str, Placed], target: Placement) -> None:
        self._problem = problem
        self._bind = any(isinstance(rule, Capacity) for rule in problem.rules)
        self._used: dict[tuple[str, str], int] = {}
        for key, placed in state.items():
            _charge(self._used, problem, problem.workload(key), placed)
        self._target = target
        self._in_target: dict[tuple[str, str], int] = {}
        for key, placed in target.items():
            _charge(self._in_target, problem, problem.workload(key), placed)

    def breaches(self, courses: Mapping[str, Course]) -> Iterator[tuple[Moment, Violation]]:
        """List clusters and nodes that are asked for more than they have, and for more than before."""
        if not self._bind:
            return
        for moment in MOST:
            used = dict(self._used)
            for key, taken in courses.items():
                workload = self._problem.workload(key)
                _charge(used, self._problem, workload, _difference(taken.moments[moment], taken.before))
                for violation in self._of_grades(workload, taken, moment):
                    yield moment, violation
            for violation in self._of_sums(used):
                yield moment, violation

    def make(self, courses: Mapping[str, Course]) -> None:
        """Go on to the state after a wave."""
        for key, taken in courses.items():
            change = _difference(taken.moments[Moment.AFTER], taken.before)
            _charge(self._used, self._problem, self._problem.workload(key), change)

    def _of_sums(self, used: Mapping[tuple[str, str], int]) -> Iterator[Violation]:
        """List resources that are asked for too much of."""
        for (name, resource), amount in sorted(used.items()):
            limit = self._problem.limits.get((name, resource), 0)
            allowed = max(
                limit, self._used.get((name, resource), 0), self._in_target.get((name, resource), 0)
            )
            if amount > allowed:
                asked, given = format_units(resource, amount), format_units(resource, limit)
                text = f"{name}: {asked} {resource} asked for, {given} available"
                source = self._problem.cluster_by_name[name].source
                yield Violation("capacity", text, amount - limit, source, None, name)

    def _of_grades(self, workload: Workload, taken: Course, moment: Moment) -> Iterator[Violation]:
        """List clusters whose nodes do not fit a workload."""
        for name, replicas in taken.moments[moment].items():
            cluster = self._problem.cluster_by_name[name]
            most = graded_room(workload, cluster)
            held, due = taken.before.get(name, 0), self._target.of(workload.key).get(name, 0)
            if most is not None and replicas > max(most, held, due):
                text = f"{workload.key}: {replicas} on {name}, where the nodes of its grades fit {most}"
                yield Violation("capacity", text, replicas - most, cluster.source, workload.key, name)


def _difference(now: Placed, before: Placed) -> dict[str, int]:
    """Return how many replicas more there are on every cluster that changes."""
    return {
        cluster: now.get(cluster, 0) - before.get(cluster, 0)
        for cluster in now.keys() | before.keys()
        if now.get(cluster, 0) != before.get(cluster, 0)
    }


def _charge(used: dict[tuple[str, str], int], problem: Problem, workload: Workload, placed: Placed) -> None:
    """Add what replicas take to what is used; clusters of unknown capacity are left out."""
    needed = needs(workload)
    for name, replicas in placed.items():
        free = problem.cluster_by_name[name].free
        for resource, need in needed.items() if free is not None else ():
            if resource != PODS or PODS in (free or {}):
                used[name, resource] = used.get((name, resource), 0) + need * replicas
