"""Mistakes in a cluster, in a workload or in a problem as a whole, whatever else is wrong."""

from itertools import chain

from fairlead.models.cluster import Cluster
from fairlead.models.in_order import Clusters, extremes
from fairlead.models.mistaken import (
    AMOUNT,
    FREE,
    MOST_REPLICAS,
    Faults,
    all_whole,
    amounts,
    counts,
    doubles,
    numbers,
)
from fairlead.models.problem import Problem
from fairlead.models.rules import capacity, total
from fairlead.models.variants import every_rule, repeated_kinds
from fairlead.models.workload import Workload


def of_cluster(cluster: Cluster) -> Faults:
    """Yield amounts that are none."""
    yield from amounts("allocatable", cluster.allocatable or {}, AMOUNT, least=0)
    yield from amounts("free", cluster.free or {}, FREE, least=None)
    for place, grade in enumerate(cluster.grades):
        yield from numbers({f"grades[{place}].nodes": grade.nodes}, MOST_REPLICAS**2)
        yield from amounts(f"grades[{place}].offers", grade.offers, AMOUNT, least=0)


def are_plain(clusters: Clusters) -> bool:
    """Tell whether the amounts of all clusters are right, as they mostly are: one look at all of them."""
    had, free = clusters.allocatable.values(), clusters.free.values()
    whole = all(all_whole(column.amounts) for column in chain(had, free))
    return whole and all(extremes(column)[0] >= 0 for column in had) and not clusters.graded


def of_workload(workload: Workload, known: Clusters) -> Faults:
    """Yield numbers that are none, and what is wrong with its rules beside the clusters of the problem."""
    yield from numbers({"replicas": workload.replicas})
    yield from amounts("requests", workload.requests, AMOUNT, least=0)
    yield from counts("current", workload.current)
    yield from _left_out(workload.without, total.KIND)
    if workload.groups:
        for name in doubles(group.name for group in workload.groups):
            yield "groups", name, "is the name of two groups"
    for kind in repeated_kinds(workload):
        yield "rules", kind, "is given twice; a workload has one rule of this kind (prices: on each level)"
    for rule in every_rule(workload):
        yield from rule.mistakes(known)


def of_problem(problem: Problem) -> Faults:
    """Yield levels, tolerances and rates of failures that are none, or are given twice."""
    yield from _left_out(problem.without, capacity.KIND)
    for key in doubles(problem.levels):
        yield "levels", key, "stands there twice"
    for key, tolerance in problem.tolerances.items():
        if tolerance.amount < 0:
            yield f"tolerances[{key}]", str(tolerance.amount), "must be at least 0"
    for rate in problem.failure_rates:
        if not 0 <= rate.rate <= 1:
            yield f"failure_rates[{rate.field}]", str(rate.rate), "must be from 0 to 1"
    for field, name in doubles((rate.field, rate.name) for rate in problem.failure_rates):
        yield f"failure_rates[{field}]", name, "has a rate already; a group has one"


def _left_out(kinds: frozenset[str], known: str) -> Faults:
    """Yield kinds that nobody can leave out, as nobody adds them."""
    for kind in sorted(kinds - {known}):
        yield "without", kind, f"is not a kind that is added where it is missing; that is {known}"
