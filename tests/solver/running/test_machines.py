"""Where independent work runs: the same results everywhere, none lost with its worker."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from fairlead.models.errors import InternalError, UsageError
from fairlead.solver.running.deadline import Deadline, Stop, listening
from fairlead.solver.running.processes import LocalProcesses, RayCluster, machines_of
from fairlead.solver.running.search import ThisProcess, cores

UNGUARDED = """
import math
from fairlead.solver.running.processes import LocalProcesses

print("from the top")
with LocalProcesses(2) as processes:
    print(processes.run(math.sqrt, [1, 4]))
"""

SLEEPING = """
import time
from fairlead.solver.running.processes import LocalProcesses

WHO = "[__import__('time').sleep(0.5), __import__('os').getpid()][1]"
with LocalProcesses(2) as processes:
    processes.run(abs, [1, 2])
    print(*processes.run(eval, [WHO, WHO]), flush=True)
    processes.run(time.sleep, [600, 600])
"""


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


def die(number: int) -> int:
    """Kill the process that runs this for an odd number."""
    if number % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_lost_process_loses_no_result(tmp_path: Path) -> None:
    """The first process that takes a task dies with it; both tasks are answered all the same."""
    with LocalProcesses(2) as processes:
        assert processes.run(die_once, [str(tmp_path / "a"), str(tmp_path / "b")]) == ["done", "done"]
        assert processes.run(square, [1, 2]) == [1, 4]  # a new pool takes over


@dataclass(frozen=True)
class Patience:
    """A task that waits until it is asked to end.

    Parameters
    ----------
    stop
        The wish; a copy of it in another process.
    deaf
        Whether the task cannot be asked there.
    """

    stop: Stop
    deaf: bool = False


def wait_for_the_wish(task: Patience) -> str:
    """Wait for the wish to end, and say which process heard of it."""
    deadline = Deadline(stop=task.stop)
    while task.deaf and not deadline.stop.asked:
        time.sleep(0.01)
    with listening(deadline):
        while deadline.remaining():
            time.sleep(0.01)
    return str(os.getpid())


def survive_ctrl_c(_task: int) -> bool:
    """Send this process what the terminal sends to all; tell whether it is listened to all the same."""
    deadline = Deadline()
    with listening(deadline):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        return deadline.stop.heard and not deadline.stop.asked


def kinds_in_a_daemon(answers: "multiprocessing.Queue[list[str]]") -> None:
    """Say what would run tasks here."""
    with machines_of("local", 2) as machines:
        answers.put([type(machines).__name__, *map(str, machines.run(square, [5, 3]))])


def test_threads_of_this_process_run_tasks_side_by_side() -> None:
    """Two tasks that wait for each other both get on; one after the other the first would wait in vain."""
    meeting = threading.Barrier(2, timeout=30.0)
    with ThisProcess(2) as here:
        assert sorted(here.run(lambda _task: meeting.wait(), [1, 2])) == [0, 1]
        assert here.run(square, [5, 3, 4]) == [25, 9, 16]


def test_in_this_process_and_in_others_results_keep_the_order() -> None:
    """Tasks may end in any order, their results do not, whether or not it was prepared where they run."""
    with ThisProcess() as here, LocalProcesses(2) as others:
        assert here.run(square, [5, 3, 4]) == [25, 9, 16]
        for machines in (here, others):
            machines.prepare(square)
            assert machines.run(square, [5, 3, 4]) == [25, 9, 16]
        # The terminal sends Ctrl-C to all of them; the workers wait until they are asked.
        assert others.run(survive_ctrl_c, [1, 2]) == [True, True]


def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    """It runs once, not once more in every process."""
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["from the top", "[1.0, 2.0]"]), done.stderr


def test_all_answers_can_be_had_at_once() -> None:
    """Tasks elsewhere hear of the wish; those that do not are done here, where they end at once."""
    stop = Stop()
    with LocalProcesses(3, stop) as processes:
        # Processes that stand ready: on a busy machine they need longer to start than the wish to come.
        assert processes.run(square, [1, 2, 3]) == [1, 4, 9]
        threading.Timer(0.2, setattr, (stop, "asked", True)).start()
        told = processes.run(wait_for_the_wish, [Patience(stop), Patience(stop, deaf=True), Patience(stop)])
    here = str(os.getpid())
    assert [pid == here for pid in told] == [False, True, False]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_no_process_outlives_the_one_that_asked_it() -> None:
    """The script is killed while its workers sleep; they end too, and let go of its output before that."""
    script = subprocess.Popen(
        [sys.executable, "-c", SLEEPING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert script.stdout is not None
    workers = [int(pid) for pid in script.stdout.readline().split()]
    script.kill()
    script.communicate(timeout=30)  # ends when nobody holds the output any more
    give_up = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert len(workers) == 2
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]


def test_in_a_daemon_threads_do_the_work() -> None:
    """Daemons of multiprocessing are not allowed to have processes of their own."""
    fresh = multiprocessing.get_context("spawn")
    answers = fresh.Queue()
    daemon = fresh.Process(target=kinds_in_a_daemon, args=(answers,), daemon=True)
    daemon.start()
    assert answers.get(timeout=60) == ["ThisProcess", "25", "9"]
    daemon.join(timeout=60)


def test_a_deadline_is_sent_as_the_seconds_that_are_left() -> None:
    """Clocks of other machines start elsewhere; no limit stays none, and what is over stays over."""
    assert pickle.loads(pickle.dumps(Deadline())).remaining() == float("inf")
    assert pickle.loads(pickle.dumps(Deadline.after(0.0))).remaining() == 0.0
    sent = pickle.dumps(Deadline.after(60.0))
    time.sleep(0.01)
    assert 59.0 < pickle.loads(sent).remaining() <= 60.0


def test_cores_are_counted() -> None:
    """At least one, and no more than the machine has."""
    assert 1 <= cores() <= (os.cpu_count() or 1)


def test_machines_are_chosen_by_name() -> None:
    """One slot needs no second process; an unknown name is told the known ones."""
    assert isinstance(machines_of("local", 1), ThisProcess)
    assert isinstance(machines_of("local", 2), LocalProcesses)
    assert isinstance(machines_of("local", 2, threads=True), ThisProcess)
    with pytest.raises(UsageError, match="no engine 'cloud'; known: local and ray"):
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
        with pytest.raises(InternalError, match="was lost"):
            cluster.run(die, [0, 1])
        assert cluster.run(square, [5]) == [25]


@pytest.mark.long
def test_work_that_loses_every_process_is_given_up() -> None:
    """It is told, not begun for ever; what comes after it finds processes."""
    with LocalProcesses(2) as processes:
        with pytest.raises(InternalError, match="a process was lost 4 times"):
            processes.run(die, [0, 1])
        assert processes.run(square, [5, 3]) == [25, 9]
