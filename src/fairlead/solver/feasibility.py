"""Whether a problem has any placement at all."""

from dataclasses import replace

from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import BindingRule, Bounds
from fairlead.models.workload import Workload
from fairlead.solver.batch.separable import MANY, applies
from fairlead.solver.conflicts.quotas import quota_conflicts
from fairlead.solver.exact.boxes import boxes_of
from fairlead.solver.keeping import keep_and_repair, standing_well
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search


def has_placement(problem: Problem, deadline: Deadline, seed: int = 0) -> bool | None:
    """Tell whether any placement keeps all rules; None where time ran out before that was certain.

    Parameters
    ----------
    problem
        The question; what it prefers is not looked at, and nothing gives way.
    """
    # With its preferences a workload has one best placement; without them all would have to be told apart.
    strict = replace(problem, workloads=tuple(map(_settled, problem.workloads)), partial=False)
    if keep_and_repair(strict, standing_well(strict), deadline) is not None:
        return True
    bare = replace(strict, workloads=tuple(map(without_preferences, problem.workloads)))
    boxes = boxes_of(bare)
    if any(not boxed.box.feasible for boxed in boxes.values()) or quota_conflicts(bare):
        return False
    status = _status(bare, deadline, seed)
    return None if status is Status.UNKNOWN else status is not Status.INFEASIBLE


def _status(bare: Problem, deadline: Deadline, seed: int) -> Status:
    """Look for a placement of a problem without preferences, by prices where there are many workloads."""
    from fairlead.solver.batch.levels import solve_batch
    from fairlead.solver.levels.lexicographic import minimise_levels

    if len(bare.workloads) >= MANY and applies(bare):
        return solve_batch(bare, Search(deadline, 1, seed)).status
    return minimise_levels(bare, deadline=deadline, workers=1, seed=seed).status


def _settled(workload: Workload) -> Workload:
    """Return a workload in the affinity group that it has now."""
    return replace(workload, settled=True)


def without_preferences(workload: Workload) -> Workload:
    """Return a workload with the rules that must hold only, those of the affinity group that it has now."""
    rules = tuple(
        replace(rule, preferred=False) if isinstance(rule, Bounds) else rule
        for rule in workload.rules
        if isinstance(rule, BindingRule)
    )
    return replace(workload, rules=rules, settled=True)
