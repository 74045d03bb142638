"""Two stages: first the levels that keep what runs, without the rules that only later levels need.

How many replicas move is settled by what fits where. Ratios, counts of clusters and the like make a model
many times as large and say nothing about it.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType

from fairlead.models.levels import MINIMA, MOVES_FIRST, MOVES_UNCHANGED, Level, tier
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity, Preference, WorkloadRule
from fairlead.models.score import levels_of, levels_of_rule
from fairlead.models.usage import add, usage_of
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import Placed, left_by
from fairlead.solver.exact.alone import place_alone

EARLY = frozenset({MOVES_UNCHANGED.key, MINIMA.key, MOVES_FIRST.key, tier(1).key})
"""Keys of levels that are about what has to move and what overflows."""

ROUNDS = 3
"""How often every workload is placed again."""


def first_stage(part: Problem) -> Problem | None:
    """Return a problem with the first levels only; None where these are all levels, or there are none.

    Every placement of the one is a placement of the other, and costs the same on these levels. None too where
    a rule that has to stay has levels that come later, or would change its level without another rule.
    """
    levels = levels_of(part)
    early = frozenset(takewhile(lambda level: level.key in EARLY, levels))
    if not early or len(early) == len(levels):
        return None
    bases = frozenset(level.base for level in early)
    first = replace(part, workloads=tuple(_bare(each, bases) for each in part.workloads), balances=())
    return first if levels_of(first) == levels[: len(early)] else None


def is_early(part: Problem) -> bool:
    """Tell whether a problem has levels, and only such as are about what has to move."""
    levels = levels_of(part)
    return bool(levels) and all(level.key in EARLY for level in levels)


def _bare(workload: Workload, levels: frozenset[Level]) -> Workload:
    """Return a workload without preferences that are about other levels.

    What is about no level stays: a single tier, which makes moves count before tiers all the same.
    """

    def counts(rule: WorkloadRule) -> bool:
        about = levels_of_rule(rule, workload)
        return not about or not levels.isdisjoint(about)

    rules = tuple(rule for rule in workload.rules if not isinstance(rule, Preference) or counts(rule))
    return replace(workload, rules=rules)


def polished(part: Problem, placement: Placement, alone: Placed = MappingProxyType({})) -> Placement:
    """Return a placement in which every workload stands as well as the others let it.

    One after the other is placed again in what all others leave, which makes no level worse; but for those
    that stand already as they would alone.
    """
    if not all(isinstance(rule, Capacity) for rule in part.rules):
        return placement
    placed = placement.to_dict()
    left = left_by(part, part.workloads, placed)
    for _ in range(ROUNDS):
        before = dict(placed)
        for workload in part.workloads:
            best = alone.get(workload.key)
            if best is not None and _same(best, placed[workload.key]):
                continue
            add(left, usage_of(workload, placed[workload.key], part), 1)
            answer = place_alone(workload, part, left)
            if answer is not None:
                placed[workload.key] = {name: count for name, count in answer.items() if count}
            add(left, usage_of(workload, placed[workload.key], part), -1)
        if placed == before:
            break
    return Placement(placed)


def _same(one: Mapping[str, int], other: Mapping[str, int]) -> bool:
    """Tell whether two placements of a workload are the same; one may name clusters that hold nothing."""
    return all(other.get(name, 0) == count for name, count in one.items()) and other.keys() <= one.keys()
