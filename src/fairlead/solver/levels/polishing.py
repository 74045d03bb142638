"""Placements that get better workload by workload."""

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity
from fairlead.models.usage import add, usage_of
from fairlead.solver.answers.answer import left_by
from fairlead.solver.exact.alone import place_alone

ROUNDS = 3
"""How often every workload is placed again."""


def polished(part: Problem, placement: Placement) -> Placement:
    """Return a placement in which every workload stands as well as the others let it.

    One after the other is placed again in what all others leave, which makes no level worse.
    """
    if not all(isinstance(rule, Capacity) for rule in part.rules):
        return placement
    placed = placement.to_dict()
    left = left_by(part, part.workloads, placed)
    for _ in range(ROUNDS):
        before = dict(placed)
        for workload in part.workloads:
            add(left, usage_of(workload, placed[workload.key], part), 1)
            answer = place_alone(workload, part, left)
            if answer is not None:
                placed[workload.key] = {name: count for name, count in answer.items() if count}
            add(left, usage_of(workload, placed[workload.key], part), -1)
        if placed == before:
            break
    return Placement(placed)
