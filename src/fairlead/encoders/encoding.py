"""A problem as a CP-SAT model: variables, constraints that know their rule, and costs by level."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexCost, Term
from fairlead.encoders.peak import PeakCost
from fairlead.encoders.segments import ConvexFunction
from fairlead.encoders.variables import Place, Ranges, ReplicaVariables
from fairlead.models.errors import InternalError
from fairlead.models.levels import Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem

T = TypeVar("T")
Cost = ConvexCost | PeakCost
Constraint = cp_model.BoundedLinearExpression | bool
"""What comparing linear expressions gives; a plain bool where both sides are numbers."""


@dataclass(frozen=True, slots=True)
class Because:
    """Which rule a constraint or a cost comes from.

    Parameters
    ----------
    rule
        Kind of the rule, such as ``bounds``.
    workload, cluster
        What it is about; None where it is about none in particular.
    detail
        Which part of the rule, such as ``minimum``; empty where it has only one.
    """

    rule: str
    workload: str | None = None
    cluster: str | None = None
    detail: str = ""


@dataclass(slots=True)
class LevelCost:
    """What is minimised on one level: whole steps of ``1 / scale``, and a constant beside them.

    Parameters
    ----------
    scale
        Steps in one unit of the level.
    exact
        True where the cost in steps is exact; False where it is rounded down.
    constant
        What the level costs beside the steps, in its own unit.
    costs
        What adds up, with the rule it comes from.
    """

    scale: int
    exact: bool
    constant: Fraction = Fraction(0)
    costs: list[tuple[Because, Place | None, Cost]] = field(default_factory=list)

    def value(self, steps: int) -> Fraction:
        """Return a number of steps in the unit of the level."""
        return Fraction(steps, self.scale) + self.constant

    def steps(self, placement: Placement) -> int:
        """Return what a placement costs, in steps."""
        total = 0
        for _, place, cost in self.costs:
            if isinstance(cost, PeakCost):
                total += cost(placement.of(cost.workload))
            elif place is not None:
                total += cost.function(placement.of(place.workload).get(place.cluster, 0))
        return total

    def peaks(self) -> list[PeakCost]:
        """Return the costs that are a maximum."""
        return [cost for _, _, cost in self.costs if isinstance(cost, PeakCost)]

    def functions(self) -> dict[Place, ConvexFunction]:
        """Return the costs that depend on one place, by place."""
        return {
            place: cost.function for _, place, cost in self.costs if place and isinstance(cost, ConvexCost)
        }

    def terms(self) -> tuple[list[Term], int]:
        """Return the cost in steps as variables with coefficients, and what comes on top of their sum."""
        terms: list[Term] = []
        offset = 0
        for _, _, cost in self.costs:
            if isinstance(cost, PeakCost):
                terms.append((cost.variable, 1))
            else:
                more, on_top = cost.terms()
                terms.extend(more)
                offset += on_top
        return terms, offset


class Encoding:
    """A CP-SAT model in the making.

    Parameters
    ----------
    problem
        What is encoded.
    within
        Ranges of replicas that are known to hold for every placement of interest.
    centres
        Where the optimum is expected; convex costs are exact around it. None where nothing is known.
    explain
        True adds a guard literal for every `Because`: its constraints hold only where the guard does.
    """

    def __init__(
        self,
        problem: Problem,
        within: Ranges | None = None,
        centres: Placement | None = None,
        *,
        explain: bool = False,
    ) -> None:
        self.problem = problem
        self.explain = explain
        self.model = cp_model.CpModel()
        self.variables = ReplicaVariables(problem, self.model, within or {})
        self.levels: dict[Level, LevelCost] = {}
        self.guards: dict[Because, cp_model.IntVar] = {}
        self.coupled = False
        self._centres = centres
        self._known: dict[Callable[[Problem], object], object] = {}

    def replicas(self, workload: str, cluster: str) -> cp_model.IntVar:
        """Return the variable for the replicas of a workload on a cluster."""
        return self.variables.replicas(workload, cluster)

    def placement(self, value_of: Callable[[cp_model.IntVar], int]) -> Placement:
        """Read the placement out of a solution."""
        return self.variables.placement(value_of)

    def read(self, variables: Sequence[cp_model.IntVar], values: Sequence[int]) -> Placement:
        """Read the placement out of the values of its variables, both in one order."""
        by_index = {variable.index: value for variable, value in zip(variables, values, strict=True)}
        return self.placement(lambda variable: by_index[variable.index])

    def once(self, function: Callable[[Problem], T]) -> T:
        """Return what a function tells of the problem; it is called only once."""
        if function not in self._known:
            self._known[function] = function(self.problem)
        return self._known[function]  # type: ignore[return-value]

    def limit(
        self,
        place: Place,
        *,
        lower: int | None = None,
        upper: int | None = None,
        because: Because,
    ) -> None:
        """Require a number of replicas to lie within bounds; the cheapest kind of constraint.

        Parameters
        ----------
        place
            Which replicas.
        lower, upper
            Fewest and most replicas; None where there is no such bound.
        because
            The rule.
        """
        if not self.explain:
            self.variables.limit(place, lower, upper)
            return
        if lower is not None:
            self.require(self.replicas(*place) >= lower, because=because)
        if upper is not None:
            self.require(self.replicas(*place) <= upper, because=because)

    def require(self, expression: Constraint, *, because: Because) -> None:
        """Require a linear constraint to hold."""
        constraint = self.model.add(expression)
        if self.explain:
            constraint.only_enforce_if(self._guard(because))

    def require_shared(self, expression: Constraint, *, because: Because) -> None:
        """Require a constraint that ties workloads together: they can no longer be placed apart."""
        self.coupled = True
        self.require(expression, because=because)

    def convex_cost(self, place: Place, function: ConvexFunction) -> ConvexCost:
        """Return a convex cost of the replicas at a place, for `prefer`."""
        bounds = self.variables.range(place)
        centre = function.anchor
        if self._centres is not None:
            centre = self._centres.of(place.workload).get(place.cluster, 0)
        return ConvexCost(self.model, self.replicas(*place), function, bounds, centre)

    def prefer(
        self,
        level: Level,
        costs: Iterable[tuple[Place | None, Cost]],
        *,
        because: Because,
        constant: Fraction | int = 0,
        scale: int = 1,
        exact: bool = True,
    ) -> None:
        """Minimise a cost on a level.

        Parameters
        ----------
        level
            The level.
        costs
            Costs in whole steps, each with the place it depends on; None where it depends on several.
        because
            The rule.
        constant
            What comes on top, in the unit of the level.
        scale
            Steps in one unit of the level; the same for every cost of a level.
        exact
            False where costs are rounded down to whole steps.

        Raises
        ------
        InternalError
            Where two costs of one level have different scales.
        """
        found = self.levels.setdefault(level, LevelCost(scale, exact))
        if found.scale != scale:
            raise InternalError(f"level {level.key} is measured in steps of 1/{found.scale} and of 1/{scale}")
        found.exact = found.exact and exact
        found.constant += constant
        found.costs.extend((because, place, cost) for place, cost in costs)

    def pin(self, level: Level, steps: int) -> None:
        """Require a level to cost at most so many steps."""
        terms, offset = self.levels[level].terms()
        if terms:
            self.model.add(weighted(terms) <= steps - offset)

    def refine(self, placement: Placement) -> bool:
        """Make every convex cost exact at a placement; tell whether one was underestimated there."""
        refined = False
        for cost in self.levels.values():
            for _, place, part in cost.costs:
                if isinstance(part, ConvexCost) and place is not None:
                    at = placement.of(place.workload).get(place.cluster, 0)
                    refined |= part.refine(at)
        return refined

    def values(self, placement: Placement) -> list[Term]:
        """Return all variables with the values they have in a placement; a complete hint."""
        found: list[Term] = []
        for place, variable in self.variables.made():
            found.append((variable, placement.of(place.workload).get(place.cluster, 0)))
        for cost in self.levels.values():
            for _, at, part in cost.costs:
                if isinstance(part, PeakCost):
                    found.append((part.variable, part(placement.of(part.workload))))
                elif at is not None:
                    found.extend(part.values(placement.of(at.workload).get(at.cluster, 0)))
        return found

    def _guard(self, because: Because) -> cp_model.IntVar:
        """Return the literal that switches on what a rule requires."""
        if because not in self.guards:
            self.guards[because] = self.model.new_bool_var("")
        return self.guards[because]


def weighted(terms: Iterable[tuple[cp_model.IntVar, int]]) -> cp_model.LinearExpr:
    """Return the sum of variables times coefficients."""
    pairs = list(terms)
    variables = [variable for variable, _ in pairs]
    return cp_model.LinearExpr.weighted_sum(variables, [coefficient for _, coefficient in pairs])


def total(variables: Iterable[cp_model.IntVar]) -> cp_model.LinearExpr:
    """Return the sum of variables."""
    return cp_model.LinearExpr.sum(list(variables))
