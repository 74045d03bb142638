"""One workload in a tree of groups: clusters that are chosen, groups that are bounded or measured.

Level after level narrows the face of all placements that are best so far; ties are settled on the last one.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from fairlead.models.check import violations_of
from fairlead.models.in_order import Column
from fairlead.models.levels import CLUSTERS, DEVIATIONS, MOVES, Deviation, Level, share
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, Shares, Spread, Weights
from fairlead.models.score import better, in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import SetRanges, WorkloadBox, asked_of
from fairlead.solver.exact.costs.deviations import Minimax
from fairlead.solver.exact.costs.levels import by_name, cost_of, deviation_from, weights_of
from fairlead.solver.exact.costs.pieces import Pieces
from fairlead.solver.exact.nested.best_set import NoPriceError, TooLongError
from fairlead.solver.exact.nested.crossing_groups import picker_of
from fairlead.solver.exact.nested.direct import most_together, on_fewest, without_choice
from fairlead.solver.exact.nested.face import Face, bits
from fairlead.solver.exact.nested.limits import GroupLimits, partition
from fairlead.solver.exact.nested.narrowed_face import narrow_all
from fairlead.solver.exact.nested.replica_price import Cost
from fairlead.solver.exact.nested.ties import settle
from fairlead.solver.exact.nested.whole_face import whole_face

# Prices in whole steps stay below this, so that sums over all clusters fit 64 bits.
DEAREST = 2**36
HEAVIEST = 2**62
"""Weights of groups in whole steps stay below this."""

Numbers = NDArray[np.int64]


def choose(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place one workload that may choose its clusters, or whose groups are bounded, where that can be done.

    `problem`: where it belongs; gives levels and the measure of deviation. `boxed`: what each candidate may
    hold; see `box_of`.

    Replicas by cluster, optimal on every level in lexicographic order, ties to the first by name; None where
    no placement keeps the rules, where this way does not apply or where it is too long.
    """
    if not workload.replicas:
        return None
    shares = workload.rule(Shares)
    # What is best without what is asked of sets is so with it, if it keeps that.
    tries = [SetRanges()] if shares is None else []
    asked = SetRanges() if workload.rule(Duplicated) else asked_of(workload, boxed)
    if asked.ranges or asked.apart or shares:
        tries.append(asked)
    with suppress(TooLongError, NoPriceError):
        return next(filter(None, (_placed(workload, problem, boxed, each) for each in tries)), None)
    return None


def _placed(
    workload: Workload, problem: Problem, boxed: WorkloadBox, asked: SetRanges
) -> Mapping[str, int] | None:
    """Place a workload as well as its rules allow, as far as these are told; None where others are broken."""
    found = []
    for ranges in asked.tries(boxed):
        opened = whole_face(workload, boxed, boxed.box.total, ranges)
        if opened is None:
            continue
        names, face = opened
        if workload.rule(Duplicated) is not None:
            copies = dict(zip(names, face.lower.tolist(), strict=True))
            chosen = _choose_copies(workload, problem, face, copies)
            placed = None if chosen is None else {name: copies[name] for name in chosen}
        else:
            counts = _divide(workload, problem, names, face)
            placed = None if counts is None else dict(zip(names, counts.tolist(), strict=True))
        if placed is not None:
            found.append(Column(boxed.names, by_name(boxed.names, placed)))
    found.sort(key=lambda each: each.amounts, reverse=True)
    answer: Mapping[str, int] | None = found[0] if found else None
    if len(found) > 1:
        alone = Problem(problem.clusters, (workload,), levels=problem.levels, deviation=problem.deviation)
        best = better(alone, *(Placement({workload.key: each}) for each in found))
        answer = None if best is None else best.of(workload.key)
    return None if answer is None or any(violations_of(workload, answer)) else answer


def faces_of(
    workload: Workload, problem: Problem, boxed: WorkloadBox, levels: Sequence[Level], total: int
) -> tuple[tuple[str, ...], list[Face]] | None:
    """Return clusters and all placements on them that are best on some levels, and perhaps more.

    Rules that say more than bounds, a total and limits on groups are left out, and so is a level that cannot
    be told, with all after it.

    `problem`, `boxed`: as for `choose`. `levels`: levels of the workload, the first ones, in order. `total`:
    replicas that are placed; of copies all together.

    None where there is no such placement, or where groups do not nest.
    """
    opened = whole_face(workload, boxed, total)
    if opened is None:
        return None
    names, face = opened
    faces = [face]
    try:
        for level in levels:
            narrowed = _narrowed(faces, names, workload, level, problem.deviation)
            if not narrowed:
                break
            faces = narrowed
    except (TooLongError, NoPriceError):
        pass
    return names, faces


def most_held(workload: Workload, boxed: WorkloadBox) -> int | None:
    """Return how many replicas clusters hold at most that a workload may choose together.

    As far as that is less than all; 0 where it may choose none.

    `boxed`: as for `choose`. None where that is not told: where all clusters may be chosen their box tells
    it, bounds of groups are left out, and a copy is whole or missing.
    """
    if workload.rule(Spread) is None or workload.rule(Duplicated) is not None or not workload.replicas:
        return None
    opened = whole_face(workload, boxed, boxed.box.total)
    try:
        return None if opened is None else most_together(opened[1]) or 0
    except NoPriceError as apart:
        return apart.bound
    except TooLongError:
        return None


