"""What is not known is named, and left out where it cannot be read."""

import pytest

from builders import binding, cluster, policy
from fairlead.manifests.loading import load
from fairlead.models.errors import UnsupportedError
from loaded import STREAM, load_text, only, texts


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
    told = "is an unknown field and has no effect"
    assert first == f"{path}.clusterAffinity.clusterName {told}; did you mean clusterNames? ({STREAM}:8)"
    assert second == f"{path}.somethingElse {told} ({STREAM}:9)"


def test_names_of_python_are_unknown_fields() -> None:
    """Only the spelling of Kubernetes counts."""
    problem = load(policy(selects=[{"apiVersion": "apps/v1", "kind": "Deployment", "label_selector": {}}]))
    assert "did you mean labelSelector?" in texts(problem, "unknown-field")[0]


def test_workloads_of_earlier_versions_are_left_out() -> None:
    """They change placements, so they are named; where nothing else is to be placed, that fails."""
    version, kind = "types.kubeadmiral.io/v1alpha1", "FederatedDeployment"
    document = {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}}
    said = f"{kind} of {version} is left out: it is not supported"
    said += "; KubeAdmiral has replaced it by FederatedObject"
    with pytest.raises(UnsupportedError, match=said):
        load(document)
    problem = load(document, cluster("member1", 4), binding("web", 2, None, {}))
    assert only(problem).key == "default/web"
    assert texts(problem, "not-understood") == [f"{said} (<dict>)"]


def test_other_kinds_of_kubeadmiral_are_skipped() -> None:
    """They decide nothing about replicas; the warning names them."""
    version, kind = "core.kubeadmiral.io/v1alpha1", "FederatedTypeConfig"
    document = {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}}
    (text,) = texts(load(document), "unknown-kind")
    assert text.startswith("FederatedTypeConfig of core.kubeadmiral.io/v1alpha1 is not a kind that is read")
