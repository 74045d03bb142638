"""Levels that need not be best: balance, and those that somebody gives a tolerance.

First everything is solved with no level loose: balance left out, all others as strict as ever. What that
proves of the levels above the first loose one holds as it is, and its bounds of all others hold as well. Then
those workloads that may stand elsewhere are searched once more, while all others stay: a loose level is
pinned to its target wherever a placement reaches that (`LevelTarget`), else to its best.
"""

from dataclasses import replace

from fairlead.models.errors import UnsupportedError
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.solver.answers.answer import PartAnswer, Placed, origin_of
from fairlead.solver.levels.spans import spans_of, used_between
from fairlead.solver.levels.targets import ranked, strict
from fairlead.solver.loosening.falling_short import (
    FEW_WAYS,
    alone_as_placed,
    as_placed,
    best_of,
    counted,
    falls_short,
    joined,
    most_promising,
    with_shortfall,
)
from fairlead.solver.loosening.loosening import Loosening
from fairlead.solver.running.search import Search

MOST_AT_ONCE = 200
"""Workloads times clusters up to which a problem is searched as a whole where parts of it did not do."""
SHARE_OF_BOUNDS = 0.5
"""Part of the time left to bound many ways to fall short, before any is searched."""
SECONDS_A_PLACE = 5e-6
"""Seconds a place (workloads times clusters) to find out how evenly clusters could be filled; with less left
that is not begun."""


def loosened(problem: Problem, found: PartAnswer, alone: Placed, search: Search) -> PartAnswer:
    """Return the answer to a problem with loose levels.

    Parameters
    ----------
    problem
        The question; `fairlead.models.score.with_balance` has looked at it.
    found
        The answer to `strict`, with a placement.
    alone
        Workloads as they stand best where they have all that is shared for themselves, as far as known.
    search
        How to search.
    """
    answer = _counted_on(problem, found, alone, search)
    if answer.status is Status.OPTIMAL or len(problem.balances or ()) > 1:
        return answer
    return _all_at_once(problem, found, answer, search)


def _all_at_once(problem: Problem, found: PartAnswer, answer: PartAnswer, search: Search) -> PartAnswer:
    """Return the answer to a small problem of which something was not searched, or not proven, before.

    It is searched as a whole, and how much is used in all may be open.
    """
    if not search.deadline.remaining() or len(problem.workloads) * len(problem.clusters) > MOST_AT_ONCE:
        return answer
    # Most answers are proven by then, and need nothing of this.
    from fairlead.solver.levels.lexicographic import minimise_levels

    spans = spans_of(problem)
    rules = []
    for rule in problem.balances or ():
        totals, between = used_between(rule, problem, spans)
        rules.append(replace(rule, totals=totals, between=between))
    whole = replace(problem, balances=tuple(rules))
    loosening = Loosening.at_once(whole, found)
    targets = loosening.targets_of(whole)
    try:
        known = loosening.known(whole)
        result = minimise_levels(whole, search, answer.placement, relaxed=known, targets=targets)
    except UnsupportedError:
        return answer
    if result.placement is None:
        return answer
    enough = {level: target.value for level, target in targets.items()}
    is_better = ranked(problem, result.attained, enough) < ranked(problem, answer.attained, enough)
    if result.status is not Status.OPTIMAL and not is_better:
        # It is never worse than where it began; of one that is as good, parts may have told more.
        return answer
    return PartAnswer(problem, result.status, result.placement, result.attained, origin_of((found, answer)))


def _counted_on(
    problem: Problem, found: PartAnswer, alone: Placed, search: Search, *, searches: bool = True
) -> PartAnswer:
    """Return the answer where it is known how much is used in all, or else what can be told of it.

    `searches`: False where prices are to tell how evenly clusters could be filled, and no more.
    """
    places = len(problem.workloads) * len(problem.clusters)
    at_once = Loosening.at_once(problem, found)
    if search.deadline.remaining() < places * SECONDS_A_PLACE or at_once.is_even():
        return at_once.answer()
    if falls_short(problem, at_once.placement):
        return _short(problem, found, alone, search) or at_once.answer()
    loosening = Loosening.of(problem, found, alone)
    if loosening.loose and len(counted_on := loosening.searchable()) < len(problem.balances or ()):
        # A balance that cannot be searched is told; the other loose levels are searched without it.
        without = replace(problem, balances=counted_on)
        return loosening.with_told(_counted_on(without, found, alone, search))
    sets = list(loosening.open_sets())
    for number, keys in enumerate(sets):
        share = search.part(1 / (len(sets) - number), quietly=False)
        loosening = loosening.searched(keys, share) if searches else loosening.priced(keys, share)
    return loosening.answer()


def _short(problem: Problem, found: PartAnswer, alone: Placed, search: Search) -> PartAnswer | None:
    """Return the answer where something gives way; None where what is placed is no question of its own.

    Of many ways to fall short each is bounded by prices first. Then those that could be the best one are
    searched, the most promising first.
    """
    asked = counted(problem, found, search)
    if asked is None:
        return None

    known = alone_as_placed(asked, problem, alone, search)

    def answered(number: int, way: Search, *, searches: bool = True) -> PartAnswer:
        placed, standing = asked.questions[number], asked.found[number]
        answer = _counted_on(placed, as_placed(placed, standing), known[number], way, searches=searches)
        return with_shortfall(problem, found, answer, certain=asked.certain)

    answers, left = dict[int, PartAnswer](), list(range(len(asked.questions)))
    if len(left) > FEW_WAYS:
        briefly = search.part(SHARE_OF_BOUNDS)
        answers = {at: answered(at, briefly.part(1 / (len(left) - at)), searches=False) for at in left}
    while (at := most_promising(problem, answers, left)) is not None:
        if at in answers and not search.deadline.remaining():
            break
        share = search if len(left) == 1 else search.part(max(1 / len(left), 1 / FEW_WAYS))
        told = answered(at, share)
        answers[at] = joined(problem, answers[at], told) if at in answers else told
        left.remove(at)
    return best_of(problem, list(answers.values()))


def will_do(problem: Problem, found: PartAnswer, alone: Placed) -> bool:
    """Tell whether nothing is to be searched on loose levels: what was found where none is will do there."""
    return Loosening.at_once(problem, found).is_even() or not any(
        Loosening.of(problem, found, alone).open_sets()
    )


def unsearched(problem: Problem, placement: Placement) -> PartAnswer:
    """Return the answer where there was no time to search: a placement, and the tolerances of its levels."""
    nothing_proven = PartAnswer(strict(problem), Status.UNKNOWN, placement, (), "exact")
    return Loosening.at_once(problem, nothing_proven).answer()
