"""The kinds that are read, with the field names of the real APIs.

A field that cannot influence a placement is marked `Inert`.
"""

from fairlead.manifests.api import kubeadmiral
from fairlead.manifests.api.karmada import (
    Cluster,
    ClusterResourceBinding,
    FederatedResourceQuota,
    ResourceBinding,
    WorkloadRebalancer,
)
from fairlead.manifests.api.meta import Object
from fairlead.manifests.api.overrides import (
    ClusterFederatedOverridePolicy,
    ClusterOverridePolicy,
    FederatedOverridePolicy,
    OverridePolicy,
)
from fairlead.manifests.api.own import API_VERSION, OWN_KINDS
from fairlead.manifests.api.policies import ClusterPropagationPolicy, PropagationPolicy
from fairlead.manifests.api.workloads import (
    CpuAutoscaler,
    CronFederatedHPA,
    Deployment,
    FederatedHPA,
    HorizontalPodAutoscaler,
    Job,
    PriorityClass,
    ReplicaSet,
    StatefulSet,
)

KINDS: dict[tuple[str, str], type[Object]] = {
    ("cluster.karmada.io/v1alpha1", "Cluster"): Cluster,
    ("policy.karmada.io/v1alpha1", "PropagationPolicy"): PropagationPolicy,
    ("policy.karmada.io/v1alpha1", "ClusterPropagationPolicy"): ClusterPropagationPolicy,
    ("policy.karmada.io/v1alpha1", "FederatedResourceQuota"): FederatedResourceQuota,
    ("policy.karmada.io/v1alpha1", "OverridePolicy"): OverridePolicy,
    ("policy.karmada.io/v1alpha1", "ClusterOverridePolicy"): ClusterOverridePolicy,
    ("work.karmada.io/v1alpha2", "ResourceBinding"): ResourceBinding,
    ("work.karmada.io/v1alpha2", "ClusterResourceBinding"): ClusterResourceBinding,
    (kubeadmiral.API_VERSION, "FederatedCluster"): kubeadmiral.FederatedCluster,
    (kubeadmiral.API_VERSION, "PropagationPolicy"): kubeadmiral.PropagationPolicy,
    (kubeadmiral.API_VERSION, "ClusterPropagationPolicy"): kubeadmiral.ClusterPropagationPolicy,
    (kubeadmiral.API_VERSION, "OverridePolicy"): FederatedOverridePolicy,
    (kubeadmiral.API_VERSION, "ClusterOverridePolicy"): ClusterFederatedOverridePolicy,
    (kubeadmiral.API_VERSION, "FederatedObject"): kubeadmiral.FederatedObject,
    (kubeadmiral.API_VERSION, "ClusterFederatedObject"): kubeadmiral.ClusterFederatedObject,
    ("apps.karmada.io/v1alpha1", "WorkloadRebalancer"): WorkloadRebalancer,
    ("autoscaling/v1", "HorizontalPodAutoscaler"): CpuAutoscaler,
    ("autoscaling/v2", "HorizontalPodAutoscaler"): HorizontalPodAutoscaler,
    ("autoscaling.karmada.io/v1alpha1", "FederatedHPA"): FederatedHPA,
    ("autoscaling.karmada.io/v1alpha1", "CronFederatedHPA"): CronFederatedHPA,
    ("apps/v1", "Deployment"): Deployment,
    ("apps/v1", "StatefulSet"): StatefulSet,
    ("apps/v1", "ReplicaSet"): ReplicaSet,
    ("batch/v1", "Job"): Job,
    ("scheduling.k8s.io/v1", "PriorityClass"): PriorityClass,
    **{(API_VERSION, kind): model for kind, model in OWN_KINDS.items()},
}
"""API type by apiVersion and kind."""

__all__ = ["KINDS"]
