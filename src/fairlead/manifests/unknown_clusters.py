"""Names of clusters that no cluster has: said with the name that comes nearest."""

from collections.abc import Iterator, Mapping

from fairlead.manifests.api.placement import ClusterAffinity, Placement
from fairlead.manifests.documents import Path, field_name
from fairlead.manifests.facts import Declared
from fairlead.manifests.groups import declared_tiers
from fairlead.manifests.preferences import preferences_of
from fairlead.models.cluster import Cluster
from fairlead.models.statement import Statement
from fairlead.models.words import with_nearest

KIND = "cluster"


def unknown_clusters(declared: Declared, clusters: Mapping[str, Cluster]) -> Iterator[Statement]:
    """Say which names of affinities and static weights no cluster of the input has.

    Those of bounds and of totals are told with what they do not bound or hold.
    """
    for path, affinity in _sets(declared.placement):
        for field, names in (("clusterNames", affinity.cluster_names), ("exclude", affinity.exclude)):
            unknown = [name for name in dict.fromkeys(names) if name not in clusters]
            if unknown:
                place = (*path, field)
                where = declared.source((*place, names.index(unknown[0])))
                said = with_nearest(unknown, clusters)
                text = (
                    f"{declared.name}: {field_name((*declared.path, *place))} names {said}, not in the input"
                )
                yield Statement(KIND, text, where)


def _sets(placement: Placement) -> Iterator[tuple[Path, ClusterAffinity]]:
    """Yield the sets of clusters that candidates and static weights come from, with their paths."""
    for tier in declared_tiers(placement):
        if tier.affinity is not None:
            yield tier.path, tier.affinity
    for path, preferences in preferences_of(placement.replica_scheduling):
        for position, term in enumerate(preferences.static_weight_list):
            yield (*path, "staticWeightList", position, *term.target_path), term.target_cluster
