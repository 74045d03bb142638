"""Whole batches in CP-SAT: the model that one writes first, and the same with the integer hull."""

import math
from collections.abc import Sequence
from fractions import Fraction

from answers import Answer, Effort, NotApplicableError
from formulation import Formulation, formulate
from ortools.sat.python import cp_model

from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem

# Steps of the objective in 1; every coefficient is rounded down to them, so that a bound stays a bound.
STEPS = 1_000_000

Cost = list[tuple[cp_model.IntVar, int]]


def naive(problem: Problem, effort: Effort) -> Answer:
    """Use a distance d >= abs(W x - w N) for every cluster, which measures l1 only."""
    if problem.deviation is not Deviation.L1:
        raise NotApplicableError("the naive model measures l1 only")
    formulation = formulate(problem)
    model, replicas = _common(formulation)
    cost: Cost = []
    for places, total in formulation.totals:
        for number in places:
            place = formulation.places[number]
            if not place.weight:
                continue
            most = max(abs(place.whole * at - place.weight * total) for at in (place.lower, place.upper))
            distance = model.new_int_var(0, most, "")
            model.add(distance >= place.whole * replicas[number] - place.weight * total)
            model.add(distance >= place.weight * total - place.whole * replicas[number])
            cost.append((distance, STEPS // place.whole))
    return _solved(formulation, model, replicas, cost, Fraction(0), effort)


def hull(problem: Problem, effort: Effort) -> Answer:
    """Use the segments of the integer hull."""
    formulation = formulate(problem)
    model, replicas = _common(formulation)
    cost: Cost = []
    for place, variable in zip(formulation.places, replicas, strict=True):
        parts = [model.new_int_var(0, piece.width, "") for piece in place.pieces]
        model.add(cp_model.LinearExpr.sum(parts) == variable - place.lower)
        slopes = (math.floor(piece.slope * STEPS) for piece in place.pieces)
        cost += [(part, slope) for part, slope in zip(parts, slopes, strict=True) if slope]
    return _solved(formulation, model, replicas, cost, formulation.constant, effort)


def _common(formulation: Formulation) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    """Make replicas, totals and capacities."""
    model = cp_model.CpModel()
    # Where a lower bound is above the upper one, the total cannot be met either.
    replicas = [
        model.new_int_var_from_domain(cp_model.Domain(place.lower, place.upper), "")
        for place in formulation.places
    ]
    for places, total in formulation.totals:
        model.add(cp_model.LinearExpr.sum([replicas[number] for number in places]) == total)
    for limit in formulation.limits:
        used = [replicas[number] for number in limit.needs]
        model.add(cp_model.LinearExpr.weighted_sum(used, list(limit.needs.values())) <= limit.most)
    return model, replicas


class _Told(cp_model.CpSolverSolutionCallback):
    """Notes every solution and every bound."""

    def __init__(self, effort: Effort, constant: float) -> None:
        super().__init__()
        self._effort = effort
        self._constant = constant
        self._value: float | None = None

    def on_solution_callback(self) -> None:
        """Note what the new solution costs and what is proven."""
        self._value = self.objective_value / STEPS + self._constant
        self._effort.tell(self._value, self.best_objective_bound / STEPS + self._constant)

    def on_bound(self, bound: float) -> None:
        """Note a new bound."""
        self._effort.tell(self._value, bound / STEPS + self._constant)


def _solved(
    formulation: Formulation,
    model: cp_model.CpModel,
    replicas: Sequence[cp_model.IntVar],
    cost: Cost,
    constant: Fraction,
    effort: Effort,
) -> Answer:
    """Run CP-SAT for the time that is left."""
    variables, coefficients = zip(*cost, strict=True) if cost else ((), ())
    model.minimize(cp_model.LinearExpr.weighted_sum(variables, coefficients))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = effort.left
    solver.parameters.num_workers = effort.workers
    told = _Told(effort, float(constant))
    solver.best_bound_callback = told.on_bound
    status = solver.solve(model, told)
    bound = Fraction(int(solver.response_proto.inner_objective_lower_bound), STEPS) + constant
    if status == cp_model.UNKNOWN:
        return Answer(None, (bound,))
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Answer(None)
    effort.tell(solver.objective_value / STEPS + float(constant), float(bound))
    placement = formulation.placement([solver.value(variable) for variable in replicas])
    return Answer(placement, (bound,), status == cp_model.OPTIMAL)
