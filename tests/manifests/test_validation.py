"""What is wrong in the input: every mistake of every file, with line, field, value and what is allowed."""

from pathlib import Path

import pytest

from builders import Manifest, binding, cluster, deployment, policy, selector, static
from fairlead.manifests.loading import load
from fairlead.models.errors import ManifestError
from loaded import STREAM, load_text, mistake, mistakes

PREFERENCE = "spec.placement.replicaScheduling.weightPreference"


def test_all_mistakes_of_all_files_with_their_lines(tmp_path: Path) -> None:
    """Two files, several documents, wrong types and contradictions in one go."""
    (tmp_path / "a.yaml").write_text(
        """\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: p
spec:
  resourceSelectors:
  - apiVersion: apps/v1
    kind: Deployment
  placement:
    clusterAffinity: {clusterNames: [a]}
    clusterAffinities:
    - affinityName: g
    replicaScheduling:
      weightPreference:
        staticWeightList:
        - targetCluster:
            clusterNames:
            - a
            - 7
          weight: "2"
        - weight: -1
""",
        encoding="utf-8",
    )
    (tmp_path / "b.yaml").write_text(
        """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  replicas: -3
---
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: c}
status:
  resourceSummary:
    allocatable:
      cpu: 4 cores
""",
        encoding="utf-8",
    )
    with pytest.raises(ManifestError) as caught:
        load(tmp_path)
    term_ = f"{PREFERENCE}.staticWeightList"
    a, b = str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")
    groups = "clusterAffinities"
    lines = [str(mistake).split("; allowed are")[0] for mistake in caught.value.mistakes]
    assert lines == [
        f"{a}:11: spec.placement.{groups}: cannot be combined with clusterAffinity; use one of the two",
        f"{a}:19: {term_}[0].targetCluster.clusterNames[1]: '7' must be a string; put quotes around it",
        f"{a}:20: {term_}[0].weight: '2' must be a whole number, without quotes",
        f"{a}:21: {term_}[1].targetCluster: is required and missing",
        f"{a}:21: {term_}[1].weight: '-1' must be at least 0",
        f"{b}:5: spec.replicas: '-3' must be at least 0",
        f"{b}:13: status.resourceSummary.allocatable.cpu: '4 cores' is not a quantity",
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"replicas": "3"}, "spec.replicas: '3' must be a whole number, without quotes"),
        (
            {"replicas": "9" * 400},
            f"spec.replicas: '{'9' * 57}...' must be a whole number; this one is too large",
        ),
        ({"replicas": 1.5}, "spec.replicas: '1.5' must be a whole number"),
        ({"replicas": True}, "spec.replicas: 'true' must be a whole number"),
        ({"replicas": 2**31}, "spec.replicas: '2147483648' must be at most 2147483647"),
        ({"template": []}, "spec.template: '[]' must be a mapping with fields"),
        (
            {"template": {"spec": {"containers": {"a": 1}}}},
            "spec.template.spec.containers: '{a: ...}' must be a list",
        ),
        (
            {"template": {"spec": {"containers": [{"resources": {"requests": {"cpu": -1}}}]}}},
            "spec.template.spec.containers[0].resources.requests.cpu: '-1' must not be negative",
        ),
        ({"replicas": ""}, "spec.replicas: an empty text must be a whole number, without quotes"),
        (
            {"template": {"spec": {"containers": [{"resources": {"requests": {"cpu": [1]}}}]}}},
            (
                "spec.template.spec.containers[0].resources.requests.cpu: '[1 item]'"
                " must be a quantity such as 500m, 2 or 4Gi"
            ),
        ),
    ],
)
def test_wrong_types_in_a_workload(spec: Manifest, expected: str) -> None:
    """In plain words, without the jargon of a library."""
    assert mistake({**deployment(), "spec": spec}) == expected


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({}, "metadata.name: is required and missing"),
        ({"name": ""}, "metadata.name: must not be empty"),
        ({"name": None}, "metadata.name: is required and missing"),
        ({"name": "a", "labels": {"v": 1}}, "metadata.labels.v: '1' must be a string; put quotes around it"),
        (
            {"name": "a", "labels": {"example.com/v": True}},
            (
                "metadata.labels[example.com/v]: 'true' must be a string; put quotes around it"
                " (unquoted, y, yes, on and true are no text)"
            ),
        ),
        (
            {"name": "a", "deletionTimestamp": "soon"},
            "metadata.deletionTimestamp: 'soon' must be a time such as 2026-01-31T15:04:05Z",
        ),
    ],
)
def test_wrong_metadata(metadata: Manifest, expected: str) -> None:
    """Names, labels and times."""
    assert mistake({**cluster("a"), "metadata": metadata}) == expected


