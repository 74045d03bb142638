"""What quotas of namespaces leave, and which of them can bind at all.

A workload with a total asks for the same of a quota over all clusters wherever its replicas stand. So most
such quotas are settled without a solver: either they cannot bind, or nothing can keep them
(`fairlead.solver.conflicts.quotas`).
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fairlead.models.amounts import largest
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Duplicated,
    Quota,
    Total,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import Allowance, Scope, allowed
from fairlead.models.workload import Workload


def most_under(
    quotas: Iterable[Allowance], workload: Workload, names: Sequence[str], most: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return how many replicas every candidate may hold by what quotas say of single clusters.

    Parameters
    ----------
    quotas
        What is allowed.
    most
        What they may hold by all other rules; quotas only make it less.
    """
    quotas = [each for each in quotas if each.rule.namespace == workload.namespace]
    if not quotas:
        return most
    rooms = most.copy()
    needed = needs(workload)
    position = {name: at for at, name in enumerate(names)}
    for allowance in quotas:
        for scope, left in allowance.left.items():
            at, need = position.get(scope.cluster or ""), needed.get(scope.resource)
            if at is not None and need:
                rooms[at] = min(int(rooms[at]), max(0, left // need))
    return rooms


def can_bind(rule: Quota, problem: Problem) -> bool:
    """Tell whether placements that keep the workloads' own rules can ask for more than a quota allows."""
    sums: dict[Scope, int] = {}
    for workload in problem.workloads_in(rule.namespace):
        most = {name: _most(workload, name) for name in problem.candidates(workload)}
        divided = workload.rule(Total) is not None and workload.rule(Duplicated) is None
        together = workload.replicas if divided else sum(most.values())
        for resource, need in needs(workload).items():
            for cluster, count in (*most.items(), (None, together)):
                scope = Scope(resource, cluster)
                sums[scope] = sums.get(scope, 0) + need * count
    return any(sums.get(scope, 0) > amount for scope, amount in allowed(rule, problem).items())


def _most(workload: Workload, cluster: str) -> int:
    """Return the most replicas that a workload can have on a cluster."""
    copies = workload.rule(Duplicated)
    return largest(workload) if copies is None else copy_on(copies, workload, cluster)
