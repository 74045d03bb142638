"""Replicas at every moment of a wave, and which rules bind at which moment.

A wave has three steps, and four moments are looked at:

``stopped``
    What stops first and what is stopped for good is gone, nothing new is there yet: the fewest replicas.
``under-way``
    As people count a division: what is stopped for good is gone, what moves still counts where it was.
``started``
    Everything new is there, and what it replaces is still there as well: the most replicas.
``after``
    The wave is done; the next one starts from here.

Every other state inside a wave lies between two of these on every cluster, so that a rule which keeps
replicas below something, or above something, holds in all states where it holds at the right moments:

* What clusters can bear counts both copies of a moving replica (``started``, ``after``): capacity, pods,
  grades of nodes, quotas, candidates, the maximum of a cluster, full copies, and workloads that must not
  meet. A quota is what is admitted, so it counts both copies also where it is about all clusters together.
* How a workload is divided as a whole counts a moving replica once: the total and the most groups of a spread
  bind after the wave; so does the most of a group of clusters, such as the exact total of a region, because
  otherwise nothing could ever move inside that region with the new replica up first; the fewest of such a
  group binds ``under-way`` too.
* What has to be running binds with the fewest replicas (``stopped``, ``after``): the minimum of a cluster,
  the fewest groups of a spread, survival. A spread over at least one group says only that something runs;
  that is left to the declared availability.
* Workloads that keep together do so at the moments ``stopped``, ``started`` and ``after``; inside a step
  nobody knows which replica comes first.
* Availability: at ``stopped`` and ``after`` at most so many of the replicas that the target gives a
  workload are missing; at ``started`` at most so many are too many.
* A cluster that a workload may only keep (an untolerated ``NoSchedule``) takes nothing new, even if it held
  more before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Generic, TypeVar, assert_never

from fairlead.models import rules
from fairlead.models.check import broken, required_by
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.requirement import Among, Binds, Groups, Requirement, Side
from fairlead.models.rules.capacity import graded_room, too_many, too_much
from fairlead.models.source import Source
from fairlead.models.statement import Violation
from fairlead.models.usage import Amounts, add, usage
from fairlead.models.workload import Workload
from fairlead.solver.plan.waves import Move, WaveOptions

Placed = Mapping[str, int]
"""Replicas of one workload by cluster."""


class WaveMoment(StrEnum):
    """A moment of a wave that is looked at."""

    STOPPED = "stopped"
    UNDER_WAY = "under-way"
    STARTED = "started"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class WaveCourse:
    """One workload in the course of one wave."""

    before: Placed
    moments: Mapping[WaveMoment, Placed]


def course(before: Placed, moves: Iterable[Move]) -> WaveCourse:
    """Return the replicas by cluster while moves are made; below 0 where they stop more than is there."""
    stopped, under_way, started, after = dict(before), dict(before), dict(before), dict(before)
    for move in moves:
        if move.source is not None:
            _add(after, move.source, -move.replicas)
            if move.stops_early:
                _add(stopped, move.source, -move.replicas)
                _add(started, move.source, -move.replicas)
            if move.target is None:
                _add(under_way, move.source, -move.replicas)
        if move.target is not None:
            _add(after, move.target, move.replicas)
            _add(started, move.target, move.replicas)
    moments = {
        WaveMoment.STOPPED: stopped,
        WaveMoment.UNDER_WAY: under_way,
        WaveMoment.STARTED: started,
        WaveMoment.AFTER: after,
    }
    return WaveCourse(before, moments)


def _add(placed: dict[str, int], cluster: str, replicas: int) -> None:
    """Change the replicas on a cluster."""
    placed[cluster] = placed.get(cluster, 0) + replicas


STANDING = (WaveMoment.AFTER,)
MOST = (WaveMoment.STARTED, WaveMoment.AFTER)
FEWEST = (WaveMoment.STOPPED, WaveMoment.AFTER)

Standing = TypeVar("Standing", Placed, Placement)
"""Replicas by cluster of one workload, or the placement of several."""

About = tuple[str, str | None, str | None, str, bool, Source | None]
"""Identity of a violation among those of one row; see `Violation.about`."""


@dataclass(frozen=True, slots=True)
class SharedRule(Generic[Standing]):
    """A rule, or a part of it that binds at certain moments, of the workloads that share it, if they do."""

    moments: tuple[WaveMoment, ...]
    find: Callable[[Standing], Iterable[Violation]]
    members: tuple[str, ...] = ()

    def breaches(
        self, before: Standing, then: Callable[[WaveMoment], Standing], target: Standing
    ) -> Iterator[tuple[WaveMoment, Violation]]:
        """Yield the rules broken at each moment, by more than before the wave and in the target."""
        found = [
            (moment, violation)
            for moment, standing in ((each, then(each)) for each in self.moments)
            if standing not in (before, target)
            for violation in self.find(standing)
        ]
        if not found:
            return  # as mostly: what is broken before and in the target does not matter
        allowed = self._amounts(before)
        for about, amount in self._amounts(target).items():
            allowed[about] = max(amount, allowed.get(about, 0))
        for moment, violation in found:
            if violation.amount > allowed.get(violation.about, 0):
                yield moment, violation

    def _amounts(self, standing: Standing) -> dict[About, int]:
        """Return by how much it is broken, and where."""
        return {violation.about: violation.amount for violation in self.find(standing)}


def shared_rows(problem: Problem) -> tuple[SharedRule[Placement], ...]:
    """Return the rules that workloads share, apart from the capacity of clusters."""
    rows: list[SharedRule[Placement]] = []
    for rule in problem.rules:
        match rule:
            case rules.Companionship():
                snapshots = (WaveMoment.STOPPED, WaveMoment.STARTED, WaveMoment.AFTER)
                rows.append(SharedRule(snapshots, partial(rule.violations, problem), rule.members))
            case rules.Quota():
                rows.append(SharedRule(MOST, partial(rule.violations, problem), rule.tied(problem)))
            case rules.Capacity() | rules.MoveBudget():
                continue
            case _:
                assert_never(rule)
    return tuple(rows)


def workload_rows(workload: Workload, target: Placed, options: WaveOptions) -> Iterator[SharedRule[Placed]]:
    """Yield the rules of one workload and its availability."""
    yield from _availability(workload, target, options)
    for rule in workload.rules:
        yield from _of_rule(rule, workload)


def _of_rule(rule: rules.WorkloadRule, workload: Workload) -> Iterator[SharedRule[Placed]]:
    """Yield the rows of one rule; preferences have none."""
    if isinstance(rule, rules.Candidates):
        yield SharedRule(MOST, lambda placed: broken(required_by(rule, workload, placed), placed))
        return
    parts: dict[tuple[Side, str], list[Requirement]] = {}
    for requirement in required_by(rule, workload, ()):
        parts.setdefault((requirement.side, requirement.detail), []).append(requirement)
    for part in parts.values():
        # A rule from outside counts how a workload is divided.
        moments = STANDING if isinstance(rule, rules.CustomRule) else _moments(part[0])
        yield SharedRule(moments, partial(broken, part))


def _moments(requirement: Requirement) -> tuple[WaveMoment, ...]:
    """Return when a requirement binds."""
    scope = requirement.scope
    if requirement.side is not Side.LEAST:
        # What a cluster can bear, else how a workload is divided.
        return MOST if isinstance(scope, str) else STANDING
    match scope:
        case Among() if requirement.binds is Binds.WHERE_EMPTY:
            # That there is a copy at all is left to the availability.
            return ()
        case Among():
            return (WaveMoment.UNDER_WAY, WaveMoment.AFTER)
        case Groups() if requirement.limit <= 1:
            return STANDING
        case _:
            # What has to be running.
            return FEWEST


def _availability(workload: Workload, target: Placed, options: WaveOptions) -> Iterator[SharedRule[Placed]]:
    """Yield the rows of replicas that may be missing, and of those that may be too many."""
    key, wanted = workload.key, sum(target.values())
    least = wanted - options.missing(wanted)

    def too_few(placed: Placed) -> Iterator[Violation]:
        running = sum(placed.values())
        if running < least:
            text = f"{key}: {running} replicas run, at least {least} of {wanted} have to"
            yield Violation("availability", text, least - running, workload.source, key)

    yield SharedRule(FEWEST, too_few)
    surplus = options.availability.surplus(wanted)
    if surplus is not None:
        yield SharedRule((WaveMoment.STARTED,), lambda placed: _surge(workload, wanted, surplus, placed))


def _surge(workload: Workload, wanted: int, surplus: int, placed: Placed) -> Iterator[Violation]:
    """Tell whether too many run; replicas beyond the surplus that run before the wave are allowed for."""
    running = sum(placed.values())
    if running > wanted + surplus:
        text = f"{workload.key}: {running} replicas run, at most {wanted} and {surplus} more may"
        yield Violation("surge", text, running - wanted - surplus, workload.source, workload.key)


class CapacityUse:
    """Capacity in use in the course of a replay; use beyond a limit is allowed where the target has it."""

    def __init__(self, problem: Problem, state: Mapping[str, Placed], target: Placement) -> None:
        self._problem = problem
        self._bind = problem.has_capacity
        self._used = usage(problem.workloads, state, problem)
        self._target = target
        self._in_target = usage(problem.workloads, target, problem)
        self._graded = any(cluster.grades for cluster in problem.clusters)

    def make(self, courses: Mapping[str, WaveCourse]) -> Iterator[tuple[WaveMoment, Violation]]:
        """Make a wave; list clusters and nodes that it asks for more than they have, and than before."""
        moved: dict[str, dict[str, int]] = {}
        used = dict(self._used)
        for moment in MOST:
            more = {key: _difference(taken.moments[moment], taken.before) for key, taken in courses.items()}
            if more != moved:
                moved, used = more, dict(self._used)
                add(used, usage(map(self._problem.workload, moved), moved, self._problem))
            for key, taken in courses.items() if self._graded and self._bind else ():
                for violation in self._of_grades(self._problem.workload(key), taken, moment):
                    yield moment, violation
            for violation in self._of_sums(used) if self._bind else ():
                yield moment, violation
        self._used = used

    def _of_sums(self, used: Amounts) -> Iterator[Violation]:
        """List resources that are asked for too much of."""
        for (name, resource), amount in sorted(used.items()):
            limit = self._problem.limits.get((name, resource), 0)
            allowed = max(
                limit, self._used.get((name, resource), 0), self._in_target.get((name, resource), 0)
            )
            if amount > allowed:
                yield too_much(self._problem.cluster_by_name[name], resource, amount, limit)

    def _of_grades(self, workload: Workload, taken: WaveCourse, moment: WaveMoment) -> Iterator[Violation]:
        """List clusters whose nodes do not fit a workload."""
        for name, replicas in taken.moments[moment].items():
            cluster = self._problem.cluster_by_name[name]
            most = graded_room(workload, cluster)
            held, due = taken.before.get(name, 0), self._target.of(workload.key).get(name, 0)
            if most is not None and replicas > max(most, held, due):
                yield too_many(workload, cluster, replicas, most)


def _difference(now: Placed, before: Placed) -> dict[str, int]:
    """Return how many replicas more there are on every cluster that changes."""
    return {
        cluster: now.get(cluster, 0) - before.get(cluster, 0)
        for cluster in now.keys() | before.keys()
        if now.get(cluster, 0) != before.get(cluster, 0)
    }
