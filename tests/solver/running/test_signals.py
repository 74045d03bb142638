"""Signals that end a program, and standard streams that are closed or full: no traceback, nothing lost."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from batch_problems import middling
from fairlead.cli.app import main
from fairlead.cli.exits import signals_heard
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.result import Progress
from fairlead.solver.running.deadline import ENDING, Deadline, Listener, attentive, listening
from fairlead.solver.simulate import simulate as simulating
from fairlead.solver.simulate.changes import Drain
from fairlead.solver.simulate.simulate import simulate
from fairlead.solver.solve import solve

FLEET = """
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: member1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec: {replicas: 2}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: default}
spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]}
"""

WHILE_IMPORTING = """
import os, signal, sys, time, types
import fairlead.__main__

class App(types.ModuleType):
    def __getattr__(self, name):
        os.kill(os.getpid(), NUMBER)
        time.sleep(600)

sys.modules["fairlead.cli.app"] = App("fairlead.cli.app")
fairlead.__main__.main()
"""

WHILE_READING = """
import os, sys, threading
import fairlead.__main__

class Standing:
    def read(self, size):
        os.kill(os.getpid(), NUMBER)
        threading.Event().wait(600)

sys.argv = ["fairlead", "solve", "-f", "-"]
sys.stdin = Standing()
fairlead.__main__.main()
"""


@pytest.mark.parametrize("moment", [WHILE_IMPORTING, WHILE_READING])
@pytest.mark.parametrize("number", ENDING)
def test_before_a_search_a_signal_ends_the_program_without_a_word(moment: str, number: int) -> None:
    """The exit code is the one of shells, 128 more than the number of the signal."""
    code = moment.replace("NUMBER", str(int(number)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "")


@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("number", ENDING)
def test_a_signal_ends_a_search_with_the_best_so_far(number: int, seed: int) -> None:
    """The first report of a placement asks for the end; the answer is a placement."""

    def asked(progress: Progress) -> None:
        if progress.value is not None and signal.getsignal(number) is not signal.SIG_DFL:
            os.kill(os.getpid(), number)

    listener = Listener(lambda *_: None)  # later signals of this test are not to end it
    before = {each: signal.signal(each, listener) for each in ENDING}
    try:
        outcome = solve(middling(seed, Deviation.L1), time_limit=None, progress=asked)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    # 30 workloads fill the clusters to nine tenths: with seed 2 the first report is about a group of them
    # before all are placed, with seed 3 about all. Neither is proven best when the signal comes.
    assert outcome.status is Status.FEASIBLE
    assert outcome.placement is not None


def test_handlers_are_put_back() -> None:
    """What the program did with signals before, it does again; ignored ones stay ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        known = [signal.getsignal(each) for each in ENDING]
        with signals_heard():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert isinstance(signal.getsignal(signal.SIGTERM), Listener)
        assert [signal.getsignal(each) for each in ENDING] == known
    finally:
        signal.signal(signal.SIGHUP, before)


def test_after_the_first_signal_every_search_ends_at_once() -> None:
    """What follows in the same call is asked from its start; the next call is not."""
    later = []

    @attentive
    def two_searches() -> None:
        first, second = Deadline(), Deadline()
        with listening(first):
            os.kill(os.getpid(), signal.SIGINT)
        with listening(second):
            later.append(second.stop.asked)

    two_searches()
    untouched = Deadline()
    with listening(untouched):
        later.append(untouched.stop.asked)
    assert later == [True, False]


def test_nested_searches_share_a_wish() -> None:
    """The inner one ends before the outer one, which is still listened to."""
    deadline = Deadline()
    with listening(deadline):
        with listening(deadline):
            pass
        assert deadline.stop.heard
    assert not deadline.stop.heard


def test_a_simulation_is_still_a_call() -> None:
    """What hears signals keeps its name and its answer."""
    assert simulate.__name__ == "simulate"
    problem = middling(2, Deviation.L1)
    name = problem.clusters[0].name
    found = simulate(problem, Drain(name), time_limit=0.5)
    assert all(name not in row for row in (found.after.placement or Placement({})).to_dict().values())


def test_a_sweep_ends_with_the_first_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was tried until then is told; every other scenario would take as long as an answer at once."""
    answers: list[int] = []

    def once(*asked: Any, **settings: Any) -> Any:
        answers.append(len(answers))
        if len(answers) == 2:  # the first is the fleet as it is
            os.kill(os.getpid(), signal.SIGINT)
        return solve(*asked, **settings)

    monkeypatch.setattr(simulating, "solve", once)
    found = simulate(middling(2, Deviation.L1), sweep="cluster", time_limit=20)
    assert answers == [0, 1]
    assert sum(each.status == Status.UNKNOWN for each in found.scenarios) >= len(found.scenarios) - 1


@pytest.mark.parametrize(
    ("raised", "code", "told"), [("KeyboardInterrupt", 130, False), ("ValueError", 1, True)]
)
def test_before_anybody_listens(raised: str, code: int, told: bool) -> None:
    """Ctrl-C while the program is imported ends it without a word; mistakes are still shown."""
    program = f"import fairlead.__main__\nraise {raised}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert ("Traceback" in done.stderr) is told
    assert done.stdout == ""


def run(fleet: Path, redirection: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the program in a shell, with its streams redirected."""
    command = f"{shlex.join([sys.executable, '-m', 'fairlead', *arguments])} {redirection}"
    return subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=False, cwd=fleet.parent
    )


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Return a file with a small fleet."""
    path = tmp_path / "fleet.yaml"
    path.write_text(FLEET)
    return path


@pytest.mark.parametrize(
    ("redirection", "arguments", "told"),
    [
        (">&-", ["solve", "-f", "fleet.yaml"], "cannot write to standard output: it is closed"),
        (">/dev/full", ["solve", "-f", "fleet.yaml"], "cannot write to standard output: No space left"),
        (">/dev/full", ["--help"], "No space left on device"),
        ("<&-", ["solve", "-f", "-"], "-: cannot be read: standard input is closed"),
    ],
)
def test_streams_that_cannot_be_used(fleet: Path, redirection: str, arguments: list[str], told: str) -> None:
    """It is said once, it is no bug of fairlead, and the exit code is that of wrong input or usage."""
    done = run(fleet, redirection, *arguments)
    assert done.returncode == 2
    assert done.stderr.count(told) == 1
    assert "internal" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_standard_error_that_takes_nothing_is_nobody_s_fault(fleet: Path, redirection: str) -> None:
    """Warnings are dropped, the result is printed, and mistakes keep their exit code."""
    done = run(fleet, redirection, "solve", "-f", "fleet.yaml", "-o", "name")
    assert (done.returncode, done.stdout) == (0, "deployment.apps/web\n")
    assert run(fleet, redirection, "solve", "-f", "none.yaml").returncode == 2


def test_a_reader_that_goes_away(fleet: Path) -> None:
    """Nothing complains; the exit code is that of the reader."""
    done = run(fleet, "| true", "solve", "-f", "fleet.yaml", "-q")
    assert (done.returncode, done.stderr) == (0, "")


def test_main_leaves_the_handlers_of_its_caller(fleet: Path) -> None:
    """A program that runs the command line in itself keeps its own handlers."""
    before = [signal.getsignal(each) for each in ENDING]
    assert main(["solve", "-f", str(fleet), "-q"]) == 0
    assert [signal.getsignal(each) for each in ENDING] == before
