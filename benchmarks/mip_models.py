"""Whole batches as mixed-integer programs with the integer hull, by the solvers that OR-Tools brings.

They compute with floating-point numbers: their bounds are what they claim, up to their tolerances.
"""

import math
from functools import partial

import numpy as np
from answers import Answer, Effort, NotApplicableError, Solve
from formulation import Formulation, formulate
from ortools.linear_solver.python import model_builder as builder

from fairlead.models.problem import Problem


def program(problem: Problem, effort: Effort, *, solver: str, whole: bool) -> Answer:
    """Solve a batch.

    Parameters
    ----------
    problem
        The batch.
    effort
        Time limit and threads.
    solver
        Name of a solver that OR-Tools brings, such as ``highs``.
    whole
        False gives the bound of the linear relaxation only.
    """
    formulation = formulate(problem)
    model, parts = _modelled(formulation, whole=whole)
    run = builder.Solver(solver)
    if not run.solver_is_supported():
        raise NotApplicableError(f"this OR-Tools has no {solver}")
    run.set_time_limit_in_seconds(effort.left)
    if whole and solver in _PARAMETERS:
        run.set_solver_specific_parameters(_PARAMETERS[solver])
    status = run.solve(model)
    optimal = status == builder.SolveStatus.OPTIMAL
    if not whole:
        # A linear program that was cut short has no bound that one could trust.
        bound = run.objective_value + float(formulation.constant) if optimal else None
        effort.tell(None, bound)
        return Answer(None, (bound,))
    # Where nothing was found there is a missing value instead of a number.
    bound = run.best_objective_bound
    is_known = isinstance(bound, float) and math.isfinite(bound)
    known = bound + float(formulation.constant) if is_known else None
    if status not in (builder.SolveStatus.OPTIMAL, builder.SolveStatus.FEASIBLE):
        return Answer(None, (known,))
    effort.tell(run.objective_value + float(formulation.constant), known)
    replicas = [
        place.lower + sum(round(run.value(part)) for part in of_place)
        for place, of_place in zip(formulation.places, parts, strict=True)
    ]
    return Answer(formulation.placement(replicas), (known,), optimal)


# HiGHS calls optimal what is within 0.01 % of its bound, unless it is told otherwise.
_PARAMETERS = {"highs": "mip_rel_gap=0"}


def _modelled(formulation: Formulation, *, whole: bool) -> tuple[builder.Model, list[list[builder.Variable]]]:
    """Make the program over the segments: each place holds its lower bound and what its segments hold."""
    model = builder.Model()
    parts, columns, slopes = [], [], []
    for place in formulation.places:
        found = [model.new_var(0, piece.width, whole, None) for piece in place.pieces]
        parts.append(found)
        columns += found
        slopes += [float(piece.slope) for piece in place.pieces]
    for places, total in formulation.totals:
        inside = [part for number in places for part in parts[number]]
        left = total - sum(formulation.places[number].lower for number in places)
        _add(model, inside, np.ones(len(inside)), left, left)
    for limit in formulation.limits:
        inside = [part for number in limit.needs for part in parts[number]]
        needs = [float(need) for number, need in limit.needs.items() for _ in parts[number]]
        held = sum(need * formulation.places[number].lower for number, need in limit.needs.items())
        _add(model, inside, np.array(needs), -math.inf, limit.most - held)
    model.minimize(builder.LinearExpr.weighted_sum(columns, slopes))
    return model, parts


def _add(
    model: builder.Model, parts: list[builder.Variable], needs: np.ndarray, least: float, most: float
) -> None:
    """Add one row."""
    model.add_linear_constraint(builder.LinearExpr.weighted_sum(parts, needs.tolist()), least, most)


def mixed_integer(solver: str) -> Solve:
    """Return the contender that uses a solver for mixed-integer programs."""
    return partial(program, solver=solver, whole=True)


def relaxed(solver: str) -> Solve:
    """Return the contender that gives the bound of the linear relaxation."""
    return partial(program, solver=solver, whole=False)
