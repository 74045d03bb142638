"""One workload whose clusters are chosen: spread constraints over nested groups, Aggregated, copies, minima.

Level after level narrows the face of all placements that are best so far; ties are settled on the last one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairlead.models.check import violations_of
from fairlead.models.in_order import Column
from fairlead.models.levels import CLUSTERS, DEVIATIONS, MOVES, Deviation, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Duplicated, Spread, Weights
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import WorkloadBox, fewest_in_use
from fairlead.solver.exact.costs.deviations import Minimax
from fairlead.solver.exact.costs.levels import by_name, cost_of, deviation_from, weights_of
from fairlead.solver.exact.costs.pieces import Pieces
from fairlead.solver.exact.marginal import Box
from fairlead.solver.exact.nested.crossing import picker_of
from fairlead.solver.exact.nested.face import Face, bits, settle
from fairlead.solver.exact.nested.limits import limits_of
from fairlead.solver.exact.nested.narrowing import narrow_all, on_fewest
from fairlead.solver.exact.nested.picking import ApartError, TooLongError
from fairlead.solver.exact.nested.pricing import Cost

# Prices in whole steps stay below this, so that sums over all clusters fit 64 bits.
DEAREST = 2**36

Numbers = NDArray[np.int64]


def choose(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place one workload that may choose its clusters, where that can be done exactly.

    Parameters
    ----------
    problem
        Where it belongs; gives levels and the measure of deviation.
    boxed
        What each candidate may hold; see `box_of`.

    Returns
    -------
    mapping or None
        Replicas by cluster, optimal on every level in lexicographic order, ties to the first by name; None
        where no placement keeps the rules, where this way does not apply or where it is too long.
    """
    if not workload.replicas:
        return None
    opened = _whole_face(workload, boxed, boxed.box.total)
    if opened is None:
        return None
    names, face = opened
    if workload.rule(Duplicated) is not None:
        copies = dict(zip(names, face.lower.tolist(), strict=True))
        chosen = _choose_copies(workload, problem, face, copies)
        placed = None if chosen is None else {name: copies[name] for name in chosen}
    else:
        counts = _divide(workload, problem, names, face)
        placed = None if counts is None else dict(zip(names, counts.tolist(), strict=True))
    if placed is None:
        return None
    answer = Column(boxed.names, by_name(boxed.names, placed))
    return None if any(violations_of(workload, answer)) else answer


def faces_of(
    workload: Workload, problem: Problem, boxed: WorkloadBox, levels: Sequence[Level], total: int
) -> tuple[tuple[str, ...], list[Face]] | None:
    """Return clusters and all placements on them that are best on some levels, and perhaps more.

    Rules that say more than bounds, a total and limits on groups are left out, and so is a level that cannot
    be told, with all after it.

    Parameters
    ----------
    problem, boxed
        As for `choose`.
    levels
        Levels of the workload, the first ones, in order.
    total
        Replicas that are placed; of copies all together.

    Returns
    -------
    tuple or None
        None where there is no such placement, or where groups do not nest.
    """
    opened = _whole_face(workload, boxed, total)
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
    except (TooLongError, ApartError):
        pass
    return names, faces


def _whole_face(workload: Workload, boxed: WorkloadBox, total: int) -> tuple[tuple[str, ...], Face] | None:
    """Return the clusters that can or have to hold replicas, and all placements on them within limits.

    No level is told yet; None where there is no such placement, or where groups do not nest.
    """
    bounds = workload.rule(Bounds)
    lower = fewest_in_use(workload, boxed)
    required, copied = boxed.box.lower > 0, workload.rule(Duplicated) is not None
    if copied:
        always = {name for name, bound in bounds.always.items() if bound.replicas} if bounds else set[str]()
        required = np.array([name in always for name in boxed.names], dtype=bool)
    kept = np.flatnonzero((boxed.box.upper >= lower) | required)
    names = tuple(boxed.names[at] for at in kept.tolist())
    lower, upper = lower[kept], boxed.box.upper[kept]
    limits = limits_of(workload.rules_of(Spread), names) if names else None
    if limits is None or bool(np.any(upper < lower)):
        return None
    face = Face(
        limits,
        lower,
        lower if copied else upper,
        total,
        np.ones(len(lower), dtype=bool),
        required[kept],
        tuple(np.zeros(each.groups, dtype=bool) for each in limits.wider),
        np.zeros(len(lower), dtype=np.int64),
    )
    return names, face


def _choose_copies(
    workload: Workload, problem: Problem, face: Face, copies: Mapping[str, int]
) -> frozenset[str] | None:
    """Return the clusters that get a copy, best on every level; None where none keep the limits.

    A copy is whole or missing, so every level is a sum over the clusters that get one, and all levels
    together, ties last, are one merit of every cluster.

    Parameters
    ----------
    workload
        The workload, of at least one replica.
    problem
        Where it belongs; gives the order of the levels.
    face
        How many groups and clusters may be used, and which have to get a copy.
    copies
        Size of the copy by cluster that may get one, in name order.
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
    try:
        faces = [face]
        for level in in_order(levels_of_workload(workload), problem):
            narrowed = _narrowed(faces, names, workload, level, problem.deviation)
            if not narrowed:
                return None
            faces = narrowed
        placed = [found for found in map(settle, faces) if found is not None]
    except (TooLongError, ApartError):
        return None
    return max(placed, key=lambda found: found.tolist(), default=None)


def _narrowed(
    faces: list[Face], names: Sequence[str], workload: Workload, level: Level, deviation: Deviation
) -> list[Face] | None:
    """Return all placements of some faces that are best on a level; None where that cannot be told."""
    if level == CLUSTERS:
        return on_fewest(faces)
    if level.key in MOVES and not any(workload.current.get(name) for name in names):
        return faces
    cost = _cost(faces, names, workload, level, deviation)
    if cost is None:
        return None
    if isinstance(cost, Pieces) and len(faces) == 1:
        relaxed = without_choice(faces[0], cost)
        if relaxed is not None:
            return [relaxed]
    return narrow_all(faces, cost)


def _cost(
    faces: Sequence[Face], names: Sequence[str], workload: Workload, level: Level, deviation: Deviation
) -> Cost | None:
    """Return what a level costs on every cluster; None where it is no such sum.

    The deviation is one with overflow tiers only where one of them holds everything.
    """
    if level not in DEVIATIONS:
        cost = cost_of(level, workload, names, DEAREST)
        return None if cost is None or cost.bend is not None else cost
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


def without_choice(face: Face, cost: Pieces) -> Face | None:
    """Narrow a face as if any clusters could be used: what is best then is best where the limits can be kept.

    None where no set of clusters can keep them, or where it is not seen that one can.
    """
    if not face.settled or (cost.using is not None and bool(cost.using.any())):
        return None
    box = Box(np.where(face.required, face.lower, 0), np.where(face.open_to, face.upper, 0), face.total)
    if not box.feasible:
        return None
    best = cost.narrow(box, np.arange(len(box.lower)))
    required = face.required | (best.lower > 0)
    lower = np.maximum(face.lower, best.lower)
    open_to = face.open_to & (best.upper >= lower)
    if bool(np.any(required & ~open_to)):
        return None
    narrower = replace(face, lower=lower, upper=best.upper, open_to=open_to, required=required, first=None)
    for side in (narrower.upper, -narrower.lower):
        try:
            picked = narrower.pick(side)
        except ApartError as apart:
            picked = apart.known
        if picked is not None and narrower.holds(picked.used):
            return narrower
    return None
