"""Exact allocation of one workload without a solver: boxes that one level after the other narrows.

The replicas x of one workload obey ``lower <= x <= upper`` and ``sum(x) == total``. A level minimises a
separable convex cost ``sum(f_c(x_c))``. Think of cluster c as a stack of *units*: the unit k raises x_c
from k to k + 1 and costs the *marginal* ``f_c(k + 1) - f_c(k)``, which never falls as k grows. Taking the
cheapest units is optimal (B. Fox, "Discrete optimization via marginal analysis", Management Science 13,
1966; A. Federgruen and H. Groenevelt, Operations Research 34, 1986).

More than that: let t be the marginal of the last unit taken, a_c the height of the units cheaper than t
and b_c the height of the units that cost at most t. Then x is optimal exactly if ``a <= x <= b`` and
``sum(x) == total``: the chosen units cost least if and only if every unit below t and none above t is
among them. The set of *all* optima is therefore a box with a total again, and levels in lexicographic
order are functions from box to box, applied in turn. `settle_ties` picks the answer from the last box.

The costs of levels are in `fairlead.solver.exact.costs`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.models.errors import InternalError

# Results below this stay inside a signed 64-bit integer.
INT64_LIMIT = 2**63
# More than floats are off in a sum of 2^20 numbers of 64 bits, and less than a sum is that wraps around.
WRAPPED = 2**62


@dataclass(frozen=True, eq=False)
class Box:
    """Every allocation with ``lower <= x <= upper`` and ``sum(x) == total``."""

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    """Bounds of each cluster in replicas; the clusters stand in the order of their names. Lower bounds and
    the total stay below 2**40 in size, clusters below 2**20; an upper bound that stands for "no limit" may be
    as large as 2**62."""
    total: int
    """Replicas of the workload."""
    is_tight: bool = False
    """True where it is known that every bound is attained by an allocation."""

    @cached_property
    def least(self) -> int:
        """The sum of the lower bounds."""
        return exact_sum(self.lower)

    @cached_property
    def most(self) -> int:
        """The sum of the upper bounds."""
        return exact_sum(self.upper)

    @cached_property
    def feasible(self) -> bool:
        """Whether the box holds any allocation."""
        if self.is_tight:
            return True
        if bool((self.lower > self.upper).any()):
            return False
        return self.least <= self.total <= self.most

    def tight(self) -> "Box":
        """Return the same set of allocations with every bound attained by one of them.

        Raises `InternalError` where the box is empty: the caller has to look at `feasible` first.
        """
        if self.is_tight:
            return self
        if not self.feasible:
            raise InternalError(f"no allocation of {self.total} replicas lies within the bounds")
        # No cluster can take more than what the other lower bounds leave, nor less than what the other
        # upper bounds lack.
        upper = np.minimum(self.upper, self.lower + (self.total - self.least))
        lower = np.maximum(self.lower, upper - (exact_sum(upper) - self.total))
        return Box(lower, upper, self.total, is_tight=True)


def exact_sum(values: NDArray[np.int64]) -> int:
    """Return the sum of the values, right also where 64 bits cannot hold it."""
    found = int(np.add.reduce(values))
    # What wraps around is off by 2^64 at least, and floats by far less.
    about = np.add.reduce(values, dtype=np.float64)
    return found if abs(about - found) < WRAPPED else sum(values.tolist())


def widen(values: NDArray[np.int64], bound: int) -> NDArray[Any]:
    """Return the values as they are if `bound` fits 64 bits, else as Python integers.

    `values`: what a computation starts from. `bound`: no number in that computation is larger in size.
    """
    return values if bound < INT64_LIMIT else values.astype(object)


def narrow_pieces(box: Box, pieces: Sequence[tuple[NDArray[Any], NDArray[np.int64]]]) -> Box:
    """Return all optima in a tight box for a cost that is made of straight pieces.

    `box`: a box whose bounds are tight. `pieces`: from the lower bound upward, for every cluster: the
    marginal of each unit of the piece (integers, not falling from piece to piece) and the number of units in
    it. The numbers of a cluster add up to its upper minus its lower bound.
    """
    wanted = box.total - box.least
    if wanted == 0:
        return box
    marginals = np.concatenate([marginal for marginal, _ in pieces])
    units = np.concatenate([count for _, count in pieces])
    order = np.argsort(marginals, kind="stable")
    last = marginals[order[np.searchsorted(np.cumsum(units[order]), wanted)]]
    lower, upper = box.lower.copy(), box.lower.copy()
    for marginal, count in pieces:
        lower += np.where(marginal < last, count, 0)
        upper += np.where(marginal <= last, count, 0)
    return Box(lower, upper, box.total).tight()


def settle_ties(box: Box) -> NDArray[np.int64]:
    """Return the lexicographically greatest allocation: the first by name takes as much as possible."""
    box = box.tight()
    room = box.upper - box.lower
    before = np.cumsum(room) - room
    left = box.total - box.least
    answer: NDArray[np.int64] = box.lower + np.clip(left - before, 0, room)
    return answer
