"""Workloads of Kubernetes, and autoscalers that change the number of their replicas."""

from typing import Annotated, ClassVar

from pydantic import Field

from fairlead.manifests.api.meta import (
    OBSERVED,
    Anything,
    Api,
    Boolean,
    Count,
    Filled,
    Inert,
    Integer32,
    Name,
    Object,
    Open,
    ResourceList,
    Text,
    Texts,
)

_ROLLOUT = Inert("how pods are replaced inside a cluster")
_STATUS = Inert("the binding says what runs where")


class ResourceRequirements(Api):
    """Requests of a container, and the limits on its use."""

    requests: ResourceList = Field(default_factory=dict)
    limits: ResourceList = Field(default_factory=dict)
    claims: Annotated[Anything, Inert("devices are claimed on nodes")] = None


class Container(Open):
    """A container of a pod."""

    resources: ResourceRequirements = Field(default_factory=ResourceRequirements)
    restart_policy: Text = ""


class PodSpec(Open):
    """Specification of a pod; only its needs are read."""

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

    @property
    def stated_in(self) -> str:
        """The field that a person changes for another number of pods."""
        return self.counted_in


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
    """Pods that run to completion; as many at once as `parallelism` says, never more than are to complete."""

    counted_in: ClassVar[str] = "parallelism"

    parallelism: Count = 1
    template: PodTemplate = Field(default_factory=PodTemplate)
    completions: Count | None = None
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
    def stated_in(self) -> str:
        """The field that allows the fewest pods at once."""
        return self.counted_in if self.replicas == self.parallelism else "completions"

    @property
    def replicas(self) -> int:
        """The pods that run at once, as Karmada counts them."""
        return self.parallelism if self.completions is None else min(self.parallelism, self.completions)


class Job(Object):
    """Pods that run to completion."""

    spec: JobSpec
    status: Annotated[Anything, _STATUS] = None


Workload = Deployment | StatefulSet | ReplicaSet | Job
"""Kinds that are placed."""


class PriorityClass(Object):
    """Priority of the pods that name it."""

    namespaced = False
    value: Integer32
    global_default: Boolean = False
    description: Annotated[Text | None, Inert("only describes")] = None
    preemption_policy: Annotated[Text | None, Inert("placements are not preempted")] = None


_WHEN = Inert("says when to scale; between which numbers is what counts")


class ScaleTargetReference(Api):
    """Workload that is scaled, in the namespace of the autoscaler."""

    api_version: Text = ""
    kind: Filled
    name: Name


class ScalingRange(Api):
    """Fewest and most replicas to which a workload is scaled."""

    scale_target_ref: ScaleTargetReference
    min_replicas: Count = 1
    max_replicas: Count


class AutoscalerSpec(ScalingRange):
    """Fewest and most replicas to which a workload is scaled, by any metrics."""

    metrics: Annotated[Anything, _WHEN] = None
    behavior: Annotated[Anything, _WHEN] = None


class HorizontalPodAutoscaler(Object):
    """Scales a workload by what its pods use (autoscaling/v2)."""

    spec: AutoscalerSpec
    status: Annotated[Anything, OBSERVED] = None


class CpuAutoscalerSpec(ScalingRange):
    """Fewest and most replicas to which a workload is scaled, by the cpu that its pods use."""

    target_cpu: Annotated[Integer32 | None, Field(alias="targetCPUUtilizationPercentage"), _WHEN] = None


class CpuAutoscaler(Object):
    """Scales a workload by the cpu that its pods use: a HorizontalPodAutoscaler of autoscaling/v1."""

    spec: CpuAutoscalerSpec
    status: Annotated[Anything, OBSERVED] = None


class FederatedHPA(HorizontalPodAutoscaler):
    """Scales a workload of Karmada by what all its pods use, in all clusters."""


class CronRule(Api):
    """Times at which a workload gets another number of replicas, or its FederatedHPA other limits."""

    name: Filled
    schedule: Text
    target_replicas: Count | None = None
    target_min_replicas: Count | None = None
    target_max_replicas: Count | None = None
    suspend: Boolean = False
    time_zone: Annotated[Text | None, _WHEN] = None
    successful_history_limit: Annotated[Integer32 | None, OBSERVED] = None
    failed_history_limit: Annotated[Integer32 | None, OBSERVED] = None

    def numbers(self, target: str) -> list[int]:
        """Return the numbers of replicas that it names for a target of a kind: limits of a FederatedHPA."""
        limits = (self.target_min_replicas, self.target_max_replicas)
        named = limits if target == FederatedHPA.__name__ else (self.target_replicas,)
        return [number for number in named if number is not None]


class CronFederatedHPASpec(Api):
    """Target and times of scaling: a workload, or the limits of a FederatedHPA."""

    scale_target_ref: ScaleTargetReference
    rules: tuple[CronRule, ...]


class CronFederatedHPA(Object):
    """Scales a workload of Karmada, or the limits of its FederatedHPA, at certain times."""

    spec: CronFederatedHPASpec
    status: Annotated[Anything, OBSERVED] = None


AnyAutoscaler = HorizontalPodAutoscaler | CpuAutoscaler | FederatedHPA | CronFederatedHPA
