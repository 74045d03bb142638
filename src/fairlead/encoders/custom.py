"""Rules from outside: they say themselves what CP-SAT is told, in terms of their own workload only."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexFunction
from fairlead.encoders.costs import Cost, LinearCost, Origin
from fairlead.encoders.encoding import Constraint, Encoding
from fairlead.encoders.variables import Place
from fairlead.models.errors import ExtensionError, FairleadError
from fairlead.models.placement import Placement
from fairlead.models.rules import CustomCost, CustomRule
from fairlead.models.rules.custom import called, in_steps
from fairlead.models.workload import Workload

MOST_CHECKED = 1_000
"""Replicas up to which every step of a cost on a cluster is looked at: its steps must not get cheaper."""
DEAREST = 2**40
"""The most that a cluster may cost in steps, so that sums over all workloads and clusters fit 64 bits."""


def encode(rule: CustomRule | CustomCost, workload: Workload, encoding: Encoding) -> None:
    """Let a rule tell its formulas.

    Raises `ExtensionError` where it fails, or tells what is no formula.
    """
    formulas = RuleFormulas(rule, workload, encoding)
    try:
        rule.encode(formulas)
    except FairleadError:
        raise
    except Exception as error:
        raise ExtensionError(f"{called(rule)} fails to encode {workload.key}: {error!r}") from error
    formulas.finish()


class RuleFormulas:
    """Formulas of one rule for one workload in CP-SAT; see `fairlead.models.rules.custom.Formulas`."""

    def __init__(self, rule: CustomRule | CustomCost, workload: Workload, encoding: Encoding) -> None:
        self._rule = rule
        self._key = workload.key
        self.workload = workload
        self._encoding = encoding
        self._sum: list[Any] = []
        self._on: dict[Place, ConvexFunction] = {}
        problem = encoding.problem
        self.clusters = tuple(sorted(problem.cluster_by_name.keys() & set(problem.candidates(workload))))
        ranges = (encoding.variables.range(Place(workload.key, name)) for name in self.clusters)
        self.most = max((each.upper for each in ranges), default=0)

    def replicas(self, cluster: str) -> cp_model.IntVar:
        """Return the replicas on a cluster."""
        return self._encoding.replicas(*self._place(cluster))

    def used(self, cluster: str) -> cp_model.IntVar:
        """Return 1 where a cluster holds replicas, else 0."""
        return self._encoding.used(*self._place(cluster))

    def number(self, least: int, most: int, of: Callable[[Mapping[str, int]], int]) -> cp_model.IntVar:
        """Return a whole number of the rule's own; the function returns its value in a placement."""
        return self._encoding.own_number(least, most, lambda placement: of(placement.of(self._key)))

    def define(self, constraint: Any) -> None:
        """Tie numbers of the rule's own to the replicas."""
        self._encoding.define(self._checked(constraint))

    def require(self, constraint: Any) -> None:
        """Require a linear constraint to hold."""
        if isinstance(self._rule, CustomCost):
            raise ExtensionError(f"{called(self._rule)} is a cost and requires something")
        because = Origin(self._rule.kind, self._key, None, self._rule.name)
        self._encoding.require_coupled(self._checked(constraint), because=because)

    def minimise(self, expression: Any) -> None:
        """Minimise a linear expression, together with all others that are told."""
        self._cost()
        self._encoding.coupled = True
        self._sum.append(expression)

    def minimise_on(self, cluster: str, steps: Callable[[int], int]) -> None:
        """Minimise what a cluster costs by itself: a convex function of its replicas."""
        place, rule = self._place(cluster), self._cost()
        most = self._encoding.variables.range(place).upper
        found = [steps(count) for count in range(min(MOST_CHECKED, most) + 2)]
        dearer = [after - before for before, after in pairwise(found)]
        if found[0] or any(after < before for before, after in pairwise(dearer)):
            raise ExtensionError(f"{called(rule)}: its cost on {cluster} is not 0 for none, or not convex")
        if steps(max(0, most)) > DEAREST:
            raise ExtensionError(f"{called(rule)}: {most} replicas on {cluster} cost too much to be counted")
        self._on[place] = ConvexFunction(lambda count: steps(count + 1) - steps(count), steps)

    def finish(self) -> None:
        """Put what was told to be minimised on the level of a cost."""
        rule = self._rule
        if isinstance(rule, CustomCost):
            costs: list[Cost] = [self._encoding.convex_cost(*each) for each in self._on.items()]
            costs += [self._linear(rule)] if self._sum else []
            because = Origin(rule.level.key, self._key)
            self._encoding.prefer(rule.level, costs, because=because, scale=rule.level.steps)

    def _linear(self, rule: CustomCost) -> LinearCost:
        """Return the expressions as one cost: what the rule costs beyond what single clusters do."""
        flat = cp_model.FlatIntExpr(cp_model.LinearExpr.sum(self._sum))

        def steps(placement: Placement) -> int:
            placed = placement.of(self._key)
            single = sum(function(placed.get(place.cluster, 0)) for place, function in self._on.items())
            return in_steps(rule, rule.cost(self.workload, placed)) - single

        return LinearCost(list(zip(flat.vars, flat.coeffs, strict=True)), flat.offset, steps, least=0)

    def _place(self, cluster: str) -> Place:
        """Return the workload on a cluster, which has to be one of the problem."""
        if cluster not in self._encoding.problem.cluster_by_name:
            raise ExtensionError(f"{called(self._rule)} names {cluster!r}, no cluster of the problem")
        return Place(self._key, cluster)

    def _cost(self) -> CustomCost:
        """Return the rule, which has to be a cost."""
        if not isinstance(self._rule, CustomCost):
            raise ExtensionError(f"{called(self._rule)} is no cost and minimises something")
        return self._rule

    def _checked(self, constraint: Any) -> Constraint:
        """Return a constraint, which has to be a comparison of linear expressions."""
        if not isinstance(constraint, cp_model.BoundedLinearExpression | bool):
            raise ExtensionError(f"{called(self._rule)}: {constraint!r} is not a linear constraint")
        return constraint
