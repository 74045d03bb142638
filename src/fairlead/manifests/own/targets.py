"""Sets of clusters in our own kinds: which clusters they match, and what people call them."""

from collections.abc import Iterator, Mapping, Sequence

from fairlead.manifests.affinity import matching
from fairlead.manifests.api.own_parts import ClusterSet
from fairlead.manifests.api.placement import ClusterAffinity
from fairlead.manifests.own.remarks import Remark
from fairlead.models.cluster import Cluster
from fairlead.models.source import Source
from fairlead.models.words import with_nearest


def as_affinity(target: ClusterSet) -> ClusterAffinity:
    """Return a set of clusters as Karmada's type, which is matched in the same way."""
    return ClusterAffinity(
        cluster_names=target.cluster_names,
        exclude=target.exclude,
        label_selector=target.label_selector,
        field_selector=target.field_selector,
    )


def matched(target: ClusterSet, clusters: Mapping[str, Cluster]) -> frozenset[str]:
    """Return the clusters of the input that belong to a set."""
    return frozenset(matching(as_affinity(target), clusters))


def without_clusters(
    target: ClusterSet, clusters: Mapping[str, Cluster], name: str, source: Source
) -> Iterator[Remark]:
    """Tell of names that the input does not have, and of a set that matches nothing."""
    unknown = [one for one in target.cluster_names if one not in clusters]
    if unknown:
        yield Remark(f"{name} names {with_nearest(unknown, clusters)}, not in the input", source)
    elif not matched(target, clusters):
        yield Remark(f"{name} matches no cluster of the input", source)


def called(target: ClusterSet) -> str:
    """Return what people call a set, such as ``member1`` or ``region RegionA``; empty where it has none."""
    names = target.cluster_names
    expressions = list(target.field_selector.match_expressions if target.field_selector else ())
    if target.exclude or target.label_selector or len(names) + len(expressions) != 1:
        return ""
    if names:
        return names[0]
    only = expressions[0]
    return f"{only.key} {', '.join(only.values)}" if only.operator == "In" else ""


def values_of(cluster: Cluster, field: str) -> Sequence[str]:
    """Return the groups of a field that a cluster tells: one, several (zones) or none."""
    if field == "zone":
        return cluster.zones
    fixed = {"cluster": cluster.name, "region": cluster.region, "provider": cluster.provider}
    value = fixed[field] if field in fixed else cluster.labels.get(field)
    return (value,) if value else ()
