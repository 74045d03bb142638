"""Workloads of several components, such as the job manager and the task managers of a Flink job.

One set of all components is the unit: a cluster holds a whole set or none, so a set is one replica that
requests what all pods of the set request together. A workload of a single component is one like any other.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, cast

from fairlead.manifests.api.bindings import Component, ResourceBindingSpec, TargetCluster
from fairlead.manifests.api.placement import Placement
from fairlead.manifests.documents import Document, Path
from fairlead.manifests.preferences import STRATEGY, constraints_of, lists_of, preferences_of
from fairlead.models.cluster import PODS

_SETS = "a workload of several components stands as whole sets, which are not divided"


def in_sets(spec: ResourceBindingSpec) -> bool:
    """Tell whether a workload has several components."""
    return len(spec.components) > 1


def wanted(spec: ResourceBindingSpec) -> int | None:
    """Return the replicas that a binding wants; None where it does not say.

    1 for a set of several components, 0 where every component is scaled to 0.
    """
    if in_sets(spec):
        return int(any(component.replicas for component in spec.components))
    if spec.replicas is None and spec.components:
        return spec.components[0].replicas
    return spec.replicas


def requested(spec: ResourceBindingSpec) -> Mapping[str, Fraction] | None:
    """Return what one replica requests, exactly; None where the binding does not say.

    A set requests what its pods request together, and is as many pods.
    """
    if in_sets(spec):
        return _of_set(spec.components)
    if spec.replica_requirements is not None:
        return spec.replica_requirements.resource_request
    return _amounts(spec.components[0]) if spec.components else None


def _of_set(components: tuple[Component, ...]) -> Mapping[str, Fraction]:
    """Add up what the pods of all components request."""
    sums = {PODS: Fraction(sum(component.replicas for component in components))}
    for component in components:
        for resource, amount in _amounts(component).items():
            if resource != PODS:
                sums[resource] = sums.get(resource, Fraction(0)) + amount * component.replicas
    return sums


def _amounts(component: Component) -> Mapping[str, Fraction]:
    """Return what one pod of a component requests."""
    return component.replica_requirements.resource_request if component.replica_requirements else {}


def held(spec: ResourceBindingSpec) -> Mapping[str, int]:
    """Return the replicas that run now by cluster; clusters with none are absent.

    A listed cluster holds a set, whatever number stands there.
    """
    if in_sets(spec):
        return {target.name: 1 for target in spec.clusters}
    return {target.name: number for target in spec.clusters if (number := running(target))}


def running(target: TargetCluster) -> int:
    """Return the replicas on a cluster: its own number, else what its components add up to."""
    return target.replicas or sum(component.replicas for component in target.components)


def undivided(document: Document, path: Path) -> Document:
    """Return a document whose placement divides nothing; lines stay where they are."""
    data = dict(document.data)
    inside = cast("dict[str | int, Any]", data)
    for step in path:
        inside[step] = dict(inside.get(step) or {})
        inside = inside[step]
    for step in STRATEGY:
        if step in inside:
            inside[step] = None
    return Document(data, document.lines)


def idle_division(placement: Placement) -> Iterator[tuple[Path, str]]:
    """Yield what a placement says of numbers of replicas, which says nothing about sets, and why."""
    strategy = placement.replica_scheduling
    for path, preferences in preferences_of(strategy):
        if preferences.static_weight_list:
            yield (*path, "staticWeightList"), _SETS
        yield from (((*path, name), _SETS) for name, targets in lists_of(preferences).items() if targets)
    yield from ((path, _SETS) for path, _ in constraints_of(strategy))
    if placement.replicas is not None:
        yield ("replicas",), _SETS
