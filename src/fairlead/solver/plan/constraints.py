"""A workload's own rules as numbers, as far as they say something about the way to a target.

A replica that goes straight to its target takes every cluster from one number to another, up or down and
never back. A rule that asks a cluster for a range then holds on the way wherever it holds at both ends.
What is left are rules with gaps (a minimum only where held, full copies on chosen clusters) and rules over
several clusters.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Duplicated, GroupTotal, Spread, Survival
from fairlead.models.rules.capacity import graded_room
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.survival import lost_with
from fairlead.models.workload import Workload
from fairlead.solver.plan.steps import Course
from fairlead.solver.plan.transient import Moment, Placed

Group = frozenset[str]

# When the fewest have to be there; the simulator says it once more by itself (`transient`).
COUNTED = (Moment.UNDER_WAY, Moment.AFTER)
FEWEST = (Moment.STOPPED, Moment.AFTER)
STANDING = (Moment.AFTER,)


@dataclass(frozen=True, slots=True)
class Limit:
    """At least and at most so much on some clusters; what may be too much is looked at after a wave.

    Parameters
    ----------
    groups
        Sets of clusters.
    least, most
        Fewest and most; None means no limit.
    binds
        The moments at which the fewest have to be there.
    by_group
        True where the groups that hold replicas are counted, False where the replicas in them are.
    """

    groups: tuple[Group, ...]
    least: int
    most: int | None
    binds: tuple[Moment, ...]
    by_group: bool = False

    def of(self, placed: Placed) -> int:
        """Return how many replicas the groups hold, or how many groups hold replicas."""
        if self.by_group:
            return sum(1 for group in self.groups if any(placed.get(cluster, 0) > 0 for cluster in group))
        return sum(replicas for group in self.groups for name, replicas in placed.items() if name in group)


@dataclass(frozen=True, slots=True)
class PathConstraints:
    """The rules of one workload on its way.

    Parameters
    ----------
    gaps
        Smallest number by cluster where only 0 or at least so many are allowed.
    copies
        Size of a full copy by cluster, where clusters hold nothing or a full copy.
    limits
        Rules over several clusters.
    open
        Most replicas by cluster on which new ones may be started at all; None means no limit.
    """

    gaps: Placed
    copies: Placed
    limits: tuple[Limit, ...]
    open: Mapping[str, int | None]

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
            if limit.most is not None and limit.of(then[Moment.AFTER]) > max(limit.most, *both):
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

    Parameters
    ----------
    workload
        The workload, with the rules that bind.
    problem
        Its clusters.
    changed
        Clusters on which the number of replicas changes.
    detours
        True where it may go up and down again on the way.
    """
    copies = workload.rule(Duplicated)
    candidates = workload.rule(Candidates)
    names = set(candidates.names if candidates else problem.cluster_by_name)
    full = {}
    if copies is not None and copies.choice:
        full = {name: copy_on(copies, workload, name) for name in sorted(names & changed)}
    asks = workload.replicas > 0
    return PathConstraints(
        gaps=_gaps(workload, changed) if asks else {},
        copies=full if asks else {},
        limits=tuple(_limits(workload, problem, changed, detours=detours)),
        open={} if copies is not None else _open(workload, problem, names),
    )


def _limits(
    workload: Workload, problem: Problem, changed: frozenset[str], *, detours: bool
) -> Iterator[Limit]:
    """Yield the rules over several clusters: totals of sets, what has to survive, groups that are used."""
    asks = workload.replicas > 0
    for total in workload.rules_of(GroupTotal):
        if len(total.clusters & changed) > (0 if detours else 1):
            yield Limit((total.clusters,), total.minimum if asks else 0, total.maximum, COUNTED)
    for rule in workload.rules_of(Survival) if asks else ():
        for lost in lost_with(rule).values() if rule.minimum else ():
            yield Limit((frozenset(problem.cluster_by_name) - lost,), rule.minimum, None, FEWEST)
    for spread in workload.rules_of(Spread):
        limited = spread.maximum is not None and spread.maximum < len(spread.groups)
        if (asks and spread.minimum > 0) or limited:
            least = spread.minimum if asks else 0
            binds = FEWEST if least > 1 else STANDING
            yield Limit(tuple(spread.groups.values()), least, spread.maximum, binds, by_group=True)


def _gaps(workload: Workload, changed: frozenset[str]) -> dict[str, int]:
    """Return minima that bind only where replicas are held."""
    return {
        cluster: bound.replicas
        for rule in workload.rules_of(Bounds)
        for cluster, bound in rule.minimum.items()
        if cluster in rule.where_held and cluster in changed and bound.replicas > 1
    }


def _open(workload: Workload, problem: Problem, names: Iterable[str]) -> dict[str, int | None]:
    """Return the clusters on which new replicas may wait, and how many each may hold."""
    candidates = workload.rule(Candidates)
    held_only = candidates.held_only if candidates else {}
    most: dict[str, int | None] = {}
    for name in sorted(names):
        cluster = problem.cluster_by_name.get(name)
        if (
            cluster is None
            or name in held_only
            or any(name in rule.minimum and name in rule.where_held for rule in workload.rules_of(Bounds))
        ):
            continue
        limits = [rule.maximum[name].replicas for rule in workload.rules_of(Bounds) if name in rule.maximum]
        room = graded_room(workload, cluster)
        most[name] = min([*limits, *([] if room is None else [room])], default=None)
    return most
