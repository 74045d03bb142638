"""What a model of a problem allows, and what is best by it."""

from collections.abc import Mapping

from ortools.sat.python import cp_model

from brute_force import brute_force
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.registry import encode
from fairlead.models.problem import Problem
from fairlead.solver.levels.lexicographic import minimise_levels
from fairlead.solver.running.search import Search


def encoded(problem: Problem) -> Encoding:
    """Return the model of a problem."""
    encoding = encode(problem)
    assert encoding is not None
    return encoding


def allows(problem: Problem, **forced: int) -> bool:
    """Tell whether the model has a solution with the given replicas of the first workload by cluster."""
    return allows_all(problem, {problem.workloads[0].key: forced})


def allows_all(problem: Problem, forced: Mapping[str, Mapping[str, int]]) -> bool:
    """Tell whether the model has a solution with the given replicas by workload and cluster."""
    encoding = encoded(problem)
    for key, placed in forced.items():
        for cluster, count in placed.items():
            encoding.model.add(encoding.replicas(key, cluster) == count)
    status = cp_model.CpSolver().solve(encoding.model)
    assert status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return bool(status == cp_model.OPTIMAL)


def best(problem: Problem) -> dict[str, int]:
    """Return the best placement of the last workload by CP-SAT, which brute force confirms."""
    result, expected = minimise_levels(problem, Search(workers=1)), brute_force(problem)
    assert expected is not None
    assert result.placement == expected.placement
    return dict(expected.placement.of(problem.workloads[-1].key))
