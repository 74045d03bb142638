"""Aggregated: the fewest clusters first, by CP-SAT; then the best of all placements on so many clusters."""

from collections.abc import Callable
from dataclasses import replace

from fairlead.models.levels import CLUSTERS, MOVES_FIRST, MOVES_LAST, MOVES_UNCHANGED, Level
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Candidates,
    Capacity,
    Evenness,
    MovePrice,
    Moves,
    Price,
    Shares,
    Spread,
    Weights,
    moves,
)
from fairlead.models.score import levels_of, score
from fairlead.models.workload import Workload
from fairlead.solver.attainment import LexicographicResult
from fairlead.solver.boxes import box_of, has_box
from fairlead.solver.choosing import choose
from fairlead.solver.exact import allocate

LATER = (Evenness, MovePrice, Price, Shares, Weights)
MOVES = frozenset({MOVES_FIRST, MOVES_LAST, MOVES_UNCHANGED})


def place_on_fewest(part: Problem, minimise: Callable[[Problem], LexicographicResult]) -> Placement | None:
    """Place one aggregated workload.

    The levels up to the number of clusters are minimised without the others. Any placement that is best on
    all levels uses exactly that number, so the rest is a choice of so many clusters.

    Parameters
    ----------
    part
        A problem with one workload.
    minimise
        Minimises the levels of a problem by CP-SAT.

    Returns
    -------
    Placement or None
        Optimal on every level; None where this way does not apply or was not proven in time.
    """
    workload = part.workloads[0]
    if len(part.workloads) != 1 or workload.rule(Aggregated) is None or not has_box(workload):
        return None
    if any(not isinstance(rule, Capacity) for rule in part.rules):
        return None
    levels = [level.base for level in levels_of(part)]
    earlier = frozenset(levels[: levels.index(CLUSTERS)])
    if not earlier <= MOVES:
        return None
    first = replace(part, workloads=(_up_to_clusters(workload, earlier),))
    found = minimise(first)
    if found.status is not Status.OPTIMAL or found.placement is None:
        return None
    values = dict(zip(levels_of(first), found.attained, strict=True))
    used = next(attained.value for level, attained in values.items() if level.base == CLUSTERS)
    limited = _limited(workload, int(used))
    boxed = box_of(limited, part, part.limits)
    answer = allocate(limited, part, boxed) or choose(limited, part, boxed)
    if answer is None:
        return None
    placement = Placement({workload.key: answer})
    reached = dict(zip(levels_of(part), score(part, placement), strict=True))
    return (
        placement
        if all(reached[level].value == attained.value for level, attained in values.items())
        else None
    )


def _up_to_clusters(workload: Workload, earlier: frozenset[Level]) -> Workload:
    """Return a workload with the levels up to the number of clusters; only moves may come earlier."""
    rules = tuple(
        rule
        for rule in workload.rules
        if not isinstance(rule, LATER)
        and not (isinstance(rule, Moves) and moves.level(rule, workload) not in earlier)
    )
    return replace(workload, rules=rules)


def _limited(workload: Workload, most: int) -> Workload:
    """Return a workload that may use so many clusters, instead of one that uses the fewest."""
    candidates = workload.rule(Candidates)
    each = {name: frozenset({name}) for name in (candidates.names if candidates else ())}
    spreads = [rule for rule in workload.rules_of(Spread) if rule.field == "cluster"]
    least = max((rule.minimum for rule in spreads), default=0)
    others = tuple(
        rule for rule in workload.rules if not isinstance(rule, Aggregated) and rule not in spreads
    )
    return replace(workload, rules=(*others, Spread("cluster", each, least, most)))
