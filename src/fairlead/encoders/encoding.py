"""A problem as a CP-SAT model: variables, constraints that know their rule, and costs by level."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import TypeVar

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexCost, ConvexFunction, Term
from fairlead.encoders.costs import ConvexTerm, Cost, LevelCost, LinearCost, Origin
from fairlead.encoders.scale import LARGEST, Held
from fairlead.encoders.slack import Giving, Side, Slack
from fairlead.encoders.variables import (
    Interval,
    Intervals,
    Place,
    PlaceSet,
    ReplicaVariables,
    Selection,
    Subject,
    replicas_at,
)
from fairlead.models.errors import InternalError
from fairlead.models.levels import Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.usage import Row
from fairlead.models.workload import Workload

T = TypeVar("T")
Filled = Mapping[Row, Interval]
"""Fewest and most of a resource that may be used, in its own unit (millicores, bytes), by cluster and
resource."""
Terms = Callable[[Workload], Sequence[cp_model.LinearExprT]]
"""Makes terms, of which the sum is a number of replicas, for a workload in one of its affinity groups."""
Constraint = cp_model.BoundedLinearExpression | bool
"""Comparison of linear expressions; a plain bool where both sides are numbers."""


class Encoding:
    """A CP-SAT model in the making.

    `within`: ranges of replicas that are known to hold for every placement of interest. `centres`: where the
    optimum is expected; convex costs are exact around it. None where nothing is known. `held`: how many
    replicas overflow tiers may hold, at least and at most, for every placement of interest: the shares of a
    tier are measured against what it holds. None leaves them out of the measure. `giving`: how far every
    constraint may give way, on each side; None where all must hold. What gives way does not narrow a range;
    its slack variables are in `given`. A number of replicas lies between 0 and what the workload asks for all
    the same, unless `within` says otherwise. `filled`: how much is used of a resource on a cluster, at least
    and at most, where that is known of every placement of interest.
    """

    def __init__(
        self,
        problem: Problem,
        within: Intervals | None = None,
        centres: Placement | None = None,
        *,
        held: Held | None = None,
        giving: Giving | None = None,
        filled: Filled = MappingProxyType({}),
    ) -> None:
        self.problem = problem
        self.held = held
        self.filled = filled
        self.model = cp_model.CpModel()
        self.variables = ReplicaVariables(problem, self.model, dict(within or {}))
        self.selection = Selection(self.model, self.variables)
        self.levels: dict[Level, LevelCost] = {}
        self.coupled = False
        self._slack = None if giving is None else Slack(self.model, giving)
        self.centres = centres
        self._own: list[tuple[cp_model.IntVar, Callable[[Placement], int]]] = []
        self.open_tiers: dict[PlaceSet, LinearCost] = {}

    @property
    def given(self) -> dict[tuple[Origin, Side], cp_model.IntVar]:
        """Slack variables by what gives way: each at least what its constraints are missed by."""
        return {} if self._slack is None else self._slack.given

    def gives(self, because: Origin, side: Side) -> bool:
        """Tell whether a constraint may give way on a side."""
        return self._slack is not None and self._slack.giving(because, side) > 0

    def replicas(self, workload: str, cluster: str) -> cp_model.IntVar:
        """Return the variable for the replicas of a workload on a cluster."""
        return self.variables.replicas(workload, cluster)

    def placement(self, value_of: Callable[[cp_model.IntVar], int]) -> Placement:
        """Read the placement out of a solution."""
        return self.variables.placement(value_of)

    @property
    def replica_variables(self) -> list[cp_model.IntVar]:
        """The variables of the placement that were asked for so far."""
        return list(self.variables.made().values())

    def read(self, values: Sequence[int]) -> Placement:
        """Read the placement out of the values of `replica_variables`, in their order."""
        known = zip(self.replica_variables, values, strict=True)
        by_index = {variable.index: value for variable, value in known}
        return self.placement(lambda variable: by_index[variable.index])

    def used(self, workload: str, cluster: str) -> cp_model.IntVar:
        """Return a literal that tells whether a workload stands on a cluster."""
        self.coupled = True
        return self.selection.used(Place(workload, cluster))

    def any_used(self, workload: str, clusters: frozenset[str]) -> cp_model.IntVar:
        """Return a literal that tells whether a workload stands on any of some clusters."""
        self.coupled = True
        return self.selection.any_used(PlaceSet(workload, clusters))

    def once(self, find: Callable[[Problem, Held | None], T]) -> T:
        """Return the result of a function of the problem and its tiers; it is called only once."""
        return self.problem.once(find, self.held)

    def limit(
        self, place: Place, *, lower: int | None = None, upper: int | None = None, because: Origin
    ) -> None:
        """Require a number of replicas to lie within bounds; the cheapest kind of constraint.

        `lower`, `upper`: fewest and most replicas; None where there is no such bound.
        """
        if lower is not None and self.gives(because, "least"):
            self.require(self.replicas(*place) >= lower, because=because)
            lower = None
        if upper is not None and self.gives(because, "most"):
            self.require(self.replicas(*place) <= upper, because=because)
            upper = None
        if lower is not None or upper is not None:
            self.variables.limit(place, lower, upper)

    def require(self, expression: Constraint, *, because: Origin) -> None:
        """Require a linear constraint to hold."""
        if self._slack is None or isinstance(expression, bool):
            self.model.add(expression)
        else:
            self._slack.loosen(expression, because)

    def require_coupled(self, expression: Constraint, *, because: Origin) -> None:
        """Require what is more than bounds and one total a workload: ties are harder to settle then."""
        self.coupled = True
        self.require(expression, because=because)

    def require_room(self, asked: Sequence[tuple[Place, int]], room: int, *, because: Origin) -> None:
        """Require places to take no more than there is, each replica so much.

        The row is divided by the greatest common divisor, and left out where it holds whatever the placement.
        """
        if sum(need * self.variables.range(place).upper for place, need in asked) > room:
            divisor = math.gcd(*(need for _, need in asked)) or 1
            terms = [(self.replicas(*place), need // divisor) for place, need in asked]
            self.require_coupled(weighted(terms) <= room // divisor, because=because)

    def own_number(self, least: int, most: int, of: Callable[[Placement], int]) -> cp_model.IntVar:
        """Return a variable that a rule makes for itself; ``of`` returns its value in a placement."""
        variable = self.model.new_int_var(least, most, "")
        self._own.append((variable, of))
        return variable

    def in_its_group(self, workload: Workload, find: Terms) -> Sequence[cp_model.LinearExprT]:
        """Return terms for a number that depends on the affinity group of a workload."""
        return find(workload)

    def define(self, expression: Constraint) -> None:
        """Tie variables of a rule's own to others; that holds whatever rules give way or are left out."""
        self.coupled = True
        self.model.add(expression)

    def imply(self, expression: Constraint) -> None:
        """Add what follows from other constraints and helps to see it; left out where those need not hold."""
        if self._slack is None:
            self.coupled = True
            self.model.add(expression)

    def convex_cost(self, subject: Subject, function: ConvexFunction) -> ConvexTerm:
        """Return a convex cost of the replicas on a cluster, or on a set of clusters together."""
        centre = function.anchor if self.centres is None else replicas_at(self.centres, subject)
        if isinstance(subject, Place):
            replicas, bounds = self.replicas(*subject), self.variables.range(subject)
            switch = self.selection.known(subject)
        else:
            self.coupled = True
            ranges = [self.variables.range(Place(subject.workload, name)) for name in subject.clusters]
            bounds = Interval(sum(each.lower for each in ranges), sum(max(each) for each in ranges))
            replicas, switch = self.selection.total(subject), None
        return ConvexTerm(subject, ConvexCost(self.model, replicas, function, bounds, centre, switch))

    def unused(self, workload: str, clusters: Collection[str]) -> LinearCost:
        """Return how many of some clusters a workload leaves empty: ``sum (1 - u_c)``."""

        def empty(placement: Placement) -> int:
            placed = placement.of(workload)
            return sum(1 for name in clusters if not placed.get(name))

        return LinearCost([(self.used(workload, name), -1) for name in clusters], len(clusters), empty)

    def prefer(
        self,
        level: Level,
        costs: Iterable[Cost],
        *,
        because: Origin,
        constant: Fraction | int = 0,
        scale: int = 1,
        exact: bool = True,
    ) -> None:
        """Minimise a cost on a level, which gets the priority of the workload that the rule belongs to.

        `constant`: what comes on top, in the unit of the level. `scale`: steps in one unit of the level; the
        same for every cost of a level. `exact`: False where costs are rounded down to whole steps.

        Raises `InternalError` where two costs of one level have different scales.
        """
        if because.workload is not None:
            level = replace(level, priority=self.problem.workload(because.workload).priority)
        found = self.levels.setdefault(level, LevelCost(scale, exact))
        if found.scale != scale:
            raise InternalError(
                f"level {level.name} is measured in steps of 1/{found.scale} and of 1/{scale}"
            )
        found.exact = found.exact and exact
        found.constants[because.workload] = found.constants.get(because.workload, Fraction(0)) + constant
        found.parts.setdefault(because.workload, []).extend(costs)

    def pin(self, level: Level, steps: int) -> None:
        """Require a level to cost at most so many steps."""
        terms, offset = self.levels[level].terms()
        if terms:
            # A tolerance may be larger than any cost, and than what CP-SAT can count.
            self.model.add(weighted(terms) <= min(steps - offset, 4 * LARGEST))

    def pin_apart(self, level: Level, steps: Mapping[str, int]) -> None:
        """Require every workload to cost at most so many steps of a level by itself."""
        cost = self.levels[level]
        for workload, most in steps.items():
            terms, offset = cost.alone(workload).terms()
            if terms:
                self.model.add(weighted(terms) <= most - offset)

    def at_least(self, level: Level, least: int, most: int) -> list[Term]:
        """Return the greater of a level's cost and a number, where it is minimised.

        `most`: what the level is to cost at most, in steps.
        """
        terms, offset = self.levels[level].terms()
        greater = self.model.new_int_var(least, max(least, most), "")
        self.model.add(weighted([*terms, (greater, -1)]) <= -offset)
        return [(greater, 1)]

    def refine(self, placement: Placement) -> bool:
        """Make every convex cost exact at a placement; tell whether one was underestimated there."""
        refined = False
        for cost in self.levels.values():
            for part in cost.costs:
                refined |= part.refine(placement)
        return refined

    def values(self, placement: Placement) -> list[Term]:
        """Return all variables with the values they have in a placement; a complete hint."""
        found: list[Term] = []
        for place, variable in self.variables.made().items():
            found.append((variable, placement.of(place.workload).get(place.cluster, 0)))
        for cost in self.levels.values():
            for part in cost.costs:
                found.extend(part.values(placement))
        found.extend(self.selection.values(placement))
        found.extend((variable, of(placement)) for variable, of in self._own)
        if self._slack is not None:
            found.extend(self._slack.values({variable.index: value for variable, value in found}))
        # A cost that two levels share names its variables twice.
        return list({variable.index: (variable, value) for variable, value in found}.values())


def weighted(terms: Iterable[tuple[cp_model.IntVar, int]]) -> cp_model.LinearExpr:
    """Return the sum of variables times coefficients."""
    pairs = list(terms)
    variables = [variable for variable, _ in pairs]
    return cp_model.LinearExpr.weighted_sum(variables, [coefficient for _, coefficient in pairs])


def total(variables: Iterable[cp_model.IntVar]) -> cp_model.LinearExpr:
    """Return the sum of variables."""
    return cp_model.LinearExpr.sum(list(variables))
