"""What one pod requests, from its template."""

from collections.abc import Mapping
from fractions import Fraction

from fairlead.manifests.api.workloads import Container, PodSpec
from fairlead.models.quantity import requested_units

Amounts = Mapping[str, Fraction]


def units(amounts: Amounts) -> dict[str, int]:
    """Return requests in whole units, rounded up; what is not positive is left out."""
    whole = {resource: requested_units(resource, amount) for resource, amount in sorted(amounts.items())}
    return {resource: amount for resource, amount in whole.items() if amount > 0}


def pod_requests(pod: PodSpec) -> dict[str, Fraction]:
    """Return what a pod requests, as Kubernetes computes it, exactly.

    Parameters
    ----------
    pod
        Containers, init containers and overhead.

    Returns
    -------
    dict
        For every resource: the containers run at once, so their requests add up. Init containers run one
        after another before them, so the greatest counts; one with ``restartPolicy: Always`` (a sidecar)
        keeps running beside all that start after it. Requests of the pod as a whole stand in for all of that
        (its limits only where no container says anything). The overhead comes on top.

    Notes
    -----
    The rule is that of ``PodRequests`` in ``k8s.io/component-helpers/resource``.
    """
    running: dict[str, Fraction] = {}
    for container in pod.containers:
        running = _sum(running, container_requests(container))
    sidecars: dict[str, Fraction] = {}
    starting: dict[str, Fraction] = {}
    for container in pod.init_containers:
        needed = container_requests(container)
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
    """Return what a container requests; a limit counts where no request is given."""
    return {**container.resources.limits, **container.resources.requests}


def _sum(left: Amounts, right: Amounts) -> dict[str, Fraction]:
    """Add resource by resource."""
    nothing = Fraction(0)
    return {name: left.get(name, nothing) + right.get(name, nothing) for name in {**left, **right}}


def _greatest(left: Amounts, right: Amounts) -> dict[str, Fraction]:
    """Take the greater amount of every resource."""
    nothing = Fraction(0)
    return {name: max(left.get(name, nothing), right.get(name, nothing)) for name in {**left, **right}}
