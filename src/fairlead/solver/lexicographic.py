"""Levels one after the other by CP-SAT: minimise, pin, go on with the next; then settle ties."""

import time
from collections.abc import Callable

from fairlead.models.outcome import Attained, Status
from fairlead.models.outcome_text import gap
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.progress import Progress
from fairlead.models.score import levels_of
from fairlead.models.shortfall import refused
from fairlead.solver.attainment import LexicographicResult
from fairlead.solver.deadline import Deadline
from fairlead.solver.level_search import LevelSearch
from fairlead.solver.machines import cores

__all__ = ["LexicographicResult", "minimise_levels"]


def minimise_levels(
    problem: Problem,
    hint: Placement | None = None,
    deadline: Deadline | None = None,
    workers: int | None = None,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
) -> LexicographicResult:
    """Find the placement that is best on the first level, among those on the second, and so on.

    Parameters
    ----------
    problem
        The question.
    hint
        A placement to start from; the answer is never worse. One that breaks a rule is not used.
    deadline
        When the answer is due; None means no limit.
    workers
        Threads of CP-SAT; None means one for every core that this process may use.
    seed
        Random seed of CP-SAT.
    progress
        Called after every level.
    """
    started = time.monotonic()
    search = LevelSearch(problem, deadline or Deadline(), workers or cores(), seed)
    if hint is not None and not refused(problem, hint):
        search.best = hint
    if not search.open():
        return LexicographicResult(Status.INFEASIBLE, None)
    levels = levels_of(problem)
    for level in levels:
        if not search.minimise(level, last=level == levels[-1]):
            return LexicographicResult(Status.INFEASIBLE, None)
        if search.best is None:
            return LexicographicResult(Status.UNKNOWN, None)
        if progress is not None:
            progress(_progress(search.attained()[len(search.notes) - 1], time.monotonic() - started))
    return search.settle()


def _progress(level: Attained, seconds: float) -> Progress:
    """Return how far a level got."""
    missing = gap(level)
    return Progress(
        level.name, level.value, level.bound, None if missing is None else float(missing), seconds
    )
