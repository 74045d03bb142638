"""What is not known is named, and what is not finished is refused."""

import pytest

from builders import policy
from fairlead.models.errors import UnsupportedError
from fairlead.models.manifests.loading import load
from loaded import STREAM, load_text, texts


def test_unknown_kinds_are_skipped_with_one_warning_each() -> None:
    """Companions that decide no placement are named with their number and the first place."""
    problem = load_text("""\
apiVersion: v1
kind: Service
metadata: {name: a}
---
{apiVersion: v1, kind: Namespace, metadata: {name: x}}
---
{apiVersion: v1, kind: Service, metadata: {name: b}}
""")
    assert texts(problem, "unknown-kind") == [
        f"Service of v1 is not a kind that is read: 2 documents skipped ({STREAM}:1)",
        f"Namespace of v1 is not a kind that is read: 1 document skipped ({STREAM}:5)",
    ]


def test_unknown_fields_are_named_with_the_closest_known_one() -> None:
    """A misspelt field is not dropped silently."""
    problem = load_text("""\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: p}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement:
    clusterAffinity:
      clusterName: [member1]
    somethingElse: 1
""")
    first, second = texts(problem, "unknown-field")
    path = "PropagationPolicy: spec.placement"
    told = "is not a known field and has no effect"
    assert first == f"{path}.clusterAffinity.clusterName {told}; did you mean clusterNames? ({STREAM}:8)"
    assert second == f"{path}.somethingElse {told} ({STREAM}:9)"


def test_names_of_python_are_unknown_fields() -> None:
    """Only the spelling of Kubernetes counts."""
    problem = load(policy(selects=[{"apiVersion": "apps/v1", "kind": "Deployment", "label_selector": {}}]))
    assert "did you mean labelSelector?" in texts(problem, "unknown-field")[0]


def test_workloads_of_earlier_versions_are_refused() -> None:
    """They change placements, so they are not skipped."""
    version, kind = "types.kubeadmiral.io/v1alpha1", "FederatedDeployment"
    document = {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}}
    message = f"<dict>: {kind} of {version} is not supported; KubeAdmiral has replaced it"
    with pytest.raises(UnsupportedError, match=message):
        load(document)


def test_other_kinds_of_kubeadmiral_are_skipped() -> None:
    """They decide nothing about replicas; the warning names them."""
    version, kind = "core.kubeadmiral.io/v1alpha1", "FederatedTypeConfig"
    document = {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}}
    (text,) = texts(load(document), "unknown-kind")
    assert text.startswith("FederatedTypeConfig of core.kubeadmiral.io/v1alpha1 is not a kind that is read")


def test_fields_of_later_versions_are_refused_all_at_once() -> None:
    """File, line and field of everything that is used, in bindings and in what runs."""
    with pytest.raises(UnsupportedError) as caught:
        load_text("""\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: p}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {}
---
apiVersion: work.karmada.io/v1alpha2
kind: ResourceBinding
metadata: {name: b}
spec:
  resource: {apiVersion: apps/v1, kind: Deployment, name: b}
  components: [{name: x, replicas: 1}]
  clusters:
  - name: member1
    components: [{name: x, replicas: 1}]
""")
    assert str(caught.value).splitlines() == [
        f"{STREAM}:16: spec.clusters[0].components: not supported yet: workloads of several components",
        f"{STREAM}:13: spec.components: not supported yet: workloads of several components",
    ]
