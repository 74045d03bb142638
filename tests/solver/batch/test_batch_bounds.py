"""Batches of middle size through their face: bounds reach linear programs, placements come near to bounds."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest

from batch_problems import linear_optimum, middling
from fairlead.models.check import check
from fairlead.models.levels import Deviation, tolerances_of
from fairlead.models.outcome import Attained, Status
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.solver.answers.attainment import LexicographicResult
from fairlead.solver.batch import level as one_level
from fairlead.solver.batch import tuning
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

DIVIDED = (Deviation.L1, Deviation.WEBSTER)
SHIPPED: Mapping[str, int] = MappingProxyType({})
NO_INTERIOR = MappingProxyType({"PLACES_OF_INTERIOR": 0})
# 100 pieces of cost are fewer than the 200 workloads, so that some rows stand for others.
FEW_ROWS = MappingProxyType({**NO_INTERIOR, "WHOLE_PROGRAM": 0, "MOST_SEGMENTS": 100})


def near(problem: Problem, part: str = "2%", workers: int = 1) -> LexicographicResult:
    """Place a batch of which every deviation may be a part worse than its bound, and check the answer.

    That ends as soon as a linear program, exchanges and changes of groups have come so near to each other,
    long before anything would be proven to the last replica.
    """
    loose = replace(problem, tolerances=tolerances_of({"deviation": part}))
    result = solve_batch(loose, Search(Deadline.after(60.0), workers))
    assert result.placement is not None
    assert not check(problem, result.placement)
    for level, scored in zip(result.attained, score(problem, result.placement), strict=True):
        assert level.value == scored.value
        assert level.bound is not None
        assert level.bound <= level.value
    return result


def bound(level: Attained) -> float:
    """Return the bound of a level, which has one."""
    assert level.bound is not None
    return float(level.bound)


def tuned(monkeypatch: pytest.MonkeyPatch, constants: Mapping[str, int]) -> None:
    """Let constants be others: none of them decides whether an answer is right."""
    for name, value in constants.items():
        monkeypatch.setattr(tuning, name, value)


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("constants", [SHIPPED, NO_INTERIOR, FEW_ROWS])
@pytest.mark.parametrize(("seed", "workloads"), [(1, 30), (5, 200)])
def test_the_bound_is_the_linear_program(
    deviation: Deviation,
    constants: Mapping[str, int],
    seed: int,
    workloads: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However prices are found, they bound as much as the program that is written down by itself here.

    Rounded to whole replicas the best may cost more, which a search may prove: of 30 workloads some percent.
    """
    tuned(monkeypatch, constants)
    problem = middling(seed, deviation, workloads)
    (level,) = near(problem).attained
    assert level.proven
    assert bound(level) >= linear_optimum(problem) * 0.9999
    assert float(level.value) <= 1.05 * linear_optimum(problem)


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("constants", [SHIPPED, NO_INTERIOR, FEW_ROWS])
def test_bounds_beside_what_is_more_urgent_are_linear_programs(
    deviation: Deviation, constants: Mapping[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 60 workloads every other one is urgent: at its best that costs the others a lot.

    One unit of the urgent level is worth many of the other: prices of all sizes have to be found.
    """
    tuned(monkeypatch, constants)
    problem = middling(1, deviation, workloads=60, priorities=(100, 0))
    first, second = near(problem).attained
    assert first.proven
    assert second.proven
    assert bound(first) == pytest.approx(linear_optimum(problem, priority=100), rel=1e-4)
    most = float(max(first.value, (first.bound or 0) + first.tolerance))
    beside = linear_optimum(problem, priority=0, pinned=(100, most))
    assert bound(second) >= beside * 0.999
    assert float(second.value) <= 1.05 * beside
    # Without the urgent ones the others would come off better.
    assert beside > linear_optimum(problem, priority=0) * 1.0001


@pytest.mark.parametrize("deviation", DIVIDED)
def test_three_priorities_come_close_to_their_linear_programs(deviation: Deviation) -> None:
    """Most workloads cost nothing on a level; the others need room all the same."""
    problem = middling(4, deviation, workloads=36, priorities=(100, 10, 0))
    levels = near(problem, "1%").attained
    assert all(level.proven for level in levels)
    assert bound(levels[0]) >= linear_optimum(problem, priority=100) * 0.999


@pytest.mark.parametrize("deviation", DIVIDED)
def test_threads_change_nothing(deviation: Deviation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in chunks of 4, in two threads: the same bounds and the same placement, to the last replica."""
    problem = middling(3, deviation, workloads=60, priorities=(100, 0))
    one = near(problem)
    tuned(monkeypatch, {"ROWS": 4, "WORTH_THREADS": 2})
    assert near(problem, workers=2) == one


@pytest.mark.parametrize("few", [0, tuning.FEW_OPEN])
@pytest.mark.parametrize("workers", [1, 2])
def test_every_way_to_prove_ends_with_the_same_cost(
    workers: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread or two, upwards or as usual: value and bound meet above what prices alone bound."""
    problem = middling(5, Deviation.L1, workloads=12)
    usual = solve_batch(problem, Search(Deadline.after(60.0), 1))
    # So a proof of one thread has the time of changes as well.
    tuned(monkeypatch, {"WORK_OF_FIRST_PROOF": 0, "PATIENCE_BEFORE_PROOF": 0, "SHARE_OF_PROOF": 1})
    monkeypatch.setattr(tuning, "FEW_OPEN", few)
    found = solve_batch(problem, Search(Deadline.after(60.0), workers))
    assert found.status is usual.status is Status.OPTIMAL
    assert found.attained == usual.attained
    assert bound(found.attained[0]) > linear_optimum(problem) * 1.0001


def test_kicks_win_more_than_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 60 workloads exchanges alone end above what kicks lead to; with 36 both end at the same."""
    problem = middling(2, Deviation.L1, workloads=60)
    tuned(monkeypatch, {"PLACES_OF_WHOLE": 0})
    monkeypatch.setattr(one_level, "search_and_prove", lambda _: None)
    kicked = solve_batch(problem, Search(Deadline.after(60.0), 1))
    tuned(monkeypatch, {"PLACES_OF_KICKS": 0})
    exchanged = solve_batch(problem, Search(Deadline.after(60.0), 1))
    assert kicked.placement is not None
    assert not check(problem, kicked.placement)
    assert kicked.attained[0].value < exchanged.attained[0].value
    assert kicked.attained[0].bound == exchanged.attained[0].bound
