"""Placements of Karmada, as policies and bindings hold them, with the bounds of the min/max proposal."""

from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from fairlead.manifests.api.meta import (
    INSTEAD,
    Anything,
    Api,
    Boolean,
    Count,
    Filled,
    Inert,
    LabelSelector,
    Text,
    Toleration,
    Weight,
    shared,
)
from fairlead.models import selectors

_SELECTING = ("cluster_names", "exclude", "label_selector", "field_selector")


class FieldSelectorRequirement(Api):
    """One expression over the provider, region or zone of a cluster."""

    key: Literal["provider", "region", "zone"]
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: tuple[Text, ...] = ()


class FieldSelector(Api):
    """A query over the provider, region and zone of a cluster; everything must hold."""

    match_expressions: tuple[FieldSelectorRequirement, ...] = ()


class ClusterSet(Api):
    """A set of clusters; everything must hold, an empty one matches every cluster."""

    cluster_names: tuple[Text, ...] = ()
    exclude: tuple[Text, ...] = ()
    label_selector: LabelSelector | None = None
    field_selector: FieldSelector | None = None

    @cached_property
    def names(self) -> frozenset[str]:
        """The names to choose from; empty means no restriction."""
        return frozenset(self.cluster_names)

    @cached_property
    def labels(self) -> selectors.LabelSelector:
        """Selector that labels of a cluster must satisfy; an empty one matches all."""
        return selectors.LabelSelector() if self.label_selector is None else self.label_selector.selector

    @cached_property
    def fields(self) -> tuple[selectors.SelectorRequirement, ...]:
        """Requirements on provider, region and zone of a cluster; empty where there are none."""
        stated = self.field_selector.match_expressions if self.field_selector else ()
        return tuple(selectors.SelectorRequirement(one.key, one.operator, one.values) for one in stated)


class ClusterAffinity(ClusterSet):
    """A set of clusters that candidates come from, and the overflow tiers that follow it."""

    supplements: "tuple[ClusterAffinity, ...]" = ()


class OverflowClusterAffinity(ClusterAffinity):
    """A named set of clusters that takes what the group cannot."""

    affinity_name: Filled


class ClusterAffinityTerm(ClusterAffinity):
    """A named group of clusters."""

    affinity_name: Filled
    overflow_affinities: tuple[OverflowClusterAffinity, ...] = ()


class AffinityStrategy(Api):
    """Whether clusterAffinities exclude each other, or follow one another as overflow tiers."""

    mode: Literal["Exclusive", "Inherited"] = "Exclusive"


class SpreadConstraint(Api):
    """Over how many groups of clusters a workload is spread."""

    spread_by_field: Literal["cluster", "region", "zone", "provider"] | None = None
    spread_by_label: Text = ""
    max_groups: Count = 0
    min_groups: Count = 0


def _nothing_stated() -> PydanticCustomError:
    """Return the error of a field that is missing, and so is what may stand instead of it."""
    return PydanticCustomError("missing", "Field required", {INSTEAD: True})


class Targeted(ClusterSet):
    """Parent of entries that state a rule for a set of clusters.

    The set stands below ``targetCluster``, or beside it where that is left empty, as the proposal of
    specified replicas prints it.
    """

    below: Annotated[ClusterAffinity | None, shared("affinity"), Field(alias="targetCluster")]

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        """Name the field, so that it is looked at even where it is left out."""
        return {"targetCluster": None, **data} if isinstance(data, dict) else data

    @field_validator("below")
    @classmethod
    def _stated_once(cls, below: ClusterAffinity | None, info: ValidationInfo) -> ClusterAffinity | None:
        """Refuse no set at all, and two of them."""
        beside = [to_camel(name) for name in _SELECTING if info.data.get(name)]
        readable = all(name in info.data for name in _SELECTING)
        if below is None and not beside and readable:
            raise _nothing_stated()
        if below is not None and beside:
            raise ValueError(f"cannot be combined with {', '.join(beside)}; write the set of clusters once")
        return below

    @property
    def target_cluster(self) -> ClusterSet:
        """The set of clusters."""
        return self if self.below is None else self.below

    @cached_property
    def only_names(self) -> bool:
        """Whether it says no more than the names of some clusters, below ``targetCluster``."""
        return self.below is not None and self.below == ClusterAffinity(
            cluster_names=self.below.cluster_names
        )

    @property
    def target_path(self) -> tuple[str, ...]:
        """Where the set stands, seen from here."""
        return () if self.below is None else ("targetCluster",)


