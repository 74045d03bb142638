"""Who may stand elsewhere, who stays where he is, and who is tied to whom, where levels are loosened."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from fairlead.models.levels import BALANCE, COPIES, MOVES_FIRST, MOVES_UNCHANGED, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Copies, Duplicated, GroupTotal, MoveBudget, Moves, Preference, Total
from fairlead.models.rules.balance import Balance, used_by
from fairlead.models.rules.moves import level
from fairlead.models.score import levels_of, score
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import PartAnswer, Placed, beside
from fairlead.solver.answers.attainment import Apart
from fairlead.solver.exact.alone import place_alone
from fairlead.solver.levels.spans import ReplicaSpan, Spans, span_of, uses_alike


def settled(problem: Problem) -> frozenset[str]:
    """Return the workloads that have one placement only, by rules of their own."""
    return frozenset(each.key for each in problem.workloads if _has_one(each, problem))


def _has_one(workload: Workload, problem: Problem) -> bool:
    """Tell whether its bounds leave a workload one placement."""
    ends = span_of(workload, problem).ends
    return all(low == high for low, high in ends.values())


def chooses_copies(workload: Workload) -> bool:
    """Tell whether a workload chooses on which clusters it has copies."""
    copies = workload.rule(Duplicated)
    return copies is not None and copies.choice


def copies_are_known(found: PartAnswer, apart: Apart) -> bool:
    """Tell whether all that choose copies have as many replicas wherever the levels before balance are best.

    That is so for one with as many copies as it would have alone. Of those beside it whose missing copies
    count on one level, which is proven as all before it are, none has more where no other has fewer: nor the
    only one, nor those that have as many copies as they can have at all.
    """
    choosing = [each for each in found.part.workloads if chooses_copies(each)]
    if not all(_copies_alike(each, found.part) for each in choosing):
        return False
    reached = zip(levels_of(found.part), found.attained, strict=False)
    proven = {level for level, _ in takewhile(lambda pair: pair[1].proven, reached)}
    shared = defaultdict[Level, list[Workload]](list)
    for each in choosing:
        level = replace(COPIES, priority=each.priority)
        if each.key not in apart.get(level, ()):
            shared[level].append(each)
    placement = found.placement or Placement({})
    return all(
        level in proven
        and (len(some) == 1 or all(_has_most_copies(each, found.part, placement) for each in some))
        for level, some in shared.items()
    )


def _has_most_copies(workload: Workload, problem: Problem, placement: Placement) -> bool:
    """Tell whether a workload has as many copies as it can have at all, whatever else it would cost."""
    rules = tuple(
        each for each in workload.rules if isinstance(each, Copies) or not isinstance(each, Preference)
    )
    most, held = place_alone(replace(workload, rules=rules), problem), placement.of(workload.key)
    return most is not None and sum(map(bool, most.values())) == sum(map(bool, held.values()))


def _copies_alike(workload: Workload, problem: Problem) -> bool:
    """Tell whether all copies of a workload that fit somewhere have as many replicas."""
    return len({most for _, most in span_of(workload, problem).ends.values() if most}) <= 1


def apart(found: PartAnswer, alone: Placed) -> Apart:
    """Return the workloads that cost in every best placement what they would cost alone, by level.

    All of them on the first levels that cost no more than that together; from then on those of which the
    answer says so.
    """
    part = found.part
    if not all(each.key in alone for each in part.workloads):
        return found.apart
    levels = zip(levels_of(part), found.attained, score(part, Placement(alone)), strict=True)
    same = takewhile(lambda each: each[1].value == each[2].value, levels)
    return {**found.apart, **{level: frozenset(part.workload_by_key) for level, _, _ in same}}


def resting(problem: Problem, found: PartAnswer) -> frozenset[str]:
    """Return the workloads that nobody would look at again, and that stand where they run."""
    placement = found.placement or Placement({})
    return frozenset(
        each.key
        for each in problem.workloads
        if not each.due and not each.fresh and dict(placement.of(each.key)) == dict(each.current)
    )


def tied(keys: frozenset[str], problem: Problem, staying: frozenset[str]) -> frozenset[str]:
    """Return some workloads with all that shared rules tie to them; who stays uses no budget of moves."""
    sets = [
        frozenset(rule.tied(problem)) - (staying if isinstance(rule, MoveBudget) else frozenset())
        for rule in problem.rules
    ]
    while True:
        more = keys.union(*(inside for inside in sets if not inside.isdisjoint(keys)))
        if more == keys:
            return keys
        keys = more


def open_part(problem: Problem, keys: frozenset[str], placement: Placement, spans: Spans) -> Problem:
    """Return the problem of some workloads while all others stand where they stand."""
    chosen = [each for each in problem.workloads if each.key in keys]
    whole = len(chosen) == len(problem.workloads)
    part = problem if whole else beside(problem, chosen, placement.to_dict())
    rules = tuple(
        _narrowed(rule, problem, keys, placement, spans)
        for rule in problem.balances or ()
        if not rule.members.isdisjoint(keys)
    )
    counted = (_with_copies(each, problem, placement) for each in part.workloads)
    workloads = tuple(counted) if rules else part.workloads
    return replace(part, workloads=workloads, balances=rules, partial=False)


def _narrowed(
    rule: Balance, problem: Problem, keys: frozenset[str], placement: Placement, spans: Spans
) -> Balance:
    """Return a balance of which some members stand where they stand."""
    others = tuple(each for each in problem.workloads if each.key not in keys)
    standing = used_by(rule, replace(problem, workloads=others), placement)
    used = used_by(rule, problem, placement)
    moving = [problem.workload(key) for key in sorted(rule.members & keys)]
    totals = {
        resource: sum(used.get((name, resource), 0) for name in shares)
        for resource, shares in rule.shares.items()
        if all(uses_alike(each, _span(each, placement, spans), resource, shares, problem) for each in moving)
    }
    return replace(rule, standing=standing, totals=totals)


def _with_copies(workload: Workload, problem: Problem, placement: Placement) -> Workload:
    """Return a workload with as many copies as it has, where it chooses them.

    Levels before balance say how many, unless several workloads compete for them.
    """
    if not chooses_copies(workload):
        return workload
    names, held = frozenset(problem.cluster_by_name), sum(placement.of(workload.key).values())
    return replace(workload, rules=(*workload.rules, GroupTotal(BALANCE.name, names, held, held)))


def _span(workload: Workload, placement: Placement, spans: Spans) -> ReplicaSpan:
    """Return the span of a workload, with as many copies as it has where it chooses them."""
    span = spans[workload.key]
    held = sum(placement.of(workload.key).values())
    return replace(span, total=held) if chooses_copies(workload) else span


KEEPING = frozenset({MOVES_UNCHANGED, MOVES_FIRST})
"""Levels on which the moves of workloads count that keep what runs."""


def frozen(part: Problem, alone: Mapping[str, Mapping[str, int]]) -> dict[str, Level]:
    """Return the workloads that can only stay while moves are at their least, with the level that says so.

    A workload of unchanged size that stands best, all shared capacity for itself, where it runs now has one
    placement without a move: the running one. As long as the levels of a problem reach what the workloads
    need alone up to the level of its moves, it cannot stand anywhere else. Nor can one that has copies on
    clusters of its choice: each of them stays, and one more would be another number of missing copies.

    Parameters
    ----------
    alone
        Workloads as they are placed where they have all shared capacity for themselves, as far as known.
    """
    tied = _tied(part)
    found: dict[str, Level] = {}
    for workload in part.workloads:
        if workload.key in alone and workload.key not in tied:
            keeps = _keeping(workload, alone[workload.key], part.levels)
            if keeps is not None:
                found[workload.key] = keeps
    return found


def _keeping(workload: Workload, placed: Mapping[str, int], order: Sequence[str]) -> Level | None:
    """Return the level that keeps a workload where it runs; None where none does, or it stands elsewhere."""
    rule = workload.rule(Moves)
    if rule is None or not rule.present.issuperset(workload.current):
        return None
    at = level(rule, workload)
    stands = {name: count for name, count in placed.items() if count}
    if at not in KEEPING or stands != dict(workload.current):
        return None
    copies = workload.rule(Duplicated)
    if copies is not None:
        chosen = copies.choice and workload.rule(Copies) is not None and bool(stands)
        return (
            replace(max(at, COPIES, key=lambda each: order.index(each.key)), priority=workload.priority)
            if chosen
            else None
        )
    wanted = workload.rule(Total) is not None and sum(stands.values()) == workload.replicas
    return replace(at, priority=workload.priority) if wanted else None


def _tied(part: Problem) -> frozenset[str]:
    """Return the workloads that something else than capacity and budgets of moves ties to others.

    Who does not move uses nothing of a budget of moves.
    """
    rules = (rule for rule in part.rules if not isinstance(rule, MoveBudget))
    return frozenset(key for rule in rules for key in rule.tied(part))
