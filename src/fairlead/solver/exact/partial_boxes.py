"""One workload placed as far as it fits, by exact marginal allocation.

What every cluster can hold tells by itself how much of the minima and of the total can be met. What is left
is an ordinary division in a smaller box. Rules about sets of clusters are left out: where the answer keeps
them all the same, it is the best of a larger set.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from fairlead.models.check import violations_of
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, bounds, duplicated, total
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import Allowance
from fairlead.models.shortfall import broken_amounts, loosened
from fairlead.models.workload import Workload
from fairlead.solver.exact.allocation import allocate
from fairlead.solver.exact.boxes import WorkloadBox
from fairlead.solver.exact.marginal import Box, exact_sum


def place_what_fits(
    workload: Workload, problem: Problem, boxed: WorkloadBox, quotas: Sequence[Allowance]
) -> Mapping[str, int] | None:
    """Place one workload so that as little as possible gives way, where that can be done exactly.

    Parameters
    ----------
    problem
        A problem with this workload only, or one whose other workloads are decided.
    boxed
        What each candidate may hold; see `box_of`.

    Returns
    -------
    mapping or None
        Replicas by cluster: least minima shortfall, then fewest unplaced replicas, then the other levels,
        ties to the first by name; None where this way does not apply.
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
