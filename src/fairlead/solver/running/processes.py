"""Processes of this machine and Ray clusters that run independent tasks; imported where first needed."""

import logging
import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any

from fairlead.models.errors import InternalError, UsageError
from fairlead.models.words import no_such
from fairlead.solver.running.deadline import ENDING, LOOK, Listener, Stop, undisturbed
from fairlead.solver.running.search import ENGINES, Machines, Result, Task, ThisProcess

RETRIES = 3
"""How often a task is started again whose worker was lost."""

GRACE = 1.0
"""Seconds that processes have for their best answers so far, where these are wanted at once."""


class LocalProcesses(Machines):
    """Runs tasks in processes of this machine, which start when they are first needed.

    They do not import the program that asked for them, so that it needs no `if __name__ == "__main__"`.

    `slots`: processes at once. `stop`: the wish to have all answers at once; None where nobody can have it.
    """

    remote = True

    def __init__(self, slots: int, stop: Stop | None = None) -> None:
        self.slots = slots
        self._stop = stop or Stop()
        self._pool: Any = None  # loky has no types
        self._line: Connection | None = None

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in the order of the tasks.

        A task whose process was lost (killed, out of memory) is given to a new one, so that no result is lost
        with it. Where the answers are wanted at once, tasks that do not end are done here: they know of that
        wish, and end with what can be had at once.

        Raises `InternalError` where a task lost its process every time.
        """
        if len(tasks) <= 1:
            return [function(task) for task in tasks]
        results: dict[int, Result] = {}
        for _ in range(1 + RETRIES):
            missing = [number for number in range(len(tasks)) if number not in results]
            results |= self._try(function, {number: tasks[number] for number in missing})
            if len(results) == len(tasks):
                return [results[number] for number in range(len(tasks))]
            self._close(at_once=True)
            if self._stop.asked:
                known = enumerate(tasks)
                return [results[number] if number in results else function(task) for number, task in known]
        raise InternalError(f"a process was lost {1 + RETRIES} times at the same work")

    def _try(self, function: Callable[[Task], Result], tasks: Mapping[int, Task]) -> dict[int, Result]:
        """Return the results of those tasks whose processes were not lost."""
        results: dict[int, Result] = {}
        try:
            pool = self._started()
            with undisturbed():
                pending = {number: pool.submit(function, task) for number, task in tasks.items()}
        except BrokenProcessPool:
            return results
        self._await(pending.values())
        for number, future in pending.items():
            if future.done():
                with suppress(BrokenProcessPool, CancelledError):
                    results[number] = future.result()
        return results

    def _await(self, pending: Collection["Future[Result]"]) -> None:
        """Wait until all is done; not much longer from the moment on at which the answers are wanted."""
        left = set(pending)
        until = math.inf
        while left and time.monotonic() < until:
            left = wait(left, LOOK).not_done
            if self._stop.asked and math.isinf(until):
                until = time.monotonic() + GRACE
                for future in left:
                    future.cancel()
                self._let_go()

    def prepare(self, function: Callable[..., object]) -> None:
        """Begin to start the processes, unless they run, and to import what a function needs there."""
        if self._pool is not None:
            return
        with suppress(BrokenProcessPool), undisturbed():
            for _ in range(self.slots):
                self._started().submit(_get_to_know, function)

    def _started(self) -> Any:
        """Return the processes; they start at the first task."""
        if self._pool is None:
            from loky import ProcessPoolExecutor

            theirs, self._line = multiprocessing.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(self.slots, initializer=serve, initargs=(theirs, os.getpid()))
        return self._pool

    def _let_go(self) -> None:
        """Tell the processes to end what they are doing."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def _close(self, *, at_once: bool) -> None:
        """Let the processes end, at once whatever they do."""
        if self._pool is not None:
            self._pool.shutdown(wait=at_once, kill_workers=at_once)
            self._pool = None
        self._let_go()


