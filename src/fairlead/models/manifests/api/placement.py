"""Placement of Karmada's policies (policy.karmada.io/v1alpha1), with the bounds of the min/max proposal."""

from typing import Annotated, Literal

from fairlead.models.manifests.api.base import (
    Anything,
    Api,
    Boolean,
    Count,
    Filled,
    Inert,
    Later,
    Text,
    Weight,
)
from fairlead.models.manifests.api.meta import LabelSelector, Toleration

_TIERS = Later("overflow tiers")
_TOTALS = Later("fixed totals")


class FieldSelectorRequirement(Api):
    """One expression over the provider, region or zone of a cluster."""

    key: Literal["provider", "region", "zone"]
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: tuple[Text, ...] = ()


class FieldSelector(Api):
    """A query over the provider, region and zone of a cluster; everything must hold."""

    match_expressions: tuple[FieldSelectorRequirement, ...] = ()


class ClusterAffinity(Api):
    """A set of clusters; everything must hold, an empty one matches every cluster."""

    cluster_names: tuple[Text, ...] = ()
    exclude: tuple[Text, ...] = ()
    label_selector: LabelSelector | None = None
    field_selector: FieldSelector | None = None
    supplements: Annotated[Anything, _TIERS] = None


class OverflowClusterAffinity(ClusterAffinity):
    """A named set of clusters that takes what the group cannot."""

    affinity_name: Filled


class ClusterAffinityTerm(ClusterAffinity):
    """A named group of clusters."""

    affinity_name: Filled
    overflow_affinities: Annotated[tuple[OverflowClusterAffinity, ...], _TIERS] = ()


class SpreadConstraint(Api):
    """Over how many groups of clusters a workload is spread."""

    spread_by_field: Literal["cluster", "region", "zone", "provider"] | None = None
    spread_by_label: Text = ""
    max_groups: Count = 0
    min_groups: Count = 0


class StaticClusterWeight(Api):
    """The weight of a set of clusters."""

    target_cluster: ClusterAffinity
    weight: Weight


class ClusterConstraintTerm(Api):
    """Fewest and most replicas on every cluster of a set."""

    target_cluster: ClusterAffinity
    min_replicas: Count | None = None
    max_replicas: Count | None = None


class ClusterConstraint(Api):
    """Fewest and most replicas on every cluster, with exceptions."""

    min_replicas: Count | None = None
    max_replicas: Count | None = None
    cluster_constraint_terms: tuple[ClusterConstraintTerm, ...] = ()


class ClusterPreferences(Api):
    """In which ratio replicas are divided."""

    static_weight_list: tuple[StaticClusterWeight, ...] = ()
    dynamic_weight: Literal["", "AvailableReplicas"] = ""
    cluster_constraint: ClusterConstraint | None = None


class ReplicaSchedulingStrategy(Api):
    """How replicas are assigned to clusters."""

    replica_scheduling_type: Literal["Duplicated", "Divided"] | None = None
    replica_division_preference: (
        Literal["Weighted", "Aggregated", "Specified", "Regions", "SpecifiedRegions"] | None
    ) = None
    weight_preference: ClusterPreferences | None = None
    specify_preference: Annotated[Anything, _TOTALS] = None
    extend_replica_division_preference: Annotated[Anything, _TOTALS] = None
    extend_cluster_preferences: Annotated[Anything, _TOTALS] = None


class WorkloadAffinityTerm(Api):
    """Which label makes workloads a group."""

    group_by_label_key: Filled


class WorkloadAffinity(Api):
    """Which workloads stand together, and which apart."""

    affinity: WorkloadAffinityTerm | None = None
    anti_affinity: WorkloadAffinityTerm | None = None


class Placement(Api):
    """Rules for the clusters and the replicas of a workload."""

    cluster_affinity: ClusterAffinity | None = None
    cluster_affinities: Annotated[tuple[ClusterAffinityTerm, ...], Later("affinity groups")] = ()
    cluster_tolerations: tuple[Toleration, ...] = ()
    spread_constraints: Annotated[tuple[SpreadConstraint, ...], Later("spread constraints")] = ()
    replica_scheduling: ReplicaSchedulingStrategy | None = None
    workload_affinity: Annotated[WorkloadAffinity | None, Later("workload affinity")] = None
    affinity_strategy: Annotated[Anything, _TIERS] = None
    preferred_cluster_affinities: Annotated[Anything, _TIERS] = None
    replicas: Annotated[Anything, _TOTALS] = None


class Suspension(Api):
    """What of the propagation is suspended."""

    scheduling: Boolean | None = None
    dispatching: Annotated[Boolean | None, Inert("the placement is decided all the same")] = None
    dispatching_on_clusters: Annotated[Anything, Inert("the placement is decided all the same")] = None
