"""One workload whose groups of clusters are bounded or measured, placed exactly where groups nest.

Bounds of regions, what has to survive the loss of one, how far groups may differ and hierarchical weights are
all told by sets of clusters. Where each two of these lie inside of each other or have nothing in common, they
make a box of groups inside groups (`fairlead.solver.exact.laminar`), which the levels narrow one by one.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from fairlead.models.check import violations_of
from fairlead.models.in_order import Column
from fairlead.models.levels import DEVIATIONS, Deviation, Level, share
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, Shares, Weights
from fairlead.models.rules.shares import Group
from fairlead.models.score import better, in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.exact.asked import Asked, Clusters, Range, asked_of, both
from fairlead.solver.exact.boxes import WorkloadBox
from fairlead.solver.exact.costs.deviations import Minimax, Squares
from fairlead.solver.exact.costs.levels import DEAREST, cost_of, deviation_from, weights_of
from fairlead.solver.exact.costs.pieces import Numbers, Pieces
from fairlead.solver.exact.laminar import Depth, LaminarBox
from fairlead.solver.exact.marginal import exact_sum
from fairlead.solver.exact.nesting import Tree, tree_of

HEAVIEST = 2**62
"""Weights of groups in whole steps stay below this."""

MOST_TRIED = 32
"""Up to so many numbers of replicas of the emptiest group are tried."""


def divide(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place one workload as well as its rules allow, where its groups of clusters nest.

    Parameters
    ----------
    problem
        Where it belongs; gives levels and the measure of deviation.
    boxed
        What each candidate may hold; see `box_of`.

    Returns
    -------
    mapping or None
        Replicas by cluster, best on every level, ties to the first by name; None where no placement keeps the
        rules, where groups overlap, and where a level is no sum over groups.
    """
    if workload.rule(Duplicated) is not None or not boxed.box.feasible:
        return None
    asked, shares = asked_of(workload, boxed), workload.rule(Shares)
    sets = [*asked.ranges, *(group for groups, _ in asked.apart for group in groups)]
    tree = tree_of(boxed.names, shares.depths if shares else (), sets)
    costs = None if tree is None else _costs(tree, workload, problem, boxed.names)
    if tree is None or costs is None:
        return None
    found = []
    for lowest in product(*(_lowest(groups, most, boxed) for groups, most in asked.apart)):
        box = _box(tree, _ranges(asked, lowest), boxed).tight()
        for cost, at in costs if box else ():
            box = box.narrow(cost, at) if box else None
        if box is not None:
            placed = np.empty_like(tree.order)
            placed[tree.order] = box.settle_ties(np.argsort(tree.order))
            found.append(Column(boxed.names, placed))
    found.sort(key=lambda each: each.amounts, reverse=True)
    alone = Problem(problem.clusters, (workload,), levels=problem.levels, deviation=problem.deviation)
    best = better(alone, *(Placement({workload.key: each}) for each in found))
    answer = None if best is None else best.of(workload.key)
    return None if answer is None or any(violations_of(workload, answer)) else answer


def _lowest(groups: Sequence[Clusters], most: int, boxed: WorkloadBox) -> Sequence[int]:
    """Return what the emptiest of groups may hold that differ by so many at most; none where it is too much.

    The groups hold all replicas but for those that candidates in none of them can take.
    """
    total, where = boxed.box.total, {name: at for at, name in enumerate(boxed.names)}
    upper = np.minimum(boxed.box.upper, total)
    rows = [np.array([where[name] for name in group], dtype=np.int64) for group in groups]
    rest = exact_sum(np.delete(upper, np.concatenate(rows)))
    least = max(exact_sum(boxed.box.lower[row]) for row in rows)
    highest = min(total // len(groups), *(exact_sum(upper[row]) for row in rows))
    lowest = max(0, least - most, -((rest - total) // len(groups)) - most)
    return range(lowest, highest + 1) if highest - lowest < MOST_TRIED else ()


def _ranges(asked: Asked, lowest: Sequence[int]) -> dict[Clusters, Range]:
    """Return what sets may hold where the emptiest groups hold at least so many."""
    found = dict(asked.ranges)
    for (groups, most), least in zip(asked.apart, lowest, strict=True):
        for group in groups:
            found[group] = both(found.get(group), (least, least + most))
    return found


def _box(tree: Tree, ranges: Mapping[Clusters, Range], boxed: WorkloadBox) -> LaminarBox:
    """Return what groups and candidates may hold."""
    total = boxed.box.total
    bounds = [
        [ranges.get(inside, (0, total)) if inside is not None else (0, total) for inside in depth]
        for depth in tree.sets
    ]
    single = [ranges.get(frozenset({boxed.names[at]}), (0, total)) for at in tree.order.tolist()]
    lower, upper = boxed.box.lower[tree.order], np.minimum(boxed.box.upper, total)[tree.order]
    depths = [np.array(each, dtype=np.int64) for each in ([(total, total)], *bounds, single)]
    depths[-1] = np.stack([np.maximum(depths[-1][:, 0], lower), np.minimum(depths[-1][:, 1], upper)], axis=1)
    first = (*tree.first, tree.order[:0])
    return LaminarBox(
        tuple(Depth(each[:, 0], each[:, 1], inside) for each, inside in zip(depths, first, strict=True))
    )


def _costs(
    tree: Tree, workload: Workload, problem: Problem, names: Sequence[str]
) -> Sequence[tuple[Pieces | Squares, int]] | None:
    """Return what every level costs, and at which depth; None where one is no sum over groups."""
    found: list[tuple[Pieces | Squares, int]] = []
    ordered = [names[int(at)] for at in tree.order]
    for level in in_order(levels_of_workload(workload), problem):
        if level.key == share(1).key:
            groups, at = tree.measured[level.number - 1]
            cost = _from_shares(groups, workload.replicas, problem.deviation)
        else:
            cost, at = _of_clusters(level, workload, ordered, problem.deviation), len(tree.first)
        if cost is None:
            return None
        found.append((cost, at))
    return found


def _from_shares(groups: Sequence[Group], replicas: int, deviation: Deviation) -> Pieces | Squares | None:
    """Return the distance from the quotas of groups; None where that is no sum over them."""
    whole = math.lcm(*(group.share.denominator for group in groups))
    if whole >= HEAVIEST:
        return None
    weights = np.array([int(group.share * whole) for group in groups], dtype=np.int64)
    return _distance(weights, whole, replicas, deviation)


def _of_clusters(
    level: Level, workload: Workload, names: Sequence[str], deviation: Deviation
) -> Pieces | Squares | None:
    """Return what a level costs on every candidate; None where it is no sum over them."""
    if level not in DEVIATIONS:
        cost = cost_of(level, workload, names, DEAREST)
        return None if cost is None or cost.using is not None else cost
    rule = workload.rule(Weights)
    if rule is None or rule.tiers:
        return None
    return _distance(*weights_of(rule, names), workload.replicas, deviation)


def _distance(weights: Numbers, whole: int, replicas: int, deviation: Deviation) -> Pieces | Squares | None:
    """Return the distance from quotas; None where that is no sum."""
    found = deviation_from(weights, whole, replicas, deviation, passing=not bool(weights.all()))
    return None if isinstance(found, Minimax) else found
