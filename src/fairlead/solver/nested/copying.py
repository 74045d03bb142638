"""Duplicated with a choice: which clusters get a full copy.

A copy is whole or missing, so every level is a sum over the clusters that get one, and all levels together,
ties last, are one merit of every cluster.
"""

from collections.abc import Mapping

import numpy as np

from fairlead.models.problem import Problem
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.costs.levels import cost_of
from fairlead.solver.costs.straight import Straight
from fairlead.solver.nested.face import Flags, bits
from fairlead.solver.nested.limits import Limits
from fairlead.solver.nested.picking import Picker


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
    sizes = np.array(list(copies.values()), dtype=object)
    merits = np.zeros(len(names), dtype=object)
    for level in in_order(levels_of_workload(workload), problem):
        cost = cost_of(level, workload, names)
        if not isinstance(cost, Straight):
            return None
        spared = -cost.spent(sizes)
        merits = merits * (2 * int(np.abs(spared).sum()) + 1) + spared
    everywhere = np.ones(len(names), dtype=bool)
    picker = Picker(limits, everywhere, required)
    picked = picker.pick(merits * (1 << len(names)) + bits(everywhere))
    if picked is None:
        return None
    return frozenset(name for name, used in zip(names, picked.used.tolist(), strict=True) if used)
