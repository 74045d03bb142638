"""What changes the number of replicas by itself: autoscalers of Kubernetes and of Karmada."""

from typing import Annotated

from pydantic import Field

from fairlead.manifests.api.meta import (
    Anything,
    Api,
    Boolean,
    Count,
    Filled,
    Inert,
    Integer32,
    Name,
    Object,
    Text,
)

_WHEN = Inert("says when to scale; between which numbers is what counts")
_OBSERVED = Inert("only describes")


class ScaleTargetReference(Api):
    """What is scaled, in the namespace of the autoscaler."""

    api_version: Text = ""
    kind: Filled
    name: Name


class AutoscalerSpec(Api):
    """Between which numbers of replicas a workload is scaled."""

    scale_target_ref: ScaleTargetReference
    min_replicas: Count = 1
    max_replicas: Count
    metrics: Annotated[Anything, _WHEN] = None
    behavior: Annotated[Anything, _WHEN] = None


class HorizontalPodAutoscaler(Object):
    """Scales a workload by what its pods use (autoscaling/v2)."""

    spec: AutoscalerSpec
    status: Annotated[Anything, _OBSERVED] = None


class CpuAutoscalerSpec(Api):
    """Between which numbers of replicas a workload is scaled."""

    scale_target_ref: ScaleTargetReference
    min_replicas: Count = 1
    max_replicas: Count
    target_cpu: Annotated[Integer32 | None, Field(alias="targetCPUUtilizationPercentage"), _WHEN] = None


class CpuAutoscaler(Object):
    """Scales a workload by the cpu that its pods use: a HorizontalPodAutoscaler of autoscaling/v1."""

    spec: CpuAutoscalerSpec
    status: Annotated[Anything, _OBSERVED] = None


class FederatedHPA(Object):
    """Scales a workload of Karmada by what all its pods use, in all clusters."""

    spec: AutoscalerSpec
    status: Annotated[Anything, _OBSERVED] = None


class CronRule(Api):
    """At what times a workload gets another number of replicas, or its FederatedHPA other limits."""

    name: Filled
    schedule: Annotated[Text, _WHEN]
    target_replicas: Count | None = None
    target_min_replicas: Count | None = None
    target_max_replicas: Count | None = None
    suspend: Boolean = False
    time_zone: Annotated[Text | None, _WHEN] = None
    successful_history_limit: Annotated[Integer32 | None, _OBSERVED] = None
    failed_history_limit: Annotated[Integer32 | None, _OBSERVED] = None

    def numbers(self, target: str) -> list[int]:
        """Return the numbers of replicas that it names for a target of a kind: limits of a FederatedHPA."""
        limits = (self.target_min_replicas, self.target_max_replicas)
        named = limits if target == FederatedHPA.__name__ else (self.target_replicas,)
        return [number for number in named if number is not None]


class CronFederatedHPASpec(Api):
    """What is scaled at which times: a workload, or the limits of a FederatedHPA."""

    scale_target_ref: ScaleTargetReference
    rules: tuple[CronRule, ...]


class CronFederatedHPA(Object):
    """Scales a workload of Karmada, or the limits of its FederatedHPA, at certain times."""

    spec: CronFederatedHPASpec
    status: Annotated[Anything, _OBSERVED] = None


AnyAutoscaler = HorizontalPodAutoscaler | CpuAutoscaler | FederatedHPA | CronFederatedHPA