def test_null_is_absent() -> None:
    """As in Kubernetes, where ``kubectl create --dry-run`` writes nulls."""
    document = binding("web", 3, {}, static())
    document["metadata"].update({"creationTimestamp": None, "labels": None, "annotations": {"a": None}})
    document["spec"].update({"gracefulEvictionTasks": None, "clusters": None, "schedulePriority": None})
    document["status"] = None
    assert load(cluster("a"), document).warnings == ()


@pytest.mark.parametrize(
    ("taint", "expected"),
    [
        (
            {"key": "a", "effect": "Never"},
            "effect: 'Never' is not allowed; allowed are NoSchedule, PreferNoSchedule and NoExecute",
        ),
        ({"key": "a"}, "effect: is required and missing"),
        ({"effect": "NoExecute"}, "key: is required and missing"),
    ],
)
def test_wrong_taints(taint: Manifest, expected: str) -> None:
    """A taint has a key and one of three effects."""
    document = cluster("a")
    document["spec"]["taints"] = [taint]
    assert mistake(document) == f"spec.taints[0].{expected}"


def test_a_policy_selects_something() -> None:
    """An empty list of selectors, a missing one, a selector without kind, and a wrong expression."""
    empty = policy()
    empty["spec"]["resourceSelectors"] = []
    assert mistake(empty) == "spec.resourceSelectors: needs at least one item; an empty list selects nothing"
    del empty["spec"]["resourceSelectors"]
    assert mistake(empty) == "spec.resourceSelectors: is required and missing"
    assert mistake(policy(selects=[{"apiVersion": "v1"}])) == (
        "spec.resourceSelectors[0].kind: is required and missing"
    )
    wrong = selector(
        labelSelector={"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]}
    )
    assert mistake(policy(selects=[wrong])) == (
        "spec.resourceSelectors[0].labelSelector.matchExpressions[0].values:"
        " '[1 item]' must be left out: Exists takes no values"
    )


def test_a_binding_names_every_cluster_once() -> None:
    """Two numbers for one cluster contradict each other."""
    targets = [{"name": "a", "replicas": 1}, {"name": "b"}, {"name": "a", "replicas": 2}]
    found = mistake({**binding("b"), "spec": {**binding("b")["spec"], "clusters": targets}})
    assert found == "spec.clusters[2].name: 'a' is listed twice"


def test_contradictions_are_found_beside_wrong_types() -> None:
    """What is wrong is taken out, and the rest is looked at all the same."""
    placement = static(minReplicas=2, maxReplicas=1, clusterConstraintTerms=[{"minReplicas": "x"}])
    placement["clusterTolerations"] = [{"operator": 5}, {"operator": "Gt"}]
    base = f"{PREFERENCE}.clusterConstraint"
    assert mistakes(policy("p", placement)) == [
        "spec.placement.clusterTolerations[0].operator: '5' must be a string; put quotes around it",
        (
            "spec.placement.clusterTolerations[1].operator: 'Gt' is not allowed for clusters;"
            " allowed are Equal and Exists"
        ),
        f"{base}.clusterConstraintTerms[0].minReplicas: 'x' must be a whole number, without quotes",
        f"{base}.clusterConstraintTerms[0].targetCluster: is required and missing",
        f"{base}.minReplicas: '2' must be at most maxReplicas, which is 1",
    ]


def test_a_list_with_a_wrong_item_is_not_called_empty() -> None:
    """What is wrong is the number; that In needs a value is no mistake of its own."""
    for values, told in (
        ([3], "'3' must be a string; put quotes around it"),
        ([None], "'null' must be a string"),
    ):
        expression = {"key": "a", "operator": "In", "values": values}
        placement = {"clusterAffinity": {"labelSelector": {"matchExpressions": [expression]}}}
        assert mistake(policy("p", placement)) == (
            f"spec.placement.clusterAffinity.labelSelector.matchExpressions[0].values[0]: {told}"
        )


def test_unreadable_documents_are_reported_with_the_others() -> None:
    """A document that is no YAML and one that is wrong."""
    with pytest.raises(ManifestError) as caught:
        load(
            {"apiVersion": "apps/v1"},
            deployment(replicas=-1),
        )
    assert [found.field for found in caught.value.mistakes] == ["kind", "spec.replicas"]


def test_long_values_are_shortened() -> None:
    """A mistake fits on a line."""
    found = mistake({**deployment(), "spec": {"replicas": "x" * 500}})
    assert found == f"spec.replicas: '{'x' * 57}...' must be a whole number, without quotes"


def test_aliases_lead_to_the_line_of_the_anchor() -> None:
    """The value was written there."""
    with pytest.raises(ManifestError) as caught:
        load_text("""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  minReadySeconds: &number many
  replicas: *number
""")
    (found,) = caught.value.mistakes
    assert found.source.file == STREAM
    assert found.field == "spec.replicas"
