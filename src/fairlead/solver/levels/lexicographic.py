"""Levels one after the other by CP-SAT: minimise, pin, go on with the next; then settle ties."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from types import MappingProxyType

from fairlead.models.errors import InternalError
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import Progress, progress_of
from fairlead.models.shortfall import refused
from fairlead.solver.answers.attainment import Apart, Least, LexicographicResult, attained, bounded
from fairlead.solver.levels.level_search import LevelSearch
from fairlead.solver.levels.targets import Targets
from fairlead.solver.running.deadline import now
from fairlead.solver.running.linear_algebra import in_one_thread
from fairlead.solver.running.search import Search

__all__ = ["LexicographicResult", "minimise_levels"]

MORE = (2, 1)
"""Times what levels took is left for them where one before them is searched again: at first, and then."""


@in_one_thread
def minimise_levels(
    problem: Problem,
    search: Search,
    hint: Placement | None = None,
    *,
    relaxed: tuple[Attained, ...] = (),
    apart: Apart = MappingProxyType({}),
    targets: Targets = MappingProxyType({}),
    elsewhere: Least = MappingProxyType({}),
    ties: bool = True,
) -> LexicographicResult:
    """Find the placement that is best on the first level, among those on the second, and so on.

    Parameters
    ----------
    search
        How to search; progress is called after every level.
    hint
        A placement to start from; the answer is never worse. One that breaks a rule is only searched near.
    relaxed
        The first levels of a best placement of the problem with fewer rules, as far as known. A level is
        not below its bound there as long as those before it cost the same.
    apart
        Workloads that cost what they would cost alone in every placement that reaches these levels.
    targets
        Targets at which levels need not get better; where no placement reaches one, the level is at its best.
        Levels that are left out have to be best.
    elsewhere
        Cost of workloads on levels that are not searched, where these are a part of a problem.
    ties
        False where any of the best placements will do.
    """
    started = now()
    floor = None if hint is None or refused(problem, hint) else hint
    state = LevelSearch(
        problem,
        search.deadline,
        search.threads,
        search.seed,
        relaxed,
        apart,
        best=floor,
        floor=floor,
        near=hint,
        targets=targets,
        later=search.later,
        elsewhere=elsewhere,
    )
    result = _searched(state, started, search.progress, ties=ties)
    if floor is None or result.status is Status.OPTIMAL:
        return result
    if result.status is Status.INFEASIBLE:
        raise InternalError("a problem is called infeasible of which a placement is known")
    if result.placement is not None and state.rank(result.placement) <= state.rank(floor):
        return result
    return LexicographicResult(Status.FEASIBLE, floor, bounded(attained(problem, floor, ()), relaxed))


def _searched(
    search: LevelSearch, started: float, progress: Callable[[Progress], None] | None, *, ties: bool
) -> LexicographicResult:
    """Minimise one level after the other, as long as there is a placement."""
    if not search.open():
        return LexicographicResult(Status.INFEASIBLE, None)
    marks, begun = list[LevelSearch](), list[float]()
    for level in search.levels:
        marks.append(search.copied())
        begun.append(now())
        if not search.minimise(level, last=len(marks) == len(search.levels)):
            return LexicographicResult(Status.INFEASIBLE, None)
        if search.best is None:
            return LexicographicResult(Status.UNKNOWN, None)
        if progress is not None:
            level_now = search.attained()[len(search.notes) - 1]
            progress(progress_of(level_now.name, level_now.value, level_now.bound, now() - started))
    return _looked_again(search, marks, begun).settle(ties=ties)


def _looked_again(search: LevelSearch, marks: Sequence[LevelSearch], begun: Sequence[float]) -> LevelSearch:
    """Search levels again that are not proven, the first ones first, in the time that is left.

    Where one gets better, those after it follow anew, and need about the time that they took, or more.

    Parameters
    ----------
    search
        The search after all levels.
    marks
        Where it was before every level.
    begun
        When every level was begun.
    """
    ended = [*begun, now()][1:]
    # Without a limit no level had to leave time for others.
    rounds: tuple[int, ...] = MORE if search.deadline.limit is not None else ()
    for more, (number, (mark, end)) in product(rounds, enumerate(zip(marks, ended, strict=True))):
        until = search.deadline.later(more * (end - ended[-1]))
        level = search.levels[number]
        if search.notes[number].proven or not until.remaining() or mark.is_over(level):
            continue
        again = replace(mark.copied(search), deadline=until)
        again.minimise(level, last=True)
        if again.rank_on(number) < search.rank_on(number):
            again.deadline = search.deadline
            # Later levels were bounded among what costs no more there than the best placement did.
            for later in search.levels[number + 1 :]:
                again.branches.pop(later, None)
            for at, later in enumerate(search.levels[number + 1 :], number + 2):
                again.minimise(later, last=later == search.levels[-1])
                most, known = again.pinned(later), search.pinned(later)
                if most is None or known is None or most > known:
                    again.forget(search.levels[at:])
            return again
        search.notes[number] = search.notes[number].better(again.notes[number])
    return search
