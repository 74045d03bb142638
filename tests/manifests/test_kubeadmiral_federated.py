"""KubeAdmiral's federated objects: the workload inside, and where it runs now."""

from fairlead.manifests.loading import load
from fairlead.models.rules import (
    Total,
)
from kubeadmiral_manifests import API, PREFIX, SCHEDULER, federated, member, members, policy, web
from loaded import candidates, load_text, mistakes, only, texts

NAMES = {
    "policy": PREFIX + "propagation-policy-name",
    "cluster policy": PREFIX + "cluster-propagation-policy-name",
}


def test_current_placement() -> None:
    """Numbers come from the overrides; a cluster without one holds the template's number."""
    problem = load(members(3), policy(), federated(web(10), {"member1": 3, "member2": None, "member3": 0}))
    assert only(problem).current == {"member1": 3, "member2": 10}


def test_only_the_scheduler_counts() -> None:
    """Placements and overrides of other controllers, and patches of other fields, say nothing of replicas."""
    one = federated(web(10), {"member1": 3})
    spec = one["spec"]
    spec["placements"].append({"controller": "somebody", "placement": [{"cluster": "member2"}]})
    spec["overrides"][0]["clusters"][0]["patches"].append({"path": "/metadata/labels", "value": {}})
    spec["overrides"].append(
        {
            "controller": "somebody",
            "clusters": [{"cluster": "member1", "patches": [{"path": "/spec/replicas", "value": 9}]}],
        }
    )
    assert only(load(members(2), policy(), one)).current == {"member1": 3}


def test_federated_object_counts_before_the_plain_manifest() -> None:
    """Template and federated object differ: the number that is propagated counts, and that is said."""
    problem = load(members(1), policy(), web(8), federated(web(6)))
    assert only(problem).replicas == 6
    assert texts(problem, "replicas") == [
        "default/web: the template asks for 8 replicas, but the 6 of its federated object count (<dict>)"
    ]


def test_jobs_are_divided_by_parallelism() -> None:
    """A Job has its replicas elsewhere, in the template and in the overrides."""
    job = web()
    job.update(apiVersion="batch/v1", kind="Job")
    job["spec"] = {"parallelism": 6, "template": {"spec": {}}}
    one = federated(job, {"member1": 4})
    one["spec"]["overrides"][0]["clusters"][0]["patches"][0]["path"] = "/spec/parallelism"
    clusters = [member("member1", kinds=[("batch", "v1", "Job")])]
    workload = only(load(clusters, policy(), one))
    assert (workload.kind, workload.replicas, workload.current) == ("Job", 6, {"member1": 4})
    assert candidates(workload).names == ("member1",)


def test_other_templates_are_skipped_with_a_warning() -> None:
    """What is no workload has no replicas to place."""
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    one, other = federated(config), federated({**config, "metadata": {"name": "b"}})
    problem = load(members(1), one, other)
    assert problem.workloads == ()
    assert texts(problem, "unknown-kind") == [
        "FederatedObject of v1 ConfigMap is not a workload that is placed: 2 objects skipped (<dict>)"
    ]


def test_mistakes_in_federated_objects() -> None:
    """The template is read as strictly as a manifest of its own; fields are named from the outside."""
    broken = web()
    broken["spec"]["replicas"] = -1
    first = federated(broken)
    second = federated(web())
    second["spec"]["template"] = {"kind": "Deployment"}
    second["metadata"]["name"] = "b"
    third = federated(web(), {"member1": 1})
    third["spec"]["overrides"][0]["clusters"][0]["patches"][0]["value"] = "3"
    third["metadata"]["name"] = "c"
    assert mistakes(first) == ["spec.template.spec.replicas: '-1' must be at least 0"]
    assert mistakes(second) == ["spec.template: '{kind: ...}' must be an object with apiVersion and kind"]
    assert mistakes(third) == [
        "spec.overrides[0].clusters[0].patches[0].value: '3' must be a number of replicas, at least 0"
    ]


def test_two_federated_objects_of_one_workload() -> None:
    """It would run twice."""
    one, other = federated(web()), federated(web())
    other["metadata"]["name"] = "again"
    assert mistakes(one, other) == [
        "spec.template: 'Deployment web' has two federated objects; the first one is at <dict>"
    ]


def test_lines_inside_templates() -> None:
    """A template knows its lines: the number of replicas stands on line 12."""
    problem = load_text(f"""\
apiVersion: {API}
kind: ClusterFederatedObject
metadata: {{name: web}}
spec:
  placements:
  - controller: {SCHEDULER}
    placement: [{{cluster: a}}]
  template:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {{name: web, labels: {{{NAMES["cluster policy"]}: p}}}}
    spec: {{replicas: 7}}
---
apiVersion: {API}
kind: ClusterPropagationPolicy
metadata: {{name: p}}
spec: {{schedulingMode: Divide}}
""")
    total = only(problem).rule(Total)
    assert total is not None
    assert total.source is not None
    assert total.source.line == 12
    assert texts(problem, "cluster") == [
        "a is not in the input; the replicas that default/web holds there count as stopped (<stream>:1)"
    ]
