"""The kinds that are read, with the field names of the real APIs.

A field that cannot influence a placement is marked `Inert`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from fairlead.manifests.yaml.documents import OWN_API_VERSION

if TYPE_CHECKING:
    from fairlead.manifests.api.meta import Object


class ApiKind(NamedTuple):
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

_POLICY = "policy.karmada.io/v1alpha1"

_CLASSES = {
    (KUBEADMIRAL, "OverridePolicy"): "FederatedOverridePolicy",
    ("autoscaling/v1", "HorizontalPodAutoscaler"): "CpuAutoscaler",
}
"""Classes that are not named as their kind: another one is."""

_ROWS = (
    ("clusters", "cluster.karmada.io/v1alpha1", "karmada", "Cluster"),
    ("policies", _POLICY, "propagation", "PropagationPolicy ClusterPropagationPolicy"),
    ("quotas", _POLICY, "propagation", "FederatedResourceQuota"),
    ("overrides", _POLICY, "overrides", "OverridePolicy ClusterOverridePolicy"),
    ("bindings", "work.karmada.io/v1alpha2", "karmada", "ResourceBinding ClusterResourceBinding"),
    ("federated_clusters", KUBEADMIRAL, "kubeadmiral", "FederatedCluster"),
    ("federation_policies", KUBEADMIRAL, "kubeadmiral", "PropagationPolicy ClusterPropagationPolicy"),
    ("federated_overrides", KUBEADMIRAL, "overrides", "OverridePolicy ClusterOverridePolicy"),
    ("federated_objects", KUBEADMIRAL, "kubeadmiral", "FederatedObject ClusterFederatedObject"),
    ("rebalancers", "apps.karmada.io/v1alpha1", "karmada", "WorkloadRebalancer"),
    ("autoscalers", "autoscaling/v1", "workloads", "HorizontalPodAutoscaler"),
    ("autoscalers", "autoscaling/v2", "workloads", "HorizontalPodAutoscaler"),
    ("autoscalers", "autoscaling.karmada.io/v1alpha1", "workloads", "FederatedHPA CronFederatedHPA"),
    ("workloads", "apps/v1", "workloads", "Deployment StatefulSet ReplicaSet"),
    ("workloads", "batch/v1", "workloads", "Job"),
    ("priority_classes", "scheduling.k8s.io/v1", "workloads", "PriorityClass"),
    ("own", OWN_API_VERSION, "own", "FailureRates GroupBounds HierarchicalWeights MoveBudget PriceList"),
    ("own", OWN_API_VERSION, "own", "Profile Skew Survival WorkloadAffinity"),
)
"""The row of the manifests, the apiVersion, the module of this package, the kinds."""

KINDS: dict[tuple[str, str], ApiKind] = {
    (version, kind): ApiKind(row, f"{module}.{_CLASSES.get((version, bare), bare)}")
    for row, version, module, kinds in _ROWS
    for kind in kinds.split()
    for bare in (kind.removeprefix("Cluster") or kind,)
}
"""Kinds that are read, by apiVersion and kind; a kind and its cluster-scoped sibling are one class."""


def counted_in(api_version: str, kind: str) -> str:
    """Return the field of a workload's spec that says how many replicas there are."""
    known = KINDS.get((api_version, kind))
    fields = known.model.model_fields if known and known.row == "workloads" else {}
    return str(getattr(fields["spec"].annotation, "counted_in", "replicas")) if fields else "replicas"
