"""No answer claims what is not true, however short the time; benchmarks/walk.py has many more problems."""

from collections.abc import Callable

import pytest

from fairlead.models.problem import Problem
from walk_problems import partial_walk_problem, standing_problem, walk_problem
from walking import walk


@pytest.mark.parametrize("made", [walk_problem, standing_problem, partial_walk_problem])
def test_small_problems_agree_with_brute_force(made: Callable[[int], Problem]) -> None:
    """Sixty problems of a kind under short and long limits: values, bounds, proofs, groups and ties."""
    # In 80 copies give way of a workload of which more runs than a copy has.
    faults = [fault for seed in (*range(60), 80) for fault in walk(seed, made)]
    assert not faults, "\n".join(faults)
