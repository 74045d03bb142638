"""One workload with hierarchical weights, placed exactly: marginal allocation in groups inside groups."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.models.levels import Deviation, Level, share
from fairlead.models.problem import Problem
from fairlead.models.rules import GroupTotal, Shares
from fairlead.models.rules.shares import Group
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import WorkloadBox
from fairlead.solver.exact.costs.deviations import Minimax, Squares
from fairlead.solver.exact.costs.levels import DEAREST, cost_of, deviation_from
from fairlead.solver.exact.costs.pieces import Numbers, Pieces
from fairlead.solver.exact.laminar import Depth, LaminarBox

HEAVIEST = 2**62
"""Weights of groups in whole steps stay below this."""


@dataclass(frozen=True, slots=True)
class _Hierarchy:
    """The candidates of a workload, those of one group side by side."""

    order: Numbers
    """Positions of the candidates in the order of their names."""
    groups: tuple[tuple[Group, ...], ...]
    """The groups that have candidates, by depth."""
    first: tuple[tuple[int, ...], ...]
    """Position of the first group, or candidate, inside of each, by depth from the whole on."""


def divide(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Numbers | None:
    """Return the replicas of each candidate, best on every level, ties to the first by name.

    Bounds of sets of clusters that are a group of the hierarchy are kept; other rules about sets are left
    out. None where nothing lies within the bounds, where a level is no sum over groups, and where groups are
    not inside of each other.
    """
    shares = workload.rule(Shares)
    hierarchy = None if shares is None else _hierarchy(shares, boxed.names)
    if hierarchy is None:
        return None
    box = _box(hierarchy, workload, boxed).tight()
    if box is None:
        return None
    for level in in_order(levels_of_workload(workload), problem):
        of_groups = level.key == share(1).key
        if of_groups:
            cost = _deviation(hierarchy.groups[level.number - 1], workload, problem.deviation)
        else:
            cost = _of_clusters(level, workload, [boxed.names[at] for at in hierarchy.order.tolist()])
        if cost is None:
            return None
        box = box.narrow(cost, level.number if of_groups else len(hierarchy.first))
    placed = np.empty_like(hierarchy.order)
    placed[hierarchy.order] = box.settle_ties(np.argsort(hierarchy.order))
    return placed


def _hierarchy(shares: Shares, names: Sequence[str]) -> _Hierarchy | None:
    """Order candidates by their groups; None where one is in none, or groups are not inside of each other."""
    within = [
        {name: at for at, group in enumerate(depth) for name in group.clusters} for depth in shares.depths
    ]
    if not names or not all(name in depth for depth in within for name in names):
        return None
    paths = [tuple(depth[name] for depth in within) for name in names]
    order = sorted(range(len(names)), key=paths.__getitem__)
    outer: list[tuple[int, ...]] = [()]
    groups, first = [], []
    for number, depth in enumerate(shares.depths, start=1):
        inner = list(dict.fromkeys(paths[at][:number] for at in order))
        if len({path[-1] for path in inner}) < len(inner):
            return None
        groups.append(tuple(depth[path[-1]] for path in inner))
        first.append(_first(outer, [path[:-1] for path in inner]))
        outer = inner
    first.append(_first(outer, [paths[at] for at in order]))
    return _Hierarchy(np.array(order, dtype=np.int64), tuple(groups), tuple(first))


def _first(outer: Sequence[tuple[int, ...]], around: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the position of the first one inside of each, told what is around every one."""
    found: dict[tuple[int, ...], int] = {}
    for at, path in enumerate(around):
        found.setdefault(path, at)
    return tuple(found[path] for path in outer)


def _box(hierarchy: _Hierarchy, workload: Workload, boxed: WorkloadBox) -> LaminarBox:
    """Return what groups and candidates may hold."""
    total, order = boxed.box.total, hierarchy.order
    names = frozenset(boxed.names)
    bounds = {
        rule.clusters & names: rule for rule in (workload.rules_of(GroupTotal) if workload.replicas else ())
    }
    depths = [(np.array([total]), np.array([total]))]
    for groups in hierarchy.groups:
        rules = [bounds.get(group.clusters & names) for group in groups]
        least = [rule.minimum if rule else 0 for rule in rules]
        most = [total if rule is None or rule.maximum is None else rule.maximum for rule in rules]
        depths.append((np.array(least), np.minimum(np.array(most), total)))
    depths.append((boxed.box.lower[order], np.minimum(boxed.box.upper, total)[order]))
    inside = [np.array(each, dtype=np.int64) for each in (*hierarchy.first, ())]
    return LaminarBox(
        tuple(Depth(lower, upper, first) for (lower, upper), first in zip(depths, inside, strict=True))
    )


def _deviation(groups: Sequence[Group], workload: Workload, deviation: Deviation) -> Pieces | Squares | None:
    """Return the distance from the quotas of the groups of one depth; None where that is no sum over them."""
    whole = math.lcm(*(group.share.denominator for group in groups))
    if whole >= HEAVIEST:
        return None
    weights = np.array([int(group.share * whole) for group in groups], dtype=np.int64)
    passing = not all(group.share for group in groups)
    found = deviation_from(weights, whole, workload.replicas, deviation, passing=passing)
    return None if isinstance(found, Minimax) else found


def _of_clusters(level: Level, workload: Workload, names: Sequence[str]) -> Pieces | None:
    """Return what a level costs on every candidate; None where it is no sum over them."""
    cost = cost_of(level, workload, names, DEAREST)
    return None if cost is None or cost.using is not None else cost
