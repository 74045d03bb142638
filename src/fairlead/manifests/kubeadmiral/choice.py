"""Which policy a workload names in its labels."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fairlead.manifests.api.kubeadmiral import ClusterPropagationPolicy
from fairlead.manifests.kubeadmiral.marks import CLUSTER_POLICY, POLICY, Mark, Marks
from fairlead.manifests.kubeadmiral.policy import LocatedPolicy, Policy, read_policy


@dataclass(frozen=True, slots=True)
class Named:
    """The policy that a label names.

    Parameters
    ----------
    namespace, name
        Of the policy; the namespace is empty for a cluster policy.
    label
        The label.
    """

    namespace: str
    name: str
    label: Mark

    @property
    def words(self) -> str:
        """Return the policy in words."""
        return f"policy {self.namespace}/{self.name}" if self.namespace else f"cluster policy {self.name}"


def named_policy(labels: Marks, namespace: str) -> Named | None:
    """Return the policy that the labels of an object name; one of its namespace comes first."""
    for key, where in ((POLICY, namespace), (CLUSTER_POLICY, "")):
        if key in labels and labels[key].value:
            return Named(where, labels[key].value, labels[key])
    return None


@dataclass(frozen=True, slots=True)
class Policies:
    """KubeAdmiral's policies by namespace (empty for a cluster policy) and name."""

    by_name: Mapping[tuple[str, str], Policy]

    @classmethod
    def of(cls, policies: Iterable[LocatedPolicy]) -> "Policies":
        """Read policies."""
        found: dict[tuple[str, str], Policy] = {}
        for located in policies:
            meta = located.model.metadata
            federal = isinstance(located.model, ClusterPropagationPolicy)
            namespace = "" if federal else meta.namespace or "default"
            words = f"policy {namespace}/{meta.name}" if namespace else f"cluster policy {meta.name}"
            found[namespace, meta.name] = read_policy(located, words)
        return cls(found)

    def get(self, named: Named) -> Policy | None:
        """Return a policy; None where the input does not have it."""
        return self.by_name.get((named.namespace, named.name))
