"""Levels that need not be best where not everything is placed: what gives way is settled before.

Where every placement that is best on the levels before balance places as much of every workload, that much is
what there is to place: a question in which nothing gives way, with the same best placements.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import takewhile

from fairlead.models.check import violations_of
from fairlead.models.levels import BALANCE, MADE_WORSE, Level
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity, GroupTotal, Total, total
from fairlead.models.score import levels_of, value_of
from fairlead.models.shortfall import is_shortfall, loosened
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import PartAnswer, Placed, among, components
from fairlead.solver.answers.attainment import are_exact, bounded, status_of
from fairlead.solver.exact.boxes import box_of, has_box
from fairlead.solver.exact.marginal import exact_sum
from fairlead.solver.levels.targets import MOST_PLACES, loose_levels, ranked, strict, with_strict_bounds
from fairlead.solver.running.search import Search

SHARE_OF_TIME = 0.2
"""Part of the time left to find out whether other workloads could fall short instead."""
MOST_WAYS, FEW_WAYS = 64, 4
"""Ways to fall short that are looked at, at most, and however little time is left."""
WAYS_A_SECOND = 5
"""As many for every second that is left; for 60 workloads on 12 clusters finding one takes a thirtieth of a
second, and bounding it three times as long."""
FEW = 16
"""Workloads that are searched each for itself, at most."""
SHARE_ALONE = 0.1
"""Part of the time left for these single workloads together."""


def falls_short(problem: Problem, placement: Placement) -> bool:
    """Tell whether something gives way in a placement."""
    return problem.partial and any(
        is_shortfall(level) and value_of(problem, placement, level) for level in levels_of(problem)
    )


@dataclass(frozen=True, slots=True)
class ShortfallQuestions:
    """The questions of what is placed, one for each way to fall short that is as good."""

    questions: tuple[Problem, ...]
    """The first is that of what was found."""
    found: tuple[PartAnswer, ...]
    """Answers where no level is loose, one for each question."""
    certain: bool
    """True where nobody else could fall short."""


def counted(problem: Problem, found: PartAnswer, search: Search) -> ShortfallQuestions | None:
    """Return the questions of what is placed, and whether it is known that nobody else could fall short.

    Parameters
    ----------
    problem
        A partial problem with loose levels.
    found
        The answer where no level is loose, with a placement.

    Returns
    -------
    Counted or None
        None where the numbers of replicas do not say what is missed, or may not be best.
    """
    placement = found.placement or Placement({})
    before = tuple(takewhile(lambda level: level != BALANCE, levels_of(problem)))
    known = dict(zip(levels_of(found.part), found.attained, strict=True))
    settled = all(level in known and known[level].proven for level in before)
    worse = any(level == MADE_WORSE and known[level].value for level in known)
    # A level that may be worse than best would leave more than the best placements to look at.
    others = loose_levels(problem) - {BALANCE}
    if others or worse or not settled or not _all_say(_short(problem, placement), placement):
        return None
    soon = replace(search, deadline=search.deadline.part(SHARE_OF_TIME))
    most = int(max(FEW_WAYS, min(MOST_WAYS, WAYS_A_SECOND * search.deadline.remaining())))
    ways, certain = _ways(found.part, placement, before, soon, most)
    # A way in which more than numbers of replicas is missed is not one of those that are asked about.
    told = [(each, _short(problem, each)) for each in ways]
    sure = [(each, short) for each, short in told if _all_say(short, each)]
    certain = certain and len(sure) == len(ways)
    # Where there may be more of them a few are searched.
    asked = sure if certain else sure[:FEW_WAYS]
    return ShortfallQuestions(
        tuple(_placed_in(problem, each, short) for each, short in asked),
        tuple(_standing(found, each) for each, _ in asked),
        certain,
    )


def _ways(
    problem: Problem, placement: Placement, before: Collection[Level], search: Search, most: int
) -> tuple[list[Placement], bool]:
    """Return who may fall short instead of those who do, and whether these are all ways."""
    names = {each.key for each in _short(problem, placement)}
    found, certain = [placement], True
    for part in components(problem):
        if all(_is_full(each, part, placement) for each in part.workloads if each.key in names):
            continue
        ways, sure = _ways_of_part(part, placement, before, search, most)
        certain = certain and sure and len(found) * len(ways) <= most
        found = [Placement({**each, **other}) for each in found for other in ways][:most]
    return found, certain


def _short(problem: Problem, placement: Placement) -> list[Workload]:
    """Return the workloads that fall short in a placement."""
    return [each for each in problem.workloads if any(violations_of(each, placement.of(each.key)))]


def _all_say(short: Iterable[Workload], placement: Placement) -> bool:
    """Tell whether the numbers of replicas say by how much every rule is missed by those that fall short."""
    return all(_says_all(each, placement) for each in short)


def _placed_in(problem: Problem, placement: Placement, short: Iterable[Workload]) -> Problem:
    """Return the question in which those that fall short in a placement want what is placed there."""
    names = {each.key for each in short}
    workloads = (
        _placed(each, problem, placement) if each.key in names else each for each in problem.workloads
    )
    return replace(problem, workloads=tuple(workloads), partial=False)


def _standing(found: PartAnswer, placement: Placement) -> PartAnswer:
    """Return an answer with another placement; what is known of all placements holds."""
    if placement == found.placement:
        return found
    levels = []
    for level, each in zip(levels_of(found.part), found.attained, strict=True):
        value = value_of(found.part, placement, level)
        levels.append(replace(each, value=value, proven=each.bound is not None and value <= each.bound))
    return replace(found, placement=placement, attained=tuple(levels), status=status_of(levels))


def as_placed(question: Problem, found: PartAnswer) -> PartAnswer:
    """Return the answer where no level is loose as one to the question of what is placed."""
    part, known = strict(question), dict(zip(levels_of(found.part), found.attained, strict=True))
    levels = tuple(known[level] for level in levels_of(part))
    return replace(found, part=part, attained=levels, status=status_of(levels))


def alone_as_placed(
    asked: ShortfallQuestions, problem: Problem, alone: Placed, search: Search
) -> list[Placed]:
    """Return by question where workloads stand best, each for itself, as far as known.

    Those of which less is placed are another question, which no exact way answers; a few are searched, each
    once for every number of replicas that is placed of it.

    Parameters
    ----------
    asked
        Questions of `counted`.
    problem
        The partial problem.
    alone
        Where its workloads stand best.
    search
        How to search.
    """
    # CP-SAT is loaded where somebody is searched only.
    from fairlead.solver.levels.lexicographic import minimise_levels

    quietly = search.part(SHARE_ALONE)
    known, answers = dict[tuple[str, int], Mapping[str, int] | None](), list[Placed]()
    for question, standing in zip(asked.questions, asked.found, strict=True):
        same = {each.key for each in question.workloads if each is problem.workload_by_key[each.key]}
        placed = {key: alone[key] for key in same & alone.keys()}
        missing = [each for each in question.workloads if each.key not in placed]
        rules = tuple(rule for rule in question.rules if isinstance(rule, Capacity))
        for each in missing if len(missing) <= FEW else ():
            what = each.key, sum((standing.placement or Placement({})).of(each.key).values())
            if what not in known:
                part = replace(among(strict(question), (each,), question.limits), rules=rules)
                found = minimise_levels(part, quietly, ties=False)
                best = found.placement if found.status is Status.OPTIMAL else None
                known[what] = best.of(each.key) if best is not None and are_exact(found.attained) else None
            if (stands := known[what]) is not None:
                placed[each.key] = stands
        answers.append(placed)
    return answers


def with_shortfall(problem: Problem, found: PartAnswer, answer: PartAnswer, *, certain: bool) -> PartAnswer:
    """Return the answer to the question of what is placed with the levels on which something gave way.

    Parameters
    ----------
    found
        The answer where no level is loose.
    answer
        The answer to the question that `counted` asks.
    certain
        False where others could fall short: from balance on nothing is known of other placements then.
    """
    strictly = dict(zip(levels_of(found.part), found.attained, strict=True))
    known, open_from = dict(strictly), problem.levels.index(BALANCE.key)
    for level, each in zip(levels_of(answer.part), answer.attained, strict=True):
        told = _counted_again(each, value_of(problem, answer.placement or Placement({}), level))
        if not certain and problem.levels.index(level.key) >= open_from:
            told = replace(told, bound=0, proven=told.value <= told.tolerance, resolution=None)
        known[level] = told
    levels = tuple(known[level] for level in levels_of(problem))
    if not certain:
        levels = tuple(with_strict_bounds(problem, levels, strictly, ()))
    return replace(answer, part=problem, attained=levels, status=status_of(levels))


def _counted_again(level: Attained, value: int | Fraction) -> Attained:
    """Return a level with its value in the question in which something gives way.

    Replicas that have to stop because their workload shrinks are no moves; where only what is placed is
    wanted they count. That is as much in every placement.
    """
    more = level.value - value
    return replace(level, value=value, bound=None if level.bound is None else level.bound - more)


def _says_all(workload: Workload, placement: Placement) -> bool:
    """Tell whether the number of its replicas says by how much every rule of a workload is missed."""
    placed = placement.of(workload.key)
    return not placed or all(one.rule == total.KIND for one in violations_of(workload, placed))


def _placed(workload: Workload, problem: Problem, placement: Placement) -> Workload:
    """Return a workload that wants what is placed of it; of one that is nowhere nothing else is asked."""
    everywhere = frozenset(problem.cluster_by_name)
    held = sum(placement.of(workload.key).values())
    kept = workload if held else loosened(workload, everywhere)
    rules = (rule for rule in kept.rules if not isinstance(rule, Total))
    return replace(workload, rules=(*rules, GroupTotal(total.KIND, everywhere, held, held)))


def _is_full(workload: Workload, part: Problem, placement: Placement) -> bool:
    """Tell whether as much of a workload is placed as its clusters hold if it has all of them for itself.

    Where that is so of everybody who falls short, each lacks what it lacks in every placement, and nobody
    else lacks anything: no other placement lacks as little.
    """
    if workload.rule(Total) is None or not has_box(workload):
        return False
    return sum(placement.of(workload.key).values()) == exact_sum(box_of(workload, part).box.upper)


def _ways_of_part(
    part: Problem, placement: Placement, before: Collection[Level], search: Search, most: int
) -> tuple[list[Placement], bool]:
    """Return who may fall short in placements of a part that are as good before balance."""
    standing = Placement({key: placement.of(key) for key in part.workload_by_key})
    if len(part.workloads) * len(part.clusters) > MOST_PLACES:
        return [standing], False
    from fairlead.solver.loosening.least_held import ways_short

    levels = [level for level in levels_of(part) if level in before]
    return ways_short(part, standing, levels, search, most)


def most_promising(problem: Problem, answers: Mapping[int, PartAnswer], left: Sequence[int]) -> int | None:
    """Return which way to fall short is searched next; None where no other one can be better.

    Parameters
    ----------
    answers
        By the number of the way: answers of those that were searched, and bounds of the others.
    left
        Ways that were not searched.
    """
    if not left or left[0] not in answers:
        return next(iter(left), None)
    enough = _enough(problem, answers.values())

    def bounds(number: int) -> list[int | Fraction]:
        told = [replace(each, value=each.bound or 0) for each in answers[number].attained]
        return ranked(problem, told, enough)

    known = [ranked(problem, each.attained, enough) for at, each in answers.items() if at not in left]
    first = min(left, key=bounds)
    return first if not known or bounds(first) < min(known) else None


def joined(problem: Problem, one: PartAnswer, other: PartAnswer) -> PartAnswer:
    """Return the better of two answers to one way to fall short, with the better bounds of both.

    A search that is cut off may know less than prices told before.
    """
    enough = _enough(problem, (one, other))
    best, worse = sorted((one, other), key=lambda each: ranked(problem, each.attained, enough))
    attained = bounded(best.attained, worse.attained)
    return replace(best, attained=attained, status=status_of(attained))


def best_of(problem: Problem, answers: Collection[PartAnswer]) -> PartAnswer:
    """Return the best of answers that fall short in different ways, with what is known of all of them.

    Balance need not be better than its tolerance above the least that it is in any of them.
    """
    if len(answers) == 1:
        return next(iter(answers))
    enough, first = _enough(problem, answers), levels_of(problem).index(BALANCE)
    best = min(answers, key=lambda each: ranked(problem, each.attained, enough))
    told = [
        replace(each, bound=bound, proven=each.value - bound <= each.tolerance + (each.resolution or 0))
        for each, bound in zip(best.attained, _least(answers), strict=True)
    ]
    attained = (*best.attained[:first], *told[first:])
    return replace(best, attained=attained, status=status_of(attained))


def _least(answers: Iterable[PartAnswer]) -> list[int | Fraction]:
    """Return the least that every level can be in any of some answers."""
    every = zip(*(answer.attained for answer in answers), strict=True)
    return [min((each.bound or 0 for each in same), default=0) for same in every]


def _enough(problem: Problem, answers: Collection[PartAnswer]) -> dict[Level, int | Fraction]:
    """Return what is enough of balance: the least of what it can be in some answers, and its tolerance."""
    at = levels_of(problem).index(BALANCE)
    return {BALANCE: _least(answers)[at] + next(iter(answers)).attained[at].tolerance}
