"""Karmada (policy.karmada.io/v1alpha1): policies of which resources go where, and quotas of namespaces."""

from typing import Annotated, Literal

from pydantic import Field

from fairlead.manifests.api.meta import (
    Anything,
    Api,
    Boolean,
    Count,
    Filled,
    Inert,
    Integer32,
    LabelSelector,
    Object,
    ResourceList,
    Text,
)
from fairlead.manifests.api.policies import Placement, Suspension

_DEPENDENCIES = Inert("concerns what the workload needs, not its replicas")
_FAILOVER = Inert("acts after a failure, through taints and eviction tasks")


class ResourceSelector(Api):
    """Which resources a policy is for."""

    api_version: Filled
    kind: Filled
    namespace: Text = ""
    name: Text = ""
    label_selector: LabelSelector | None = None


class SchedulePrioritySource(Api):
    """Which class says how urgent the workloads are; PodPriorityClass is the one that their pods name."""

    priority_class_source: Literal["KubePriorityClass", "PodPriorityClass", "FederatedPriorityClass"]
    priority_class_name: Text = ""


class PropagationSpec(Api):
    """Which resources go where."""

    resource_selectors: tuple[ResourceSelector, ...]
    placement: Placement = Field(default_factory=Placement)
    priority: Integer32 = 0
    preemption: Literal["", "Always", "Never"] = ""
    suspension: Suspension | None = None
    replicas: Count | None = None
    schedule_priority: SchedulePrioritySource | None = None
    association: Annotated[Boolean | None, _DEPENDENCIES] = None
    propagate_deps: Annotated[Boolean | None, _DEPENDENCIES] = None
    dependent_overrides: Annotated[tuple[Text, ...], _DEPENDENCIES] = ()
    scheduler_name: Annotated[Text | None, Inert("workloads of every scheduler are placed")] = None
    failover: Annotated[Anything, _FAILOVER] = None
    conflict_resolution: Annotated[
        Literal["", "Abort", "Overwrite"], Inert("acts where the resource exists already")
    ] = ""
    activation_preference: Annotated[
        Literal["", "Lazy"], Inert("when a policy takes effect; here it is tried out")
    ] = ""
    preserve_resources_on_deletion: Annotated[Boolean | None, Inert("acts on deletion")] = None


class PropagationPolicy(Object):
    """A policy for the resources of its namespace; a ClusterPropagationPolicy is for those of all."""

    spec: PropagationSpec


class StaticClusterAssignment(Api):
    """Most that the namespace may request on one cluster, by resource."""

    cluster_name: Filled
    hard: ResourceList = Field(default_factory=dict)


class FederatedResourceQuotaSpec(Api):
    """Most that the namespace may request on all clusters together, and on some of them."""

    overall: ResourceList
    static_assignments: tuple[StaticClusterAssignment, ...] = ()


class ClusterQuotaStatus(Api):
    """Observed requests on one cluster."""

    cluster_name: Filled
    hard: Annotated[ResourceList | None, Inert("spec.staticAssignments counts")] = None
    used: ResourceList = Field(default_factory=dict)


class FederatedResourceQuotaStatus(Api):
    """Observed requests of the namespace."""

    overall: Annotated[ResourceList | None, Inert("spec.overall counts")] = None
    overall_used: ResourceList = Field(default_factory=dict)
    aggregated_status: tuple[ClusterQuotaStatus, ...] = ()


class FederatedResourceQuota(Object):
    """Limits what all workloads of a namespace may request together."""

    spec: FederatedResourceQuotaSpec
    status: FederatedResourceQuotaStatus = Field(default_factory=FederatedResourceQuotaStatus)
