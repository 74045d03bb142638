"""Kinds of KubeAdmiral (core.kubeadmiral.io/v1alpha1): member clusters, policies and federated objects."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema

from fairlead.manifests.api.karmada import CONNECTION, Taint
from fairlead.manifests.api.meta import (
    OBSERVED,
    Anything,
    Api,
    Boolean,
    Condition,
    Filled,
    Inert,
    Integer,
    Object,
    Text,
    Texts,
    Time,
    Toleration,
    Weight,
    to_signed_quantity,
)

_MIGRATION = Inert("when KubeAdmiral reports capacity; the report itself counts")
_TRIGGER = Inert("says when KubeAdmiral schedules again, not where")


def _as_terms(value: object) -> object:
    """Take one term for a list of one; the documentation prints it so. An empty one says nothing."""
    if isinstance(value, Mapping):
        return [value] if value else []
    return value


SignedQuantity = Annotated[
    Fraction, PlainValidator(to_signed_quantity), WithJsonSchema({"type": ["string", "number"]})
]
Resources = Mapping[str, SignedQuantity]


class ClusterResources(Api):
    """Allocatable capacity of the nodes of a cluster, and the part of it that is free."""

    schedulable_nodes: Annotated[Integer | None, Inert("the sums say what fits")] = None
    allocatable: Resources = Field(default_factory=dict)
    available: Resources = Field(default_factory=dict)


class ApiResourceType(Api):
    """A kind that a cluster serves."""

    group: Text = ""
    version: Text
    kind: Text
    plural_name: Annotated[Text | None, Inert("kinds are compared")] = None
    scope: Annotated[Text | None, Inert("kinds are compared")] = None


class FederatedClusterSpec(Api):
    """Description of a member cluster: taints and connection."""

    taints: tuple[Taint, ...] = ()
    api_endpoint: Annotated[Text | None, CONNECTION] = None
    insecure: Annotated[Boolean | None, CONNECTION] = None
    use_service_account: Annotated[Boolean | None, CONNECTION] = None
    secret_ref: Annotated[Anything, CONNECTION] = None


class FederatedClusterStatus(Api):
    """Observed state of a member cluster."""

    conditions: tuple[Condition, ...] = ()
    resources: ClusterResources | None = None
    api_resource_types: Annotated[tuple[ApiResourceType, ...], Field(alias="apiResourceTypes")] = ()
    join_performed: Annotated[Boolean | None, Inert("the condition Joined counts")] = None


class FederatedCluster(Object):
    """A member cluster."""

    namespaced = False
    spec: FederatedClusterSpec = Field(default_factory=FederatedClusterSpec)
    status: FederatedClusterStatus = Field(default_factory=FederatedClusterStatus)


class ClusterSelectorRequirement(Api):
    """One expression over labels, or over the name of a cluster."""

    key: Filled
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    values: tuple[Text, ...] = ()


class ClusterSelectorTerm(Api):
    """Expressions that must hold together; a term without any matches nothing."""

    match_expressions: tuple[ClusterSelectorRequirement, ...] = ()
    match_fields: tuple[ClusterSelectorRequirement, ...] = ()


Terms = Annotated[tuple[ClusterSelectorTerm, ...], BeforeValidator(_as_terms)]


class Preferences(Api):
    """Minimum, maximum, weight and priority of one cluster."""

    min_replicas: Weight = 0
    max_replicas: Weight | None = None
    weight: Weight | None = None
    priority: Weight | None = None


class DesiredPlacement(Api):
    """A cluster, and how many replicas it should get."""

    cluster: Filled
    preferences: Preferences = Field(default_factory=Preferences)


class AutoMigrationTrigger(Api):
    """Condition under which a replica is moved away."""

    pod_unschedulable_for: Annotated[Text | None, _MIGRATION] = None


class AutoMigration(Api):
    """Migration of replicas away from clusters which cannot run them."""

    when: Annotated[AutoMigrationTrigger | None, _MIGRATION] = None
    keep_unschedulable_replicas: Annotated[Boolean | None, Inert("only replicas that can run are placed")] = (
        None
    )


class RescheduleTrigger(Api):
    """Which changes make KubeAdmiral schedule again."""

    policy_content_changed: Annotated[Boolean, _TRIGGER] = True
    cluster_joined: Annotated[Boolean, _TRIGGER] = False
    cluster_labels_changed: Annotated[Boolean, _TRIGGER] = False
    cluster_api_resources_changed: Annotated[Boolean, Field(alias="clusterAPIResourcesChanged"), _TRIGGER] = (
        False
    )


class ReplicaRescheduling(Api):
    """Rules for running replicas when a workload is scheduled again."""

    avoid_disruption: Boolean = True


class ReschedulePolicy(Api):
    """Whether, when and how gently KubeAdmiral schedules again."""

    disable_rescheduling: Boolean = False
    reschedule_when: Annotated[RescheduleTrigger | None, _TRIGGER] = None
    replica_rescheduling: ReplicaRescheduling = Field(default_factory=ReplicaRescheduling)


class PropagationPolicySpec(Api):
    """Placement of the workloads that name this policy."""

    scheduling_mode: Literal["Duplicate", "Divide"]
    replicas_strategy: Literal["", "Binpack", "Spread"] = ""
    cluster_selector: Texts = Field(default_factory=dict)
    cluster_affinity: Terms = ()
    tolerations: tuple[Toleration, ...] = ()
    max_clusters: Weight | None = None
    placement: tuple[DesiredPlacement, ...] = ()
    auto_migration: AutoMigration | None = None
    reschedule_policy: ReschedulePolicy | None = None
    scheduling_profile: Annotated[
        Text | None, Inert("chooses KubeAdmiral's plugins; here every rule is kept")
    ] = None
    disable_follower_scheduling: Annotated[Boolean | None, Inert("concerns what follows a workload")] = None


class PropagationPolicy(Object):
    """A policy for workloads that name it in a label; a ClusterPropagationPolicy is for all namespaces."""

    spec: PropagationPolicySpec
    status: Annotated[Anything, OBSERVED] = None


class ClusterReference(Api):
    """A cluster by name."""

    cluster: Filled


class PlacementWithController(Api):
    """The clusters that one controller has chosen."""

    controller: Text
    placement: tuple[ClusterReference, ...] = ()


class OverridePatch(Api):
    """A JSON patch."""

    op: Text = ""
    path: Text
    value: Anything = None


class ClusterPatches(Api):
    """Patches on one cluster."""

    cluster: Filled
    patches: tuple[OverridePatch, ...] = ()


class OverrideWithController(Api):
    """Patches of one controller."""

    controller: Text
    clusters: tuple[ClusterPatches, ...] = ()


class FederatedObjectSpec(Api):
    """A workload, and where it runs now."""

    template: Anything
    placements: tuple[PlacementWithController, ...] = ()
    overrides: tuple[OverrideWithController, ...] = ()
    follows: Annotated[Anything, Inert("a workload is placed for its own sake")] = None


class FederatedObject(Object):
    """An object, and where it runs now; a ClusterFederatedObject holds a cluster-scoped one."""

    spec: FederatedObjectSpec
    status: Annotated[Anything, OBSERVED] = None


class AutoMigrationInfo(Api):
    """Findings of the controller of auto migration (annotation ``auto-migration-info``)."""

    estimated_capacity: Mapping[str, Integer] = Field(default_factory=dict)
    scheduled_replicas: Annotated[Mapping[str, Integer], OBSERVED] = Field(default_factory=dict)


class UnavailableCluster(Api):
    """A cluster that a workload has to leave."""

    cluster: Filled
    valid_until: Time | None = None


class AppliedMigration(Api):
    """Replicas that a user has asked to move away (annotation ``applied-migration-configuration``)."""

    limited_capacity: Mapping[str, Weight] = Field(default_factory=dict)
    unavailable_clusters: tuple[UnavailableCluster, ...] = ()
