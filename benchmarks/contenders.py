"""Who is measured: fairlead's own paths and the model that one writes first."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ortools.sat.python import cp_model

import fairlead
from fairlead.models.problem import Problem
from fairlead.models.rules import Weights
from fairlead.solver.boxes import box_of


@dataclass(frozen=True, slots=True)
class Result:
    """What a contender achieved.

    Parameters
    ----------
    milliseconds
        Wall time of the whole call.
    deviation
        Deviation of its placement by the pure scorer; None where it found none.
    proven
        True where it says that this is optimal.
    """

    milliseconds: float
    deviation: float | None
    proven: bool


def fairlead_exact(problem: Problem, deviation: str, time_limit: float) -> Result:
    """Use the exact allocation."""
    return _fairlead(problem, deviation, time_limit, "auto")


def fairlead_cp_sat(problem: Problem, deviation: str, time_limit: float) -> Result:
    """Use fairlead's own encoding in CP-SAT."""
    return _fairlead(problem, deviation, time_limit, "cp-sat")


def naive_cp_sat(problem: Problem, deviation: str, time_limit: float) -> Result:
    """Use the model that one writes first: d >= abs(W x - w N), minimise the sum of d (always l1)."""
    del deviation
    started = time.perf_counter()
    workload = problem.workloads[0]
    boxed = box_of(workload, problem, problem.limits)
    weights = _weights(problem)
    whole = sum(weights.values())
    model = cp_model.CpModel()
    replicas, distances = [], []
    for name, low, high in zip(boxed.names, boxed.box.lower.tolist(), boxed.box.upper.tolist(), strict=True):
        here = model.new_int_var(low, high, name)
        distance = model.new_int_var(0, whole * workload.replicas, f"d-{name}")
        model.add(distance >= whole * here - weights[name] * workload.replicas)
        model.add(distance >= weights[name] * workload.replicas - whole * here)
        replicas.append(here)
        distances.append(distance)
    model.add(sum(replicas) == workload.replicas)
    model.minimize(sum(distances))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_limit
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    elapsed = 1000 * (time.perf_counter() - started)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Result(elapsed, None, proven=False)
    placed = {name: solver.value(here) for name, here in zip(boxed.names, replicas, strict=True)}
    return Result(elapsed, _score(problem, placed), status == cp_model.OPTIMAL)


CONTENDERS: Mapping[str, Callable[[Problem, str, float], Result]] = {
    "fairlead (exact)": fairlead_exact,
    "fairlead (CP-SAT)": fairlead_cp_sat,
    "naive CP-SAT": naive_cp_sat,
}


def _fairlead(problem: Problem, deviation: str, time_limit: float, method: str) -> Result:
    """Call solve as a user does."""
    started = time.perf_counter()
    outcome = fairlead.solve(problem, deviation=deviation, time_limit=time_limit, method=method)  # type: ignore[arg-type]
    elapsed = 1000 * (time.perf_counter() - started)
    value = outcome.objectives[0].value if outcome.objectives else None
    return Result(elapsed, None if value is None else float(value), outcome.status is fairlead.Status.OPTIMAL)


def _weights(problem: Problem) -> Mapping[str, int]:
    """Return the weights of the only workload."""
    rule = problem.workloads[0].rule(Weights)
    return rule.weights if rule else {}


def _score(problem: Problem, placed: Mapping[str, int]) -> float:
    """Return the l1 deviation of a placement."""
    from dataclasses import replace

    measured = replace(problem, deviation=fairlead.Deviation.L1)
    return float(fairlead.score(measured, {problem.workloads[0].key: placed})[0].value)
