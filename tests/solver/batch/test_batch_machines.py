"""Neighbourhoods of batches are searched anywhere, with the same answers."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import pytest

from batch_problems import middling
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.solver.batch.arrays import batch_of
from fairlead.solver.batch.costs import costs_of
from fairlead.solver.batch.dual.sifting import Sifting
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.level import priced
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.model import model_of
from fairlead.solver.batch.primal.large_neighbourhood import search_neighbourhoods
from fairlead.solver.batch.primal.repair import exchange_all
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


def test_proven_answers_are_the_same_wherever_parts_are_searched(processes: Counting) -> None:
    """Alone, in threads, in processes: the same placement, objectives and bounds."""
    problem = middling(0, Deviation.L1, workloads=24, clusters=5)
    with ThisProcess() as here, ThisProcess(2) as threads:
        found = [
            solve_batch(problem, Search(Deadline.after(60.0), 1, machines=machines))
            for machines in (here, threads, processes)
        ]
    assert [each.status for each in found] == [Status.OPTIMAL] * 3
    assert found[0].placement == found[1].placement == found[2].placement
    assert found[0].attained == found[1].attained == found[2].attained
