"""Bindings of Karmada (work.karmada.io/v1alpha2): what a workload needs and where it runs now."""

from typing import Annotated

from pydantic import Field

from fairlead.manifests.api.base import (
    Anything,
    Api,
    Boolean,
    Count,
    Filled,
    Inert,
    Integer,
    Integer32,
    Name,
    Namespace,
    ResourceList,
    Text,
    Time,
)
from fairlead.manifests.api.meta import Condition, Object
from fairlead.manifests.api.placement import Placement, Suspension

_OBSERVED = Inert("only describes")
_INHERITED = Inert("copied from the policy, where it has no influence either")
_NODES = Inert("nodes are not placed on; the capacity of the cluster counts")


class ObjectReference(Api):
    """The resource that a binding is for."""

    api_version: Filled
    kind: Filled
    namespace: Namespace = ""
    name: Name
    uid: Annotated[Text | None, Inert("breaks ties in Karmada only")] = None
    resource_version: Annotated[Text | None, Inert("bookkeeping")] = None


class ReplicaRequirements(Api):
    """What one replica needs."""

    resource_request: ResourceList = Field(default_factory=dict)
    node_claim: Annotated[Anything, _NODES] = None
    namespace: Annotated[Text | None, Inert("concerns quotas")] = None
    priority_class_name: Annotated[Text | None, Inert("orders pods inside a cluster")] = None


class Component(Api):
    """One of several kinds of pods that a workload is made of."""

    name: Filled
    replicas: Count = 0
    replica_requirements: ReplicaRequirements | None = None


class ComponentReplicas(Api):
    """How many pods of a component run."""

    name: Filled
    replicas: Count = 0


class TargetCluster(Api):
    """Where replicas run now."""

    name: Name
    replicas: Count = 0
    components: tuple[ComponentReplicas, ...] = ()


class GracefulEvictionTask(Api):
    """A cluster that a workload is leaving."""

    from_cluster: Name
    replicas: Annotated[Count | None, Inert("the cluster is left altogether")] = None
    reason: Annotated[Text | None, _OBSERVED] = None
    message: Annotated[Text | None, _OBSERVED] = None
    producer: Annotated[Text | None, _OBSERVED] = None
    purge_mode: Annotated[Text | None, Inert("how the old copy ends")] = None
    grace_period_seconds: Annotated[Integer32 | None, Inert("how the old copy ends")] = None
    suppress_deletion: Annotated[Boolean | None, Inert("how the old copy ends")] = None
    preserved_label_state: Annotated[Anything, Inert("concerns the state of the application")] = None
    clusters_before_failover: Annotated[Anything, Inert("concerns the state of the application")] = None
    creation_timestamp: Annotated[Time | None, _OBSERVED] = None


class SchedulePriority(Api):
    """How urgent a workload is."""

    priority: Integer32 = 0
    preemption_policy: Annotated[Text | None, Inert("Karmada does not preempt placements")] = None


class WorkloadAffinityGroups(Api):
    """The groups that a workload stands with or apart from."""

    affinity_group: Text = ""
    anti_affinity_group: Text = ""


class ResourceBindingSpec(Api):
    """What a workload needs and where it runs now."""

    resource: ObjectReference
    replicas: Count | None = None
    replica_requirements: ReplicaRequirements | None = None
    clusters: tuple[TargetCluster, ...] = ()
    placement: Placement | None = None
    graceful_eviction_tasks: tuple[GracefulEvictionTask, ...] = ()
    reschedule_triggered_at: Time | None = None
    suspension: Suspension | None = None
    schedule_priority: SchedulePriority | None = None
    components: tuple[Component, ...] = ()
    workload_affinity_groups: WorkloadAffinityGroups | None = None
    required_by: tuple[Anything, ...] = ()
    propagate_deps: Annotated[Boolean | None, _INHERITED] = None
    scheduler_name: Annotated[Text | None, _INHERITED] = None
    failover: Annotated[Anything, _INHERITED] = None
    conflict_resolution: Annotated[Text | None, _INHERITED] = None
    preserve_resources_on_deletion: Annotated[Boolean | None, _INHERITED] = None


class AggregatedStatusItem(Api):
    """How a workload fares on a cluster."""

    cluster_name: Annotated[Text, _OBSERVED]
    status: Annotated[Anything, _OBSERVED] = None
    applied: Annotated[Boolean | None, _OBSERVED] = None
    applied_message: Annotated[Text | None, _OBSERVED] = None
    health: Annotated[Text | None, _OBSERVED] = None


class ResourceBindingStatus(Api):
    """What was observed of a binding.

    The affinity group in which it was scheduled last is `schedulerObservingAffinityName` in the API; the
    proposal of affinity groups and its example spell it in two other ways.
    """

    last_scheduled_time: Time | None = None
    scheduler_observing_affinity_name: Text | None = None
    scheduler_observed_affinity_name: Text | None = None
    capitalised_affinity_name: Annotated[Text | None, Field(alias="SchedulerObservedAffinityName")] = None
    scheduler_observed_generation: Annotated[Integer | None, _OBSERVED] = None
    conditions: Annotated[tuple[Condition, ...], _OBSERVED] = ()
    aggregated_status: Annotated[tuple[AggregatedStatusItem, ...], _OBSERVED] = ()


class ResourceBinding(Object):
    """What a namespaced workload needs and where it runs now."""

    spec: ResourceBindingSpec
    status: ResourceBindingStatus = ResourceBindingStatus()


class ClusterResourceBinding(Object):
    """What a cluster-scoped resource needs and where it runs now."""

    spec: ResourceBindingSpec
    status: ResourceBindingStatus = ResourceBindingStatus()
