"""Further kinds of Karmada: member clusters, bindings and rebalancers."""

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from fairlead.manifests.api.meta import (
    OBSERVED,
    Anything,
    Api,
    Boolean,
    Condition,
    Count,
    Filled,
    Inert,
    Integer,
    Integer32,
    Name,
    Namespace,
    Object,
    Quantity,
    ResourceList,
    Text,
    Texts,
    Time,
    Toleration,
)
from fairlead.manifests.api.policies import Placement, Suspension

CONNECTION = Inert("how the control plane connects to the cluster")


class Taint(Api):
    """A mark that repels workloads which do not tolerate it."""

    key: Filled
    value: Text = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    time_added: Annotated[Time | None, Inert("the scheduler does not wait")] = None


class ResourceModelRange(Api):
    """Least and most of a resource that the nodes of a grade have."""

    name: Filled
    min: Quantity = Fraction(0)
    max: Annotated[Quantity | None, Inert("the least that a node of the grade has is counted on")] = None


class ResourceModel(Api):
    """One grade of nodes."""

    grade: Count
    ranges: tuple[ResourceModelRange, ...] = ()


class ClusterSpec(Api):
    """Description of a member cluster: location, taints, resource models, connection."""

    provider: Text = ""
    region: Text = ""
    zone: Text = ""
    zones: tuple[Text, ...] = ()
    taints: tuple[Taint, ...] = ()
    resource_models: tuple[ResourceModel, ...] = ()
    id: Annotated[Text | None, Inert("identifies the cluster elsewhere")] = None
    sync_mode: Annotated[Literal["Push", "Pull"] | None, CONNECTION] = None
    api_endpoint: Annotated[Text | None, CONNECTION] = None
    secret_ref: Annotated[Anything, CONNECTION] = None
    impersonator_secret_ref: Annotated[Anything, CONNECTION] = None
    insecure_skip_tls_verification: Annotated[
        Boolean | None, Field(alias="insecureSkipTLSVerification"), CONNECTION
    ] = None
    proxy_url: Annotated[Text | None, Field(alias="proxyURL"), CONNECTION] = None
    proxy_header: Annotated[Texts | None, CONNECTION] = None


class ApiResource(Api):
    """A kind that a cluster serves."""

    name: Annotated[Text | None, Inert("kinds are compared")] = None
    kind: Text


class ApiEnablement(Api):
    """The kinds of one group and version that a cluster serves."""

    group_version: Text
    resources: tuple[ApiResource, ...] = ()


class AllocatableModeling(Api):
    """Number of nodes of a grade."""

    grade: Count
    count: Count


class ResourceSummary(Api):
    """Allocatable capacity of the nodes of a cluster, and the amounts taken from it."""

    allocatable: ResourceList = Field(default_factory=dict)
    allocating: ResourceList = Field(default_factory=dict)
    allocated: ResourceList = Field(default_factory=dict)
    allocatable_modelings: tuple[AllocatableModeling, ...] = ()


class NodeSummary(Api):
    """Number of nodes of a cluster."""

    total_num: Annotated[Count | None, Inert("the resource summary says what fits")] = None
    ready_num: Annotated[Count | None, Inert("the resource summary says what fits")] = None


class ClusterStatus(Api):
    """Observed state of a member cluster."""

    api_enablements: tuple[ApiEnablement, ...] = ()
    resource_summary: ResourceSummary | None = None
    conditions: tuple[Condition, ...] = ()
    kubernetes_version: Annotated[Text | None, Inert("only describes")] = None
    node_summary: Annotated[NodeSummary | None, Inert("the resource summary says what fits")] = None
    remedy_actions: Annotated[tuple[Text, ...], Inert("concerns traffic, not replicas")] = ()


class Cluster(Object):
    """A member cluster."""

    spec: ClusterSpec = Field(default_factory=ClusterSpec)
    status: ClusterStatus = Field(default_factory=ClusterStatus)


_INHERITED = Inert("copied from the policy, where it has no influence either")


class ObjectReference(Api):
    """The resource that a binding is for."""

    api_version: Filled
    kind: Filled
    namespace: Namespace = ""
    name: Name
    uid: Annotated[Text | None, Inert("breaks ties in Karmada only")] = None
    resource_version: Annotated[Text | None, Inert("bookkeeping")] = None


class NodeClaim(Api):
    """Nodes that will do for a replica."""

    node_selector: Texts = Field(default_factory=dict)
    hard_node_affinity: Anything = None
    tolerations: Annotated[
        tuple[Toleration, ...], Inert("lets pods on more nodes; clusters do not tell taints of nodes")
    ] = ()


