"""What is answered, compared with what looking at every placement finds."""

import fairlead
from brute_force import Best, brute_force


def assert_best(problem: fairlead.Problem, about: object = None) -> Best | None:
    """Solve a problem without a limit: status, every level, its proof and the tie are those of brute force.

    Parameters
    ----------
    about
        What tells the problem from others, such as its seed.

    Returns
    -------
    Best or None
        The best placement; None where all break a rule.
    """
    best, outcome = brute_force(problem), fairlead.solve(problem, time_limit=None, workers=1)
    if best is None:
        assert (outcome.status, outcome.placement) == (fairlead.Status.INFEASIBLE, None), about
        assert outcome.conflict is not None, about
        return None
    assert outcome.status is fairlead.Status.OPTIMAL, about
    assert tuple(level.value for level in outcome.objectives) == best.values, about
    assert outcome.placement == best.placement, about
    assert all((level.bound, level.proven) == (level.value, True) for level in outcome.objectives), about
    return best


def best_of_last(problem: fairlead.Problem) -> dict[str, int]:
    """Return the best placement of the last workload, which brute force confirms."""
    found = assert_best(problem)
    assert found is not None
    return dict(found.placement.of(problem.workloads[-1].key))
