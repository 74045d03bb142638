"""From Karmada's Cluster objects to member clusters."""

from collections.abc import Iterator, Mapping, Sequence

from fairlead.models.cluster import Cluster, Taint
from fairlead.models.manifests.api import clusters as api
from fairlead.models.manifests.validation import Located
from fairlead.models.quantity import available_units
from fairlead.models.source import Source
from fairlead.models.statement import Statement

KIND = "cluster"


def read_clusters(located: Sequence[Located[api.Cluster]]) -> tuple[Cluster, ...]:
    """Turn Cluster objects into member clusters.

    Notes
    -----
    A deprecated ``spec.zone`` counts where ``spec.zones`` is empty, as Karmada's webhook migrates it.
    Clusters that serve the same kinds share one set of them.
    """
    shared: dict[frozenset[tuple[str, str]], frozenset[tuple[str, str]]] = {}
    return tuple(_cluster(one, shared) for one in located)


def _cluster(
    located: Located[api.Cluster], shared: dict[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]
) -> Cluster:
    """Turn one Cluster object into a member cluster."""
    model = located.model
    spec, status = model.spec, model.status
    kinds = frozenset(
        (group.group_version, resource.kind)
        for group in status.api_enablements
        for resource in group.resources
    )
    summary = status.resource_summary
    return Cluster(
        name=model.metadata.name,
        provider=spec.provider or None,
        region=spec.region or None,
        zones=spec.zones or ((spec.zone,) if spec.zone else ()),
        labels=dict(model.metadata.labels),
        taints=tuple(Taint(taint.key, taint.value, taint.effect) for taint in spec.taints),
        allocatable=_allocatable(summary) if summary else None,
        free=_free(summary) if summary else None,
        deleting=model.metadata.deletion_timestamp is not None,
        api_kinds=shared.setdefault(kinds, kinds) if kinds else None,
        source=located.source(),
    )


def _allocatable(summary: api.ResourceSummary) -> Mapping[str, int]:
    """Return what the nodes offer, in whole units."""
    return {resource: available_units(resource, offered) for resource, offered in summary.allocatable.items()}


def _free(summary: api.ResourceSummary) -> Mapping[str, int]:
    """Return allocatable - allocated - allocating, exactly, and only then in whole units, rounded down."""
    return {
        resource: available_units(
            resource, offered - summary.allocated.get(resource, 0) - summary.allocating.get(resource, 0)
        )
        for resource, offered in summary.allocatable.items()
    }


def cluster_warnings(located: Sequence[Located[api.Cluster]]) -> Iterator[Statement]:
    """Say what is assumed of clusters that do not tell, or what is not used of what they tell."""
    silent = [one for one in located if not one.model.status.api_enablements]
    if silent:
        text = "no status.apiEnablements, taken to serve every kind"
        yield _of_all(silent, text)
    graded = [one for one in located if _has_grades(one.model)]
    if graded:
        text = "resource models (grades of nodes) are not used yet; the sums of the resource summary count"
        yield _of_all(graded, text)


def _has_grades(cluster: api.Cluster) -> bool:
    """Tell whether a cluster says how many nodes of which grade it has."""
    summary = cluster.status.resource_summary
    return bool(cluster.spec.resource_models) and summary is not None and bool(summary.allocatable_modelings)


def _of_all(located: Sequence[Located[api.Cluster]], text: str) -> Statement:
    """Say one thing of many clusters at once."""
    names = sorted(one.model.metadata.name for one in located)
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    source: Source = min(one.source() for one in located)
    return Statement(KIND, f"{shown}: {text}", source)
