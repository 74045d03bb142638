"""The variables of a model: how many replicas of a workload stand on a cluster."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ortools.sat.python import cp_model

from fairlead.models.amounts import largest
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem


class Place(NamedTuple):
    """A workload on a cluster."""

    workload: str
    cluster: str


class Range(NamedTuple):
    """Fewest and most replicas."""

    lower: int
    upper: int

    def within(self, lower: int, upper: int) -> "Range":
        """Return what is left of it between two numbers as well."""
        return Range(max(self.lower, lower), min(self.upper, upper))


Ranges = Mapping[Place, Range]


class ReplicaVariables:
    """Replicas by workload and cluster; a variable is made when it is first asked for.

    Parameters
    ----------
    problem
        Gives workloads, clusters and the widest range of a variable: from 0 to `largest`.
    within
        Narrower ranges that are known to hold; places that are left out have the widest.
    """

    def __init__(self, problem: Problem, model: cp_model.CpModel, within: Ranges) -> None:
        self._problem = problem
        self._model = model
        self._within = dict(within)
        self._made: dict[Place, cp_model.IntVar] = {}
        self._empty: Place | None = None

    def places(self) -> Iterator[Place]:
        """Yield every place: workloads in key order, for each of them the clusters in name order."""
        for workload in self._problem.workloads:
            for cluster in self._problem.clusters:
                yield Place(workload.key, cluster.name)

    def free(self) -> Iterator[Place]:
        """Yield the places that can hold more than one number of replicas, in order."""
        for place in self.places():
            lower, upper = self.range(place)
            if lower < upper:
                yield place

    def made(self) -> list[tuple[Place, cp_model.IntVar]]:
        """Return the variables that were asked for so far."""
        return list(self._made.items())

    def range(self, place: Place) -> Range:
        """Return the fewest and the most replicas at a place."""
        known = self._within.get(place)
        # Unless something narrows it, no cluster is asked for more than a workload needs anywhere.
        return known or Range(0, largest(self._problem.workload_by_key[place.workload]))

    def replicas(self, workload: str, cluster: str) -> cp_model.IntVar:
        """Return the replicas of a workload on a cluster."""
        place = Place(workload, cluster)
        if place not in self._made:
            lower, upper = self.range(place)
            self._made[place] = self._model.new_int_var(lower, max(lower, upper), "")
        return self._made[place]

    def limit(self, place: Place, lower: int | None, upper: int | None) -> None:
        """Narrow the range of a place; a variable that exists already is narrowed by a constraint."""
        before = self.range(place)
        after = Range(
            before.lower if lower is None else max(before.lower, lower),
            before.upper if upper is None else min(before.upper, upper),
        )
        if after == before:
            return
        self._within[place] = after
        if after.lower > after.upper:
            self._empty = self._empty or place
            self._model.add_bool_or([])
        elif place in self._made:
            variable = self._made[place]
            self._model.add_linear_constraint(variable, after.lower, after.upper)

    @property
    def empty(self) -> Place | None:
        """A place for which no number of replicas is left; None where there is none."""
        return self._empty

    def placement(self, value_of: Callable[[cp_model.IntVar], int]) -> Placement:
        """Read a placement."""
        found: dict[str, dict[str, int]] = {workload.key: {} for workload in self._problem.workloads}
        for place in self.places():
            variable = self._made.get(place)
            least = self.range(place).lower
            found[place.workload][place.cluster] = least if variable is None else value_of(variable)
        return Placement(found)
