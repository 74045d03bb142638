"""Levels with straight costs in batches, such as unplaced replicas: proven, and without heaps on the way."""

from dataclasses import replace
from typing import Any

import pytest

from batch_problems import middling
from fairlead.models.check import check
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.solver.batch import levels
from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.level import minimise
from fairlead.solver.batch.model import LevelModel
from fairlead.solver.batch.overload import solve_partly
from fairlead.solver.dispensers import reference
from fairlead.solver.feasibility import has_placement, has_to_give_way
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

DIVIDED = (Deviation.L1, Deviation.WEBSTER)
THREE = (100, 10, 0)


def scarce(seed: int, deviation: Deviation, workloads: int = 45, clusters: int = 6) -> Problem:
    """Return a batch that asks for a tenth more than there is, partly."""
    problem = middling(seed, deviation, workloads, clusters, load=1.1, priorities=THREE)
    return replace(problem, partial=True)


@pytest.mark.usefixtures("counted_time")
@pytest.mark.parametrize(
    ("deviation", "seed"), [(Deviation.L1, 1), (Deviation.WEBSTER, 1), (Deviation.WEBSTER, 11)]
)
@pytest.mark.usefixtures("counted_time")
def test_few_stay_unplaced_and_the_rest_stands_near_its_quotas(deviation: Deviation, seed: int) -> None:
    """The urgent ones are placed in full, and stand about as well as if they had all clusters to themselves.

    A placement that only minimises what stays unplaced ends with heaps: ten times the deviation and more.
    """
    problem = scarce(seed, deviation, 60, 8)
    result = solve_partly(problem, Search(Deadline.after(0.6), 1))
    unplaced, deviations = result.attained[:3], result.attained[3:]
    assert [level.value for level in unplaced[:2]] == [0, 0]
    assert unplaced[2].bound is not None
    assert 0 < unplaced[2].bound <= unplaced[2].value <= 1.2 * float(unplaced[2].bound)
    urgent = deviations[0]
    assert result.placement is not None
    alone = replace(
        problem,
        workloads=tuple(each for each in problem.workloads if each.priority == 100),
        partial=False,
    )
    least = score(alone, reference.place(alone))[0].value
    assert urgent.value < 3 * least


def test_whether_a_batch_has_a_placement_is_told_by_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither yes nor no needs CP-SAT over the whole batch, which takes seconds for a thousand workloads."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("CP-SAT was asked")

    monkeypatch.setattr("fairlead.solver.levels.lexicographic.minimise_levels", refuse)
    assert has_placement(middling(1, Deviation.L1, load=1.1), Search(Deadline.after(10.0))) is False
    assert has_placement(middling(1, Deviation.L1, load=0.98), Search(Deadline.after(10.0))) is True


def test_more_than_there_is_has_to_give_way_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums tell it of a batch that asks for a tenth more than there is: nobody tries to place all of it."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("somebody tried to place everything")

    monkeypatch.setattr("fairlead.solver.feasibility.keep_and_repair", refuse)
    monkeypatch.setattr("fairlead.solver.feasibility.has_placement", refuse)
    assert has_to_give_way(scarce(1, Deviation.L1), Search(Deadline.after(10.0), 1))


def test_time_that_is_left_goes_to_levels_that_are_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level that was left with a gap is searched again; what was proven of it before still holds."""
    problem = middling(5, Deviation.L1, 20, 5, priorities=THREE)
    by_webster = replace(problem, deviation=Deviation.WEBSTER)
    other = levels.solve_batch(by_webster, Search(Deadline.after(10.0), 1))
    valid = other.placement
    assert valid is not None
    bounds: list[int] = []

    def poorly(model: LevelModel, start: Whole | None, *rest: Any, **named: Any) -> Incumbent:
        """Find nothing but a valid placement at first, and tell no bound the second time."""
        found = minimise(model, start, *rest, **named)
        bounds.append(found.bound)
        if len(bounds) == 1:
            return replace(found, best=model.batch.matrix(valid))
        return replace(found, bound=-(2**62)) if len(bounds) == 4 else found

    monkeypatch.setattr("fairlead.solver.batch.levels.minimise", poorly)
    result = levels.solve_batch(problem, Search(Deadline.after(12.0), 1))
    first = result.attained[0]
    # Three levels, then the first of them again.
    assert len(bounds) > 3
    assert first.value < score(problem, valid)[0].value
    assert first.bound is not None
    assert first.bound > 0
    assert result.placement is not None
    assert not check(problem, result.placement)


def test_a_floor_that_is_better_on_a_later_level_is_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level may be met by another placement than the floor, worse on the next; the answer never is."""
    problem = middling(5, Deviation.L1, 20, 5, priorities=THREE)
    best = levels.solve_batch(problem, Search(Deadline.after(10.0), 1))
    floor = best.placement
    assert floor is not None
    assert best.status is Status.OPTIMAL
    by_webster = replace(problem, deviation=Deviation.WEBSTER)
    other = levels.solve_batch(by_webster, Search(Deadline.after(10.0), 1))
    worse = other.placement
    assert worse is not None

    def poorly(model: LevelModel, _start: Whole | None, search: Search, *_: object) -> Incumbent:
        """Find the worse placement whatever is known, and no bound."""
        return Incumbent.of(model, model.batch.matrix(worse), search)

    monkeypatch.setattr("fairlead.solver.batch.levels.minimise", poorly)
    result = levels.solve_batch(problem, Search(Deadline.after(1.0), 1), floor=floor)
    assert result.placement == floor
    assert result.status is Status.FEASIBLE
    assert not result.attained[0].proven
