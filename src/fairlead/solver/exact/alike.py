"""Workloads that are alike in everything but their names: what is found for one of them holds for all."""

from collections.abc import Hashable, Iterable

from fairlead.models.rules import Bounds, Candidates, Grouped, GroupTotal
from fairlead.models.workload import Workload

_SHARED = (Bounds, Candidates, GroupTotal, Grouped)
"""Rules of which workloads that were read from the same manifests have the very same object."""


def alike(workloads: Iterable[Workload]) -> tuple[tuple[Workload, ...], ...]:
    """Return workloads in classes of those that are alike, in the order of their first members."""
    classes: dict[Hashable, list[Workload]] = {}
    for workload in workloads:
        classes.setdefault(_shape(workload), []).append(workload)
    return tuple(tuple(each) for each in classes.values())


def _shape(workload: Workload) -> Hashable:
    """Return what alike workloads have in common; rules of any other kind follow from it, or prefer only."""
    every = (workload.rules, *(group.rules for group in workload.groups))
    return (
        workload.policy or workload.key,
        workload.namespace,
        workload.kind,
        workload.replicas,
        tuple(sorted(workload.requests.items())),
        tuple(sorted(workload.current.items())),
        workload.priority,
        workload.fresh,
        workload.observed,
        tuple(tuple(id(rule) for rule in rules if isinstance(rule, _SHARED)) for rules in every),
    )
