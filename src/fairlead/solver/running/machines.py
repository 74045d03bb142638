"""Where independent work runs: in this process, in processes of this machine, or on a Ray cluster.

Only whole, independent tasks are handed out (parts of a problem, neighbourhoods of a placement). Every task
is a pure function of its argument, so that a task whose worker is lost is simply done again, and the answers
are the same wherever it runs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeVar

from fairlead.models.errors import UsageError
from fairlead.models.words import no_such, shown

Task = TypeVar("Task")
Result = TypeVar("Result")

ENGINES = ("local", "ray")
"""Names of the places where work can run."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where parts are searched, and in how many shares."""

    engine: str = "local"
    address: str | None = None
    """See `fairlead.solver.running.processes.machines_of`."""
    partitions: int | None = None
    """Shares into which a part of many workloads is split; None or 1 splits nothing."""

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise UsageError(no_such("engine", self.engine, ENGINES))
        if self.partitions is not None and self.partitions < 1:
            raise UsageError(f"{shown(self.partitions)} partitions; allowed is a whole number of at least 1")


def cores() -> int:
    """Return how many cores this process may use: no more than its container has."""
    from loky import cpu_count

    return int(cpu_count())


class Machines(ABC):
    """Something that runs independent tasks; a context manager that frees what it holds.

    Parameters
    ----------
    slots
        How many tasks run at once.
    remote
        Whether tasks run anywhere but here, so that they have to be picklable.
    """

    slots: int
    remote: bool

    @abstractmethod
    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in the order of the tasks; function and tasks have to be picklable."""

    def prepare(self, function: Callable[..., object]) -> None:  # noqa: B027 - nothing has to be started
        """Begin to start what will run a function, and return at once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(at_once=kind is not None)

    def _close(self, *, at_once: bool) -> None:  # noqa: B027 - nothing is held unless said
        """Free what is held; do not wait for anything where that has to be at once."""


class ThisProcess(Machines):
    """Runs tasks right here: one after the other, or in threads.

    Parameters
    ----------
    slots
        Threads at once. They are worth it for tasks that spend their time in compiled code, such as CP-SAT.
    """

    remote = False

    def __init__(self, slots: int = 1) -> None:
        self.slots = slots

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in the order of the tasks."""
        if min(self.slots, len(tasks)) <= 1:
            return [function(task) for task in tasks]
        with ThreadPoolExecutor(min(self.slots, len(tasks))) as pool:
            return list(pool.map(function, tasks))
