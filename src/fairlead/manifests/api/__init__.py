"""The kinds that are read, with the field names of the real APIs.

A field that cannot influence a placement is marked `Inert`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from fairlead.manifests.yaml.documents import OWN_API_VERSION

if TYPE_CHECKING:
    from fairlead.manifests.api.meta import Object


class Kind(NamedTuple):
    """A kind of manifests."""

    row: str
    """The list of `fairlead.manifests.collect.Manifests` that holds its manifests."""
    path: str
    """Module of this package and class."""

    @property
    def model(self) -> "type[Object]":
        """The API type; its module is imported when the first manifest of it is met."""
        module, name = self.path.split(".")
        found: type[Object] = getattr(import_module(f"{__name__}.{module}"), name)
        return found


KUBEADMIRAL = "core.kubeadmiral.io/v1alpha1"
"""The ``apiVersion`` of KubeAdmiral's kinds."""

KINDS: dict[tuple[str, str], Kind] = {
    ("cluster.karmada.io/v1alpha1", "Cluster"): Kind("clusters", "karmada.Cluster"),
    ("policy.karmada.io/v1alpha1", "PropagationPolicy"): Kind("policies", "policies.PropagationPolicy"),
    ("policy.karmada.io/v1alpha1", "ClusterPropagationPolicy"): Kind(
        "policies", "policies.ClusterPropagationPolicy"
    ),
    ("policy.karmada.io/v1alpha1", "FederatedResourceQuota"): Kind(
        "quotas", "karmada.FederatedResourceQuota"
    ),
    ("policy.karmada.io/v1alpha1", "OverridePolicy"): Kind("overrides", "overrides.OverridePolicy"),
    ("policy.karmada.io/v1alpha1", "ClusterOverridePolicy"): Kind(
        "overrides", "overrides.ClusterOverridePolicy"
    ),
    ("work.karmada.io/v1alpha2", "ResourceBinding"): Kind("bindings", "karmada.ResourceBinding"),
    ("work.karmada.io/v1alpha2", "ClusterResourceBinding"): Kind(
        "bindings", "karmada.ClusterResourceBinding"
    ),
    (KUBEADMIRAL, "FederatedCluster"): Kind("federated_clusters", "kubeadmiral.FederatedCluster"),
    (KUBEADMIRAL, "PropagationPolicy"): Kind("federation_policies", "kubeadmiral.PropagationPolicy"),
    (KUBEADMIRAL, "ClusterPropagationPolicy"): Kind(
        "federation_policies", "kubeadmiral.ClusterPropagationPolicy"
    ),
    (KUBEADMIRAL, "OverridePolicy"): Kind("federated_overrides", "overrides.FederatedOverridePolicy"),
    (KUBEADMIRAL, "ClusterOverridePolicy"): Kind(
        "federated_overrides", "overrides.ClusterFederatedOverridePolicy"
    ),
    (KUBEADMIRAL, "FederatedObject"): Kind("federated_objects", "kubeadmiral.FederatedObject"),
    (KUBEADMIRAL, "ClusterFederatedObject"): Kind("federated_objects", "kubeadmiral.ClusterFederatedObject"),
    ("apps.karmada.io/v1alpha1", "WorkloadRebalancer"): Kind("rebalancers", "karmada.WorkloadRebalancer"),
    ("autoscaling/v1", "HorizontalPodAutoscaler"): Kind("autoscalers", "workloads.CpuAutoscaler"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"): Kind("autoscalers", "workloads.HorizontalPodAutoscaler"),
    ("autoscaling.karmada.io/v1alpha1", "FederatedHPA"): Kind("autoscalers", "workloads.FederatedHPA"),
    ("autoscaling.karmada.io/v1alpha1", "CronFederatedHPA"): Kind(
        "autoscalers", "workloads.CronFederatedHPA"
    ),
    ("apps/v1", "Deployment"): Kind("workloads", "workloads.Deployment"),
    ("apps/v1", "StatefulSet"): Kind("workloads", "workloads.StatefulSet"),
    ("apps/v1", "ReplicaSet"): Kind("workloads", "workloads.ReplicaSet"),
    ("batch/v1", "Job"): Kind("workloads", "workloads.Job"),
    ("scheduling.k8s.io/v1", "PriorityClass"): Kind("priority_classes", "workloads.PriorityClass"),
    (OWN_API_VERSION, "FailureRates"): Kind("own", "own.FailureRates"),
    (OWN_API_VERSION, "GroupBounds"): Kind("own", "own.GroupBounds"),
    (OWN_API_VERSION, "HierarchicalWeights"): Kind("own", "own.HierarchicalWeights"),
    (OWN_API_VERSION, "MoveBudget"): Kind("own", "own.MoveBudget"),
    (OWN_API_VERSION, "PriceList"): Kind("own", "own.PriceList"),
    (OWN_API_VERSION, "Profile"): Kind("own", "own.Profile"),
    (OWN_API_VERSION, "Skew"): Kind("own", "own.Skew"),
    (OWN_API_VERSION, "Survival"): Kind("own", "own.Survival"),
    (OWN_API_VERSION, "WorkloadAffinity"): Kind("own", "own.WorkloadAffinity"),
}
"""What is read, by apiVersion and kind."""
