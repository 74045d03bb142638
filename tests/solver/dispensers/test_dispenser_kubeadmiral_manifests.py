"""From manifests and annotations to what KubeAdmiral's scheduler sees."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from fairlead.manifests.kubeadmiral.reading import read_policy
from fairlead.manifests.kubeadmiral.stated import Feedback, SelectorTerm, StatedPolicy, numbers
from fairlead.models.errors import UsageError
from fairlead.solver.dispensers.kubeadmiral.inputs import GPU, read_gpus
from kubeadmiral_documents import read_cluster, read_unit, schedule


def manifest(name: str, cpu: str = "50") -> dict[str, Any]:
    """Return a FederatedCluster object."""
    conditions = [{"type": "Joined", "status": "True"}, {"type": "Ready", "status": "True"}]
    apis = [{"group": "apps", "version": "v1", "kind": "Deployment"}]
    resources = {"allocatable": {"cpu": "100"}, "available": {"cpu": cpu}}
    status = {"conditions": conditions, "apiResourceTypes": apis, "resources": resources}
    return {"metadata": {"name": name, "labels": None}, "spec": {}, "status": status}


WEB = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"namespace": "default", "name": "web"},
    "spec": {"replicas": 10},
}


def test_schedule_from_manifests() -> None:
    """Weights 2 and 3 of 10 replicas; the policy is the content of ``.spec``."""
    placement = [
        {"cluster": "a", "preferences": {"weight": 2}},
        {"cluster": "b", "preferences": {"weight": 3}},
    ]
    policy = {"schedulingMode": "Divide", "placement": placement}
    clusters = [manifest("a"), manifest("b")]
    answer = schedule(policy=policy, federatedClusters=clusters, object=WEB)
    assert answer == {"plan": {"b": 6, "a": 4}, "overflow": {}}


def test_last_entry_of_a_cluster_wins_by_preference() -> None:
    """A second entry resets the minimum, but not the maximum that it does not name."""
    first = {"cluster": "a", "preferences": {"minReplicas": 3, "maxReplicas": 5, "weight": 1}}
    policy = read_policy({"placement": [first, {"cluster": "a", "preferences": {"weight": 0}}]})
    said = policy.placement
    assert (numbers(said.minimum), numbers(said.maximum), numbers(said.weights)) == ({}, {"a": 5}, {"a": 0})


def test_policy_defaults_are_the_programs_not_the_api_servers() -> None:
    """That avoidDisruption is true by default is the API server's doing, which writes it into the object."""
    policy = read_policy({"schedulingMode": "Divided", "replicasStrategy": None, "clusterAffinity": []})
    assert policy == StatedPolicy()
    assert read_policy({"clusterAffinity": [{}]}).required == (SelectorTerm(),)


def test_annotations_override_part_by_part() -> None:
    """Each part on its own; one that cannot be read leaves the policy's."""
    policy = {
        "schedulingMode": "Duplicate",
        "maxClusters": 3,
        "placement": [{"cluster": "a", "preferences": {"weight": 5, "minReplicas": 1}}],
    }
    placements = [{"cluster": "b", "preferences": {"weight": -1, "minReplicas": 2, "priority": 4}}]
    prefix = "kubeadmiral.io/"
    found = read_unit(
        policy=policy,
        object=WEB,
        annotations={
            prefix + "scheduling-mode": "Divide",
            prefix + "sticky-cluster": "yes",
            prefix + "maxClusters": "-1",
            prefix + "placements": json.dumps(placements),
            prefix + "clusterSelector": '{"x": "y"}',
            prefix + "tolerations": "no json",
        },
    ).policy
    assert (found.divide, found.sticky, found.max_clusters) == (True, False, 3)
    said = found.placement
    assert said.entries.keys() == frozenset("b")
    assert (numbers(said.minimum), numbers(said.priorities)) == ({"b": 2}, {"b": 4})
    assert numbers(said.weights) == {"a": 5}  # a negative weight is refused, so the policy's weights stay
    assert found.cluster_selector == {"x": "y"}
    assert found.tolerations == ()


