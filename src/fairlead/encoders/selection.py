"""Variables beside the replicas: which clusters and groups are used at all, and what a group holds."""

from collections.abc import Iterable
from typing import NamedTuple

from ortools.sat.python import cp_model

from fairlead.encoders.variables import Place, ReplicaVariables
from fairlead.models.placement import Placement


class Group(NamedTuple):
    """A workload on a set of clusters."""

    workload: str
    clusters: frozenset[str]


Subject = Place | Group
"""What a number of replicas is counted for."""


def replicas_at(placement: Placement, subject: Subject) -> int:
    """Return the replicas of a workload on a cluster or on a set of clusters."""
    placed = placement.of(subject.workload)
    if isinstance(subject, Place):
        return placed.get(subject.cluster, 0)
    return sum(replicas for cluster, replicas in placed.items() if cluster in subject.clusters)


class Selection:
    """Auxiliary variables, each made when it is first asked for."""

    def __init__(self, model: cp_model.CpModel, variables: ReplicaVariables) -> None:
        self._model = model
        self._variables = variables
        self._used: dict[Subject, cp_model.IntVar] = {}
        self._sums: dict[Group, cp_model.IntVar] = {}
        self._stopped: dict[tuple[Place, int], cp_model.IntVar] = {}
        self._started: dict[tuple[Place, int], cp_model.IntVar] = {}

    def used(self, place: Place) -> cp_model.IntVar:
        """Return a literal that tells whether a cluster holds replicas: ``used <= x <= upper used``."""
        if place not in self._used:
            lower, upper = self._variables.range(place)
            literal = self._model.new_bool_var("")
            self._used[place] = literal
            replicas = self._variables.replicas(*place)
            self._model.add(replicas >= literal)
            self._model.add(replicas <= max(upper, 0) * literal)
            if lower > 0:
                self._model.add(literal == 1)
        return self._used[place]

    def known(self, place: Place) -> cp_model.IntVar | None:
        """Return the literal of a cluster if it was asked for before."""
        return self._used.get(place)

    def any_used(self, group: Group) -> cp_model.IntVar:
        """Return a literal that tells whether any cluster of a set holds replicas."""
        if group not in self._used:
            # Only those that can hold replicas at all.
            places = [Place(group.workload, name) for name in sorted(group.clusters)]
            members = [self.used(place) for place in places if self._variables.range(place).upper > 0]
            if len(members) == 1:
                return members[0]
            literal = self._model.new_bool_var("")
            self._used[group] = literal
            self._model.add_bool_or([*members, literal.negated()])
            for member in members:
                self._model.add_implication(member, literal)
        return self._used[group]

    def total(self, group: Group) -> cp_model.IntVar:
        """Return the replicas that a set of clusters holds together."""
        if group not in self._sums:
            places = [Place(group.workload, name) for name in sorted(group.clusters)]
            ranges = [self._variables.range(place) for place in places]
            total = self._model.new_int_var(
                sum(lower for lower, _ in ranges), sum(max(lower, upper) for lower, upper in ranges), ""
            )
            self._sums[group] = total
            replicas = [self._variables.replicas(*place) for place in places]
            self._model.add(cp_model.LinearExpr.sum(replicas) == total)
        return self._sums[group]

    def stopped(self, place: Place, held: int) -> cp_model.IntVar:
        """Return at least the replicas that a place has fewer than it holds now."""
        if (place, held) not in self._stopped:
            stopped = self._model.new_int_var(0, held, "")
            self._stopped[place, held] = stopped
            self._model.add(stopped >= held - self._variables.replicas(*place))
        return self._stopped[place, held]

    def started(self, place: Place, held: int) -> cp_model.IntVar:
        """Return at least the replicas that a place has more than it holds now."""
        if (place, held) not in self._started:
            started = self._model.new_int_var(0, max(0, self._variables.range(place).upper), "")
            self._started[place, held] = started
            self._model.add(started >= self._variables.replicas(*place) - held)
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
