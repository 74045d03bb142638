"""Shared resources and quotas that a relaxation may enlarge, by the amount or by a step.

Resources of a cluster and what a quota allows are stocks: more of either is counted in replicas, the amount
divided by the largest request of any workload that may take of it, rounded up. That a budget of moves has to
be larger, sums tell without a model.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import assert_never

from ortools.sat.python import cp_model

from fairlead.encoders import capacity, move_budget, quota
from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding, weighted
from fairlead.encoders.variables import Place, replicas_at
from fairlead.models.cluster import Cluster
from fairlead.models.data import WorkloadData
from fairlead.models.in_order import kept
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    MoveBudget,
    Quota,
    SharedRule,
    companionship,
)
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.rules.quota import QuotaScope, allowed, askers, taken_by_others
from fairlead.models.statement import Change
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import ChangeKind
from fairlead.solver.changes.quota import detail_of, number_of
from fairlead.solver.conflicts.alone import fails_alone
from fairlead.solver.conflicts.scarcity import is_scarce
from fairlead.solver.conflicts.units import over_budget
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxation.relaxable import PLENTY, Key, Relaxable, relaxables_of
from fairlead.solver.relaxation.shared_numbers import shared
from fairlead.solver.running.search import Search

KINDS = (ChangeKind.CAPACITY, ChangeKind.QUOTA)
"""Changes that add to a stock."""


@dataclass(frozen=True, slots=True)
class Stock:
    """Amount of a resource or quota, of which every replica takes some; all in the resource's unit."""

    asked: Mapping[Place, int]
    """Request of one replica by workload and cluster."""
    at_hand: int
    """Amount that is there for the workloads, to which more can be added; negative where more is taken than
    there was."""
    allowed: int
    """Amount that they may take as long as nothing is added: more than is at hand where what is taken counts
    as there."""

    @property
    def largest(self) -> int:
        """The largest request, by which costs are counted."""
        return max(self.asked.values())

    @property
    def is_plain(self) -> bool:
        """Whether all that is allowed is at hand, so that every bit that is lacking has to be added."""
        return self.allowed <= self.at_hand

    def lacking(self, placement: Placement) -> tuple[int, int]:
        """Return how much a placement lacks, and what that costs."""
        used = sum(need * replicas_at(placement, place) for place, need in self.asked.items())
        by = used - self.at_hand if used > self.allowed else 0
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
        if self.is_plain:
            encoding.model.add(used <= free)
        else:
            encoding.model.add(used <= free).only_enforce_if(on)
        encoding.model.add(cost >= on)
        return cost


def stock_of(relaxable: Relaxable, problem: Problem) -> Stock:
    """Return the stock that a relaxable adds to: the resource of a cluster, or a quota."""
    if relaxable.kind is ChangeKind.QUOTA:
        rule, scope = number_of(relaxable.detail, relaxable.cluster, problem)
        places = {
            Place(workload.key, cluster.name): needs(workload)[scope.resource]
            for workload in askers_of(rule, scope, problem)
            for cluster in problem.clusters
            if scope.cluster in (None, cluster.name) and cluster.name in reach(problem)[workload.key]
        }
        left = rule.limits[scope].hard - taken_by_others(rule, problem)[scope]
        return Stock(places, left, allowed(rule, problem)[scope])
    cluster, resource = problem.cluster_by_name[relaxable.cluster or ""], relaxable.named
    asked = asked_of(problem, cluster)[resource]
    return Stock(
        {Place(key, cluster.name): need for key, need in asked.items()},
        at_hand(problem, cluster.name, resource),
        problem.limits.get((cluster.name, resource), 0),
    )


def askers_of(rule: Quota, scope: QuotaScope, problem: Problem) -> tuple[WorkloadData, ...]:
    """Return the workloads that could take of a number of a quota."""
    return tuple(
        workload
        for workload in askers(rule, scope.resource, problem)
        if any(
            cluster.name in reach(problem)[workload.key]
            for cluster in problem.clusters
            if scope.cluster in (None, cluster.name)
        )
    )


@kept
def reach(problem: Problem) -> Mapping[str, frozenset[str]]:
    """Return where every workload may stand, by key, perhaps once taints are tolerated."""
    found: dict[str, frozenset[str]] = {}
    for workload in problem.workloads:
        rule = workload.rule(Candidates) or Candidates(tuple(problem.cluster_by_name))
        found[workload.key] = frozenset(rule.names).union(rule.openable)
    return found


def asked_of(problem: Problem, cluster: Cluster) -> dict[str, dict[str, int]]:
    """Return the request of one replica of every workload that could stand on a cluster, by resource."""
    found: dict[str, dict[str, int]] = {}
    for workload in problem.workloads:
        if workload.replicas and cluster.name in reach(problem)[workload.key]:
            for resource, need in demands(workload, cluster).items():
                found.setdefault(resource, {})[workload.key] = need
    return dict(sorted(found.items()))


