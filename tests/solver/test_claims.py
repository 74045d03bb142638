"""No answer claims what is not true, however short the time; benchmarks/walk.py has many more problems."""

from collections.abc import Callable, Iterable

import pytest

import fairlead
from fairlead.models.problem import Problem
from seeds import seeds
from walk_problems import partial_walk_problem, standing_problem, walk_problem
from walking import below, walk


@pytest.mark.parametrize("made", [walk_problem, standing_problem, partial_walk_problem])
# In 80 copies give way of a workload of which more runs than a copy has.
@pytest.mark.parametrize("which", [*seeds(30, 630), [80]])
def test_small_problems_agree_with_brute_force(made: Callable[[int], Problem], which: Iterable[int]) -> None:
    """Problems of a kind under short and long limits: values, bounds, proofs, groups and ties."""
    faults = [fault for seed in which for fault in walk(seed, made)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("made", [walk_problem, standing_problem, partial_walk_problem])
def test_no_answer_is_worse_than_the_reference_dispenser_at_any_deadline(
    made: Callable[[int], Problem],
) -> None:
    """Without any time at all small problems are placed at least as well; 26 of 150 partial ones were not."""
    answers = ((seed, made(seed)) for seed in range(60))
    faults = [
        (seed, fault)
        for seed, problem in answers
        for fault in below(fairlead.solve(problem, time_limit=0, workers=1), problem)
    ]
    assert faults == []
