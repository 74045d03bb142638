"""From KubeAdmiral's FederatedCluster objects to member clusters."""

from collections.abc import Iterator, Mapping, Sequence

from fairlead.manifests.api import clusters as karmada_api
from fairlead.manifests.api import kubeadmiral as api
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.errors import Mistake
from fairlead.models.quantity import available_units
from fairlead.models.statement import Statement

KIND = "cluster"

Kinds = frozenset[tuple[str, str]]


def read_federated_clusters(located: Sequence[Located[api.FederatedCluster]]) -> tuple[Cluster, ...]:
    """Turn FederatedCluster objects into member clusters.

    Notes
    -----
    What is free is ``status.resources.available``; a cluster without it is of unknown capacity. Region, zone
    and provider are labels like any other here, as KubeAdmiral has no fields for them.
    """
    shared: dict[Kinds, Kinds] = {}
    return tuple(_cluster(one, shared) for one in located)


def _cluster(located: Located[api.FederatedCluster], shared: dict[Kinds, Kinds]) -> Cluster:
    """Turn one FederatedCluster into a member cluster; clusters that serve the same kinds share one set."""
    model = located.model
    status = model.status
    conditions = {condition.type: condition.status for condition in status.conditions}
    kinds = frozenset((_api_version(one), one.kind) for one in status.api_resource_types)
    resources = status.resources or api.ClusterResources()
    return Cluster(
        name=model.metadata.name,
        labels=dict(model.metadata.labels),
        taints=tuple(Taint(taint.key, taint.value, taint.effect) for taint in model.spec.taints),
        allocatable=_units(resources.allocatable),
        free=_units(resources.available),
        deleting=model.metadata.deletion_timestamp is not None,
        joined=conditions.get("Joined") == "True",
        ready=conditions.get("Ready") == "True",
        api_kinds=shared.setdefault(kinds, kinds) if kinds else None,
        source=located.source(),
    )


def _api_version(one: api.ApiResourceType) -> str:
    """Return ``group/version``; the core group has no name."""
    return f"{one.group}/{one.version}" if one.group else one.version


def _units(amounts: api.Resources) -> Mapping[str, int] | None:
    """Return amounts in whole units, rounded down; None where nothing is said."""
    return {resource: available_units(resource, amount) for resource, amount in amounts.items()} or None


def same_names(
    clusters: Sequence[Located[karmada_api.Cluster]], federated: Sequence[Located[api.FederatedCluster]]
) -> Iterator[Mistake]:
    """List FederatedClusters that have the name of one of Karmada's clusters."""
    first = {one.model.metadata.name: one for one in clusters}
    for one in federated:
        name = one.model.metadata.name
        if name in first:
            message = f"is the name of two clusters; the first one is at {first[name].source()}"
            yield Mistake(one.source("metadata", "name"), "metadata.name", name, message)


def federated_cluster_warnings(located: Sequence[Located[api.FederatedCluster]]) -> Iterator[Statement]:
    """Say what is assumed of clusters that do not tell."""
    silent = [one for one in located if not one.model.status.api_resource_types]
    if silent:
        names = sorted(one.model.metadata.name for one in silent)
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        text = f"{shown}: no status.apiResourceTypes, taken to serve every kind"
        yield Statement(KIND, text, min(one.source() for one in silent))
