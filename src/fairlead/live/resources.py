"""Kinds as an API server serves them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind and the path under which it is served."""

    api_version: str
    """Such as ``apps/v1``; ``v1`` in the core group."""
    kind: str
    """Such as ``Deployment``."""
    plural: str
    """Such as ``deployments``."""
    namespaced: bool
    """Whether its objects belong to namespaces."""

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Return the path of an object, of its subresource, or of all objects of a namespace or of all."""
        root = "apis" if "/" in self.api_version else "api"
        inside = ("namespaces", namespace) if namespace else ()
        parts = ("", root, self.api_version, *inside, self.plural, name, subresource)
        return "/" + "/".join(filter(None, parts))


BINDING = Resource("work.karmada.io/v1alpha2", "ResourceBinding", "resourcebindings", namespaced=True)
CLUSTER_BINDING = Resource(
    "work.karmada.io/v1alpha2", "ClusterResourceBinding", "clusterresourcebindings", namespaced=False
)
CLUSTER = Resource("cluster.karmada.io/v1alpha1", "Cluster", "clusters", namespaced=False)
QUOTA = Resource(
    "policy.karmada.io/v1alpha1", "FederatedResourceQuota", "federatedresourcequotas", namespaced=True
)
REBALANCER = Resource(
    "apps.karmada.io/v1alpha1", "WorkloadRebalancer", "workloadrebalancers", namespaced=False
)
LEASE = Resource("coordination.k8s.io/v1", "Lease", "leases", namespaced=True)
EVENT = Resource("v1", "Event", "events", namespaced=True)
