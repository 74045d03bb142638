"""Workloads of Kubernetes: apps/v1 Deployment, StatefulSet and ReplicaSet, batch/v1 Job."""

from typing import Annotated, ClassVar

from pydantic import Field

from fairlead.manifests.api.meta import (
    Anything,
    Api,
    Boolean,
    Count,
    Inert,
    Integer32,
    Object,
    Open,
    ResourceList,
    Text,
    Texts,
)

_ROLLOUT = Inert("how pods are replaced inside a cluster")
_STATUS = Inert("the binding says what runs where")


class ResourceRequirements(Api):
    """What a container asks for and what it may use at most."""

    requests: ResourceList = Field(default_factory=dict)
    limits: ResourceList = Field(default_factory=dict)
    claims: Annotated[Anything, Inert("devices are claimed on nodes")] = None


class Container(Open):
    """A container of a pod."""

    resources: ResourceRequirements = Field(default_factory=ResourceRequirements)
    restart_policy: Text = ""


class PodSpec(Open):
    """What a pod is made of; only what it needs is read."""

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    overhead: ResourceList = Field(default_factory=dict)
    priority_class_name: Text = ""
    node_selector: Texts = Field(default_factory=dict)
    affinity: Anything = None
    resources: ResourceRequirements | None = None


class PodTemplate(Api):
    """The pods of a workload."""

    spec: PodSpec = Field(default_factory=PodSpec)
    metadata: Annotated[Anything, Inert("labels of pods, not of the workload")] = None


class ReplicaSetSpec(Api):
    """A number of pods."""

    counted_in: ClassVar[str] = "replicas"
    """The field that says how many pods there are."""

    replicas: Count = 1
    template: PodTemplate = Field(default_factory=PodTemplate)
    selector: Annotated[Anything, _ROLLOUT] = None
    min_ready_seconds: Annotated[Anything, _ROLLOUT] = None


class ReplicaSet(Object):
    """Equal pods."""

    spec: ReplicaSetSpec
    status: Annotated[Anything, _STATUS] = None


class DeploymentSpec(ReplicaSetSpec):
    """A number of equal pods."""

    strategy: Annotated[Anything, _ROLLOUT] = None
    revision_history_limit: Annotated[Anything, _ROLLOUT] = None
    paused: Annotated[Anything, _ROLLOUT] = None
    progress_deadline_seconds: Annotated[Anything, _ROLLOUT] = None


class Deployment(Object):
    """Equal pods, replaced gradually."""

    spec: DeploymentSpec
    status: Annotated[Anything, _STATUS] = None


class StatefulSetSpec(ReplicaSetSpec):
    """A number of numbered pods."""

    service_name: Annotated[Anything, _ROLLOUT] = None
    pod_management_policy: Annotated[Anything, _ROLLOUT] = None
    update_strategy: Annotated[Anything, _ROLLOUT] = None
    revision_history_limit: Annotated[Anything, _ROLLOUT] = None
    ordinals: Annotated[Anything, _ROLLOUT] = None
    volume_claim_templates: Annotated[Anything, Inert("storage is not placed")] = None
    persistent_volume_claim_retention_policy: Annotated[Anything, Inert("storage is not placed")] = None


class StatefulSet(Object):
    """Numbered pods."""

    spec: StatefulSetSpec
    status: Annotated[Anything, _STATUS] = None


class JobSpec(Api):
    """Pods that run to completion; as many at once as `parallelism` says."""

    counted_in: ClassVar[str] = "parallelism"

    parallelism: Count = 1
    template: PodTemplate = Field(default_factory=PodTemplate)
    completions: Annotated[Anything, Inert("parallelism says how many run at once")] = None
    completion_mode: Annotated[Anything, _ROLLOUT] = None
    active_deadline_seconds: Annotated[Anything, _ROLLOUT] = None
    backoff_limit: Annotated[Anything, _ROLLOUT] = None
    backoff_limit_per_index: Annotated[Anything, _ROLLOUT] = None
    max_failed_indexes: Annotated[Anything, _ROLLOUT] = None
    pod_failure_policy: Annotated[Anything, _ROLLOUT] = None
    pod_replacement_policy: Annotated[Anything, _ROLLOUT] = None
    success_policy: Annotated[Anything, _ROLLOUT] = None
    managed_by: Annotated[Anything, _ROLLOUT] = None
    manual_selector: Annotated[Anything, _ROLLOUT] = None
    selector: Annotated[Anything, _ROLLOUT] = None
    suspend: Annotated[Anything, _ROLLOUT] = None
    ttl_seconds_after_finished: Annotated[Anything, _ROLLOUT] = None

    @property
    def replicas(self) -> int:
        """The pods that run at once."""
        return self.parallelism


class Job(Object):
    """Pods that run to completion."""

    spec: JobSpec
    status: Annotated[Anything, _STATUS] = None


Workload = Deployment | StatefulSet | ReplicaSet | Job
"""Kinds that are placed."""


class PriorityClass(Object):
    """How urgent the pods are that name it."""

    value: Integer32
    global_default: Boolean = False
    description: Annotated[Text | None, Inert("only describes")] = None
    preemption_policy: Annotated[Text | None, Inert("placements are not preempted")] = None
