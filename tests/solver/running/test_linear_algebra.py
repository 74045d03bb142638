"""Linear algebra of batches by one thread, whatever the program around it has set."""

from contextlib import ExitStack
from typing import Any

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from batch_problems import middling
from fairlead.models.levels import Deviation
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.level import minimise
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.model import LevelModel
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.linear_algebra import in_one_thread
from fairlead.solver.running.search import Search


def threads() -> set[int]:
    """Return how many threads libraries for linear algebra take."""
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_a_batch_takes_one_thread_and_leaves_the_program_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three threads are what the program has set: more than one, and no default of any machine here."""
    seen = []

    def looking(model: LevelModel, *rest: Any, **named: Any) -> Incumbent:
        seen.append(threads())
        return minimise(model, *rest, **named)

    monkeypatch.setattr("fairlead.solver.batch.levels.minimise", looking)
    with threadpool_limits(limits=3, user_api="blas"):
        solve_batch(middling(5, Deviation.WEBSTER, 20, 5), Search(Deadline(), 1))
        assert threads() == {3}
    assert seen
    assert all(each == {1} for each in seen)


def test_searches_that_overlap_leave_the_program_its_own() -> None:
    """The second search begins with the one thread of the first; what it found then is not the program's."""
    first, second = ExitStack(), ExitStack()
    with threadpool_limits(limits=3, user_api="blas"):
        first.enter_context(in_one_thread)
        second.enter_context(in_one_thread)
        first.close()
        assert threads() == {1}
        second.close()
        assert threads() == {3}
