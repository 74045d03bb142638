"""Answers of parts, and how the answers of several parts are one answer of all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fairlead.models.check import shared_violations
from fairlead.models.levels import Level
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity
from fairlead.models.score import as_whole, levels_of, score
from fairlead.models.shortfall import name_of
from fairlead.solver.answers.attainment import Apart, LexicographicResult, attained, status_of
from fairlead.solver.answers.components import Placed
from fairlead.solver.running.search import Search


@dataclass(frozen=True, slots=True)
class Question:
    """A part that is to be solved, and what is known of it."""

    part: Problem
    """The workloads and what they may use."""
    search: Search
    alone: Placed = field(default_factory=dict)
    """Workloads as they are placed where they have all that is shared for themselves, as far as known."""
    known: Placement | None = None
    """A placement that the answer is not worse than; near one that breaks rules it is only searched. None
    where none is known."""
    relaxed: tuple[Attained, ...] = ()
    """The first levels of a best placement of the part with fewer rules, as far as known."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for one part of the problem."""

    part: Problem
    """The workloads and what they may use."""
    status: Status
    """OPTIMAL where every level is proven."""
    placement: Placement | None
    """Where they stand; None where nothing was found."""
    attained: tuple[Attained, ...]
    """The levels of the part in order."""
    origin: str
    """Who found it."""
    apart: Apart = field(default_factory=dict)
    """Workloads that cost what they would cost alone, as far as that is known."""


def answered(part: Problem, result: LexicographicResult, origin: str) -> Answer:
    """Return the answer that a search gives."""
    return Answer(part, result.status, result.placement, result.attained, origin)


def proven(part: Problem, placement: Placement, origin: str = "exact") -> Answer:
    """Return the answer of a placement that is optimal by construction."""
    levels = tuple(replace(level, bound=level.value, proven=True) for level in score(part, placement))
    apart = dict.fromkeys(levels_of(part), frozenset(part.workload_by_key))
    return Answer(part, Status.OPTIMAL, placement, levels, origin, apart)


def unproven(part: Problem, placement: Placement | None, origin: str = "exact") -> Answer:
    """Return the answer of a placement of which nothing is proven by search, or that there is none yet."""
    if placement is None:
        return Answer(part, Status.UNKNOWN, None, (), origin)
    levels = attained(part, placement, ())
    return Answer(part, status_of(levels), placement, levels, origin)


def together(problem: Problem, answers: Sequence[Answer]) -> Answer:
    """Return the answers of parts that have nothing in common as one: side by side, levels added up.

    Where a part has no placement, or none was found, there is none of the whole.
    """
    origin, statuses = origin_of(answers), {answer.status for answer in answers}
    placed = [answer.placement for answer in answers if answer.placement is not None]
    if Status.INFEASIBLE in statuses or len(placed) < len(answers):
        status = Status.INFEASIBLE if Status.INFEASIBLE in statuses else Status.UNKNOWN
        return Answer(problem, status, None, (), origin)
    apart: dict[Level, frozenset[str]] = {}
    for answer in answers:
        for level, keys in answer.apart.items():
            apart[level] = apart.get(level, frozenset()) | keys
    levels = added(problem, answers)
    placement = Placement({key: replicas for each in placed for key, replicas in each.items()})
    return Answer(problem, status_of(levels), placement, levels, origin, apart)


def origin_of(answers: Iterable[Answer]) -> str:
    """Return who found several answers: CP-SAT where it had a part, else prices, else formulas."""
    origins = {answer.origin for answer in answers}
    return next((name for name in ("cp-sat", "prices") if name in origins), "exact")


def added(problem: Problem, answers: Sequence[Answer]) -> tuple[Attained, ...]:
    """Add the levels of parts that have nothing in common.

    A level that no part has is 0: nothing had to give way. The bound of a level holds for all placements that
    keep the values of those above. Where a part could get better on one of these, every other part may get
    worse there, and better after it: of that part nothing is known from then on but the least that it can be.
    """
    by_level = [dict(zip(levels_of(each.part), each.attained, strict=True)) for each in answers]
    free = [False] * len(answers)
    found = []
    for level in levels_of(problem):
        parts = [
            (at, _freed(levels[level]) if free[at] else levels[level])
            for at, levels in enumerate(by_level)
            if level in levels
        ]
        bound = sum((Fraction(each.bound or 0) for _, each in parts), Fraction(0))
        value = sum((Fraction(each.value) for _, each in parts), Fraction(0))
        steps = [each.resolution for _, each in parts if each.resolution is not None]
        found.append(
            Attained(
                name_of(level, problem),
                as_whole(value),
                as_whole(bound),
                all(each.proven for _, each in parts),
                sum(steps, Fraction(0)) if steps else None,
                as_whole(sum((Fraction(each.tolerance) for _, each in parts), Fraction(0))),
            )
        )
        loose = sum(not each.proven for _, each in parts)
        for at, each in parts:
            free[at] = free[at] or loose - (not each.proven) > 0
    return tuple(found)


def _freed(level: Attained) -> Attained:
    """Return a level of which nothing is known but that it cannot be below 0."""
    return Attained(level.name, level.value, 0, level.value <= level.tolerance, None, level.tolerance)


def stand_alone(part: Problem, alone: Mapping[str, Mapping[str, int]]) -> Answer | None:
    """Put workloads together that were placed alone; None where one was not, or they compete."""
    if not covers(alone, part):
        return None
    placement = Placement({workload.key: alone[workload.key] for workload in part.workloads})
    return None if compete(part, placement) else proven(part, placement)


def compete(problem: Problem, placement: Placement) -> bool:
    """Tell whether workloads that were placed alone break a rule that they share.

    One workload alone keeps within capacity: its box does.
    """
    shared = [rule for rule in problem.rules if len(problem.workloads) > 1 or not isinstance(rule, Capacity)]
    return bool(shared) and bool(shared_violations(problem, placement))


def covers(alone: Mapping[str, Mapping[str, int]], problem: Problem) -> bool:
    """Tell whether every workload of a problem was placed."""
    return all(workload.key in alone for workload in problem.workloads)
