"""The ways to solve one independent part of a problem: lists of ways, of which the first that answers does.

`WAYS` says who is solved together with whom, `SEARCHES` how workloads are searched that are solved together:
from a floor, by prices or by CP-SAT.
`docs/solving.md` follows both.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fairlead.models.errors import InternalError
from fairlead.models.levels import MINIMA, MOVES_FIRST, MOVES_UNCHANGED, tier
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Spread
from fairlead.models.score import levels_of, score
from fairlead.models.shortfall import refused
from fairlead.solver.answers.answer import (
    PartAnswer,
    PartQuestion,
    answered,
    proven,
    stand_alone,
    together,
    unproven,
)
from fairlead.solver.answers.attainment import LexicographicResult
from fairlead.solver.batch.separable import MANY, applies
from fairlead.solver.dispensers import reference
from fairlead.solver.exact.boxes import box_of, has_box
from fairlead.solver.feasibility import has_to_give_way, what_fits, without_room
from fairlead.solver.floor import SHARE_OF_FLOOR, keep_and_repair, place_greedily, standing_well
from fairlead.solver.parts.competing import solve_competing

MOST_DISPENSED = 2000
"""Workloads up to which the reference dispenser is asked before prices; it takes them one by one."""
FEWEST_MODELLED, MOST_MODELLED = 60, 30_000
"""Places (workloads times clusters) of many workloads that CP-SAT searches where something has to move."""
FEWEST_NEW = 4_000
"""Places from which on prices are asked all the same where all are placed for the first time."""
EARLY = frozenset({MOVES_UNCHANGED.key, MINIMA.key, MOVES_FIRST.key, tier(1).key})
"""Keys of levels that are about what has to move and what overflows."""


def with_floor(question: PartQuestion) -> PartQuestion:
    """Return a question with a placement to start from, the better one of many workloads left for later."""
    part, deadline = question.part, question.search.deadline
    if question.known is not None:
        return question
    if part.partial:
        return replace(question, known=place_greedily(part, deadline.part(SHARE_OF_FLOOR)))
    if deadline.remaining() and len(part.workloads) <= MOST_DISPENSED:
        return replace(question, known=_dispensed(question))
    return question


def kept(question: PartQuestion) -> PartAnswer:
    """Keep what runs and repair the rest, where nothing better is known."""
    part, known = question.part, question.known
    if known is None or refused(part, known):
        known = keep_and_repair(part, standing_well(part), question.search.deadline)
    return unproven(part, known)


def may_have_prices(question: PartQuestion) -> bool:
    """Tell whether there are many workloads, and not just a question of what has to move."""
    part = question.part
    if not question.search.formula or len(part.workloads) < MANY:
        return False
    places = len(part.workloads) * len(part.clusters)
    if part.partial or not FEWEST_MODELLED <= places <= MOST_MODELLED or _is_new(part):
        return True
    levels = levels_of(part)
    return not levels or levels[0].key not in EARLY


def by_prices(question: PartQuestion) -> PartAnswer | None:
    """Search by prices of what is shared; None where the rules are not for that."""
    from fairlead.solver.batch.levels import solve_batch
    from fairlead.solver.batch.mixed.search import applies_mixed, solve_mixed
    from fairlead.solver.batch.overload import applies_partly, solve_partly

    part, search, floor = question.part, question.search, question.known
    if part.partial:
        result = solve_partly(part, search, floor) if applies_partly(part) else None
    elif applies(part):
        result = solve_batch(part, search, floor)
    else:
        result = solve_mixed(part, search, floor, question.alone) if applies_mixed(part) else None
    if result is None:
        return None
    _compare_with_floor(part, floor, result)
    return answered(part, result, "prices")


def by_levels(question: PartQuestion) -> PartAnswer:
    """Search level by level with CP-SAT."""
    from fairlead.solver.levels.lexicographic import minimise_levels

    part, search = question.part, question.search
    if question.known is None:
        question = replace(question, known=_dispensed(question))
    result = minimise_levels(part, search, question.known, relaxed=question.relaxed)
    _compare_with_floor(part, question.known, result)
    return answered(part, result, "cp-sat")


def _dispensed(question: PartQuestion) -> Placement:
    """Return the placement of the reference dispenser; it may break rules."""
    return reference.place(question.part, deadline=question.search.deadline.part(SHARE_OF_FLOOR))


def _is_new(part: Problem) -> bool:
    """Tell whether many workloads are placed for the first time, so that nothing has to move."""
    places = len(part.workloads) * len(part.clusters)
    return places >= FEWEST_NEW and not any(each.current for each in part.workloads)


def _compare_with_floor(part: Problem, floor: Placement | None, result: LexicographicResult) -> None:
    """Refuse a result that the floor beats: then something that was called proven is not.

    Raises `InternalError`: always a bug in fairlead.
    """
    if result.status not in (Status.OPTIMAL, Status.INFEASIBLE) or floor is None or refused(part, floor):
        return
    if result.placement is None:
        raise InternalError("a problem is called infeasible of which a placement is known")
    for low, high in zip(score(part, floor), result.attained, strict=True):
        if low.value < high.value - (high.resolution or 0) - high.tolerance:
            raise InternalError("a placement that was known beats an optimum that is called proven")
        if low.value != high.value:
            return


LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PartMethod:
    """One way to solve a part."""

    name: str
    """Name of the way in `docs/solving.md`."""
    proves: str
    """Statement on what is certain of its answers."""
    applies: Callable[[PartQuestion], bool]
    """Tells whether it is to be tried."""
    solve: Callable[[PartQuestion], PartAnswer | None]
    """Returns its answer; None where it gets nowhere, and the next way is tried."""


def solve_part(question: PartQuestion) -> PartAnswer:
    """Solve one independent part in the first way that answers; see `fairlead.solver.answers.answer`."""
    return _first(WAYS, question)


def solve_together(question: PartQuestion) -> PartAnswer:
    """Solve a part in one search of all its workloads."""
    return _first(SEARCHES, with_floor(question))


def solve_giving_way(question: PartQuestion) -> PartAnswer:
    """Solve a part in which something has to give way."""
    return _first(OTHER_WAYS, question)


def _first(ways: Sequence[PartMethod], question: PartQuestion) -> PartAnswer:
    for way in ways:
        if way.applies(question) and (answer := way.solve(question)) is not None:
            LOG.debug("%s: %s (%s)", question.part.sizes, way.name, answer.status)
            return answer
    raise InternalError("no way to solve a part applies")


def _in_full(question: PartQuestion) -> PartAnswer | None:
    """Place everything, if that can be done."""
    if has_to_give_way(question.part, question.search):
        return None
    answer = solve_part(replace(question, part=replace(question.part, partial=False)))
    # Nothing gives way, which the levels of the part that was asked about say as well.
    return together(question.part, [answer]) if answer.placement is not None else None


def _too_little_room(question: PartQuestion) -> PartAnswer | None:
    """Tell that nothing can be placed where a workload that has no placement alone lacks room."""
    part, alone = question.part, question.alone
    choosing = (each for each in part.workloads if each.key not in alone and each.rule(Spread) is not None)
    boxes = ((each, box_of(each, part)) for each in choosing if has_box(each))
    if not without_room(boxes, question.search.deadline):
        return None
    return PartAnswer(part, Status.INFEASIBLE, None, (), "exact")


def _what_fits(question: PartQuestion) -> PartAnswer | None:
    """Place as much of a single workload as there is room for."""
    placement = what_fits(question.part)
    return None if placement is None else proven(question.part, placement)


def _prices(question: PartQuestion) -> PartAnswer | None:
    """Search many workloads by prices; None where that finds nothing."""
    answer = by_prices(question)
    found = answer is not None and (answer.placement is not None or answer.status is Status.INFEASIBLE)
    return answer if found else None


IN_FULL = PartMethod(
    "In full",
    "what the way proves that places everything: nothing gives way",
    lambda question: question.part.partial,
    _in_full,
)

OTHER_WAYS = (
    PartMethod(
        "Each alone",
        "every level: no workload can be placed better than without the others",
        lambda question: not question.part.partial,
        lambda question: stand_alone(question.part, question.alone),
    ),
    PartMethod(
        "Too little room",
        "that there is no placement: whatever clusters a workload chooses hold too little",
        lambda question: not question.part.partial and question.search.formula,
        _too_little_room,
    ),
    PartMethod(
        "What fits",
        "every level: how much of one workload fits follows from its box",
        lambda question: (
            question.part.partial and question.search.formula and len(question.part.workloads) == 1
        ),
        _what_fits,
    ),
    PartMethod(
        "Workloads that compete",
        "every level where the searches of those that use what runs out are proven",
        lambda question: (
            not question.part.partial and question.search.formula and len(question.part.workloads) > 1
        ),
        lambda question: solve_competing(question, solve_together),
    ),
    PartMethod("One search", "what the search proves", lambda _: True, solve_together),
)

WAYS = (IN_FULL, *OTHER_WAYS)
"""Who is solved together with whom."""

SEARCHES = (
    PartMethod(
        "Keep and repair",
        "levels at the least that they can be: time is over",
        lambda question: not question.search.deadline.remaining(),
        kept,
    ),
    PartMethod(
        "Prices", "a bound of every level, and the level where the bound is met", may_have_prices, _prices
    ),
    PartMethod(
        "CP-SAT, level by level",
        "every level that is solved in time, and a bound of the next one",
        lambda _: True,
        by_levels,
    ),
)
"""How workloads are searched that are solved together."""
