"""A workload's own rules as numbers, as far as they say something about the way to a target.

A replica that goes straight to its target takes every cluster from one number to another, up or down and
never back. A rule that asks a cluster for a range then holds on the way wherever it holds at both ends.
What is left are rules with gaps (a minimum only where held, copies that are whole or missing) and rules over
several clusters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairlead.models.check import required_by
from fairlead.models.problem import Problem
from fairlead.models.requirement import Among, Binds, Groups, Outside, Requirement, Scope, Side
from fairlead.models.rules import Bounds, Candidates, CustomRule, Duplicated, Grouped, GroupTotal
from fairlead.models.rules.capacity import graded_room
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.survival import Survivors
from fairlead.models.workload import Workload
from fairlead.solver.plan.steps import Course
from fairlead.solver.plan.transient import Placed, WaveMoment

# When the fewest have to be there; the simulator says it once more by itself (`transient`).
COUNTED = (WaveMoment.UNDER_WAY, WaveMoment.AFTER)
FEWEST = (WaveMoment.STOPPED, WaveMoment.AFTER)
STANDING = (WaveMoment.AFTER,)


@dataclass(frozen=True, slots=True)
class MissedAmount(Scope):
    """Amount by which a requirement of a rule from outside is missed, counted like replicas."""

    requirement: Requirement

    @property
    def detail(self) -> str:
        """Name of the requirement, to tell it from others of its kind; may be empty."""
        return self.requirement.detail

    def count(self, placed: Placed) -> int:
        """Return by how much it is missed."""
        return abs(self.requirement.excess(placed))

    def held(self, placed: Placed) -> bool:
        """Tell whether it is missed at all."""
        return bool(self.count(placed))


@dataclass(frozen=True, slots=True)
class PathLimit:
    """At least and at most so much on some clusters; what may be too much is looked at after a wave."""

    scope: Scope
    least: int
    most: int | None
    binds: tuple[WaveMoment, ...]
    where_held: bool = False
    """True where the least asks for nothing as long as what the scope is about holds nothing."""

    def of(self, placed: Placed) -> int:
        """Return how many replicas, or groups, there are of it; enough where nothing is asked for."""
        if self.where_held and not self.scope.held(placed):
            return self.least
        return self.scope.count(placed)


@dataclass(frozen=True, slots=True)
class PathConstraints:
    """The rules of one workload on its way."""

    gaps: Placed
    """Smallest number by cluster where only 0 or at least so many are allowed."""
    copies: Placed
    """Size of a full copy by cluster, where clusters hold nothing or a full copy."""
    limits: tuple[PathLimit, ...]
    open: Mapping[str, int | None]
    """Most replicas by cluster on which new ones may wait on the way; None means no limit. Empty where no
    replica makes a detour."""

    @property
    def tricky(self) -> bool:
        """Whether a way straight to the target may break a rule in between."""
        return bool(self.gaps or self.copies or self.limits)

    @property
    def uneven(self) -> frozenset[str]:
        """Clusters with numbers between what is allowed."""
        return frozenset(self.gaps.keys() | self.copies.keys())

    def allow(self, before: Placed, then: Course, target: Placed) -> bool:
        """Tell whether a wave breaks no rule, or none by more than before or in the target."""
        for cluster in self.uneven:
            allowed = max(self.gap(cluster, before), self.gap(cluster, target))
            if any(self.gap(cluster, then[moment]) > allowed for moment in FEWEST):
                return False
        for limit in self.limits:
            both = (limit.of(before), limit.of(target))
            if any(limit.of(then[moment]) < min(limit.least, *both) for moment in limit.binds):
                return False
            if limit.most is not None and limit.of(then[WaveMoment.AFTER]) > max(limit.most, *both):
                return False
        return True

    def gap(self, cluster: str, placed: Placed) -> int:
        """Return by how much a cluster holds a number between what is allowed."""
        replicas = placed.get(cluster, 0)
        if replicas <= 0:
            return 0
        short = max(0, self.gaps.get(cluster, 0) - replicas)
        return max(short, abs(replicas - self.copies.get(cluster, replicas)))

    def broken(self, placed: Placed) -> bool:
        """Tell whether a placement breaks any of these rules."""
        return any(self.gap(cluster, placed) for cluster in self.uneven) or any(
            limit.of(placed) < limit.least or (limit.most is not None and limit.of(placed) > limit.most)
            for limit in self.limits
        )


def constraints_of(
    workload: Workload, problem: Problem, changed: frozenset[str], *, detours: bool = False
) -> PathConstraints:
    """Return the rules of a workload that say something about changes on certain clusters.

    The workload has the rules that bind. With detours it may go up and down again on the way.
    """
    copies = workload.rule(Duplicated)
    names = set(problem.candidates(workload))
    full = {}
    if copies is not None:
        full = {name: copy_on(copies, workload, name) for name in sorted(names & changed)}
    asks = workload.replicas > 0
    return PathConstraints(
        gaps=_gaps(workload, changed) if asks else {},
        copies=full if asks else {},
        limits=tuple(_limits(workload, changed, detours=detours)),
        open=_open(workload, problem, names) if detours and copies is None else {},
    )


def _limits(workload: Workload, changed: frozenset[str], *, detours: bool) -> Iterator[PathLimit]:
    """Yield the rules over several clusters: totals of sets, what has to survive, groups that are used."""
    for rule in workload.rules:
        if isinstance(rule, CustomRule):
            yield from (
                PathLimit(MissedAmount(one), 0, 0, STANDING) for one in required_by(rule, workload, ())
            )
        elif isinstance(rule, GroupTotal | Grouped):
            sides: dict[str, list[Requirement]] = {}
            for requirement in required_by(rule, workload, ()):
                sides.setdefault(requirement.detail, []).append(requirement)
            for both in sides.values():
                yield from _limit(both, changed, asks=workload.replicas > 0, detours=detours)


def _limit(
    sides: Sequence[Requirement], changed: frozenset[str], *, asks: bool, detours: bool
) -> Iterator[PathLimit]:
    """Yield the limits that the requirements of one scope make, where they are about the clusters."""
    scope = sides[0].scope
    least = next((one.limit for one in sides if one.side is Side.LEAST), 0) if asks else 0
    most = next((one.limit for one in sides if one.side is Side.MOST), None)
    match scope:
        case str():
            return  # holds on the way wherever it holds at both ends
        case Among():
            if len(scope.clusters & changed) > (0 if detours else 1):
                yield PathLimit(scope, least, most, COUNTED)
        case Outside() | Survivors():
            if least:
                where_held = any(one.binds is Binds.WHERE_HELD for one in sides)
                yield PathLimit(scope, least, most, FEWEST, where_held)
        case Groups():
            if least > 0 or (most is not None and most < len(scope.groups)):
                yield PathLimit(scope, least, most, FEWEST if least > 1 else STANDING)
        case _:
            yield PathLimit(scope, least, most, STANDING)


def _gaps(workload: Workload, changed: frozenset[str]) -> dict[str, int]:
    """Return minima that bind only where replicas are held."""
    return {
        cluster: bound.replicas
        for rule in workload.rules_of(Bounds)
        for cluster, bound in rule.where_used.items()
        if cluster in changed
    }


def _open(workload: Workload, problem: Problem, names: Iterable[str]) -> dict[str, int | None]:
    """Return the clusters on which new replicas may wait, and how many each may hold."""
    candidates = workload.rule(Candidates)
    bounds = workload.rules_of(Bounds)
    closed = {name for rule in bounds for name in rule.minimum.keys() & rule.where_held}
    closed |= candidates.held_only.keys() if candidates else set[str]()
    most: dict[str, int | None] = {}
    for name in sorted(names):
        cluster = problem.cluster_by_name.get(name)
        if cluster is None or name in closed:
            continue
        limits = [rule.maximum[name].replicas for rule in bounds if name in rule.maximum]
        room = graded_room(workload, cluster)
        most[name] = min([*limits, *([] if room is None else [room])], default=None)
    return most
