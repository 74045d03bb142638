"""How workloads and capacity are split into shares."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.workload import Workload

Row = tuple[str, str]
"""A cluster and a resource."""


def shares_of(part: Problem, count: int) -> list[Problem]:
    """Split the workloads evenly by what they ask for, and what is there in proportion to that.

    Parameters
    ----------
    part
        The problem.
    count
        Number of shares.
    """
    asked = {workload.key: _asked(workload) for workload in part.workloads}
    whole = _added(asked.values())
    size = {
        key: sum(Fraction(amount, whole[name]) for name, amount in each.items())
        for key, each in asked.items()
    }
    ordered = sorted(part.workloads, key=lambda each: (-size[each.key], each.key))
    groups: list[list[Workload]] = [[] for _ in range(count)]
    for number, workload in enumerate(ordered):
        turn, place = divmod(number, count)
        groups[place if turn % 2 == 0 else count - 1 - place].append(workload)
    shares = []
    for group in filter(None, groups):
        wanted = _added(asked[each.key] for each in group)
        parts = {name: Fraction(wanted.get(name, 0), amount) for name, amount in whole.items()}
        given = {
            row: int(limit * parts.get(row[1], Fraction(1, count))) for row, limit in part.limits.items()
        }
        shares.append(offering(part, group, given))
    return shares


def resized(part: Problem, share: Problem, used: Sequence[Mapping[Row, int]], number: int) -> Problem:
    """Return a share that may use of every cluster in proportion to what it uses at common prices."""
    given = {}
    for row, limit in part.limits.items():
        amounts = [each.get(row, 0) for each in used]
        together = sum(amounts)
        given[row] = limit * amounts[number] // together if together else limit // len(used)
    return offering(part, share.workloads, given)


def _asked(workload: Workload) -> dict[str, int]:
    """Return what a workload asks for in all, by resource."""
    return {name: need * workload.replicas for name, need in needs(workload).items() if workload.replicas}


def _added(amounts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add amounts by resource."""
    total: dict[str, int] = {}
    for each in amounts:
        for name, amount in each.items():
            total[name] = total.get(name, 0) + amount
    return total


def offering(part: Problem, group: Sequence[Workload], given: Mapping[Row, int]) -> Problem:
    """Return some workloads with clusters of which they may use so much, what they hold now included."""
    held: dict[Row, int] = {}
    for workload in group:
        for name, count in workload.current.items():
            cluster = part.cluster_by_name.get(name)
            for resource, need in demands(workload, cluster).items() if cluster and cluster.free else ():
                held[name, resource] = held.get((name, resource), 0) + need * count
    # What is not listed as free is there too where workloads hold it now.
    free: dict[str, dict[str, int]] = {cluster.name: dict(cluster.free or {}) for cluster in part.clusters}
    for (name, resource), amount in given.items():
        free[name][resource] = amount - held.get((name, resource), 0)
    clusters = tuple(
        cluster if cluster.free is None else replace(cluster, free=free[cluster.name])
        for cluster in part.clusters
    )
    return replace(part, clusters=clusters, workloads=tuple(group))
