"""What is not begun because too little time is left for it, and what is answered then."""

from collections.abc import Sequence
from typing import Any

import pytest

import fairlead
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.solver import strictly
from fairlead.solver.conflicts.scarcity import excess_of
from fairlead.solver.conflicts.units import Unit, units_of
from fairlead.solver.explaining import conflict
from fairlead.solver.parts import dispatch
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search
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


@pytest.mark.parametrize(("most", "calls"), [(1, 2), (2, 1)])
def test_conflicts_of_several_are_not_verified_without_time(
    most: int, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That units contradict each other is known; that none is needless is looked at for one workload only."""
    asked: list[int] = []

    def never(part: Problem, deadline: Deadline, seed: int = 0) -> bool:
        del deadline, seed
        asked.append(len(part.workloads))
        return False

    monkeypatch.setattr(conflict, "has_placement", never)
    monkeypatch.setattr(conflict, "_is_kept_simply", lambda *_: False)
    for problem, units in _without_sums(most):
        asked.clear()
        assert not conflict.verified(problem, units, frozenset(), Search(Deadline.after(0)))
        assert len(asked) == calls


def test_the_conflict_of_one_workload_on_many_clusters_is_not_verified_without_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That of 3,000 clusters none can be spared took two minutes where seconds were given."""
    problem, units = _without_sums(1)[0]
    size, looked = len(units) * len(problem.clusters), list[int]()

    def nowhere(problem: Problem, rest: Sequence[Unit], judge: object, left_out: int) -> bool:
        del problem, rest, judge
        looked.append(left_out)
        return False

    monkeypatch.setattr(conflict, "has_placement", lambda *_: False)
    monkeypatch.setattr(conflict, "_is_kept_simply", nowhere)
    for most, seen in ((size, [0]), (size - 1, [])):
        looked.clear()
        monkeypatch.setattr(conflict, "VERIFIED_LATE", most)
        assert not conflict.verified(problem, units, frozenset(), Search(Deadline.after(0)))
        assert looked == seen


def _without_sums(most: int) -> Sequence[tuple[Problem, list[Unit]]]:
    """Return problems of so many workloads of which adding up tells nothing."""
    found = []
    for seed in range(200):
        problem = random_problem(seed, Deviation.L1, most_workloads=most, most_clusters=3)
        units = list(units_of(problem))
        if units and len(problem.workloads) == most and excess_of(problem, units) is None:
            found.append((problem, units))
    assert len(found) > 3
    return found
