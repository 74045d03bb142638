"""The method of the largest remainder (Hamilton): whole shares first, then one each by what was cut off.

Bounds, capacity and everything else are left aside.
"""

from fairlead.models.problem import Problem
from fairlead.solver.dispensers.answer import Dispensed
from fairlead.solver.dispensers.dividing import Question, place_divided

UNSCHEDULABLE = "Unschedulable"


def place(problem: Problem) -> Dispensed:
    """Divide every workload; one for which no candidate has a weight is left unplaced."""
    return place_divided(problem, divide, UNSCHEDULABLE)


def divide(question: Question) -> dict[str, int] | None:
    """Return replicas by cluster, ties to the first by name; None where no cluster has a weight."""
    total = sum(question.weights.values())
    if not total:
        return None
    shares = {name: divmod(question.replicas * weight, total) for name, weight in question.weights.items()}
    left = question.replicas - sum(whole for whole, _ in shares.values())
    by_remainder = sorted(shares, key=lambda name: (-shares[name][1], name))
    lucky = frozenset(by_remainder[:left])
    return {name: whole + (name in lucky) for name, (whole, _) in shares.items()}
