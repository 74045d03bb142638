"""One independent part of a problem: by formula where its workloads do not compete, else by a search."""

from collections.abc import Mapping
from dataclasses import replace

from fairlead.models.check import shared_violations
from fairlead.models.errors import InternalError
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity
from fairlead.models.score import levels_of, score
from fairlead.models.shortfall import refused
from fairlead.solver.answer import Answer, proven, unproven
from fairlead.solver.attainment import LexicographicResult
from fairlead.solver.batch.separable import MANY, applies
from fairlead.solver.competing import solve_competing
from fairlead.solver.dispensers import reference
from fairlead.solver.keeping import keep_and_repair, standing_well
from fairlead.solver.partial import has_to_give_way, place_partially
from fairlead.solver.search import Search
from fairlead.solver.stages import extended, first_stage, is_early, polished

MOST_DISPENSED = 2000
"""Workloads up to which the reference dispenser is asked first; it takes them one by one."""


WORTH_STAGES = 60
"""Places (workloads times clusters) from which on the first levels are searched by themselves."""
MOST_STAGED = 30_000
"""Places up to which that is one model."""
FIRST_STAGE = 0.6
"""Of the time that is left, what the first levels may use."""
SHARE_OF_FLOOR = 0.3
"""Of the time that is left, what the reference dispenser may use to place workloads exactly."""


def solve_part(part: Problem, alone: Mapping[str, Mapping[str, int]], search: Search) -> Answer:
    """Solve one independent part.

    Parameters
    ----------
    part
        The part; see `fairlead.solver.components`.
    alone
        Workloads as they are placed where they have all shared capacity for themselves, as far as known.
    search
        How to search.
    """
    return (_solve_partially if part.partial else _solve_strictly)(part, alone, search)


def solve_by_formula(part: Problem, alone: Mapping[str, Mapping[str, int]]) -> Answer | None:
    """Put workloads together that were placed alone; None where one was not, or they compete."""
    if not covers(alone, part):
        return None
    placement = Placement({workload.key: alone[workload.key] for workload in part.workloads})
    if compete(part, placement):
        return None
    return proven(part, placement)


def compete(problem: Problem, placement: Placement) -> bool:
    """Tell whether workloads that were placed alone break a rule that they share.

    One workload alone keeps within capacity: its box does.
    """
    shared = [rule for rule in problem.rules if len(problem.workloads) > 1 or not isinstance(rule, Capacity)]
    return bool(shared) and bool(shared_violations(problem, placement))


def covers(alone: Mapping[str, Mapping[str, int]], problem: Problem) -> bool:
    """Tell whether every workload of a problem was placed."""
    return all(workload.key in alone for workload in problem.workloads)


def _solve_strictly(part: Problem, alone: Mapping[str, Mapping[str, int]], search: Search) -> Answer:
    """Solve one independent part: by formula where its workloads do not compete, else by a search."""
    answer = solve_by_formula(part, alone)
    if answer is not None:
        return answer
    if len(part.workloads) > 1 and search.formula:
        return solve_competing(part, alone, search, solve_jointly)
    return solve_jointly(part, None, search)


def solve_jointly(
    part: Problem, known: Placement | None, search: Search, relaxed: tuple[Attained, ...] = ()
) -> Answer:
    """Solve a part in one search of all its workloads.

    Parameters
    ----------
    part
        The part.
    known
        A valid placement that the answer is not worse than; None where none is known.
    search
        How to search.
    relaxed
        The levels of a best placement of the problem with fewer rules; empty where none is known.
    """
    from fairlead.solver.lexicographic import minimise_levels

    floor = known
    if floor is None and not search.deadline.remaining():
        floor = keep_and_repair(part, standing_well(part), search.deadline)
    if not search.deadline.remaining():
        return unproven(part, floor)
    if floor is None and len(part.workloads) <= MOST_DISPENSED:
        floor = reference.place(part, deadline=search.deadline.part(SHARE_OF_FLOOR))
    small = search.formula and WORTH_STAGES <= _places(part) <= MOST_STAGED
    first = first_stage(part) if small else None
    in_one = first is not None or (small and is_early(part))
    if not in_one and search.formula and len(part.workloads) >= MANY:
        many = _solve_many(part, floor, search)
        if many is not None and (many.placement is not None or many.status is Status.INFEASIBLE):
            return Answer(part, many.status, many.placement, many.attained, "prices")
    if floor is None:
        floor = reference.place(part, deadline=search.deadline.part(SHARE_OF_FLOOR))
    staged = LexicographicResult(Status.UNKNOWN, None, relaxed)
    if first is not None:
        staged = _in_stages(part, first, floor, search, relaxed)
    result = minimise_levels(
        part,
        staged.placement or floor,
        search.deadline,
        search.workers,
        search.seed,
        search.progress,
        relaxed=staged.attained,
        ties=search.ties,
    )
    _compare_with_floor(part, floor, result)
    return Answer(part, result.status, result.placement, result.attained, "cp-sat")


def _places(part: Problem) -> int:
    """Return how many places there are: workloads times clusters."""
    return len(part.workloads) * len(part.clusters)


def _in_stages(
    part: Problem, first: Problem, floor: Placement, search: Search, relaxed: tuple[Attained, ...]
) -> LexicographicResult:
    """Search the first levels by themselves; return the levels with what is known of each."""
    from fairlead.solver.lexicographic import minimise_levels

    share = search.part(FIRST_STAGE)
    known = relaxed[: len(levels_of(first))]
    found = minimise_levels(
        first, floor, share.deadline, share.workers, share.seed, relaxed=known, ties=False
    )
    if found.placement is None:
        return LexicographicResult(found.status, None, relaxed)
    same = [level.value for level in found.attained] == [level.value for level in known]
    levels = relaxed if same and relaxed else extended(part, found.attained)
    return LexicographicResult(found.status, polished(part, found.placement), levels)


def _solve_many(part: Problem, floor: Placement | None, search: Search) -> LexicographicResult | None:
    """Solve a part of many workloads by prices of what they share; None where its rules are not for that."""
    from fairlead.solver.batch.levels import solve_batch
    from fairlead.solver.batch.mixed.search import applies_mixed, solve_mixed

    plain = applies(part)
    if not plain and not applies_mixed(part):
        return None
    result = solve_batch(part, search, floor) if plain else solve_mixed(part, search, floor)
    if floor is not None:
        _compare_with_floor(part, floor, result)
    return result


def _solve_partially(part: Problem, alone: Mapping[str, Mapping[str, int]], search: Search) -> Answer:
    """Solve one independent part; only where it has no placement does anything give way."""
    if not has_to_give_way(part, search):
        answer = _solve_strictly(replace(part, partial=False), alone, search)
        if answer.placement is not None:
            return answer
    found = place_partially(part, search)
    _compare_with_floor(part, found.floor, found.result)
    return Answer(part, found.result.status, found.result.placement, found.result.attained, found.origin)


def _compare_with_floor(part: Problem, floor: Placement, result: LexicographicResult) -> None:
    """Refuse a result that the reference dispenser beats: then something that was called proven is not.

    Raises
    ------
    InternalError
        Always a bug in fairlead.
    """
    if refused(part, floor) or result.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        return
    if result.placement is None:
        raise InternalError("a problem is called infeasible of which the reference dispenser has a placement")
    for low, high in zip(score(part, floor), result.attained, strict=True):
        if low.value < high.value - (high.resolution or 0):
            raise InternalError("the reference dispenser beats an optimum that is called proven")
        if low.value != high.value:
            return
