"""What is not known is named, and what is not finished is refused."""

import pytest

from builders import clusters, policy
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


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("core.kubeadmiral.io/v1alpha1", "FederatedCluster"),
        ("types.kubeadmiral.io/v1alpha1", "FederatedDeployment"),
        ("core.kubeadmiral.io/v1alpha1", "PropagationPolicy"),
        ("fairlead.io/v1alpha1", "Anything"),
    ],
)
def test_kinds_of_later_versions_are_refused(api_version: str, kind: str) -> None:
    """They change placements, so they are not skipped."""
    with pytest.raises(UnsupportedError, match=rf"<dict>: {kind} of {api_version} is not supported yet"):
        load({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}})


def test_fields_of_later_versions_are_refused_all_at_once() -> None:
    """File, line and field of everything that is used; a policy that selects nothing is not in the way."""
    idle = policy(
        "idle", {"spreadConstraints": [{"maxGroups": 1}]}, selects=[{"apiVersion": "v1", "kind": "Secret"}]
    )
    assert load(clusters(1), idle).workloads == ()
    with pytest.raises(UnsupportedError) as caught:
        load_text("""\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: p}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement:
    clusterAffinities:
    - {affinityName: a, clusterNames: [member1]}
    spreadConstraints:
    - {spreadByField: cluster, maxGroups: 2}
    workloadAffinity: {affinity: {groupByLabelKey: app}}
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Aggregated
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {}}
---
apiVersion: work.karmada.io/v1alpha2
kind: ResourceBinding
metadata: {name: b}
spec:
  resource: {apiVersion: apps/v1, kind: Deployment, name: b}
  components: [{name: x, replicas: 1}]
""")
    division = "spec.placement.replicaScheduling.replicaDivisionPreference"
    assert str(caught.value).splitlines() == [
        f"{STREAM}:7: spec.placement.clusterAffinities: not supported yet: affinity groups",
        f"{STREAM}:9: spec.placement.spreadConstraints: not supported yet: spread constraints",
        f"{STREAM}:11: spec.placement.workloadAffinity: not supported yet: workload affinity",
        f"{STREAM}:14: {division}: not supported yet: division by Aggregated",
        f"{STREAM}:23: spec.components: not supported yet: workloads of several components",
    ]
