"""Duplicated with a choice: which clusters get a full copy.

A copy is whole or missing, so every level is a sum over the clusters that get one, and all levels together,
ties last, are one merit of every cluster.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from fairlead.models.levels import (
    CLUSTERS,
    COPIES,
    COST,
    MINIMA,
    MOVES,
    ROOM,
    Level,
    tier,
)
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Copies, Moves, Tiers
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.nested.face import Flags, bits
from fairlead.solver.nested.limits import Limits
from fairlead.solver.nested.picking import Picker
from fairlead.solver.whole_prices import whole_prices


def choose_copies(
    workload: Workload,
    problem: Problem,
    limits: Limits,
    copies: Mapping[str, int],
    required: Flags,
) -> frozenset[str] | None:
    """Return the clusters that get a copy, best on every level; None where none keep the limits.

    Parameters
    ----------
    workload
        The workload, of at least one replica.
    problem
        Where it belongs; gives the order of the levels.
    limits
        How many groups and clusters may be used.
    copies
        Size of the copy by cluster that may get one, in name order.
    required
        By cluster in that order, whether it has to get one.
    """
    names = tuple(copies)
    merits = np.zeros(len(names), dtype=object)
    for level in in_order(levels_of_workload(workload), problem):
        gains = _gains(workload, level, copies)
        if gains is None:
            return None
        merits = merits * (2 * sum(map(abs, gains)) + 1) + np.array(gains, dtype=object)
    everywhere = np.ones(len(names), dtype=bool)
    picker = Picker(limits, everywhere, required)
    picked = picker.pick(merits * (1 << len(names)) + bits(everywhere))
    if picked is None:
        return None
    return frozenset(name for name, used in zip(names, picked.used.tolist(), strict=True) if used)


def _gains(workload: Workload, level: Level, copies: Mapping[str, int]) -> Sequence[int] | None:
    """Return what a copy on every cluster spares on a level; None where the level is no sum over clusters."""
    if level.key in MOVES:
        rule = workload.rule(Moves)
        present = rule.present if rule else frozenset()
        return [
            min(workload.current.get(name, 0), copy) if name in present else 0
            for name, copy in copies.items()
        ]
    if level == MINIMA:
        bounds = workload.rule(Bounds)
        minimum = bounds.minimum if bounds else {}
        return [int(name in minimum and minimum[name].replicas > 0) for name in copies]
    if level == CLUSTERS:
        return [-1] * len(copies)
    if level in (COPIES, ROOM):
        ranked = workload.rule(Copies)
        rank = {name: at for at, name in enumerate(ranked.ranking)} if ranked else {}
        return [int(name in rank) if level == COPIES else -rank.get(name, 0) for name in copies]
    if level == COST:
        prices = whole_prices(workload) or {}
        return [-prices.get(name, 0) * copy for name, copy in copies.items()]
    if level.key == tier(1).key:
        tiers = workload.rule(Tiers)
        inside = frozenset().union(*tiers.tiers[: level.number]) if tiers else frozenset()
        return [0 if name in inside else -copy for name, copy in copies.items()]
    return None
