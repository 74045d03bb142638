"""Levels add up over workloads: what brute force counts on where it looks at each workload but once."""

import pytest

from brute_force import Best, adds_up, brute_force, placements, values_of
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from partial_problems import random_partial
from random_problems import random_problem


def judged_one_by_one(problem: Problem) -> Best | None:
    """Return the best of all placements, each of them judged as a whole."""

    def rank(found: Best) -> tuple[object, ...]:
        held = [found.placement.of(workload.key) for workload in problem.workloads]
        return found.values, [-placed.get(cluster.name, 0) for placed in held for cluster in problem.clusters]

    return min((Best(values_of(problem, one), one) for one in placements(problem)), key=rank, default=None)


@pytest.mark.parametrize("deviation", Deviation)
def test_the_best_is_that_of_placements_judged_as_a_whole(deviation: Deviation) -> None:
    """All rules, partial problems among them; most have several workloads that compete."""
    competing = 0
    for seed in range(12):
        for problem in (
            random_problem(seed, deviation, most_replicas=3),
            random_partial(seed, deviation),
        ):
            assert adds_up(problem)
            assert brute_force(problem) == judged_one_by_one(problem), seed
            competing += len(problem.workloads) > 1 and bool(problem.rules)
    assert competing >= 6
