"""What is not begun because too little time is left for it, and what is answered then."""

from typing import Any

import pytest

import fairlead
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.solver import strictly
from fairlead.solver.parts import dispatch
from random_problems import random_problem


def coupled() -> Problem:
    """Return a problem that is searched, though some placement is found at once."""
    found = (random_problem(seed, Deviation.L1, most_workloads=3, most_clusters=3) for seed in range(200))
    return next(each for each in found if _searches(each))


def _searches(problem: Problem) -> bool:
    found = fairlead.solve(problem, workers=1)
    at_once = fairlead.solve(problem, workers=1, time_limit=0)
    return found.origin != "exact" and at_once.placement is not None


def test_no_search_begins_that_takes_longer_to_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a place is worth more seconds than are left, what is found at once is the answer."""
    problem, begun = coupled(), []

    def noticed(*arguments: Any) -> Any:
        begun.append(arguments)
        return parts(*arguments)

    parts = dispatch.solve_parts
    monkeypatch.setattr(dispatch, "solve_parts", noticed)
    assert fairlead.solve(problem, workers=1, time_limit=20).placement is not None
    assert begun
    begun.clear()
    monkeypatch.setattr(strictly, "A_PLACE", 20.0)
    outcome = fairlead.solve(problem, workers=1, time_limit=20)
    assert not begun
    assert outcome.placement is not None
    assert fairlead.check(problem, outcome.placement) == ()