def at_hand(problem: Problem, cluster: str, resource: str) -> int:
    """Return the amount free on a cluster and held there by workloads, at most what it offers.

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


def pairwise(problem: Problem) -> Problem:
    """Return the problem with a rule of its own for every two companions, so that each gives way alone."""
    rules: list[SharedRule] = []
    for rule in problem.rules:
        if isinstance(rule, Companionship):
            rules += [
                replace(rule, name=pair_name(rule, earlier, later), members=(earlier, later))
                for earlier, later in combinations(rule.members, 2)
            ]
        else:
            rules.append(rule)
    return replace(problem, rules=tuple(rules))


def pair_name(rule: Companionship, earlier: str, later: str) -> str:
    """Return a name for the rule of two companions alone."""
    return f"{rule.name}\n{earlier}\n{later}"


def relaxables(problem: Problem) -> tuple[Relaxable, ...]:
    """Return all relaxables of a problem, in a fixed order."""
    found: list[Relaxable] = []
    for workload in problem.workloads:
        found += relaxables_of(workload)
    for rule in problem.rules:
        match rule:
            case Capacity():
                found += _capacities(problem)
            case Companionship():
                found += _companions(rule, problem)
            case Quota():
                found += _quotas(rule, problem)
            case MoveBudget():
                key: Key = (move_budget.gives_way(rule), "most")
                more = (None, None, rule.name, rule.most, 1, PLENTY, (key,), rule.source)
                found.append(Relaxable(ChangeKind.MOVE_BUDGET, *more))
            case _:
                assert_never(rule)
    # A number that one workload could not use otherwise still changes for it, where others share it.
    return tuple(relaxable for relaxable in shared(found, problem) if relaxable.most > 0)


def _capacities(problem: Problem) -> Iterator[Relaxable]:
    """Yield more of every resource that workloads ask of a cluster of known capacity."""
    for cluster in problem.clusters:
        if cluster.free is None:
            continue
        for resource, asked in asked_of(problem, cluster).items():
            # What others take beyond all measure is no matter of what to add.
            if at_hand(problem, cluster.name, resource) < -PLENTY * max(asked.values()):
                continue
            key: Key = (capacity.gives_way(cluster.name, resource), "most")
            before = cluster.free.get(resource, 0)
            yield Relaxable(
                ChangeKind.CAPACITY, None, cluster.name, resource, before, 1, PLENTY, (key,), cluster.source
            )


def _companions(rule: Companionship, problem: Problem) -> Iterator[Relaxable]:
    """Yield every member, which may leave the group; of what labels say that is no number of anybody."""
    if rule.source is not None and rule.source.holder is not None and rule.source.manifest is None:
        return
    for member in rule.members:
        names = [cluster.name for cluster in problem.clusters]
        pairs = [pair for pair in combinations(rule.members, 2) if member in pair]
        keys: tuple[Key, ...] = tuple(
            (Origin(companionship.KIND, later, name, pair_name(rule, earlier, later)), "most")
            for earlier, later in pairs
            for name in names
        )
        yield Relaxable(ChangeKind.COMPANION, member, None, rule.name, 1, -1, 1, keys, rule.source)


def _quotas(rule: Quota, problem: Problem) -> Iterator[Relaxable]:
    """Yield more of everything that a quota limits and workloads could ask for."""
    taken = taken_by_others(rule, problem)
    for scope, limit in sorted(rule.limits.items(), key=lambda each: each[0].order):
        asked = [needs(workload)[scope.resource] for workload in askers_of(rule, scope, problem)]
        # What others take beyond all measure is no matter of what to add, as of a cluster.
        if asked and limit.hard - taken[scope] >= -PLENTY * max(asked):
            key: Key = (quota.gives_way(rule, scope), "most")
            detail = detail_of(rule, scope.resource)
            source = limit.source or rule.source
            yield Relaxable(
                ChangeKind.QUOTA, None, scope.cluster, detail, limit.hard, 1, PLENTY, (key,), source
            )


def larger_budgets(problem: Problem, search: Search) -> list[tuple[Change, ...]]:
    """Return a budget that allows what has to move, where that makes a problem feasible; empty where not.

    Nothing else that costs as little does: to scale something down by one saves one move at most. Only a
    toleration could, or replicas that several workloads or copies share: that is left to a search.
    """
    if any(_may_save_more(each) for each in relaxables(problem)):
        return []
    budgets = (each for each in problem.rules if isinstance(each, MoveBudget))
    for rule in budgets:
        found = over_budget(rule, problem)
        copied = any(problem.workload(key).rule(Duplicated) is not None for key in found)
        if found and not copied:
            moving = sum(found.values())
            more = moving - rule.most
            changes = (
                Change(ChangeKind.MOVE_BUDGET, None, None, rule.name, rule.most, moving, more, rule.source),
            )
            after = apply(problem, changes)
            # Whoever fails by himself is found much faster than all of them together.
            hopeless = is_scarce(after) or any(fails_alone(each, after) for each in after.workloads)
            if not hopeless and has_placement(after, search):
                return [changes]
    return []


def _may_save_more(relaxable: Relaxable) -> bool:
    """Tell whether a change that costs 1 may save several moves."""
    shared = relaxable.kind is ChangeKind.REPLICAS and bool(relaxable.sharing)
    return shared or relaxable.kind is ChangeKind.TOLERATION
