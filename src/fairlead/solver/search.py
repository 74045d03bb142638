"""How a search is to be run: until when, with how many threads, and who is told."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from fairlead.models.progress import Progress
from fairlead.solver.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Search:
    """How CP-SAT is to be run.

    Parameters
    ----------
    deadline
        When the answer is due.
    workers
        Threads; None means one for every core.
    seed
        Random seed.
    progress
        Called when the placement or a bound gets better; None where nobody wants to know.
    formula
        False where only CP-SAT may answer.
    """

    deadline: Deadline
    workers: int | None = None
    seed: int = 0
    progress: Callable[[Progress], None] | None = None
    formula: bool = True

    def part(self, share: float, *, quietly: bool = True) -> "Search":
        """Return a search that has a share of the time that is left, and tells nobody unless asked to."""
        progress = None if quietly else self.progress
        return replace(self, deadline=self.deadline.part(share), progress=progress)
