"""How much a problem may ask for: sums of whole units stay inside 64 bits, so that all of them are exact."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairlead.models.quantity import format_units
from fairlead.models.rules import Bounds, Duplicated, Total
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import largest_copy

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.models.workload import Workload

MOST_UNITS = 2**60
"""What all replicas together may ask of a resource, in units of the greatest common divisor of the requests.

What clusters offer has no limit: more than all replicas together ask for is as good as no limit.
"""


def excessive(problem: "Problem") -> Iterator[tuple["Workload", str, str]]:
    """Yield the workload that asks most of every resource of which too much is asked, with what is wrong.

    Yields
    ------
    workload, resource, message
        One for each resource of which all workloads together ask more than `MOST_UNITS`.
    """
    # Mostly not even all replicas with the largest of all requests would ask for too much.
    largest_need = max((max(each.requests.values(), default=1) for each in problem.workloads), default=1)
    if max(1, largest_need) * sum(_most(each, problem) for each in problem.workloads) <= MOST_UNITS:
        return
    asked: dict[str, list[tuple[int, int, Workload]]] = {}
    for workload in problem.workloads:
        count = _most(workload, problem)
        for resource, need in needs(workload).items():
            asked.setdefault(resource, []).append((need, count, workload))
    for resource, amounts in sorted(asked.items()):
        unit = math.gcd(*(need for need, _, _ in amounts))
        total = sum(need * count for need, count, _ in amounts)
        if total // unit > MOST_UNITS:
            _, _, workload = max(amounts, key=lambda each: (each[0] * each[1], each[2].key))
            whole, most = format_units(resource, total), format_units(resource, MOST_UNITS * unit)
            message = (
                f"all replicas together ask for {whole} {resource}, which is too much to count exactly; "
                f"allowed are {most} in units of {format_units(resource, unit)}, the greatest common divisor "
                "of the requests"
            )
            yield workload, resource, message


def _most(workload: "Workload", problem: "Problem") -> int:
    """Return how many replicas of a workload all clusters together can be asked for."""
    if workload.rule(Duplicated) is None:
        return workload.replicas
    return largest(workload) * max(1, len(problem.clusters))


def largest(workload: "Workload") -> int:
    """Return the most replicas that any cluster can be asked for, whatever the clusters are like.

    With a total that is all of them, with full copies the largest copy. Without either, what a cluster runs
    may stay although fewer are wanted by now (KubeAdmiral's ``disableRescheduling``): that and minima count.
    """
    copies = workload.rule(Duplicated)
    if copies is not None:
        return largest_copy(copies, workload)
    if workload.rule(Total) is not None or not workload.replicas:
        return workload.replicas
    least = (bound.replicas for rule in workload.rules_of(Bounds) for bound in rule.minimum.values())
    return max(workload.replicas, *least, *workload.current.values(), 0)