class StaticClusterWeight(Targeted):
    """The weight of a set of clusters."""

    weight: Weight

    @cached_property
    def single(self) -> tuple[str, int] | None:
        """The one cluster that it names, below ``targetCluster``, and its weight; None for any other set."""
        names = self.target_cluster.cluster_names if self.only_names else ()
        return (names[0], self.weight) if len(names) == 1 else None


class ExtendFields(Api):
    """Fields of a target in solution two of the proposal of specified replicas.

    The names are those of a scheduler of one's own; of them only the number of replicas is known here.
    """

    replicas: Count | None = None


class SpecifiedReplicas(Targeted):
    """How many replicas a set of clusters holds together."""

    extend_fields: ExtendFields | None = None
    replicas: Annotated[Count | None, Field(validate_default=True)] = None

    @field_validator("replicas")
    @classmethod
    def _counted_once(cls, replicas: int | None, info: ValidationInfo) -> int | None:
        """Refuse no number at all, and two of them."""
        if replicas is None and info.data.get("extend_fields", ...) is None:
            raise _nothing_stated()
        extended = info.data.get("extend_fields")
        if replicas is not None and isinstance(extended, ExtendFields) and extended.replicas is not None:
            raise ValueError("cannot be combined with extendFields.replicas; write the number once")
        return replicas

    @property
    def total(self) -> int | None:
        """The number, wherever it stands; None where only fields of somebody's own are stated."""
        extended = self.extend_fields.replicas if self.extend_fields else None
        return self.replicas if extended is None else extended


class ClusterConstraintTerm(Targeted):
    """Fewest and most replicas on every cluster of a set."""

    min_replicas: Count | None = None
    max_replicas: Count | None = None


class ClusterConstraint(Api):
    """Fewest and most replicas on every cluster, with exceptions."""

    min_replicas: Count | None = None
    max_replicas: Count | None = None
    cluster_constraint_terms: tuple[ClusterConstraintTerm, ...] = ()


class ClusterPreferences(ClusterConstraint):
    """How replicas are divided: in which ratio, in which totals, within which bounds.

    The proposal of bounds names the Go field ``ClusterConstraint`` and prints no name for JSON; its fields
    may also stand right here.
    """

    static_weight_list: Annotated[tuple[StaticClusterWeight, ...], shared("weight", items=True)] = ()
    dynamic_weight: Literal["", "AvailableReplicas"] = ""
    static_specify_list: tuple[SpecifiedReplicas, ...] = ()
    extend_static_list: tuple[SpecifiedReplicas, ...] = ()
    cluster_constraint: ClusterConstraint | None = None
    cluster_constraint_in_go: Annotated[ClusterConstraint | None, Field(alias="ClusterConstraint")] = None


class ReplicaSchedulingStrategy(Api):
    """How replicas are assigned to clusters."""

    replica_scheduling_type: Literal["Duplicated", "Divided"] | None = None
    replica_division_preference: (
        Literal["Weighted", "Aggregated", "Specified", "SpecifiedClusters", "SpecifiedRegions", "Regions"]
        | None
    ) = None
    weight_preference: ClusterPreferences | None = None
    specify_preference: ClusterPreferences | None = None
    extend_replica_division_preference: Text | None = None
    extend_cluster_preferences: ClusterPreferences | None = None


class WorkloadAffinityTerm(Api):
    """Which label makes workloads a group."""

    group_by_label_key: Filled


class WorkloadAffinity(Api):
    """Which workloads stand together, and which apart."""

    affinity: WorkloadAffinityTerm | None = None
    anti_affinity: WorkloadAffinityTerm | None = None


class Placement(Api):
    """Rules for the clusters and the replicas of a workload."""

    cluster_affinity: Annotated[ClusterAffinity | None, shared("affinity")] = None
    cluster_affinities: tuple[ClusterAffinityTerm, ...] = ()
    cluster_tolerations: tuple[Toleration, ...] = ()
    spread_constraints: tuple[SpreadConstraint, ...] = ()
    replica_scheduling: ReplicaSchedulingStrategy | None = None
    workload_affinity: WorkloadAffinity | None = None
    affinity_strategy: AffinityStrategy | None = None
    preferred_cluster_affinities: tuple[ClusterAffinityTerm, ...] = ()
    replicas: Count | None = None


class Suspension(Api):
    """Parts of the propagation that are suspended."""

    scheduling: Boolean | None = None
    dispatching: Annotated[Boolean | None, Inert("the placement is decided all the same")] = None
    dispatching_on_clusters: Annotated[Anything, Inert("the placement is decided all the same")] = None
