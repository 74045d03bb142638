"""Where independent work runs: the same results everywhere, none lost with its worker."""

import os
import signal
from pathlib import Path

import pytest

from fairlead.models.errors import UsageError
from fairlead.solver.machines import LocalProcesses, RayCluster, ThisProcess, machines_of


def square(number: int) -> int:
    """Return a square."""
    return number * number


def die_once(mark: str) -> str:
    """Kill the process that runs this, unless it has been tried before."""
    path = Path(mark)
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def test_in_this_process_and_in_others_results_keep_the_order() -> None:
    """Tasks may end in any order; their results do not."""
    numbers = [5, 3, 4]
    with ThisProcess() as here, LocalProcesses(2) as others:
        assert here.run(square, numbers) == others.run(square, numbers) == [25, 9, 16]


def test_a_lost_process_loses_no_result(tmp_path: Path) -> None:
    """The first process that takes a task dies with it; both tasks are answered all the same."""
    with LocalProcesses(2) as processes:
        assert processes.run(die_once, [str(tmp_path / "a"), str(tmp_path / "b")]) == ["done", "done"]
        assert processes.run(square, [1, 2]) == [1, 4]  # a new pool takes over


def test_machines_are_chosen_by_name() -> None:
    """One slot needs no second process; an unknown name is told the known ones."""
    assert isinstance(machines_of("local", 1), ThisProcess)
    assert isinstance(machines_of("local", 2), LocalProcesses)
    with pytest.raises(UsageError, match="no engine 'cloud'; known: local, ray"):
        machines_of("cloud", 1)
    with pytest.raises(UsageError, match="belongs to engine 'ray'"):
        machines_of("local", 1, "ray://head:10001")


@pytest.mark.long
def test_ray_gives_the_same_results_and_starts_a_lost_task_again(tmp_path: Path) -> None:
    """Ray starts a task again whose worker was killed."""
    pytest.importorskip("ray")
    with RayCluster() as cluster:
        assert cluster.slots >= 1
        assert cluster.run(square, [5, 3, 4]) == [25, 9, 16]
        assert cluster.run(die_once, [str(tmp_path / "a")]) == ["done"]