def test_preferred_affinity_comes_from_the_annotation_only() -> None:
    """The weight of the one preferred term decides which of two equals is taken."""
    preferred = [{"weight": 9, "preference": {"matchExpressions": [{"key": "fast", "operator": "Exists"}]}}]
    affinity = {"clusterAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    fast = manifest("b")
    fast["metadata"]["labels"] = {"fast": ""}
    asked: dict[str, Any] = {
        "policy": {"schedulingMode": "Duplicate", "maxClusters": 1},
        "object": WEB,
        "federatedClusters": [manifest("a"), fast],
    }
    assert schedule(**asked)["plan"] == {"a": None}
    annotations = {"kubeadmiral.io/affinity": json.dumps(affinity)}
    assert schedule(**asked, annotations=annotations)["plan"] == {"b": None}


def test_feedback_from_annotations() -> None:
    """The controllers' reports may come parsed or as the annotations hold them; broken ones are an error."""
    name = "kubeadmiral.io/auto-migration-info"
    report = {"estimatedCapacity": {"a": 2}, "scheduledReplicas": {"a": 1}}
    parsed = read_unit(object=WEB, autoMigrationInfo=report).feedback
    assert parsed == Feedback(estimated={"a": 2}, scheduled={"a": 1})
    assert read_unit(object=WEB, annotations={name: json.dumps(report)}).feedback == parsed
    with pytest.raises(UsageError, match="auto-migration-info: '\\[' is not a JSON object"):
        read_unit(object=WEB, annotations={name: "["})


def test_conditions_and_quantities_are_read() -> None:
    """Joined must be True, and quantities are exact."""
    document = manifest("a", "1500m")
    document["status"]["conditions"][0]["status"] = "Unknown"
    found = read_cluster(document)
    assert (found.joined, found.ready, found.free) == (False, True, {"cpu": 1500})


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        ({}, None),
        ({"containers": [{"resources": {"limits": {GPU: "1"}}}]}, None),
        ({"containers": [{"resources": {"requests": {GPU: "0"}}}]}, 0),
        (
            {
                "containers": [
                    {"resources": {"requests": {GPU: "1"}}},
                    {"resources": {"requests": {GPU: "2"}}},
                ]
            },
            3,
        ),
        ({"initContainers": [{"resources": {"requests": {GPU: "4"}}}]}, 4),
        ({"overhead": {GPU: "1"}, "containers": [{"resources": {"requests": {GPU: "1"}}}]}, 2),
    ],
)
def test_gpu_requests(pod: Mapping[str, Any], expected: int | None) -> None:
    """The containers' sum or the largest init container, plus overhead; limits do not count."""
    assert read_gpus({"spec": {"template": {"spec": pod}}}, ("apps/v1", "Deployment")) == expected
    assert read_gpus({"spec": {"template": {"spec": pod}}}, ("example.com/v1", "Unknown")) is None


def test_a_single_term_needs_no_list() -> None:
    """The documentation prints the one term of a cluster affinity without a list, and `load` takes it so."""
    term = {"matchExpressions": [{"key": "fast", "operator": "Exists"}]}
    fast = manifest("b")
    fast["metadata"]["labels"] = {"fast": ""}
    policy = {"schedulingMode": "Duplicate", "clusterAffinity": term}
    assert schedule(policy=policy, object=WEB, federatedClusters=[manifest("a"), fast])["plan"] == {"b": None}


def test_annotations_nested_too_deeply_are_passed_over() -> None:
    """JSON of 100,000 lists in each other is not read; the policy holds, and a report of it is an error."""
    deep = "[" * 100_000
    policy = {"schedulingMode": "Divide", "tolerations": [{"key": "gpu"}]}
    found = read_unit(policy=policy, object=WEB, annotations={"kubeadmiral.io/tolerations": deep}).policy
    assert [each.key for each in found.tolerations] == ["gpu"]
    with pytest.raises(UsageError, match="is not a JSON object"):
        read_unit(object=WEB, annotations={"kubeadmiral.io/auto-migration-info": deep})
