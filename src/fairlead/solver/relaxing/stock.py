"""What is shared by the amount: the resources of a cluster, and what a quota allows.

More of either is counted in replicas: the amount divided by the largest request of any workload that may
take of it, rounded up.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.encoding import Encoding, weighted
from fairlead.encoders.variables import Place
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Quota
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.rules.quota import Scope, askers, taken_by_others
from fairlead.models.workload import Workload
from fairlead.solver.changes.kinds import Kind
from fairlead.solver.changes.quota import number_of
from fairlead.solver.relaxing.lever import Lever

KINDS = (Kind.CAPACITY, Kind.QUOTA)
"""Changes that add to a stock."""


@dataclass(frozen=True, slots=True)
class Stock:
    """Something of which every replica takes so much.

    Parameters
    ----------
    asked
        What one replica of a workload takes, by where it stands.
    at_hand
        What there is of it for the workloads; negative where more is taken than there was.
    """

    asked: Mapping[Place, int]
    at_hand: int

    @property
    def largest(self) -> int:
        """The largest request, by which costs are counted."""
        return max(self.asked.values())

    def lacking(self, placed: Mapping[Place, int]) -> tuple[int, int]:
        """Return how much is lacking for some replicas, and what that costs."""
        used = sum(need * placed.get(place, 0) for place, need in self.asked.items())
        by = max(0, used - self.at_hand)
        return by, -(-by // self.largest)

    def worth(self, encoding: Encoding, on: cp_model.IntVar) -> cp_model.IntVar:
        """Return the cost of more: at least what is asked for too much, in largest requests.

        ``sum d_a x_a <= at hand + D c`` where anything is added at all, D being the largest request.
        """
        divisor = math.gcd(*self.asked.values())
        upper = {place: max(0, encoding.variables.range(place).upper) for place in self.asked}
        worst = sum(need * upper[place] for place, need in self.asked.items())
        most = max(0, -(-(worst - self.at_hand) // self.largest))
        cost = encoding.model.new_int_var(0, most, "")
        terms = [
            (encoding.replicas(*place), need // divisor) for place, need in self.asked.items() if upper[place]
        ]
        used = weighted(terms) - (self.largest // divisor) * cost
        # More than all of them ask for is no limit.
        free = min(self.at_hand, worst) // divisor
        # Where more is taken than there is already, that counts only once something has to be added.
        if free >= 0:
            encoding.model.add(used <= free)
        else:
            encoding.model.add(used <= free).only_enforce_if(on)
        encoding.model.add(cost >= on)
        return cost


def stock_of(lever: Lever, problem: Problem) -> Stock:
    """Return what a lever adds to: the resource of a cluster, or what a quota allows."""
    if lever.kind is Kind.QUOTA:
        rule, scope = number_of(lever.detail, lever.cluster, problem)
        places = {
            Place(workload.key, cluster.name): needs(workload)[scope.resource]
            for workload in askers_of(rule, scope, problem)
            for cluster in problem.clusters
            if scope.cluster in (None, cluster.name) and may_stand(workload, cluster.name)
        }
        return Stock(places, rule.limits[scope].hard - taken_by_others(rule, problem)[scope])
    cluster = problem.cluster_by_name[lever.cluster or ""]
    asked = asked_of(problem, cluster)[lever.detail]
    return Stock(
        {Place(key, cluster.name): need for key, need in asked.items()},
        at_hand(problem, cluster.name, lever.detail),
    )


def askers_of(rule: Quota, scope: Scope, problem: Problem) -> tuple[Workload, ...]:
    """Return the workloads that could take of a number of a quota."""
    return tuple(
        workload
        for workload in askers(rule, scope.resource, problem)
        if any(
            may_stand(workload, cluster.name)
            for cluster in problem.clusters
            if scope.cluster in (None, cluster.name)
        )
    )


def may_stand(workload: Workload, cluster: str) -> bool:
    """Tell whether a workload may stand on a cluster, perhaps once taints are tolerated."""
    rule = workload.rule(Candidates)
    if rule is None or cluster in rule.names:
        return True
    exclusion = rule.excluded.get(cluster)
    return exclusion is not None and bool(exclusion.taints)


def asked_of(problem: Problem, cluster: Cluster) -> dict[str, dict[str, int]]:
    """Return what one replica of every workload that could stand on a cluster takes there, by resource."""
    found: dict[str, dict[str, int]] = {}
    for workload in problem.workloads:
        if workload.replicas and may_stand(workload, cluster.name):
            for resource, need in demands(workload, cluster).items():
                found.setdefault(resource, {})[workload.key] = need
    return dict(sorted(found.items()))


def at_hand(problem: Problem, cluster: str, resource: str) -> int:
    """Return what is free on a cluster and what workloads hold there, at most what it offers.

    Negative where it is overcommitted.
    """
    found = problem.cluster_by_name[cluster]
    held = (
        demands(workload, found).get(resource, 0) * workload.current.get(cluster, 0)
        for workload in problem.workloads
        if workload.current.get(cluster)
    )
    usable = (found.free or {}).get(resource, 0) + sum(held)
    offered = (found.allocatable or {}).get(resource)
    return usable if offered is None else min(usable, offered)