class ReplicaRequirements(Api):
    """Requirements of one replica."""

    resource_request: ResourceList = Field(default_factory=dict)
    node_claim: NodeClaim | None = None
    namespace: Annotated[Text | None, Inert("concerns quotas")] = None
    priority_class_name: Text = ""


class ComponentReplicas(Api):
    """Number of pods of a component."""

    name: Filled
    replicas: Count = 0


class Component(ComponentReplicas):
    """One of several kinds of pods that a workload is made of."""

    replica_requirements: ReplicaRequirements | None = None


class TargetCluster(Api):
    """Replicas that run on a cluster now."""

    name: Name
    replicas: Count = 0
    components: tuple[ComponentReplicas, ...] = ()


class GracefulEvictionTask(Api):
    """A cluster that a workload is leaving."""

    from_cluster: Name
    replicas: Annotated[Count | None, Inert("the cluster is left altogether")] = None
    reason: Annotated[Text | None, OBSERVED] = None
    message: Annotated[Text | None, OBSERVED] = None
    producer: Annotated[Text | None, OBSERVED] = None
    purge_mode: Annotated[Text | None, Inert("how the old copy ends")] = None
    grace_period_seconds: Annotated[Integer32 | None, Inert("how the old copy ends")] = None
    suppress_deletion: Annotated[Boolean | None, Inert("how the old copy ends")] = None
    preserved_label_state: Annotated[Anything, Inert("concerns the state of the application")] = None
    clusters_before_failover: Annotated[Anything, Inert("concerns the state of the application")] = None
    creation_timestamp: Annotated[Time | None, OBSERVED] = None


class SchedulePriority(Api):
    """Priority of a workload."""

    priority: Integer32 = 0
    preemption_policy: Annotated[Text | None, Inert("Karmada does not preempt placements")] = None


class WorkloadAffinityGroups(Api):
    """The groups that a workload stands with or apart from."""

    affinity_group: Text = ""
    anti_affinity_group: Text = ""


class ResourceBindingSpec(Api):
    """Requirements of a workload, and the clusters where it runs now."""

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
    """State of a workload on a cluster."""

    cluster_name: Annotated[Text, OBSERVED]
    status: Annotated[Anything, OBSERVED] = None
    applied: Annotated[Boolean | None, OBSERVED] = None
    applied_message: Annotated[Text | None, OBSERVED] = None
    health: Annotated[Text | None, OBSERVED] = None


class ResourceBindingStatus(Api):
    """Observed state of a binding.

    The affinity group in which it was scheduled last is `schedulerObservingAffinityName` in the API; the
    proposal of affinity groups and its example spell it in two other ways.
    """

    last_scheduled_time: Time | None = None
    scheduler_observing_affinity_name: Text | None = None
    scheduler_observed_affinity_name: Text | None = None
    capitalised_affinity_name: Annotated[Text | None, Field(alias="SchedulerObservedAffinityName")] = None
    scheduler_observed_generation: Annotated[Integer | None, OBSERVED] = None
    conditions: Annotated[tuple[Condition, ...], OBSERVED] = ()
    aggregated_status: Annotated[tuple[AggregatedStatusItem, ...], OBSERVED] = ()

    @property
    def observed(self) -> str | None:
        """The affinity group in which it was scheduled last; None where it does not say."""
        names = (self.scheduler_observing_affinity_name, self.scheduler_observed_affinity_name)
        return next(filter(None, (*names, self.capitalised_affinity_name)), None)


class ResourceBinding(Object):
    """Requirements of a workload and where it runs; a ClusterResourceBinding is for a cluster-scoped one."""

    spec: ResourceBindingSpec
    status: ResourceBindingStatus = Field(default_factory=ResourceBindingStatus)


class WorkloadReference(Api):
    """A workload that is to be placed afresh; without a namespace it is cluster-scoped."""

    api_version: Filled
    kind: Filled
    name: Filled
    namespace: Text = ""


class WorkloadRebalancerSpec(Api):
    """Workloads that are to be placed afresh."""

    workloads: tuple[WorkloadReference, ...] = ()
    ttl_seconds_after_finished: Annotated[Count | None, Inert("when the object itself is removed")] = None


class WorkloadRebalancer(Object):
    """Asks once, when it is created, for a fresh placement of some workloads."""

    namespaced = False
    spec: WorkloadRebalancerSpec
    status: Annotated[Anything, Inert("the time of its creation says whether it has been heard")] = None
