"""Parts of a problem: those that are independent, and some workloads in what all others leave.

Independent parts are connected components of the graph of workloads and clusters. A cluster and one of its
resources are a row of capacity.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fairlead.models.cluster import Cluster, connected
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    MoveBudget,
    Quota,
    SharedRule,
    Total,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import Scope, allowed
from fairlead.models.usage import Row, usage
from fairlead.models.validity import largest
from fairlead.models.workload import Workload

Placed = Mapping[str, Mapping[str, int]]
"""Replicas by workload key and cluster name."""


def components(problem: Problem) -> tuple[Problem, ...]:
    """Split a problem into parts that share no cluster on which capacity could bind.

    Workloads are connected by every candidate cluster of known capacity; where they run now counts as well,
    since leaving it gives room to others. Workloads that keep together or apart, or share a budget of moves
    or a quota that could bind, are connected as well; quotas that cannot bind are left out of the parts. The
    graph is bipartite; its connected components are independent problems whose optima add up level by level.

    One problem a part, with all clusters (decisions name them all) and the workloads of the part; in the
    order of their first workloads.
    """
    rules = tuple(rule for rule in problem.rules if not isinstance(rule, Quota) or _can_bind(rule, problem))
    if len(problem.workloads) <= 1 or not rules:
        return tuple(_part(problem, (workload,), rules) for workload in problem.workloads)
    limited = frozenset(cluster.name for cluster in problem.clusters if cluster.free is not None)
    shared: dict[str, set[str | int]] = {each.key: {*_touched(each, limited)} for each in problem.workloads}
    for number, rule in enumerate(rules):
        for key in shared.keys() & rule.tied(problem):
            shared[key].add(number)
    return tuple(_part(problem, tuple(map(problem.workload, keys)), rules) for keys in connected(shared))


def _can_bind(rule: Quota, problem: Problem) -> bool:
    """Tell whether placements that keep the workloads' own rules can ask for more than a quota allows.

    A workload with a total asks for the same of a quota over all clusters wherever its replicas stand.
    """
    sums: dict[Scope, int] = {}
    for workload in problem.workloads_in(rule.namespace):
        copies, names = workload.rule(Duplicated), problem.candidates(workload)
        most = {name: copy_on(copies, workload, name) if copies else largest(workload) for name in names}
        divided = workload.rule(Total) is not None and copies is None
        together = workload.replicas if divided else sum(most.values())
        for resource, need in needs(workload).items():
            for cluster, count in (*most.items(), (None, together)):
                scope = Scope(resource, cluster)
                sums[scope] = sums.get(scope, 0) + need * count
    return any(sums.get(scope, 0) > amount for scope, amount in allowed(rule, problem).items())


def _part(problem: Problem, workloads: tuple[Workload, ...], rules: tuple[SharedRule, ...]) -> Problem:
    """Return a part with the rules that are about its workloads."""
    part = replace(problem, workloads=workloads, rules=())
    balances = problem.balances and tuple(
        rule for rule in problem.balances if not rule.members.isdisjoint(part.workload_by_key)
    )
    return replace(part, rules=tuple(rule for rule in rules if _concerns(rule, part)), balances=balances)


def _concerns(rule: SharedRule, part: Problem) -> bool:
    """Tell whether a shared rule is about workloads of a part."""
    if isinstance(rule, MoveBudget):
        return rule.concerns(part.workload_by_key)
    return isinstance(rule, Capacity) or not part.workload_by_key.keys().isdisjoint(rule.tied(part))


def _touched(workload: Workload, limited: frozenset[str]) -> frozenset[str]:
    """Return the clusters of known capacity that a workload may use or uses now."""
    candidates = workload.rule(Candidates)
    if candidates is None:
        return limited
    return limited.intersection((*candidates.names, *workload.current))


def overfull(used: Mapping[Row, int], part: Problem) -> frozenset[Row]:
    """Return the rows that are asked for more than there is; none where capacity is left out."""
    if not part.has_capacity:
        return frozenset()
    return frozenset(row for row, amount in used.items() if amount > part.limits.get(row, 0))


def left_by(part: Problem, fixed: Iterable[Workload], placed: Placed) -> dict[Row, int]:
    """Return what workloads that stand as they are placed leave of every cluster and resource, at least 0."""
    left = dict(part.limits)
    for row, amount in usage(fixed, placed, part).items():
        left[row] = max(0, left.get(row, 0) - amount)
    return left


def among(part: Problem, workloads: Iterable[Workload], limits: Mapping[Row, int]) -> Problem:
    """Return the problem of some workloads that may use so much of every cluster.

    Companions of whom none is among them are left out.

    `limits`: what they may use by cluster and resource, what they hold now included.
    """
    chosen = tuple(workloads)
    held = usage(chosen, {each.key: each.current for each in chosen}, part)
    free: dict[str, dict[str, int]] = {}
    for name, resource in {**limits, **held}:
        row = (name, resource)
        free.setdefault(name, {})[resource] = limits.get(row, 0) - held.get(row, 0)
    clusters = tuple(_with_free(cluster, free.get(cluster.name, {}), limits) for cluster in part.clusters)
    keys = {each.key for each in chosen}
    rules = (
        rule
        for rule in part.rules
        if not isinstance(rule, Companionship) or not keys.isdisjoint(rule.members)
    )
    return replace(part, clusters=clusters, workloads=chosen, rules=tuple(rules))


def beside(part: Problem, workloads: Sequence[Workload], placed: Placed) -> Problem:
    """Return the problem of some workloads while all others stand as they are placed."""
    chosen = {each.key for each in workloads}
    others = (each for each in part.workloads if each.key not in chosen)
    return among(part, workloads, left_by(part, others, placed))


def _with_free(cluster: Cluster, free: Mapping[str, int], limits: Mapping[Row, int]) -> Cluster:
    """Return a cluster that has so much free, and no less in all; one of unknown capacity stays as it is."""
    if cluster.free is None:
        return cluster
    offered = {
        resource: max(amount, limits.get((cluster.name, resource), 0))
        for resource, amount in (cluster.allocatable or {}).items()
    }
    return replace(cluster, free=dict(free), allocatable=offered)
