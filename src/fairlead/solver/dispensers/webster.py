"""Webster's division of the weights within the bounds; capacity and everything else left aside.

M. L. Balinski and H. P. Young, "Fair Representation", 2nd edition, 2001: the divisor method that rounds to
the nearest whole number.
"""

from collections.abc import Mapping

import numpy as np

from fairlead.models.problem import Problem
from fairlead.solver.costs.squares import narrow_unweighted, narrow_webster
from fairlead.solver.dispensers.answer import Dispensed
from fairlead.solver.dispensers.dividing import Question, place_divided
from fairlead.solver.marginal import Box, settle_ties

UNSCHEDULABLE = "Unschedulable"


def place(problem: Problem) -> Dispensed:
    """Divide every workload; one whose bounds leave no division is left unplaced."""
    return place_divided(problem, divide, UNSCHEDULABLE)


def divide(question: Question) -> Mapping[str, int] | None:
    """Return replicas by cluster, ties to the first by name; None where the bounds allow no division."""
    names = list(question.weights)
    lower = np.array([question.minimum.get(name, 0) for name in names], dtype=np.int64)
    upper = [question.maximum.get(name, question.replicas) for name in names]
    weights = np.array([question.weights[name] for name in names], dtype=np.int64)
    box = Box(lower, np.array(upper, dtype=np.int64), question.replicas)
    if not box.feasible:
        return None
    best = narrow_webster(narrow_unweighted(box, weights), weights)
    return dict(zip(names, settle_ties(best).tolist(), strict=True))
