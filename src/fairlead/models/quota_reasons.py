"""What quotas have to do with where a workload stands, in the user's words."""

from collections.abc import Iterable
from typing import NamedTuple

from fairlead.models.quantity import format_units
from fairlead.models.rules import Duplicated
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.quota import Allowance, detail
from fairlead.models.source import Source
from fairlead.models.workload import Workload


def counted_in(workload: Workload, quotas: Iterable[Allowance]) -> frozenset[str]:
    """Return the limits that count a workload, as violations tell them apart (`Violation.detail`)."""
    needed = needs(workload)
    return frozenset(
        detail(allowance.rule, scope)
        for allowance in quotas
        if allowance.rule.namespace == workload.namespace
        for scope in allowance.left
        if scope.resource in needed
    )


class More(NamedTuple):
    """How many more replicas fit into what a quota leaves, and what of it runs out first."""

    replicas: int
    resource: str
    left: int


def more_within(workload: Workload, cluster: str, quotas: Iterable[Allowance]) -> More | None:
    """Return how many more replicas quotas leave room for on a cluster; None where none counts them."""
    needed = needs(workload)
    found = [
        More(max(0, left) // needed[scope.resource], scope.resource, max(0, left))
        for allowance in quotas
        if allowance.rule.namespace == workload.namespace
        for scope, left in allowance.left.items()
        if scope.cluster in (None, cluster) and scope.resource in needed
    ]
    return min(found, default=None)


def shortage(workload: Workload, cluster: str, replicas: int, quotas: Iterable[Allowance]) -> str:
    """Say which quota leaves too little for so many more replicas on a cluster; empty where none does.

    See `shortfall_of`.
    """
    found = shortfall_of(workload, cluster, replicas, quotas)
    return "" if found is None else found.text


class Shortfall(NamedTuple):
    """A quota that leaves too little, in the user's words, and where it was declared."""

    text: str
    source: Source | None


def shortfall_of(
    workload: Workload, cluster: str, replicas: int, quotas: Iterable[Allowance]
) -> Shortfall | None:
    """Return which quota leaves too little for so many more replicas on a cluster; None where none does.

    What is left in all clusters together counts for copies only: replicas with a total stand somewhere.
    """
    places = (cluster,) if workload.rule(Duplicated) is None else (None, cluster)
    needed = needs(workload)
    for allowance in quotas:
        if allowance.rule.namespace != workload.namespace:
            continue
        for scope in sorted(allowance.left, key=lambda each: each.order):
            need, left = needed.get(scope.resource, 0), max(0, allowance.left[scope])
            if scope.cluster in places and left < need * replicas:
                rest, each = format_units(scope.resource, left), format_units(scope.resource, need)
                whose = f"the quota of namespace {workload.namespace}"
                source = allowance.rule.limits[scope].source or allowance.rule.source
                return Shortfall(f"{whose} leaves {scope.resource} {rest}, {each} per replica", source)
    return None
