"""Levels with straight costs in batches, such as unplaced replicas: proven, and without heaps on the way."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from batch_problems import middling
from fairlead.models.check import check
from fairlead.models.levels import DEVIATION, Deviation
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.solver.batch import levels
from fairlead.solver.batch.arrays import Whole, batch_of
from fairlead.solver.batch.costs import BatchLevel, costs_of
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.sifting import Sifting, sift
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.level import minimise
from fairlead.solver.batch.model import LevelModel, Prices, model_of
from fairlead.solver.batch.overload import nowhere_of, solve_partly, with_nowhere
from fairlead.solver.batch.primal.repair import repair_rounded
from fairlead.solver.batch.surrogate import can_break, followers, guide_of, straight_guide
from fairlead.solver.batch.tuning import SHARE, SHARE_OF_DEVIATION
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


@pytest.mark.usefixtures("processor_time")
@pytest.mark.parametrize("deviation", DIVIDED)
def test_few_stay_unplaced_and_the_rest_stands_near_its_quotas(deviation: Deviation) -> None:
    """The urgent ones are placed in full, and stand about as well as if they had all clusters to themselves.

    A placement that only minimises what stays unplaced ends with heaps: ten times the deviation and more.
    """
    problem = scarce(1, deviation, 60, 8)
    result = solve_partly(problem, Search(Deadline.after(2.0), 1))
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


@pytest.mark.usefixtures("processor_time")
def test_the_program_of_a_straight_level_is_solved_whole() -> None:
    """A single linear program tells how few stay unplaced; what is found later is little above it."""
    problem = scarce(2, Deviation.L1)
    batch = batch_of(with_nowhere(problem))
    costs = costs_of(batch)
    straight = model_of(batch, guide_of(batch, costs[0], costs[1:3]))
    free = Prices.none(straight)
    found = sift(straight, free, relax(straight, free).rows, Deadline(), Sifting(turns=1))
    result = solve_partly(problem, Search(Deadline.after(8.0), 2))
    most, more, few = (level.value for level in result.attained[:3])
    reached = float(most + SHARE * (more + few))
    assert few > 0
    assert 0.8 * reached < found.value / straight.unit <= reached + 1e-6


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("number", [0, 2])
def test_a_guide_counts_the_deviation_as_said(deviation: Deviation, number: int) -> None:
    """The guide is the level, a 128th of those like it, and a little of the deviation, half for the next."""
    batch = batch_of(with_nowhere(scarce(3, deviation)))
    costs = costs_of(batch)
    cost, after = costs[number], followers(costs, number)
    deviations = [each for each in costs if each.level.base == DEVIATION]
    guide = straight_guide(batch, [], cost, after, deviations, Deadline())
    where = batch.lower + (batch.upper - batch.lower) // 2
    share = Fraction(SHARE_OF_DEVIATION) * (Fraction(SHARE) if after else 1)

    def in_units(each: BatchLevel) -> float:
        return each.steps(where) / each.scale

    expected = in_units(cost) + sum(SHARE * in_units(each) for each in after)
    expected += float(share) * sum(in_units(each) / 2**rank for rank, each in enumerate(deviations))
    assert guide.model.steps(where) / cost.scale == pytest.approx(expected, rel=1e-6)
    assert guide.model.unit == pytest.approx(float(share) * cost.scale)
    assert guide.straight is not None


def test_pins_that_boxes_keep_are_left_out() -> None:
    """A level that is 0 whatever is done within the boxes needs no pin; one replica nowhere, and it does."""
    batch = batch_of(with_nowhere(scarce(3, Deviation.L1)))
    first = costs_of(batch)[0]
    shape = first.shape
    nowhere = batch.clusters.index(nowhere_of(scarce(3, Deviation.L1)))
    assert can_break(batch, shape, 0)
    upper = batch.upper.copy()
    upper[:, nowhere] = 0
    assert not can_break(replace(batch, upper=upper), shape, 0)
    urgent = [workload.priority == 100 for workload in batch.problem.workloads].index(True)
    upper[urgent, nowhere] = 1
    assert can_break(replace(batch, upper=upper), shape, 0)
    assert not can_break(replace(batch, upper=upper), shape, first.scale)


def test_what_limits_are_broken_by_is_led_to_where_there_is_room() -> None:
    """A placement that fills clusters to twice their size is led to a valid one: the rest goes nowhere."""
    batch = batch_of(with_nowhere(scarce(4, Deviation.L1)))
    costs = costs_of(batch)
    deviations = [each for each in costs if each.level.base == DEVIATION]
    model = straight_guide(batch, [], costs[2], (), deviations, Deadline()).model
    free = Prices.none(model)
    everywhere = relax(model, free)
    assert not model.keeps(everywhere.replicas)
    prices = Prices(
        np.full(len(batch.coupling.limit), model.unit) / np.maximum(1, batch.coupling.limit), free.pins
    )
    search = Search(Deadline.after(5.0), 1)
    known = Incumbent.of(model, None, search)
    known.prices, known.rows = prices, relax(model, prices).rows
    repair_rounded(known, everywhere.replicas)
    assert known.best is not None
    assert model.keeps(known.best)
    assert known.best.sum(axis=1).tolist() == batch.totals.tolist()


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


def test_nobody_has_to_give_way_where_time_ends_before_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A share of the time ends without a placement of everything; one that is found at once counts."""
    part = replace(middling(2, Deviation.L1), partial=True)
    monkeypatch.setattr("fairlead.solver.feasibility._fits_at_once", lambda *_: False)
    monkeypatch.setattr("fairlead.solver.feasibility._searched", lambda *_: None)
    assert not has_to_give_way(part, Search(Deadline.after(10.0), 1))
