"""One workload placed as if it had what is available for itself: exactly, without a solver."""

from collections.abc import Mapping, Sequence

from fairlead.models.check import violations_of
from fairlead.models.levels import MINIMA, MOVES, Level, tier
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Duplicated,
    Spread,
    Tiers,
    Total,
    bounds,
    tiers,
)
from fairlead.models.rules.quota import Allowance
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.exact.allocation import allocate
from fairlead.solver.exact.boxes import Available, WorkloadBox, box_of, room_left


def place_alone(
    workload: Workload,
    problem: Problem,
    available: Available | None = None,
    quotas: Sequence[Allowance] | None = None,
    boxed: WorkloadBox | None = None,
) -> Mapping[str, int] | None:
    """Place one workload as well as its own rules allow, where that can be done exactly.

    Parameters
    ----------
    workload
        The workload.
    problem
        Where it belongs; gives clusters, levels and the measure of deviation.
    available
        What the workload may use by cluster and resource, including what it holds now; None means all that
        the workloads of the problem may use together.
    quotas
        What the quotas of the problem leave, including what it holds now; None means all that they allow.
        Only limits on single clusters are looked at.
    boxed
        The box of the workload under the same limits, where it is known already; see `box_of`.

    Returns
    -------
    mapping or None
        Replicas by cluster, optimal on every level in lexicographic order, ties to the first by name; None
        where no placement keeps the rules, or where no exact way applies.
    """
    copies = workload.rule(Duplicated)
    if copies is None and workload.rule(Total) is None:
        return None
    if not workload.replicas:
        return {} if not any(violations_of(workload, {})) else None
    if stays(workload, problem, available, quotas):
        return dict(workload.current)
    if boxed is None:
        boxed = box_of(workload, problem, available, quotas)
    if copies is not None:
        return _choose(workload, problem, boxed) if copies.choice else allocate(workload, problem, boxed)
    if _chooses(workload):
        return _choose(workload, problem, boxed) or allocate(workload, problem, boxed)
    return allocate(workload, problem, boxed) or _choose(workload, problem, boxed)


def _choose(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place a workload that chooses its clusters; few do, so that this is imported where one does."""
    from fairlead.solver.exact.nested.choosing import choose

    return choose(workload, problem, boxed)


def stays(
    workload: Workload,
    problem: Problem,
    available: Available | None = None,
    quotas: Sequence[Allowance] | None = None,
) -> bool:
    """Tell whether what runs is seen to be best: it keeps the rules, and moves come before what is lost.

    Where as many replicas run as are wanted, any other placement moves one. What may be used is told as for
    `place_alone`.
    """
    running = workload.current
    if not running or workload.rule(Total) is None or sum(running.values()) != workload.replicas:
        return False
    for level in in_order(levels_of_workload(workload), problem):
        if level.key in MOVES:
            break
        if not _is_least(workload, level):
            return False
    else:
        return False
    if not running.keys() <= problem.cluster_by_name.keys() or any(violations_of(workload, running)):
        return False
    if problem.has_capacity:
        left = problem.limits if available is None else available
        for name, count in running.items():
            if room_left(workload, problem.cluster_by_name[name], left) < count:
                return False
    return all(each.fits(workload, running) for each in (problem.allowances if quotas is None else quotas))


def _is_least(workload: Workload, level: Level) -> bool:
    """Tell whether what runs costs nothing on a level that comes before moves."""
    if level == MINIMA:
        rule = workload.rule(Bounds)
        return rule is None or not bounds.passed_over(rule, workload, workload.current)
    if level.key == tier(1).key:
        ordered = workload.rule(Tiers)
        return ordered is None or not tiers.beyond(ordered, workload.current, level.number)
    return False


def _chooses(workload: Workload) -> bool:
    """Tell whether the best placement without a choice of clusters would hardly keep the rules."""
    if workload.rule(Aggregated) is not None:
        return True
    return any(
        rule.maximum is not None and rule.maximum < min(len(rule.groups), workload.replicas)
        for rule in workload.rules_of(Spread)
    )
