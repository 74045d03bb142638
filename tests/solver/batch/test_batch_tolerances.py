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
