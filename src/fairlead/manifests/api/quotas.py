"""Quotas of Karmada (policy.karmada.io/v1alpha1): what the workloads of a namespace may request together."""

from typing import Annotated

from pydantic import Field

from fairlead.manifests.api.meta import Api, Filled, Inert, Object, ResourceList


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
