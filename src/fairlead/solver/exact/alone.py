"""One workload placed as if it had what is available for itself: exactly, without a solver.

Where not all of it fits, what every cluster can hold tells by itself how much of the minima and of the total
can be met. What is left is an ordinary division in a smaller box. Rules about sets of clusters are left out
there: where the answer keeps them all the same, it is the best of a larger set.
"""

from collections.abc import Mapping, Sequence

import numpy as np

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
    duplicated,
    tiers,
    total,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import Allowance
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.shortfall import broken_amounts, loosened
from fairlead.models.workload import Workload
from fairlead.solver.exact.allocation import allocate
from fairlead.solver.exact.boxes import Available, WorkloadBox, box_of, room_left
from fairlead.solver.exact.marginal import Box, exact_sum


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
        Capacity for the workload by cluster and resource, including what it holds now; None means all that
        the workloads of the problem may use together.
    quotas
        Amounts that the quotas of the problem leave, including what it holds now; None means all that they
        allow. Only limits on single clusters are looked at.
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
        return _as_bounded(workload, problem, available, quotas)
    if not workload.replicas:
        return {} if not any(violations_of(workload, {})) else None
    if stays(workload, problem, available, quotas):
        return dict(workload.current)
    if boxed is None:
        boxed = box_of(workload, problem, available, quotas)
    if copies is not None:
        return _choose(workload, problem, boxed) if copies.choice else allocate(workload, problem, boxed)
    ways = (_choose, allocate) if _chooses(workload) else (allocate, _choose)
    return next(filter(None, (place(workload, problem, boxed) for place in ways)), None)


def _choose(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place a workload that chooses its clusters; few do, so that this is imported where one does."""
    from fairlead.solver.exact.nested.choose import choose

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
    return running.keys() <= problem.cluster_by_name.keys() and _may_stand(
        workload, running, problem, available, quotas
    )


def _as_bounded(
    workload: Workload,
    problem: Problem,
    available: Available | None,
    quotas: Sequence[Allowance] | None,
) -> Mapping[str, int] | None:
    """Place a workload without a total as its bounds say; None where they leave a choice or cannot be kept.

    As one of KubeAdmiral with ``disableRescheduling``, of which every cluster holds what runs there.
    """
    own = workload.rule(Bounds) or Bounds()
    fewest, most = (
        {name: rule[name].replicas for name in problem.candidates(workload) if name in rule}
        for rule in (own.minimum, own.maximum)
    )
    if not fewest or fewest != most or own.where_held or len(fewest) < len(problem.candidates(workload)):
        return None
    placed = {name: replicas for name, replicas in fewest.items() if replicas}
    return placed if _may_stand(workload, placed, problem, available, quotas) else None


def _may_stand(
    workload: Workload,
    placed: Mapping[str, int],
    problem: Problem,
    available: Available | None,
    quotas: Sequence[Allowance] | None,
) -> bool:
    """Tell whether a placement keeps a workload's own rules and fits into what is available."""
    if any(violations_of(workload, placed)):
        return False
    if problem.has_capacity:
        left = problem.limits if available is None else available
        for name, count in placed.items():
            if room_left(workload, problem.cluster_by_name[name], left) < count:
                return False
    return all(each.fits(workload, placed) for each in (problem.allowances if quotas is None else quotas))


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


def place_what_fits(
    workload: Workload, problem: Problem, boxed: WorkloadBox, quotas: Sequence[Allowance]
) -> Mapping[str, int] | None:
    """Place one workload so that as little as possible gives way, where that can be done exactly.

    `problem`: a problem with this workload only, or one whose other workloads are decided. `boxed`: what each
    candidate may hold; see `box_of`.

    Replicas by cluster: least minima shortfall, then fewest unplaced replicas, then the other levels, ties to
    the first by name; None where this way does not apply.
    """
    copies = workload.rule(Duplicated)
    if copies is not None:
        return _whole_copies(copies, workload, boxed)
    box, replicas = boxed.box, _under_quotas(workload, quotas)
    least = np.minimum(box.lower, box.upper)
    needed = exact_sum(least)
    missed = exact_sum(box.lower) - min(needed, replicas)
    if needed > replicas:
        # Every replica goes to a minimum. Which minima are missed decides whether one is made worse.
        if broken_amounts(problem):
            return None
        smaller = Box(np.zeros_like(least), least, replicas)
    else:
        smaller = Box(least, box.upper, min(replicas, exact_sum(box.upper)))
    answer = allocate(loosened(workload, problem.cluster_by_name), problem, WorkloadBox(boxed.names, smaller))
    if answer is None:
        return None
    short = {bounds.KIND: 0, total.KIND: 0}
    for violation in violations_of(workload, answer):
        if violation.rule not in short or not violation.gives_way:
            return None
        short[violation.rule] += violation.amount
    return answer if short == {bounds.KIND: missed, total.KIND: workload.replicas - smaller.total} else None


def _under_quotas(workload: Workload, quotas: Sequence[Allowance]) -> int:
    """Return how many replicas quotas allow in all clusters together; at most all."""
    needed, most = needs(workload), workload.replicas
    for quota in quotas:
        if quota.rule.namespace == workload.namespace:
            for scope, left in quota.left.items():
                if scope.cluster is None and needed.get(scope.resource):
                    most = min(most, max(0, left // needed[scope.resource]))
    return most


def _whole_copies(copies: Duplicated, workload: Workload, boxed: WorkloadBox) -> Mapping[str, int] | None:
    """Place every full copy that fits; where that breaks nothing else, no other placement misses as few."""
    most = dict(zip(boxed.names, boxed.box.upper.tolist(), strict=True))
    sizes = {name: copy_on(copies, workload, name) for name in boxed.names}
    answer = {name: size for name, size in sizes.items() if size <= most[name]}
    for violation in violations_of(workload, answer):
        missing = violation.gives_way and violation.rule == duplicated.KIND
        # A minimum that only binds where replicas stand may be a reason to leave the copy out.
        empty = violation.rule == bounds.KIND and not answer.get(violation.cluster or "")
        if not missing and not empty:
            return None
    return answer
