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
from fairlead.solver.plan.steps import Placed, Step, after, stopped, under_way

Group = frozenset[str]


@dataclass(frozen=True, slots=True)
class Count:
    """At least and at most so many groups that hold replicas."""

    groups: tuple[Group, ...]
    least: int
    most: int | None

    def of(self, placed: Placed) -> int:
        """Return how many groups hold replicas."""
        return sum(1 for group in self.groups if any(placed.get(cluster, 0) > 0 for cluster in group))


@dataclass(frozen=True, slots=True)
class Sum:
    """At least and at most so many replicas in a group."""

    group: Group
    least: int
    most: int | None

    def of(self, placed: Placed) -> int:
        """Return the replicas in the group."""
        return sum(replicas for cluster, replicas in placed.items() if cluster in self.group)


@dataclass(frozen=True, slots=True)
class Rest:
    """At least so many replicas outside a group."""

    group: Group
    least: int

    def of(self, placed: Placed) -> int:
        """Return the replicas outside the group."""
        return sum(replicas for cluster, replicas in placed.items() if cluster not in self.group)


@dataclass(frozen=True, slots=True)
class Terms:
    """The rules of one workload on its way.

    Parameters
    ----------
    gaps
        Smallest number by cluster where only 0 or at least so many are allowed.
    copies
        Size of a full copy by cluster, where clusters hold nothing or a full copy.
    sums, counts, rests
        Rules over several clusters.
    open
        Most replicas by cluster on which new ones may be started at all; None means no limit.
    """

    gaps: Placed
    copies: Placed
    sums: tuple[Sum, ...]
    counts: tuple[Count, ...]
    rests: tuple[Rest, ...]
    open: Mapping[str, int | None]

    @property
    def tricky(self) -> bool:
        """Whether a way straight to the target may break a rule in between."""
        return bool(self.gaps or self.copies or self.sums or self.counts or self.rests)

    def allow(self, before: Placed, step: Step, target: Placed) -> bool:
        """Tell whether a step breaks no rule, or none by more than before or in the target."""
        fewest, counted, end = stopped(before, step), under_way(before, step), after(before, step)
        for cluster in self.gaps.keys() | self.copies.keys():
            allowed = max(self.gap(cluster, before), self.gap(cluster, target))
            if any(self.gap(cluster, placed) > allowed for placed in (fewest, end)):
                return False
        for rule, moments in self._lower(fewest, counted, end):
            least = min(rule.least, rule.of(before), rule.of(target))
            if any(rule.of(placed) < least for placed in moments):
                return False
        uppers: Iterable[Sum | Count] = (*self.sums, *self.counts)
        for upper in uppers:
            if upper.most is not None and upper.of(end) > max(upper.most, upper.of(before), upper.of(target)):
                return False
        return True

    def _lower(
        self, fewest: Placed, counted: Placed, end: Placed
    ) -> Iterator[tuple[Sum | Count | Rest, tuple[Placed, ...]]]:
        """Yield what must not fall below a number, and when."""
        for rule in self.sums:
            yield rule, (counted, end)
        for count in self.counts:
            yield count, (fewest, end) if count.least > 1 else (end,)
        for rest in self.rests:
            yield rest, (fewest, end)

    def gap(self, cluster: str, placed: Placed) -> int:
        """Return by how much a cluster holds a number between what is allowed."""
        replicas = placed.get(cluster, 0)
        if replicas <= 0:
            return 0
        short = max(0, self.gaps.get(cluster, 0) - replicas)
        return max(short, abs(replicas - self.copies.get(cluster, replicas)))

    def broken(self, placed: Placed) -> bool:
        """Tell whether a placement breaks any of these rules."""
        uppers: tuple[Sum | Count, ...] = (*self.sums, *self.counts)
        lower: tuple[Sum | Count | Rest, ...] = (*uppers, *self.rests)
        return (
            any(self.gap(cluster, placed) for cluster in self.gaps.keys() | self.copies.keys())
            or any(rule.of(placed) < rule.least for rule in lower)
            or any(rule.most is not None and rule.of(placed) > rule.most for rule in uppers)
        )


def terms_of(
    workload: Workload, problem: Problem, changed: frozenset[str], *, detours: bool = False
) -> Terms:
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
    return Terms(
        gaps=_gaps(workload, changed) if asks else {},
        copies=full if asks else {},
        sums=tuple(
            Sum(rule.clusters, rule.minimum if asks else 0, rule.maximum)
            for rule in workload.rules_of(GroupTotal)
            if len(rule.clusters & changed) > (0 if detours else 1)
        ),
        counts=tuple(
            Count(tuple(rule.groups.values()), rule.minimum if asks else 0, rule.maximum)
            for rule in workload.rules_of(Spread)
            if (asks and rule.minimum > 0) or (rule.maximum is not None and rule.maximum < len(rule.groups))
        ),
        rests=tuple(
            Rest(clusters, rule.minimum)
            for rule in (workload.rules_of(Survival) if asks else ())
            for clusters in lost_with(rule).values()
            if rule.minimum
        ),
        open={} if copies is not None else _open(workload, problem, names),
    )


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
