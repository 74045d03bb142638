"""Short spellings for boxes and their allocations."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.marginal import Box, narrow_unweighted, settle_ties
from fairlead.solver.marginal_costs import narrow_webster


def ints(*values: int) -> NDArray[np.int64]:
    """Return the values as an array of 64-bit integers."""
    return np.array(values, dtype=np.int64)


def box_of(lower: Sequence[int], upper: Sequence[int], total: int) -> Box:
    """Return a box from plain numbers."""
    return Box(ints(*lower), ints(*upper), total)


def plain(values: NDArray[np.int64]) -> list[int]:
    """Return the array as a list."""
    return [int(value) for value in values]


def webster(total: int, *weights: int, lower: Sequence[int] = (), upper: Sequence[int] = ()) -> list[int]:
    """Return Webster's division of the total, ties to the first."""
    box = box_of(lower or [0] * len(weights), upper or [total] * len(weights), total)
    return plain(settle_ties(narrow_webster(narrow_unweighted(box, ints(*weights)), ints(*weights))))
