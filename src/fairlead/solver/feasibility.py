"""Whether a problem has any placement at all."""

from collections.abc import Mapping
from dataclasses import replace

from fairlead.models.check import check, shared_violations, violations_of
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Duplicated,
    GroupTotal,
    Spread,
    Survival,
    Total,
)
from fairlead.models.workload import Workload
from fairlead.solver.batch.arrays import MANY, applies
from fairlead.solver.boxes import boxes_of
from fairlead.solver.deadline import Deadline
from fairlead.solver.dispensers import reference
from fairlead.solver.exact import allocate
from fairlead.solver.quota_conflict import quota_conflicts
from fairlead.solver.search import Search

BINDING = (Bounds, Candidates, Duplicated, GroupTotal, Spread, Survival, Total)


def has_placement(problem: Problem, deadline: Deadline, seed: int = 0) -> bool | None:
    """Tell whether any placement keeps all rules; None where time ran out before that was certain.

    Parameters
    ----------
    problem
        The question; what it prefers is not looked at, and nothing gives way.
    deadline
        When the answer is due.
    seed
        Random seed of CP-SAT.
    """
    workloads = tuple(without_preferences(each) for each in problem.workloads)
    bare = replace(problem, workloads=workloads, partial=False)
    if at_hand(bare):
        return True
    boxes = boxes_of(bare)
    if any(not boxed.box.feasible for boxed in boxes.values()) or quota_conflicts(bare):
        return False
    alone = {key: allocate(bare.workload(key), bare, boxed) for key, boxed in boxes.items()}
    if len(alone) == len(bare.workloads) and all(placed is not None for placed in alone.values()):
        placement = Placement({key: placed for key, placed in alone.items() if placed is not None})
        if not check(bare, placement):
            return True
    status = _status(bare, deadline, seed)
    return None if status is Status.UNKNOWN else status is not Status.INFEASIBLE


def at_hand(bare: Problem) -> bool:
    """Tell whether a placement is found at once: what runs and breaks nothing stays, the rest goes beside it.

    Parameters
    ----------
    bare
        A problem without preferences, of which the affinity groups are settled.
    """
    staying: dict[str, Mapping[str, int]] = {}
    for workload in bare.workloads:
        held = {name: count for name, count in workload.current.items() if name in bare.cluster_by_name}
        if not any(violations_of(workload, held)):
            staying[workload.key] = held
    placement = reference.place(bare, staying=staying)
    moving = (workload for workload in bare.workloads if workload.key not in staying)
    if any(True for each in moving for _ in violations_of(each, placement.of(each.key))):
        return False
    return not shared_violations(bare, placement)


def _status(bare: Problem, deadline: Deadline, seed: int) -> Status:
    """Look for a placement of a problem without preferences, by prices where there are many workloads."""
    from fairlead.solver.batch.solving import solve_batch
    from fairlead.solver.lexicographic import minimise_levels

    if len(bare.workloads) >= MANY and applies(bare):
        return solve_batch(bare, Search(deadline, 1, seed)).status
    return minimise_levels(bare, deadline=deadline, workers=1, seed=seed).status


def without_preferences(workload: Workload) -> Workload:
    """Return a workload with the rules that must hold only, those of the affinity group that it has now."""
    rules = tuple(
        replace(rule, preferred=False) if isinstance(rule, Bounds) else rule
        for rule in workload.rules
        if isinstance(rule, BINDING)
    )
    return replace(workload, rules=rules, settled=True)
