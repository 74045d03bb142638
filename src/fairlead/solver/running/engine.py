"""The one caller of CP-SAT: parameters, statuses, and plain numbers out."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ortools.sat.python import cp_model

from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import weighted
from fairlead.models.errors import InternalError
from fairlead.solver.running.deadline import interruptible
from fairlead.solver.running.search import RunLimits, RunResult, Verdict

# Measured on models of up to 1,000 clusters: the search for dominance and symmetry among thousands of equal
# segments costs seconds and finds nothing that the linear relaxation does not know. Rules of presolve that
# look for constraints inside others call feasible models infeasible where coefficients exceed 2**31 (OR-Tools
# 9.15), as those of levels do; `tests/solver/test_engine.py` has the smallest model that was found.
SETTINGS: Mapping[str, Any] = MappingProxyType(
    {
        "symmetry_level": 0,
        "cp_model_probing_level": 0,
        "keep_all_feasible_solutions_in_presolve": True,
        "presolve_inclusion_work_limit": 0,
    }
)
# Measured on 60 workloads that compete on 30 clusters: what the search alone settles in three to ten seconds
# this settles in one or two; what needs less than that becomes slower.
THOROUGH: Mapping[str, Any] = MappingProxyType(
    {"cp_model_probing_level": 1, "keep_all_feasible_solutions_in_presolve": False}
)
# One worker searches no neighbourhoods by itself, but in turn with all other ways to search. Their order is
# told by work, so what comes of it does not depend on the machine.
NEARBY: Mapping[str, Any] = MappingProxyType({"interleave_search": True, "use_lns_only": True})

# Measured on 140 workloads on 8 clusters: of what was missing to the bound this closes four fifths in ten
# seconds, and all other ways of CP-SAT a half.
UPWARDS = "objective_lb_search_max_lp"

_VERDICTS: Mapping[Any, Verdict] = MappingProxyType(
    {
        cp_model.OPTIMAL: Verdict.OPTIMAL,
        cp_model.FEASIBLE: Verdict.FEASIBLE,
        cp_model.INFEASIBLE: Verdict.INFEASIBLE,
        cp_model.UNKNOWN: Verdict.UNKNOWN,
    }
)


def run(
    model: cp_model.CpModel,
    variables: Sequence[cp_model.IntVar],
    cost: Sequence[Term],
    hint: Sequence[Term],
    effort: RunLimits,
) -> RunResult:
    """Run CP-SAT once.

    `model`: the model; its objective and hint are replaced. `cost`: variables and coefficients whose sum is
    minimised; empty asks for any solution. `hint`: values to start from; empty for none.

    Raises `InternalError` where the model is invalid or the status is none that is known.
    """
    seconds = effort.deadline.remaining()
    if not seconds:
        return RunResult(Verdict.UNKNOWN)
    model.clear_objective()
    model.clear_hints()
    if cost:
        model.minimize(weighted(cost))
    for variable, value in hint:
        model.add_hint(variable, value)
    solver = _solver(effort)
    status = interruptible(lambda: solver.solve(model), solver.stop_search, effort.deadline)
    if status == cp_model.MODEL_INVALID:
        raise InternalError(f"CP-SAT refuses the model: {model.validate()}")
    if status not in _VERDICTS:
        raise InternalError(f"CP-SAT ended with the unknown status {status}")
    verdict = _VERDICTS[status]
    if verdict is Verdict.INFEASIBLE:
        return RunResult(verdict)
    if verdict is Verdict.UNKNOWN:
        # A run that ends before it has begun reports 0, which is no bound where costs may be negative.
        return RunResult(verdict)
    values = tuple(solver.value(variable) for variable in variables)
    # The bound as the solver holds it: a whole number, never a rounded one.
    bound = int(solver.response_proto.inner_objective_lower_bound) if cost else None
    reached = sum(coefficient * solver.value(variable) for variable, coefficient in cost)
    return RunResult(verdict, values, None if bound is None or bound > reached else bound)


def _solver(effort: RunLimits) -> cp_model.CpSolver:
    """Return a solver with its parameters set."""
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    more = {**(THOROUGH if effort.thorough else {}), **(NEARBY if effort.nearby else {})}
    for name, value in {**SETTINGS, **more}.items():
        setattr(parameters, name, value)
    parameters.num_workers = effort.workers
    if effort.upwards:
        parameters.subsolvers.append(UPWARDS)
    parameters.linearization_level = effort.linearization
    # Ctrl-C is for `interrupt`: where OR-Tools takes it, Python never hears of it.
    parameters.catch_sigint_signal = False
    parameters.random_seed = effort.seed
    seconds = effort.deadline.remaining()
    if seconds != float("inf"):
        parameters.max_time_in_seconds = seconds
    if not math.isinf(effort.work):
        parameters.max_deterministic_time = effort.work
    return solver
