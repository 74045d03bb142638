"""Where independent work runs: in this process, in processes of this machine, or on a Ray cluster.

Only whole, independent tasks are handed out (parts of a problem, neighbourhoods of a placement). Every task
is a pure function of its argument, so that a task whose worker is lost is simply done again.
"""

import logging
import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from fairlead.models.errors import InternalError, UsageError

Task = TypeVar("Task")
Result = TypeVar("Result")

ENGINES = ("local", "ray")
"""Names of the places where work can run."""

RETRIES = 3
"""How often a task is started again whose worker was lost."""


class Machines(Protocol):
    """Something that runs independent tasks; a context manager that frees what it holds."""

    @property
    def slots(self) -> int:
        """How many tasks run at once."""
        ...

    @property
    def remote(self) -> bool:
        """Whether tasks run anywhere but here, so that they have to be picklable."""
        ...

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in the order of the tasks; function and tasks have to be picklable."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class ThisProcess:
    """Runs one task after the other, right here."""

    slots = 1
    remote = False

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in the order of the tasks."""
        return [function(task) for task in tasks]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return


class LocalProcesses:
    """Runs tasks in processes of this machine, which start when they are first needed.

    Parameters
    ----------
    slots
        Processes at once.
    """

    remote = True

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._pool: ProcessPoolExecutor | None = None

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in the order of the tasks.

        A task whose process was lost (killed, out of memory) is given to a new one, so that no result is lost
        with it.

        Raises
        ------
        InternalError
            Where a task lost its process every time.
        """
        if len(tasks) <= 1:
            return [function(task) for task in tasks]
        results: dict[int, Result] = {}
        for _ in range(1 + RETRIES):
            missing = [number for number in range(len(tasks)) if number not in results]
            results |= self._try(function, {number: tasks[number] for number in missing})
            if len(results) == len(tasks):
                return [results[number] for number in range(len(tasks))]
            self._close()
        raise InternalError(f"a process was lost {1 + RETRIES} times at the same work")

    def _try(self, function: Callable[[Task], Result], tasks: Mapping[int, Task]) -> dict[int, Result]:
        """Return the results of those tasks whose processes were not lost."""
        if self._pool is None:
            # A forked copy of a process in which OR-Tools has started threads may hang; one that is forked
            # from a clean process does not, and starts sooner than a new interpreter.
            known = multiprocessing.get_all_start_methods()
            fresh = multiprocessing.get_context("forkserver" if "forkserver" in known else "spawn")
            self._pool = ProcessPoolExecutor(self.slots, mp_context=fresh)
        results: dict[int, Result] = {}
        try:
            pending = {number: self._pool.submit(function, task) for number, task in tasks.items()}
        except BrokenProcessPool:
            return results
        for number, future in pending.items():
            with suppress(BrokenProcessPool):
                results[number] = future.result()
        return results

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        """End the processes; tasks that have not begun are dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


class RayCluster:
    """Runs tasks on a Ray cluster; Ray starts a task again whose worker was lost.

    Parameters
    ----------
    address
        Address of a running cluster, such as ``ray://head:10001``; None takes the one that the environment
        names (``RAY_ADDRESS``), or starts one on this machine.

    Raises
    ------
    UsageError
        Where Ray is not installed, or the cluster cannot be reached.
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

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in the order of the tasks."""
        remote = self._ray.remote(num_cpus=1, max_retries=RETRIES)(function)
        results: list[Result] = self._ray.get([remote.remote(task) for task in tasks])
        return results

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._started:
            self._ray.shutdown()


def machines_of(engine: str, slots: int, address: str | None = None) -> Machines:
    """Return where work runs.

    Parameters
    ----------
    engine
        ``local`` or ``ray``.
    slots
        Processes of this machine at most; one means this process. Ray decides for itself.
    address
        Address of a Ray cluster; see `RayCluster`.

    Raises
    ------
    UsageError
        Where the engine is unknown, or cannot be used here.
    """
    if engine == "ray":
        return RayCluster(address)
    if engine != "local":
        raise UsageError(f"no engine {engine!r}; known: {', '.join(ENGINES)}")
    if address is not None:
        raise UsageError("an address belongs to engine 'ray'")
    return LocalProcesses(slots) if slots > 1 else ThisProcess()
