"""Neighbourhoods of a placement with workloads of any kind: some are placed anew by CP-SAT, side by side."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Weights
from fairlead.models.rules.quota import Allowance
from fairlead.models.workload import Workload
from fairlead.solver.answers.rows import among, beside
from fairlead.solver.batch import tuning
from fairlead.solver.dispensers import reference
from fairlead.solver.exact.allocation import allocate
from fairlead.solver.exact.boxes import Available, box_of, has_box
from fairlead.solver.levels.lexicographic import minimise_levels
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.interrupt import listening


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
    for _ in range(tuning.PARTS_SIDE_BY_SIDE):
        meeting = {names[at] for at in chance.choice(len(names), min(2, len(names)), replace=False).tolist()}
        members = list(free.values())
        order = [members[at] for at in chance.permutation(len(members)).tolist()]
        order.sort(key=lambda each: meeting.isdisjoint(best.of(each.key)))
        chosen = [each for each in order if each.key in odd][: tuning.ODD_IN_PART]
        chosen += [each for each in order if each.key not in odd][: tuning.PLAIN_IN_PART]
        if not chosen:
            return
        yield chosen
        for each in chosen:
            del free[each.key]


def place_one_by_one(
    part: Problem, odd: Collection[Workload], limits: Available, deadline: Deadline, seed: int
) -> Placement:
    """Place some workloads, the most urgent and the largest first; one that finds no room holds nothing.

    Parameters
    ----------
    part
        All workloads.
    odd
        Those to place.
    limits
        What they may use together.
    deadline
        When the answer is due; one that no simple way places gets a part of the time.
    seed
        Random seed of CP-SAT.
    """

    def otherwise(
        workload: Workload, _problem: Problem, available: Available, _quotas: Sequence[Allowance]
    ) -> Mapping[str, int]:
        left = {spot: max(0, amount) for spot, amount in available.items()}
        until = deadline.part(tuning.PARTS_SHARE_OF_TIME, tuning.LONGEST_RUN)
        result = minimise_levels(among(part, (workload,), left), None, until, 1, seed)
        return {} if result.placement is None else result.placement.of(workload.key)

    room = {spot: max(0, amount) for spot, amount in limits.items()}
    return reference.place(among(part, odd, room), otherwise)


def without_tiers(workload: Workload) -> Workload:
    """Return a workload whose weights are those of all its clusters together, whatever tiers hold."""
    rules = (replace(rule, tiers=()) if isinstance(rule, Weights) else rule for rule in workload.rules)
    return replace(workload, rules=tuple(rules))


def in_tiers(workload: Workload, part: Problem) -> Mapping[str, int]:
    """Place a workload with overflow tiers as if it were alone; nothing where that is not simple."""
    if not has_box(workload):
        return {}
    return allocate(workload, part, box_of(workload, part, part.limits)) or {}
