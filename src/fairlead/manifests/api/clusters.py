"""Member clusters of Karmada (cluster.karmada.io/v1alpha1)."""

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from fairlead.manifests.api.base import (
    Anything,
    Api,
    Boolean,
    Count,
    Filled,
    Inert,
    Quantity,
    ResourceList,
    Text,
    Texts,
    Time,
)
from fairlead.manifests.api.meta import Condition, Object

_CONNECTION = Inert("how the control plane connects to the cluster")


class Taint(Api):
    """A mark that repels workloads which do not tolerate it."""

    key: Filled
    value: Text = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    time_added: Annotated[Time | None, Inert("the scheduler does not wait")] = None


class ResourceModelRange(Api):
    """From how much to how much of a resource the nodes of a grade have."""

    name: Filled
    min: Quantity = Fraction(0)
    max: Annotated[Quantity | None, Inert("the least that a node of the grade has is counted on")] = None


class ResourceModel(Api):
    """One grade of nodes."""

    grade: Count
    ranges: tuple[ResourceModelRange, ...] = ()


class ClusterSpec(Api):
    """What is known of a cluster."""

    provider: Text = ""
    region: Text = ""
    zone: Text = ""
    zones: tuple[Text, ...] = ()
    taints: tuple[Taint, ...] = ()
    resource_models: tuple[ResourceModel, ...] = ()
    id: Annotated[Text | None, Inert("identifies the cluster elsewhere")] = None
    sync_mode: Annotated[Literal["Push", "Pull"] | None, _CONNECTION] = None
    api_endpoint: Annotated[Text | None, _CONNECTION] = None
    secret_ref: Annotated[Anything, _CONNECTION] = None
    impersonator_secret_ref: Annotated[Anything, _CONNECTION] = None
    insecure_skip_tls_verification: Annotated[
        Boolean | None, Field(alias="insecureSkipTLSVerification"), _CONNECTION
    ] = None
    proxy_url: Annotated[Text | None, Field(alias="proxyURL"), _CONNECTION] = None
    proxy_header: Annotated[Texts | None, _CONNECTION] = None


class ApiResource(Api):
    """A kind that a cluster serves."""

    name: Annotated[Text | None, Inert("kinds are compared")] = None
    kind: Text


class ApiEnablement(Api):
    """The kinds of one group and version that a cluster serves."""

    group_version: Text
    resources: tuple[ApiResource, ...] = ()


class AllocatableModeling(Api):
    """How many nodes of a grade there are."""

    grade: Count
    count: Count


class ResourceSummary(Api):
    """What the nodes of a cluster offer and what of it is taken."""

    allocatable: ResourceList = Field(default_factory=dict)
    allocating: ResourceList = Field(default_factory=dict)
    allocated: ResourceList = Field(default_factory=dict)
    allocatable_modelings: tuple[AllocatableModeling, ...] = ()


class NodeSummary(Api):
    """How many nodes a cluster has."""

    total_num: Annotated[Count | None, Inert("the resource summary says what fits")] = None
    ready_num: Annotated[Count | None, Inert("the resource summary says what fits")] = None


class ClusterStatus(Api):
    """What was observed of a cluster."""

    api_enablements: tuple[ApiEnablement, ...] = ()
    resource_summary: ResourceSummary | None = None
    conditions: tuple[Condition, ...] = ()
    kubernetes_version: Annotated[Text | None, Inert("only describes")] = None
    node_summary: Annotated[NodeSummary | None, Inert("the resource summary says what fits")] = None
    remedy_actions: Annotated[tuple[Text, ...], Inert("concerns traffic, not replicas")] = ()


class Cluster(Object):
    """A member cluster."""

    spec: ClusterSpec = ClusterSpec()
    status: ClusterStatus = ClusterStatus()
