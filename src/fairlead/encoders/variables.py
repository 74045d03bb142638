"""The variables of a model: replicas by workload and cluster, and numbers that follow from them.

Which clusters and groups of them are used at all, and what a group holds, are variables of their own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ortools.sat.python import cp_model

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.validity import largest


class Place(NamedTuple):
    """A workload on a cluster."""

    workload: str
    cluster: str


class PlaceSet(NamedTuple):
    """A workload on a set of clusters."""

    workload: str
    clusters: frozenset[str]


Subject = Place | PlaceSet
"""A workload on one cluster, or on a set of clusters: where replicas are counted."""


def replicas_at(placement: Placement, subject: Subject) -> int:
    """Return the replicas of a workload on a cluster or on a set of clusters."""
    placed = placement.of(subject.workload)
    if isinstance(subject, Place):
        return placed.get(subject.cluster, 0)
    return sum(replicas for cluster, replicas in placed.items() if cluster in subject.clusters)


class Interval(NamedTuple):
    """Fewest and most replicas."""

    lower: int
    upper: int

    def within(self, lower: int, upper: int) -> "Interval":
        """Return the part of it that lies between two numbers as well."""
        return Interval(max(self.lower, lower), min(self.upper, upper))


Intervals = Mapping[Place, Interval]


@dataclass(slots=True, eq=False)
class ReplicaVariables:
    """Replicas by workload and cluster; a variable is made when it is first asked for."""

    problem: Problem
    """Gives workloads, clusters and the widest range of a variable: from 0 to `largest`."""
    model: cp_model.CpModel
    ranges: dict[Place, Interval]
    """Narrower ranges that are known to hold; places that are left out have the widest."""
    _made: dict[Place, cp_model.IntVar] = field(default_factory=dict)
    empty: Place | None = None
    """A place for which no number of replicas is left; None where there is none."""

    def places(self) -> Iterator[Place]:
        """Yield every place: workloads in key order, for each of them the clusters in name order."""
        for workload in self.problem.workloads:
            for cluster in self.problem.clusters:
                yield Place(workload.key, cluster.name)

    def free(self) -> Iterator[Place]:
        """Yield the places that can hold more than one number of replicas, in order."""
        for place in self.places():
            lower, upper = self.range(place)
            if lower < upper:
                yield place

    def made(self) -> dict[Place, cp_model.IntVar]:
        """Return the variables that were asked for so far, in that order."""
        return dict(self._made)

    def range(self, place: Place) -> Interval:
        """Return the fewest and the most replicas at a place."""
        known = self.ranges.get(place)
        # Unless something narrows it, no cluster is asked for more than a workload needs anywhere.
        return known or Interval(0, largest(self.problem.workload_by_key[place.workload]))

    def replicas(self, workload: str, cluster: str) -> cp_model.IntVar:
        """Return the replicas of a workload on a cluster."""
        place = Place(workload, cluster)
        if place not in self._made:
            lower, upper = self.range(place)
            self._made[place] = self.model.new_int_var(lower, max(lower, upper), "")
        return self._made[place]

    def limit(self, place: Place, lower: int | None, upper: int | None) -> None:
        """Narrow the range of a place; a variable that exists already is narrowed by a constraint."""
        before = self.range(place)
        after = Interval(
            before.lower if lower is None else max(before.lower, lower),
            before.upper if upper is None else min(before.upper, upper),
        )
        if after == before:
            return
        self.ranges[place] = after
        if after.lower > after.upper:
            self.empty = self.empty or place
            self.model.add_bool_or([])
        elif place in self._made:
            variable = self._made[place]
            self.model.add_linear_constraint(variable, after.lower, after.upper)

    def placement(self, value_of: Callable[[cp_model.IntVar], int]) -> Placement:
        """Read a placement."""
        found: dict[str, dict[str, int]] = {workload.key: {} for workload in self.problem.workloads}
        for place in self.places():
            variable = self._made.get(place)
            least = self.range(place).lower
            found[place.workload][place.cluster] = least if variable is None else value_of(variable)
        return Placement(found)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Auxiliary variables, each made when it is first asked for."""

    model: cp_model.CpModel
    variables: ReplicaVariables
    _used: dict[Subject, cp_model.IntVar] = field(default_factory=dict)
    _sums: dict[PlaceSet, cp_model.IntVar] = field(default_factory=dict)
    _stopped: dict[tuple[Place, int], cp_model.IntVar] = field(default_factory=dict)
    _started: dict[tuple[Place, int], cp_model.IntVar] = field(default_factory=dict)

    def used(self, place: Place) -> cp_model.IntVar:
        """Return a literal that tells whether a cluster holds replicas: ``used <= x <= upper used``."""
        if place not in self._used:
            lower, upper = self.variables.range(place)
            literal = self.model.new_bool_var("")
            self._used[place] = literal
            replicas = self.variables.replicas(*place)
            self.model.add(replicas >= literal)
            self.model.add(replicas <= max(upper, 0) * literal)
            if lower > 0:
                self.model.add(literal == 1)
        return self._used[place]

    def known(self, place: Place) -> cp_model.IntVar | None:
        """Return the literal of a cluster if it was asked for before."""
        return self._used.get(place)

    def any_used(self, group: PlaceSet) -> cp_model.IntVar:
        """Return a literal that tells whether any cluster of a set holds replicas."""
        if group not in self._used:
            # Only those that can hold replicas at all.
            places = [Place(group.workload, name) for name in sorted(group.clusters)]
            members = [self.used(place) for place in places if self.variables.range(place).upper > 0]
            if len(members) == 1:
                return members[0]
            literal = self.model.new_bool_var("")
            self._used[group] = literal
            self.model.add_bool_or([*members, literal.negated()])
            for member in members:
                self.model.add_implication(member, literal)
        return self._used[group]

    def total(self, group: PlaceSet) -> cp_model.IntVar:
        """Return the replicas that a set of clusters holds together."""
        if group not in self._sums:
            places = [Place(group.workload, name) for name in sorted(group.clusters)]
            ranges = [self.variables.range(place) for place in places]
            total = self.model.new_int_var(
                sum(lower for lower, _ in ranges), sum(max(lower, upper) for lower, upper in ranges), ""
            )
            self._sums[group] = total
            replicas = [self.variables.replicas(*place) for place in places]
            self.model.add(cp_model.LinearExpr.sum(replicas) == total)
        return self._sums[group]

    def stopped(self, place: Place, held: int) -> cp_model.IntVar:
        """Return at least the replicas that a place has fewer than it holds now."""
        if (place, held) not in self._stopped:
            stopped = self.model.new_int_var(0, held, "")
            self._stopped[place, held] = stopped
            self.model.add(stopped >= held - self.variables.replicas(*place))
        return self._stopped[place, held]

    def started(self, place: Place, held: int) -> cp_model.IntVar:
        """Return at least the replicas that a place has more than it holds now."""
        if (place, held) not in self._started:
            started = self.model.new_int_var(0, max(0, self.variables.range(place).upper), "")
            self._started[place, held] = started
            self.model.add(started >= self.variables.replicas(*place) - held)
        return self._started[place, held]

    def values(self, placement: Placement) -> Iterable[tuple[cp_model.IntVar, int]]:
        """Yield all auxiliary variables with their values in a placement."""
        for subject, literal in self._used.items():
            yield literal, int(replicas_at(placement, subject) > 0)
        for group, total in self._sums.items():
            yield total, replicas_at(placement, group)
        for (place, held), stopped in self._stopped.items():
            yield stopped, max(0, held - replicas_at(placement, place))
        for (place, held), started in self._started.items():
            yield started, max(0, replicas_at(placement, place) - held)
