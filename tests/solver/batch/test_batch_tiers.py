"""Batches in which every workload overflows from one tier into another."""

from dataclasses import replace

import pytest

from batch_problems import middling
from fairlead.models.check import check
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Tiers, Weights
from fairlead.models.workload import Workload
from fairlead.solver.batch.mixed.search import applies_mixed, solve_mixed
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

DIVIDED = (Deviation.L1, Deviation.WEBSTER)


def tiered(seed: int, deviation: Deviation, first: int, load: float) -> Problem:
    """Return a batch whose workloads all prefer the clusters up to a number, and overflow into the others."""
    problem = middling(seed, deviation, 30, 8, load)
    preferred = frozenset(cluster.name for cluster in problem.clusters[:first])
    return replace(problem, workloads=tuple(_tiered(each, preferred) for each in problem.workloads))


def _tiered(workload: Workload, preferred: frozenset[str]) -> Workload:
    """Return a workload with two tiers of its candidates, or one."""
    candidates, weights = workload.rule(Candidates), workload.rule(Weights)
    assert candidates is not None
    assert weights is not None
    names = frozenset(candidates.names)
    tiers = tuple(each for each in (names & preferred, names - preferred) if each)
    others = tuple(rule for rule in workload.rules if not isinstance(rule, Weights))
    return replace(workload, rules=(*others, Tiers(tiers), replace(weights, tiers=tiers)))


@pytest.mark.usefixtures("counted_time")
@pytest.mark.parametrize("deviation", DIVIDED)
def test_where_the_first_tiers_hold_all_the_gap_is_small(deviation: Deviation) -> None:
    """Six clusters of eight hold all at a load of one half: nothing overflows, and the rest is nearly proven.

    Deviation and bound are those of a batch without tiers, as each workload has one tier to divide.
    """
    problem = tiered(1, deviation, 6, 0.5)
    assert applies_mixed(problem)
    result = solve_mixed(problem, Search(Deadline.after(2.0), 1))
    beyond, away = result.attained[0], result.attained[-1]
    assert result.placement is not None
    assert not check(problem, result.placement)
    assert beyond.proven
    assert away.bound is not None
    assert away.bound >= 0.75 * float(away.value)


@pytest.mark.usefixtures("counted_time")
@pytest.mark.parametrize("deviation", DIVIDED)
def test_where_the_first_tiers_are_full_as_few_as_possible_overflow(deviation: Deviation) -> None:
    """Half of the clusters hold half of what is asked for: the rest overflows, about as little as proven."""
    problem = tiered(2, deviation, 4, 0.85)
    result = solve_mixed(problem, Search(Deadline.after(0.5), 1))
    beyond = result.attained[0]
    assert result.placement is not None
    assert not check(problem, result.placement)
    assert beyond.value > 0
    assert beyond.bound is not None
    assert beyond.bound >= 0.75 * float(beyond.value)
