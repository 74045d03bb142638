"""Preferences of a strategy under all of their names: weights, totals and bounds, and where each stands."""

from collections.abc import Iterator, Mapping, Sequence

from fairlead.manifests.api.placement import (
    ClusterAffinity,
    ClusterConstraint,
    ClusterPreferences,
    ReplicaSchedulingStrategy,
    SpecifiedReplicas,
    Targeted,
)
from fairlead.manifests.documents import Path

SPECIFIED = ("Specified", "SpecifiedClusters", "SpecifiedRegions")
REGIONS = "Regions"

STRATEGY: Path = ("replicaScheduling",)


def preferences_of(
    strategy: ReplicaSchedulingStrategy | None,
) -> Iterator[tuple[Path, ClusterPreferences]]:
    """Yield the preferences of a strategy, with their paths inside the placement."""
    if strategy is None:
        return
    known = {
        "weightPreference": strategy.weight_preference,
        "specifyPreference": strategy.specify_preference,
        "extendClusterPreferences": strategy.extend_cluster_preferences,
    }
    for name, preferences in known.items():
        if preferences is not None:
            yield (*STRATEGY, name), preferences


def preference_of(strategy: ReplicaSchedulingStrategy | None) -> str | None:
    """Return how replicas are divided; a webhook may have filled in what the extension overrides.

    A name that belongs to a scheduler of one's own says nothing here.
    """
    if strategy is None:
        return None
    extension = strategy.extend_replica_division_preference
    known = extension in (*SPECIFIED, REGIONS)
    return extension if known else strategy.replica_division_preference


def lists_of(preferences: ClusterPreferences) -> Mapping[str, Sequence[SpecifiedReplicas]]:
    """Return the lists of specified replicas under both of their names."""
    return {
        "staticSpecifyList": preferences.static_specify_list,
        "extendStaticList": preferences.extend_static_list,
    }


def constraints_of(
    strategy: ReplicaSchedulingStrategy | None,
) -> Iterator[tuple[Path, ClusterConstraint]]:
    """Yield what bounds the clusters, with its path: under either name, or right among the preferences."""
    for path, preferences in preferences_of(strategy):
        if preferences.cluster_constraint is not None:
            yield (*path, "clusterConstraint"), preferences.cluster_constraint
        if preferences.cluster_constraint_in_go is not None:
            yield (*path, "ClusterConstraint"), preferences.cluster_constraint_in_go
        bounds = (preferences.min_replicas, preferences.max_replicas)
        if preferences.cluster_constraint_terms or bounds != (None, None):
            yield path, preferences


def target_sets(strategy: ReplicaSchedulingStrategy | None) -> Iterator[tuple[Path, ClusterAffinity]]:
    """Yield every set of clusters that weights, totals and bounds are for, with its path."""
    lists: list[tuple[Path, Sequence[Targeted]]] = []
    for path, preferences in preferences_of(strategy):
        lists.append(((*path, "staticWeightList"), preferences.static_weight_list))
        lists += [((*path, name), targets) for name, targets in lists_of(preferences).items()]
    for path, constraint in constraints_of(strategy):
        lists.append(((*path, "clusterConstraintTerms"), constraint.cluster_constraint_terms))
    for path, terms in lists:
        for position, term in enumerate(terms):
            yield (*path, position, *term.target_path), term.target_cluster
