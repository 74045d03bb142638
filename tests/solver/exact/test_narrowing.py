"""narrow_all(): the face of what is best on one more level."""

import numpy as np
import pytest

from fairlead.solver.exact.costs.pieces import bent
from fairlead.solver.exact.nested.face import Face
from fairlead.solver.exact.nested.limits import GroupLimits
from fairlead.solver.exact.nested.narrowed_face import narrow_all


@pytest.mark.parametrize("clusters", [8, 10, 25])
def test_what_runs_stays_beside_any_one_more(clusters: int) -> None:
    """One of two replicas runs, one may stand on a cluster, on at most six: it stays, the other is free.

    The price of that is 0, where all seven or more other clusters tie: beyond six of them no sum of floats
    tells their merits from nothing, and bisection ended beside 0 in 7 parts, with ten clusters in none.
    """
    ones, zeros = np.ones(clusters, dtype=np.int64), np.zeros(clusters, dtype=np.int64)
    everywhere = ones.astype(bool)
    face = Face(GroupLimits((), 1, 6), ones, ones, 2, everywhere, ~everywhere, (), zeros)
    running = zeros.copy()
    running[0] = 1
    (best,) = narrow_all([face], bent(zeros, zeros, ones, running))
    greatest = int(best.merits[:2].sum())
    assert best.open_to.all()
    assert all(int(best.merits[[0, other]].sum()) == greatest for other in range(1, clusters))
    assert int(best.merits[1:3].sum()) < greatest
