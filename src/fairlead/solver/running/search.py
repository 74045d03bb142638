"""How a search is to be run: until when, where, with how many threads, who is told; and one run of CP-SAT.

Only whole, independent tasks are handed out (parts of a problem, neighbourhoods of a placement). Every task
is a pure function of its argument, so that a task whose worker is lost is simply done again, and the answers
are the same wherever it runs: in this process, in processes of this machine, or on a Ray cluster.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import TracebackType
from typing import Self, TypeVar

from fairlead.models.errors import UsageError
from fairlead.models.result import Progress
from fairlead.models.words import no_such, shown
from fairlead.solver.running.deadline import Deadline

Task = TypeVar("Task")
Result = TypeVar("Result")

ENGINES = ("local", "ray")
"""Names of the places where work can run."""


@dataclass(frozen=True, slots=True)
class Workplace:
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
    """Machines or processes that run independent tasks; a context manager that frees what it holds.

    `slots`: how many tasks run at once. `remote`: whether tasks run anywhere but here, so that they have to
    be picklable.
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

    `slots`: threads at once. They are worth it for tasks that spend their time in compiled code, such as
    CP-SAT.
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


MOST_SEED = 2**31 - 1
"""The largest random seed of CP-SAT."""


@dataclass(frozen=True, slots=True)
class Search:
    """How answers are to be searched."""

    deadline: Deadline = field(default_factory=Deadline)
    """When the answer is due."""
    workers: int | None = None
    """Threads; None means one for every core that this process may use."""
    seed: int = 0
    """Random seed."""
    progress: Callable[[Progress], None] | None = None
    """Called when the placement or a bound gets better; None where nobody wants to know."""
    formula: bool = True
    """False where only CP-SAT may answer."""
    machines: Machines | None = None
    """Where neighbourhoods of a placement are searched; None means in threads of this process."""
    later: Deadline | None = None
    """When levels after balance are due, where balance is searched for thereafter; None means with the
    answer."""

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"{shown(self.workers)} workers; allowed is a whole number of at least 1")
        if not 0 <= self.seed <= MOST_SEED:
            raise UsageError(f"seed {shown(self.seed)}; allowed is a whole number from 0 to {MOST_SEED}")

    @property
    def threads(self) -> int:
        """How many threads a search may use."""
        return self.workers or cores()

    @property
    def side_by_side(self) -> Machines:
        """Where small independent searches run side by side."""
        return self.machines or ThisProcess(self.threads)

    def until(self, deadline: Deadline) -> "Search":
        """Return a search that ends at another time."""
        return replace(self, deadline=deadline)

    def single(self, work: float = math.inf) -> "RunLimits":
        """Return the limits of a run with one thread, of so much work at most; see `RunLimits.work`."""
        return RunLimits(self.deadline, 1, self.seed, work)

    def part(self, share: float, at_most: float = math.inf, *, quietly: bool = True) -> "Search":
        """Return a search that has a share of the time that is left, so many seconds at most.

        It tells nobody unless asked to.
        """
        progress = None if quietly else self.progress
        return replace(self, deadline=self.deadline.part(share, at_most), progress=progress)


class Verdict(StrEnum):
    """Answer of the solver; INFEASIBLE is proven."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits of one run: time, threads, work, and the ways of searching."""

    deadline: Deadline
    """When the run ends at the latest."""
    workers: int = 1
    """Threads; one is deterministic, 0 means one for every core."""
    seed: int = 0
    work: float = math.inf
    """Most work, in CP-SAT's deterministic measure (roughly seconds); infinite where there is no limit."""
    linearization: int = 1
    """Part of the model that the linear program holds: 1 as usual, 2 for all of it."""
    thorough: bool = False
    """True where values are tried out, and those left out that others dominate, before the search: that is
    worth while in models that are not settled at once."""
    nearby: bool = False
    """True where only what is near the hint is searched, most of it as it stands: that finds what is better
    where nothing can be proven soon. It does not end by itself."""
    upwards: bool = False
    """True where one worker raises the bound step by step and looks for solutions just there: that says most
    where the linear program says much and many solutions are nearly as good."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """Result of one run."""

    verdict: Verdict
    values: tuple[int, ...] | None = None
    """Values of the variables that were asked for; None where there is no solution."""
    bound: int | None = None
    """No solution costs less; None where nothing is known or nothing is minimised."""
