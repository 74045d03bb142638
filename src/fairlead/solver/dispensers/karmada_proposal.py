"""Karmada's proposal of minReplicas, its pseudocode as written.

Not what Karmada does, but what the proposal "Support Per-Cluster Min/Max Replicas in PropagationPolicy" (July
2025) prints. Its second step takes every share of what is left by then, not of what was left before, so that
9 replicas over 1:1:1 become 4, 3, 2; its third step goes round only once, so that of 100 replicas over
1:1:1:1 it places 71.
"""

from fairlead.models.problem import Problem
from fairlead.solver.dispensers.answer import Dispensed
from fairlead.solver.dispensers.dividing import Question, place_divided

INVALID = "Invalid"
"""The webhook of the proposal refuses minima that add up to more than the replicas."""


def place(problem: Problem) -> Dispensed:
    """Place every workload by the pseudocode, clusters in name order; maxima are not part of it."""
    return place_divided(problem, divide, INVALID)


def divide(question: Question) -> dict[str, int] | None:
    """Return replicas by cluster; None where the minima exceed the replicas."""
    assigned = {name: question.minimum.get(name, 0) for name in question.weights}
    remaining = question.replicas - sum(assigned.values())
    if remaining < 0:
        return None
    total_weight = sum(question.weights.values())
    for name, weight in question.weights.items() if total_weight else ():
        share = remaining * weight // total_weight
        assigned[name] += share
        remaining -= share
    for name in list(assigned)[:remaining]:
        assigned[name] += 1
    return assigned
