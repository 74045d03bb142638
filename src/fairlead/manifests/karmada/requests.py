"""Request of one replica: from the template of a pod, or from the components of a binding."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from operator import add
from typing import Any, cast

from fairlead.manifests.api.karmada import Component, ResourceBindingSpec, TargetCluster
from fairlead.manifests.api.policies import Placement
from fairlead.manifests.api.workloads import Container, PodSpec
from fairlead.manifests.karmada.preferences import STRATEGY, constraints_of, divided_by
from fairlead.manifests.yaml.documents import Document, Path
from fairlead.models.cluster import PODS
from fairlead.models.quantity import requested_units

Amounts = Mapping[str, Fraction]


def units(amounts: Amounts) -> dict[str, int]:
    """Return requests in whole units, rounded up; what is not positive is left out."""
    whole = {resource: requested_units(resource, amount) for resource, amount in sorted(amounts.items())}
    return {resource: amount for resource, amount in whole.items() if amount > 0}


def pod_requests(pod: PodSpec) -> Amounts:
    """Return the requests of a pod, as Kubernetes computes them, exactly.

    For every resource: the containers run at once, so their requests add up. Init containers run one after
    another before them, so the greatest counts; one with ``restartPolicy: Always`` (a sidecar) keeps running
    beside all that start after it. Requests of the pod as a whole stand in for all of that (its limits only
    where no container says anything). The overhead comes on top.

    The rule is that of ``PodRequests`` in ``k8s.io/component-helpers/resource``.
    """
    running: Amounts = {}
    for container in pod.containers:
        running = _sum(running, container_requests(container))
    sidecars: Amounts = {}
    starting: Amounts = {}
    for container in pod.init_containers:
        needed: Amounts = container_requests(container)
        if container.restart_policy == "Always":
            running = _sum(running, needed)
            sidecars = _sum(sidecars, needed)
            needed = sidecars
        else:
            needed = _sum(needed, sidecars)
        starting = _greatest(starting, needed)
    needed = _greatest(running, starting)
    if pod.resources is not None:
        needed = {**pod.resources.limits, **needed, **pod.resources.requests}
    return _sum(needed, pod.overhead)


def container_requests(container: Container) -> dict[str, Fraction]:
    """Return the requests of a container; a limit counts where no request is given."""
    return {**container.resources.limits, **container.resources.requests}


def _each(join: Callable[[Fraction, Fraction], Fraction], left: Amounts, right: Amounts) -> Amounts:
    """Return two amounts of each resource put together; what is absent is nothing."""
    nothing = Fraction(0)
    return {name: join(left.get(name, nothing), right.get(name, nothing)) for name in {**left, **right}}


_sum, _greatest = partial(_each, add), partial(_each, max)


_SETS = "a workload of several components is placed in whole sets, which are not divided"


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
    """Return the request of one replica, exactly; None where the binding does not say.

    A set requests what its pods request together, and is as many pods.
    """
    if in_sets(spec):
        return _of_set(spec.components, [component.replicas for component in spec.components])
    if spec.replica_requirements is not None:
        return spec.replica_requirements.resource_request
    return _amounts(spec.components[0]) if spec.components else None


def _of_set(components: Sequence[Component], pods: Sequence[int]) -> Amounts:
    """Return the request of a set of so many pods of each component."""
    sums = {PODS: Fraction(sum(pods))}
    for component, number in zip(components, pods, strict=True):
        for resource, amount in _amounts(component).items():
            if resource != PODS:
                sums[resource] = sums.get(resource, Fraction(0)) + amount * number
    return sums


def rescaled(spec: ResourceBindingSpec) -> dict[str, list[int]]:
    """Return the pods of each component by cluster where a set runs that has other numbers than today's.

    A cluster for which the binding does not tell them holds a set of today's size.
    """
    now = [component.replicas for component in spec.components]
    found: dict[str, list[int]] = {}
    for target in spec.clusters if in_sets(spec) else ():
        stands = {one.name: one.replicas for one in target.components}
        pods = [stands.get(component.name, 0) for component in spec.components]
        if stands and pods != now:
            found[target.name] = pods
    return found


def resized(spec: ResourceBindingSpec) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Yield by cluster what a set of today's size requests more than the one that runs there, in whole units.

    Negative where it requests less; clusters with sets of today's size are left out.
    """
    for name, pods in rescaled(spec).items():
        runs, now = units(_of_set(spec.components, pods)), units(requested(spec) or {})
        yield name, {each: now.get(each, 0) - runs.get(each, 0) for each in {**now, **runs}}


def _amounts(component: Component) -> Mapping[str, Fraction]:
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
    """Yield the numbers of replicas that have no effect in a placement of sets, with the reason."""
    strategy = placement.replica_scheduling
    yield from ((path, _SETS) for path in divided_by(strategy) if path[-1] != "dynamicWeight")
    yield from ((path, _SETS) for path, _ in constraints_of(strategy))
    if placement.replicas is not None:
        yield ("replicas",), _SETS
