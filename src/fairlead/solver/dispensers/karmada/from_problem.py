"""From a workload of the problem to what Karmada's scheduler sees of it."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from fairlead.models.cluster import CPU, Cluster
from fairlead.models.declared import KarmadaBinding
from fairlead.models.workload import Workload
from fairlead.solver.dispensers.karmada.inputs import (
    NANO,
    BindingInput,
    MemberCluster,
    Quantities,
    ResourceModel,
    ResourceSummary,
    nano,
)
from fairlead.solver.dispensers.karmada.placement_document import read_placement

_PER_UNIT: Mapping[str, int] = {CPU: NANO // 1000}


def binding_of(
    workload: Workload,
    declared: KarmadaBinding,
    clusters: tuple[MemberCluster, ...],
    *,
    empty_workload_propagation: bool = False,
) -> BindingInput:
    """Return the binding of a workload.

    Parameters
    ----------
    workload
        The workload.
    declared
        Its manifests.
    clusters
        All clusters as they stand to it, see `members_of`.
    empty_workload_propagation
        The scheduler flag of that name.
    """
    return BindingInput(
        replicas=workload.replicas,
        clusters=clusters,
        placement=read_placement(declared.placement),
        previous=declared.previous,
        fresh=workload.fresh,
        uid=declared.uid,
        observed_affinity=workload.observed or "",
        evicting=declared.evicting,
        requests=None if declared.requests is None else _exact(declared.requests),
        empty_workload_propagation=empty_workload_propagation,
        defaulting=declared.defaulting,
    )


def members_of(clusters: Iterable[Cluster], api: tuple[str, str]) -> tuple[MemberCluster, ...]:
    """Return clusters as they stand to workloads of an apiVersion and kind."""
    return tuple(_member(cluster, api) for cluster in clusters)


def _member(cluster: Cluster, api: tuple[str, str]) -> MemberCluster:
    """Return one cluster; one that tells no API is taken to serve none."""
    return MemberCluster(
        name=cluster.name,
        provider=cluster.provider or "",
        region=cluster.region or "",
        zones=cluster.zones,
        labels=cluster.labels,
        taints=cluster.taints,
        deleting=cluster.deleting,
        has_api=cluster.api_kinds is not None and api in cluster.api_kinds,
        # What is free stands for the whole summary: the scheduler only ever looks at the difference.
        resources=None if cluster.free is None else ResourceSummary(_quantities(cluster.free)),
        models=tuple(ResourceModel(_quantities(grade.offers), grade.nodes) for grade in cluster.grades),
    )


def _quantities(amounts: Mapping[str, int]) -> Quantities:
    """Return whole units in billionths of the base unit."""
    return {resource: amount * _PER_UNIT.get(resource, NANO) for resource, amount in amounts.items()}


def _exact(amounts: Mapping[str, Fraction]) -> Quantities:
    """Return exact amounts in billionths of the base unit."""
    return {resource: nano(amount) for resource, amount in amounts.items()}
