"""Tolerances of levels in batches: later levels may use placements that are a little worse before them."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from batch_problems import middling, random_batch
from brute_force import placements
from fairlead.models.levels import DEVIATION, Deviation, Tolerance, tolerances_of
from fairlead.models.outcome import Attained
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.overload import with_nowhere
from fairlead.solver.levels.targets import loose_levels, strict, unheard
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

DIVIDED = (Deviation.L1, Deviation.WEBSTER)
TWO = (100, 0)


def loose_batch(seed: int, deviation: Deviation, tolerance: str) -> Problem:
    """Return a small batch of up to two priorities with a tolerance of every deviation."""
    chance = random.Random(f"loose {seed}")
    problem = random_batch(seed, deviation)
    workloads = tuple(replace(each, priority=chance.choice(TWO)) for each in problem.workloads)
    return replace(problem, workloads=workloads, tolerances=tolerances_of({"deviation": tolerance}))


def allowed(level: Attained) -> int | Fraction:
    """Return what a level may cost beside what is known of it."""
    return max(level.value, (level.bound or 0) + level.tolerance)


@pytest.mark.parametrize("deviation", DIVIDED)
def test_bounds_hold_for_all_that_the_levels_before_allow(deviation: Deviation) -> None:
    """Of 40 small batches every placement is looked at; six tenths more are enough to be used by some."""
    used = 0
    for seed in range(40):
        problem = loose_batch(seed, deviation, "60%")
        result = solve_batch(problem, Search(Deadline.after(20)))
        if result.placement is None:
            continue
        values = [[each.value for each in score(problem, each)] for each in placements(problem)]
        for number, level in enumerate(result.attained):
            assert level.bound is not None
            least = min(each[number] for each in values)
            assert level.bound <= least, (seed, level)
            assert not level.proven or level.value <= level.bound + level.tolerance, (seed, level)
            used += level.proven and level.value > least
            values = [each for each in values if each[number] <= allowed(level)]
    assert used


def test_a_tolerance_helps_the_levels_after_it() -> None:
    """Thirty workloads on six clusters: 5 % of what the urgent ones cost is worth far more to the others."""
    problem = middling(3, Deviation.L1, priorities=TWO)
    loose = replace(problem, tolerances={DEVIATION.key: Tolerance(Fraction(1, 20), relative=True)})
    best = solve_batch(problem, Search(Deadline.after(20))).attained
    found = solve_batch(loose, Search(Deadline.after(20))).attained
    first, second = (each for each in found if each.name.startswith("deviation"))
    _, strictly = (each for each in best if each.name.startswith("deviation"))
    assert first.proven
    assert first.tolerance == Fraction(first.bound or 0) / 20
    assert second.value < strictly.value


def test_prices_hear_of_tolerances_where_many_are_new() -> None:
    """2,400 places are many; 180 are not, and where something runs the other search hears of them."""
    given = tolerances_of({"deviation": "1%"})
    many = replace(middling(0, Deviation.L1, workloads=240, clusters=10), tolerances=given)
    few = replace(middling(0, Deviation.L1), tolerances=given)
    held = dict.fromkeys(("member0",), 1)
    runs = replace(many, workloads=tuple(replace(each, current=held) for each in many.workloads))
    assert strict(many).tolerances == given
    assert not unheard(many, strict(many))
    for problem in (few, runs):
        assert not strict(problem).tolerances
        assert unheard(problem, strict(problem)) == loose_levels(problem)


def test_replicas_that_stay_unplaced_have_no_tolerance() -> None:
    """They stand where nothing is, at a price; the tolerance of prices is not for them."""
    problem = replace(middling(0, Deviation.L1), partial=True, tolerances=tolerances_of({"cost": 5}))
    assert not with_nowhere(problem).tolerances