def _choose_copies(
    workload: Workload, problem: Problem, face: Face, copies: Mapping[str, int]
) -> frozenset[str] | None:
    """Return the clusters that get a copy, best on every level; None where none keep the limits.

    A copy is whole or missing, so every level is a sum over the clusters that get one, and all levels
    together, ties last, are one merit of every cluster.

    `workload`: the workload, of at least one replica. `problem`: where it belongs; gives the order of the
    levels. `face`: how many groups and clusters may be used, and which have to get a copy. `copies`: size of
    the copy by cluster that may get one, in name order.
    """
    names = tuple(copies)
    sizes = np.array(list(copies.values()), dtype=object)
    merits = np.zeros(len(names), dtype=object)
    for level in in_order(levels_of_workload(workload), problem):
        cost = cost_of(level, workload, names)
        if cost is None:
            return None
        spared = -cost.spent(sizes)
        merits = merits * (2 * int(np.abs(spared).sum()) + 1) + spared
    everywhere = np.ones(len(names), dtype=bool)
    picker = picker_of(face.limits, everywhere, face.required, face.needed)
    picked = picker.pick(merits * (1 << len(names)) + bits(everywhere))
    if picked is None:
        return None
    return frozenset(name for name, used in zip(names, picked.used.tolist(), strict=True) if used)


def _divide(workload: Workload, problem: Problem, names: Sequence[str], face: Face) -> Numbers | None:
    """Return the best placement of a face; None where it holds none.

    Raises `TooLongError` or `NoPriceError` where that cannot be told.
    """
    faces = [face]
    for level in in_order(levels_of_workload(workload), problem):
        narrowed = _narrowed(faces, names, workload, level, problem.deviation)
        if narrowed is None:
            raise TooLongError
        if not narrowed:
            return None
        faces = narrowed
    placed = [found for found in map(settle, faces) if found is not None]
    return max(placed, key=lambda found: found.tolist(), default=None)


def _narrowed(
    faces: list[Face], names: Sequence[str], workload: Workload, level: Level, deviation: Deviation
) -> list[Face] | None:
    """Return all placements of some faces that are best on a level; None where that cannot be told."""
    if level == CLUSTERS:
        return on_fewest(faces)
    if level.key in MOVES and not any(workload.current.get(name) for name in names):
        return faces
    depth = None
    if level.key == share(1).key:
        found = _of_shares(faces[0].limits, names, workload, level, deviation)
        cost, depth = (None, None) if found is None else found
    else:
        cost = _cost(faces, names, workload, level, deviation)
    if cost is None:
        return None
    if len(faces) == 1 and (isinstance(cost, Pieces) or faces[0].sums):
        relaxed = without_choice(faces[0], cost, depth)
        if relaxed is not None:
            return [relaxed]
    return narrow_all(faces, cost, depth)


def _of_shares(
    limits: GroupLimits, names: Sequence[str], workload: Workload, level: Level, deviation: Deviation
) -> tuple[Cost, int] | None:
    """Return the cost of a depth of hierarchical weights, and that depth; None where it is no sum."""
    rule = workload.rule(Shares)
    parts = rule.depths[level.number - 1] if rule else ()
    groups = partition((part.clusters for part in parts), names)
    if groups is None:
        return None
    whole, depth = math.lcm(*(each.share.denominator for each in parts)), limits.depth_of(groups)
    if whole >= HEAVIEST:
        return None
    share_of = {name: int(each.share * whole) for each in parts for name in each.clusters}
    weights = by_name(names, share_of)
    if depth < len(limits.wider):
        limit = limits.wider[depth]
        weights = weights[np.unique(limit.group, return_index=True)[1]]
    cost = deviation_from(weights, whole, workload.replicas, deviation, passing=not bool(weights.all()))
    return None if isinstance(cost, Minimax) else (cost, depth)


def _cost(
    faces: Sequence[Face], names: Sequence[str], workload: Workload, level: Level, deviation: Deviation
) -> Cost | None:
    """Return the cost of a level on every cluster; None where it is no such sum.

    The deviation is one with overflow tiers only where one of them holds everything.
    """
    if level not in DEVIATIONS:
        return cost_of(level, workload, names, DEAREST)
    rule = workload.rule(Weights)
    if rule is None or deviation is Deviation.MINIMAX:
        return None
    opened = np.any([face.open_to for face in faces], axis=0)
    used = [name for name, each in zip(names, opened.tolist(), strict=True) if each]
    holding = [each for each in rule.tiers if not each.isdisjoint(used)]
    if rule.tiers and len(holding) != 1:
        return None
    weights, whole = weights_of(rule, names, holding[0] if holding else None)
    passing = bool(np.any(weights[opened] == 0))
    found = deviation_from(weights, whole, workload.replicas, deviation, passing=passing)
    return None if isinstance(found, Minimax) else found
