"""Neighbourhoods of batches are searched anywhere, with the same answers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from batch_problems import fleet, middling
from fairlead.models.check import check
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.models.variants import without_preferences
from fairlead.solver.batch.arrays import batch_of
from fairlead.solver.batch.costs import costs_of
from fairlead.solver.batch.dual.sifting import Sifting
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.level import priced
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.mixed.columns import PartTask, place_anew, tasks_of
from fairlead.solver.batch.model import model_of
from fairlead.solver.batch.primal.large_neighbourhood import search_neighbourhoods
from fairlead.solver.batch.primal.repair import exchange_all
from fairlead.solver.batch.separable import is_plain
from fairlead.solver.levels.lexicographic import minimise_levels
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.processes import LocalProcesses, RayCluster
from fairlead.solver.running.search import Machines, Search, ThisProcess

Task = TypeVar("Task")
Result = TypeVar("Result")

ROUNDS = 6


class Counting(LocalProcesses):
    """Processes that count what they are asked to do."""

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self.asked = 0

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in the order of the tasks."""
        self.asked += len(tasks)
        return super().run(function, tasks)


@pytest.fixture(scope="module")
def processes() -> Iterator[Counting]:
    """Begin two processes."""
    with Counting(2) as two:
        yield two


def exchanged(machines: Machines) -> Incumbent:
    """Return a level of a batch after exchanges, which leave something to win."""
    batch = batch_of(middling(5, Deviation.WEBSTER, workloads=60, clusters=40))
    model = model_of(batch, costs_of(batch)[0])
    known = Incumbent.of(model, None, Search(Deadline(), 1, machines=machines))
    exchange_all(known, priced(known, None, Sifting()))
    return known


def varied(machines: Machines) -> tuple[int | None, int | None, list[list[int]]]:
    """Return what a batch costs before and after some rounds of changes, and how it is placed then."""
    known = exchanged(machines)
    before, turns = known.cost, iter(range(ROUNDS))
    search_neighbourhoods(known, lambda: next(turns, None) is None)
    assert known.best is not None
    return before, known.cost, known.best.tolist()


def test_rounds_of_changes_are_the_same_in_threads_and_in_processes(processes: Counting) -> None:
    """Groups are drawn alike and every part has a fixed amount of work, so nothing depends on who does it."""
    before = processes.asked
    with ThisProcess() as here, ThisProcess(2) as threads:
        alone = varied(here)
        assert alone == varied(threads) == varied(processes)
    assert processes.asked > before + ROUNDS
    first, last, _ = alone
    assert first is not None
    assert last is not None
    assert last < first


@pytest.mark.long
def test_rounds_of_changes_are_the_same_on_ray() -> None:
    """As above, on a cluster of this machine."""
    pytest.importorskip("ray")
    with ThisProcess() as here, RayCluster() as cluster:
        assert varied(here) == varied(cluster)


def parts_of(problem: Problem, best: Placement, seed: int = 0) -> list[PartTask]:
    """Return neighbourhoods of a placement."""
    odd = {each.key for each in problem.workloads if not is_plain(each)}
    return tasks_of(problem, best, odd, Deadline(), np.random.default_rng(seed))


def placed(problem: Problem) -> Placement:
    """Return a placement that keeps all rules and prefers nothing, which leaves much to win."""
    workloads = tuple(without_preferences(each) for each in problem.workloads)
    best = minimise_levels(replace(problem, workloads=workloads), workers=1).placement
    assert best is not None
    assert not check(problem, best)
    return best


def test_neighbourhoods_of_mixed_batches_share_no_workload() -> None:
    """24 workloads give one part of 4 + 10, one of 4 + 6 or less, and then none."""
    problem = fleet(3)
    parts = parts_of(problem, placed(problem))
    keys = [each.key for part in parts for each in part.problem.workloads]
    assert len(parts) == 2
    assert len(keys) == len(set(keys)) == len(problem.workloads)


def test_neighbourhoods_of_mixed_batches_are_the_same_in_processes(processes: Counting) -> None:
    """CP-SAT proves every part, and each fits beside all others as they stand."""
    problem = fleet(3)
    best = placed(problem)
    parts = parts_of(problem, best)
    with ThisProcess() as here:
        found = here.run(place_anew, parts)
        assert found == processes.run(place_anew, parts)
    assert any(each is not None for each in found)
    before = [level.value for level in score(problem, best)]
    for each in (each for each in found if each is not None):
        together = Placement({**best.to_dict(), **each.to_dict()})
        assert not check(problem, together)
        assert [level.value for level in score(problem, together)] < before


@pytest.mark.parametrize("seed", range(2))
def test_proven_answers_are_the_same_wherever_parts_are_searched(seed: int, processes: Counting) -> None:
    """Alone, in threads, in processes: the same placement, objectives and bounds."""
    problem = middling(seed, Deviation.L1, workloads=24, clusters=5)
    with ThisProcess() as here, ThisProcess(2) as threads:
        found = [
            solve_batch(problem, Search(Deadline.after(60.0), 1, machines=machines))
            for machines in (here, threads, processes)
        ]
    assert [each.status for each in found] == [Status.OPTIMAL] * 3
    assert found[0].placement == found[1].placement == found[2].placement
    assert found[0].attained == found[1].attained == found[2].attained
