"""Whether totals of several workloads ask for more than all their clusters have, or than a quota allows.

Each replica stands on one of the clusters that are open to its workload. Where the room of all of these is
limited, what the totals ask for cannot exceed what the rooms hold, each rounded down to what a number of
replicas can take of it. Nothing here knows how a conflict was found.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Quota, Total, quota
from fairlead.models.rules.capacity import needs
from fairlead.solver.explaining.units import Room, Unit


@dataclass(frozen=True, slots=True)
class Excess:
    """What is asked for of a resource, and what there is of it, in the resource's unit.

    Parameters
    ----------
    resource
        The resource.
    asked
        What the totals ask for together.
    has
        What the rooms have together.
    clusters
        How many clusters have any of it; 0 where a quota limits it.
    """

    resource: str
    asked: int
    has: int
    clusters: int


def excess_of(problem: Problem, units: Sequence[Unit]) -> Excess | None:
    """Return a resource of which totals among some units ask for more than rooms or a quota among them have.

    Parameters
    ----------
    problem
        The whole question.
    units
        Some of its units.

    Returns
    -------
    Excess or None
        None where there is none: then the units may have a placement or not.
    """
    everywhere = frozenset(problem.cluster_by_name)
    wanting = [unit.workload or "" for unit in units if isinstance(unit.part, Total)]
    open_to = {
        unit.workload: everywhere.intersection(unit.part.names)
        for unit in units
        if isinstance(unit.part, Candidates)
    }
    rooms: dict[str, set[str]] = {}
    for unit in units:
        if isinstance(unit.part, Room):
            for resource in unit.part.resources:
                rooms.setdefault(resource, set()).add(unit.part.cluster)
    asking = {key: needs(problem.workload(key)) for key in wanting}
    for unit in units:
        if isinstance(unit.part, Quota):
            found = _over_quota(unit.part, problem, asking)
            if found is not None:
                return found
    for resource, limited in sorted(rooms.items()):
        inside = [
            key
            for key in wanting
            if asking[key].get(resource) and limited.issuperset(open_to.get(key, everywhere))
        ]
        if not inside:
            continue
        step = math.gcd(*(asking[key][resource] for key in inside))
        asked = sum(asking[key][resource] * problem.workload(key).replicas for key in inside)
        names = frozenset[str]().union(*(open_to.get(key, everywhere) for key in inside))
        amounts = [problem.limits.get((name, resource), 0) for name in names]
        if asked > sum(amount // step * step for amount in amounts):
            return Excess(resource, asked, sum(amounts), sum(1 for amount in amounts if amount))
    return None


def _over_quota(rule: Quota, problem: Problem, asking: Mapping[str, Mapping[str, int]]) -> Excess | None:
    """Return what totals ask for more than a quota allows on all clusters together."""
    for scope, limit in quota.allowed(rule, problem).items():
        wanted = {
            key: need.get(scope.resource, 0) * problem.workload(key).replicas
            for key, need in asking.items()
            if problem.workload(key).namespace == rule.namespace
        }
        if scope.cluster is None and sum(wanted.values()) > limit:
            return Excess(scope.resource, sum(wanted.values()), limit, 0)
    return None


def minimal_under_quota(problem: Problem, units: Sequence[Unit]) -> bool | None:
    """Tell whether totals and a number of a quota are a conflict of which none can be spared.

    Parameters
    ----------
    problem
        The whole question.
    units
        The conflict.

    Returns
    -------
    bool or None
        None where the units are something else: without any other rule, totals can be placed on any cluster,
        so that sums are the whole truth.
    """
    quotas = [unit.part for unit in units if isinstance(unit.part, Quota)]
    keys = [unit.workload or "" for unit in units if isinstance(unit.part, Total)]
    if len(quotas) != 1 or len(keys) + 1 != len(units) or not problem.clusters:
        return None
    ((scope, limit),) = quota.allowed(quotas[0], problem).items()
    workloads = [problem.workload(key) for key in keys]
    if scope.cluster is not None or any(each.namespace != quotas[0].namespace for each in workloads):
        return None
    asked = [needs(each).get(scope.resource, 0) * each.replicas for each in workloads]
    over = sum(asked) - limit
    return over > 0 and all(amount >= over for amount in asked)
