"""The ways to solve one independent part of a problem: lists of ways, of which the first that answers does.

`WAYS` says who is solved together with whom, `SEARCHES` how workloads are searched that are solved together.
`docs/solving.md` follows both.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fairlead.models.errors import InternalError
from fairlead.models.outcome import Status
from fairlead.solver.answers.answer import Answer, Question, proven, stand_alone, together
from fairlead.solver.feasibility import has_to_give_way, what_fits
from fairlead.solver.parts.competing import solve_competing
from fairlead.solver.parts.joint_search import by_levels, by_prices, kept, may_have_prices, with_floor

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to solve a part."""

    name: str
    """As it is called in `docs/solving.md`."""
    proves: str
    """What is certain of its answers."""
    applies: Callable[[Question], bool]
    """Tells whether it is to be tried."""
    solve: Callable[[Question], Answer | None]
    """Returns its answer; None where it gets nowhere, and the next way is tried."""


def solve_part(question: Question) -> Answer:
    """Solve one independent part in the first way that answers; see `fairlead.solver.answers.components`."""
    return _first(WAYS, question)


def solve_together(question: Question) -> Answer:
    """Solve a part in one search of all its workloads."""
    return _first(SEARCHES, with_floor(question))


def solve_giving_way(question: Question) -> Answer:
    """Solve a part in which something has to give way."""
    return _first(OTHER_WAYS, question)


def _first(ways: Sequence[Way], question: Question) -> Answer:
    """Return the first answer."""
    for way in ways:
        if way.applies(question) and (answer := way.solve(question)) is not None:
            LOG.debug("%s: %s (%s)", question.part.sizes, way.name, answer.status)
            return answer
    raise InternalError("no way to solve a part applies")


def _in_full(question: Question) -> Answer | None:
    """Place everything, if that can be done."""
    if has_to_give_way(question.part, question.search):
        return None
    answer = solve_part(replace(question, part=replace(question.part, partial=False)))
    # Nothing gives way, which the levels of the part that was asked about say as well.
    return together(question.part, [answer]) if answer.placement is not None else None


def _what_fits(question: Question) -> Answer | None:
    """Place as much of a single workload as there is room for."""
    placement = what_fits(question.part)
    return None if placement is None else proven(question.part, placement)


def _prices(question: Question) -> Answer | None:
    """Search many workloads by prices; None where that finds nothing."""
    answer = by_prices(question)
    found = answer is not None and (answer.placement is not None or answer.status is Status.INFEASIBLE)
    return answer if found else None


IN_FULL = Way(
    "In full",
    "what the way proves that places everything: nothing gives way",
    lambda question: question.part.partial,
    _in_full,
)

OTHER_WAYS = (
    Way(
        "Each alone",
        "every level: no workload can be placed better than without the others",
        lambda question: not question.part.partial,
        lambda question: stand_alone(question.part, question.alone),
    ),
    Way(
        "What fits",
        "every level: how much of one workload fits follows from its box",
        lambda question: (
            question.part.partial and question.search.formula and len(question.part.workloads) == 1
        ),
        _what_fits,
    ),
    Way(
        "Workloads that compete",
        "every level where the searches of those that use what runs out are proven",
        lambda question: (
            not question.part.partial and question.search.formula and len(question.part.workloads) > 1
        ),
        lambda question: solve_competing(question, solve_together),
    ),
    Way(
        "One search",
        "what the search proves",
        lambda _: True,
        solve_together,
    ),
)

WAYS = (IN_FULL, *OTHER_WAYS)
"""Who is solved together with whom."""

SEARCHES = (
    Way(
        "Keep and repair",
        "levels at the least that they can be: time is over",
        lambda question: not question.search.deadline.remaining(),
        kept,
    ),
    Way(
        "Prices",
        "a bound of every level, and the level where the bound is met",
        may_have_prices,
        _prices,
    ),
    Way(
        "CP-SAT, level by level",
        "every level that is solved in time, and a bound of the next one",
        lambda _: True,
        by_levels,
    ),
)
"""How workloads are searched that are solved together."""
