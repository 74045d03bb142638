"""One workload, bounds and one total: placed by exact marginal allocation, without a solver.

Every level narrows the box of one workload to the box of all its optima (`fairlead.solver.marginal`), so the
answer is proven by the formula itself.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import DEVIATION, Deviation, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, Weights
from fairlead.models.score import levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.boxes import WorkloadBox
from fairlead.solver.marginal import Box, narrow_moves, settle_ties
from fairlead.solver.marginal_costs import narrow_l1, narrow_minimax, narrow_webster

NARROW = MappingProxyType({Deviation.L1: narrow_l1, Deviation.MINIMAX: narrow_minimax})


def allocate(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place one workload as well as its box allows.

    Parameters
    ----------
    workload
        The workload; `applies` must hold.
    problem
        Where it belongs; gives levels and the measure of deviation.
    boxed
        What each candidate may hold; see `box_of`.

    Returns
    -------
    mapping or None
        Replicas by cluster, optimal on every level in lexicographic order, ties to the first by name; None
        where no placement keeps the rules.
    """
    if not boxed.box.feasible:
        return None
    box = boxed.box.tight()
    if workload.rule(Duplicated) is None:
        used = {level.key for level in levels_of_workload(workload)}
        for level in problem.levels:
            if level.key in used:
                box = _narrow(box, boxed.names, workload, level, problem.deviation)
    return dict(zip(boxed.names, settle_ties(box).tolist(), strict=True))


def applies(workload: Workload, problem: Problem, boxed: WorkloadBox) -> bool:
    """Tell whether `allocate` is exact for a workload whose rules fit a box.

    Under ``webster`` no replica may be free to pass to a candidate of weight 0:
    the measure leaves such a candidate out, so Webster's marginal costs no longer tell the deviation.
    """
    weights = workload.rule(Weights)
    if weights is None or problem.deviation is not Deviation.WEBSTER or all(weights.weights.values()):
        return True
    return not boxed.box.feasible or _unweighted_are_fixed(boxed, weights)


def _unweighted_are_fixed(boxed: WorkloadBox, weights: Weights) -> bool:
    """Tell whether every candidate of weight 0 can hold one number only."""
    box = boxed.box.tight()
    unweighted = _array(boxed.names, weights.weights) == 0
    return bool(np.all(box.lower[unweighted] == box.upper[unweighted]))


def _narrow(box: Box, names: tuple[str, ...], workload: Workload, level: Level, deviation: Deviation) -> Box:
    """Return the box of all placements that are best on one level."""
    if level != DEVIATION:
        return narrow_moves(box, _array(names, workload.current))
    rule = workload.rule(Weights)
    weights = _array(names, rule.weights if rule else {})
    if deviation is Deviation.WEBSTER:
        return narrow_webster(box, weights)
    return NARROW[deviation](box, weights, workload.replicas)


def _array(names: tuple[str, ...], values: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the values in the order of the names; 0 where there is none."""
    return np.array([values.get(name, 0) for name in names], dtype=np.int64)