class RayCluster(Machines):
    """Runs tasks on a Ray cluster; Ray starts a task again whose worker was lost.

    `address`: address of a running cluster, such as ``ray://head:10001``; None takes the one that the
    environment names (``RAY_ADDRESS``), or starts one on this machine.

    Raises `UsageError` where Ray is not installed, or the cluster cannot be reached.
    """

    remote = True

    def __init__(self, address: str | None = None) -> None:
        if find_spec("ray") is None:
            raise UsageError("engine 'ray' needs Ray: pip install 'fairlead[ray]'")
        import ray

        self._ray: Any = ray
        self._started = not ray.is_initialized()
        if self._started:
            try:
                ray.init(
                    address=address, include_dashboard=None, log_to_driver=False, logging_level=logging.ERROR
                )
            except (ConnectionError, ValueError) as error:
                raise UsageError(f"no Ray cluster at {address!r}: {error}") from error
        self.slots = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._known: dict[Callable[..., object], Any] = {}

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in the order of the tasks.

        Raises `InternalError` where a task lost its worker every time, or the cluster is gone.
        """
        if function not in self._known:
            # Ray sends a function to its workers once for every time it is wrapped.
            self._known[function] = self._ray.remote(num_cpus=1, max_retries=RETRIES)(function)
        remote = self._known[function]
        errors = self._ray.exceptions
        try:
            results: list[Result] = self._ray.get([remote.remote(task) for task in tasks])
        except errors.RayTaskError:
            # What the function itself raised: it is of that kind as well.
            raise
        except errors.RayError as error:
            raise InternalError(f"work on the Ray cluster was lost, however often begun: {error}") from error
        return results

    def _close(self, *, at_once: bool) -> None:  # noqa: ARG002 - tasks of Ray end with the cluster
        """Leave the cluster, and end it where it was started here."""
        if self._started:
            self._ray.shutdown()


def _get_to_know(_function: Callable[..., object]) -> None:
    """Do nothing: to receive a function takes importing its module."""


def machines_of(
    engine: str, slots: int, address: str | None = None, *, threads: bool = False, stop: Stop | None = None
) -> Machines:
    """Return where work runs.

    `engine`: ``local`` or ``ray``. `slots`: threads or processes of this machine at most. Ray decides for
    itself. `address`: address of a Ray cluster; see `RayCluster`. `threads`: whether threads of this process
    will do. `stop`: the wish to have all answers at once; see `LocalProcesses`.

    Raises `UsageError` where the engine is unknown, or cannot be used here.
    """
    if engine == "ray":
        return RayCluster(address)
    if engine != "local":
        raise UsageError(no_such("engine", engine, ENGINES))
    if address is not None:
        raise UsageError("an address belongs to engine 'ray'")
    # Processes that belong to a service as its daemons are not allowed to have any of their own.
    if threads or slots == 1 or multiprocessing.current_process().daemon:
        return ThisProcess(slots)
    return LocalProcesses(slots, stop)


def serve(line: Connection, master: int) -> None:
    """Make this process a worker of another one.

    It ends when the other one does, whatever it is doing. It lets go of standard output, so that whoever
    reads the results is not kept waiting by a worker. It leaves Ctrl-C to the other one: the terminal sends
    it to both. Where its work is listened to (`listening`), that ends when the other one wishes so.

    `line`: nothing is ever sent on it; when the other process closes its end, or is gone, all work is to end.
    `master`: number of the other process.
    """
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
    listener = Listener(lambda *_: os._exit(1))
    signal.signal(signal.SIGTERM, listener)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # they are put off while processes start
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    threading.Thread(target=_watch, args=(line, master, listener), daemon=True).start()


def _watch(line: Connection, master: int, listener: Listener) -> None:
    """Wait until the other process lets go of the line; then end all work, and this process with it."""
    line.poll(None)
    listener.ask()
    while os.getppid() == master:
        time.sleep(LOOK)
    os._exit(1)
