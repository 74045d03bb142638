"""The alternative in Karmada's proposal of minReplicas: shares rounded up, then cut back round by round.

Not what Karmada does, but the second pseudocode of the proposal "Support Per-Cluster Min/Max Replicas in
PropagationPolicy" (July 2025), as written. Every cluster with a weight keeps at least one replica, so that
2 replicas over 1:1:1 become 3.
"""

from fairlead.models.problem import Problem
from fairlead.solver.dispensers.answer import Dispensed
from fairlead.solver.dispensers.dividing import Question, place_divided
from fairlead.solver.dispensers.karmada_proposal import INVALID


def place(problem: Problem) -> Dispensed:
    """Place every workload by the pseudocode, clusters in name order; bounds are not part of it."""
    return place_divided(problem, divide, INVALID)


def divide(question: Question) -> dict[str, int]:
    """Return replicas by cluster; nothing where no cluster has a weight."""
    total_weight = sum(question.weights.values())
    if not total_weight:
        return {}
    assigned = {
        name: -(-question.replicas * weight // total_weight) for name, weight in question.weights.items()
    }
    excess = sum(assigned.values()) - question.replicas
    while excess > 0 and any(held > 1 for held in assigned.values()):
        for name, held in assigned.items():
            if held > 1 and excess > 0:
                assigned[name] -= 1
                excess -= 1
    return assigned
