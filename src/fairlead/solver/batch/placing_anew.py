"""Neighbourhoods of a placement with workloads of any kind: some are placed anew by CP-SAT, side by side."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.workload import Workload
from fairlead.solver.deadline import Deadline
from fairlead.solver.interrupt import listening
from fairlead.solver.lexicographic import minimise_levels
from fairlead.solver.rows import beside

# Workloads that are placed anew together: those that are no boxes, and those that are.
ODD_IN_PART = 4
PLAIN_IN_PART = 10
# Neighbourhoods without a workload in common that are searched side by side, whatever the number of threads.
SIDE_BY_SIDE = 4


@dataclass(frozen=True, slots=True)
class PartTask:
    """Some workloads, with the room that all others leave them.

    Parameters
    ----------
    problem
        The workloads and what is left for them.
    start
        How they stand.
    deadline
        When the answer is due.
    seed
        Random seed of CP-SAT.
    """

    problem: Problem
    start: Placement
    deadline: Deadline
    seed: int


def place_anew(task: PartTask) -> Placement | None:
    """Place some workloads anew; None where nothing but the start was found. Runs in any process."""
    with listening(task.deadline):
        found = minimise_levels(task.problem, task.start, task.deadline, 1, task.seed).placement
    return None if found == task.start else found


def tasks_of(
    part: Problem, best: Placement, odd: Collection[str], deadline: Deadline, chance: np.random.Generator
) -> list[PartTask]:
    """Draw neighbourhoods by lot, each of workloads that rather stand together on a cluster or two.

    Parameters
    ----------
    part
        All workloads.
    best
        How they stand.
    odd
        Keys of the workloads that are no boxes.
    deadline
        When the answers are due.
    chance
        The lot.
    """
    return [
        PartTask(
            beside(part, chosen, best),
            Placement({each.key: best.of(each.key) for each in sorted(chosen, key=lambda each: each.key)}),
            deadline,
            int(chance.integers(2**31)),
        )
        for chosen in _drawn(part, best, odd, chance)
    ]


def _drawn(
    part: Problem, best: Placement, odd: Collection[str], chance: np.random.Generator
) -> Iterator[list[Workload]]:
    """Draw disjoint sets of workloads of either kind, as long as there are any."""
    names = [cluster.name for cluster in part.clusters]
    free = {each.key: each for each in part.workloads}
    for _ in range(SIDE_BY_SIDE):
        meeting = {names[at] for at in chance.choice(len(names), min(2, len(names)), replace=False).tolist()}
        members = list(free.values())
        order = [members[at] for at in chance.permutation(len(members)).tolist()]
        order.sort(key=lambda each: meeting.isdisjoint(best.of(each.key)))
        chosen = [each for each in order if each.key in odd][:ODD_IN_PART]
        chosen += [each for each in order if each.key not in odd][:PLAIN_IN_PART]
        if not chosen:
            return
        yield chosen
        for each in chosen:
            del free[each.key]
