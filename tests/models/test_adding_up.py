"""Own rules hold or not, and levels add up, workload by workload: what brute force counts on."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from brute_force import Best, adds_up, brute_force, placements, values_of
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.shortfall import refused
from fairlead.models.validity import largest
from partial_problems import random_partial
from random_problems import random_problem


def every_placement(problem: Problem) -> Iterator[Placement]:
    """Yield everything of at most N replicas a cluster, whether it breaks a rule or not."""
    names = [cluster.name for cluster in problem.clusters]
    rows = (product(range(largest(workload) + 1), repeat=len(names)) for workload in problem.workloads)
    for counts in product(*rows):
        placed = (dict(zip(names, row, strict=True)) for row in counts)
        yield Placement(dict(zip((workload.key for workload in problem.workloads), placed, strict=True)))


def test_placements_are_those_that_break_nothing() -> None:
    """Two workloads of up to two replicas on two clusters stand in 3^4 ways; most break something."""
    few = several = 0
    for seed in range(60):
        drawn = random_problem(seed, Deviation.L1, most_clusters=2, most_replicas=2)
        for problem in (drawn, replace(drawn, partial=True)):
            found = list(placements(problem))
            assert found == [one for one in every_placement(problem) if not refused(problem, one)], seed
            few += len(found) <= 1
            several += len(found) > 5
    assert min(few, several) >= 10


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
