"""Short spellings for boxes, their allocations and the costs that narrow them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import Deviation
from fairlead.solver.exact.costs.deviations import narrow_unweighted, narrow_webster
from fairlead.solver.exact.costs.levels import deviation_from
from fairlead.solver.exact.costs.pieces import changing, linear, stopping
from fairlead.solver.exact.marginal import Box, settle_ties


def ints(*values: int) -> NDArray[np.int64]:
    """Return the values as an array of 64-bit integers."""
    return np.array(values, dtype=np.int64)


def box_of(lower: Sequence[int], upper: Sequence[int], total: int) -> Box:
    """Return a box from plain numbers."""
    return Box(ints(*lower), ints(*upper), total)


def plain(values: NDArray[np.int64]) -> list[int]:
    """Return the array as a list."""
    return [int(value) for value in values]


def narrow_linear(box: Box, price: NDArray[np.int64]) -> Box:
    """Return all allocations of the least price."""
    return linear(price).narrow(box)


def narrow_moves(box: Box, current: NDArray[np.int64]) -> Box:
    """Return all allocations with the fewest moves."""
    return stopping(current).narrow(box)


def narrow_change(box: Box, current: NDArray[np.int64]) -> Box:
    """Return all allocations with the most even change."""
    return changing(current, np.ones_like(current)).narrow(box)


def narrow_l1(box: Box, weights: NDArray[np.int64], replicas: int) -> Box:
    """Return all allocations with the least sum of distances from the quotas of some replicas."""
    return deviation_from(weights, sum(plain(weights)), replicas, Deviation.L1).narrow(box)


def narrow_minimax(box: Box, weights: NDArray[np.int64], replicas: int) -> Box:
    """Return all allocations with the least relative distance from the quotas of some replicas."""
    return deviation_from(weights, sum(plain(weights)), replicas, Deviation.MINIMAX).narrow(box)


def webster(total: int, *weights: int, lower: Sequence[int] = (), upper: Sequence[int] = ()) -> list[int]:
    """Return Webster's division of the total, ties to the first."""
    box = box_of(lower or [0] * len(weights), upper or [total] * len(weights), total)
    return plain(settle_ties(narrow_webster(narrow_unweighted(box, ints(*weights)), ints(*weights))))
