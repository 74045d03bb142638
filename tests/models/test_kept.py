"""What is found out about a problem is kept with it, and with nothing else."""

import gc
import pickle
from dataclasses import replace

import pytest

from fairlead.models.cluster import Cluster
from fairlead.models.in_order import keep, kept
from fairlead.models.problem import Problem
from fairlead.models.uncollected import hurried

CALLS: list[str] = []


@kept
def count(problem: Problem) -> int:
    """Return how many clusters there are, and tell that it was asked."""
    CALLS.append("count")
    return len(problem.clusters)


@pytest.fixture(autouse=True)
def _forgotten() -> None:
    CALLS.clear()


def test_a_problem_is_looked_at_once() -> None:
    """A problem made from it is another one; equality and pickles know nothing of what was kept."""
    problem = Problem((Cluster("a"),), ())
    assert [count(problem), count(problem)] == [1, 1]
    assert CALLS == ["count"]
    assert count(replace(problem, clusters=(Cluster("a"), Cluster("b")))) == 2
    assert problem == Problem((Cluster("a"),), ())
    assert count(pickle.loads(pickle.dumps(problem))) == 1


def test_what_is_known_is_not_looked_for() -> None:
    """Of a problem that was made from a valid one, nobody looks for mistakes."""
    problem = Problem((Cluster("a"),), ())
    keep(problem, count, 7)
    assert count(problem) == 7
    assert CALLS == []


@pytest.mark.parametrize(("limit", "collects"), [(0.05, False), (30, True), (None, True)])
def test_short_calls_leave_garbage_alone(limit: float | None, collects: bool) -> None:
    """Only while they last, and whatever comes of them."""

    @hurried
    def called(*, time_limit: float | None) -> bool:
        assert time_limit == limit
        return gc.isenabled()

    @hurried
    def failing(*, time_limit: float | None) -> None:
        raise ValueError(time_limit)

    assert called(time_limit=limit) is collects
    with pytest.raises(ValueError, match=str(limit)):
        failing(time_limit=limit)
    assert gc.isenabled()
