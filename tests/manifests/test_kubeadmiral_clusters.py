"""FederatedClusters: what is free, who is a member, who is open, who keeps what runs."""

import pytest

from builders import binding, cluster, dynamic, static
from builders import policy as karmada_policy
from fairlead.manifests.loading import load
from fairlead.models.cluster import Cluster
from fairlead.models.errors import ManifestError
from kubeadmiral_manifests import API, federated, member, members, policy, web
from loaded import STREAM, candidates, closed, held, load_text, mistake, only, texts


def only_cluster(text: str) -> Cluster:
    """Return the only cluster of manifests."""
    (found,) = load_text(text).clusters
    return found


FULL = f"""\
apiVersion: {API}
kind: FederatedCluster
metadata:
  name: member1
  labels: {{region: beijing, topology.kubernetes.io/zone: z1}}
spec:
  apiEndpoint: https://member1.example.com
  insecure: true
  useServiceAccount: true
  secretRef: {{name: member1}}
  taints:
  - {{key: dedicated, value: groupName, effect: NoSchedule, timeAdded: null}}
status:
  joinPerformed: true
  conditions:
  - {{type: Joined, status: "True", lastProbeTime: null, lastTransitionTime: null, reason: "", message: ""}}
  - {{type: Ready, status: "True"}}
  - {{type: Offline, status: "False"}}
  resources:
    schedulableNodes: 3
    allocatable: {{cpu: 3900m, memory: 16Gi, nvidia.com/gpu: 4}}
    available: {{cpu: -250m, memory: 1.5Gi, nvidia.com/gpu: "0"}}
  apiResourceTypes:
  - {{group: apps, version: v1, kind: Deployment, pluralName: deployments, scope: Namespaced}}
  - {{version: v1, kind: ConfigMap, pluralName: configmaps, scope: Namespaced}}
"""


def test_every_field() -> None:
    """All that KubeAdmiral writes is read without a warning; what is available is free, even below 0."""
    problem = load_text(FULL)
    (found,) = problem.clusters
    assert problem.warnings == ()
    assert found.allocatable == {"cpu": 3900, "memory": 16 * 2**30, "nvidia.com/gpu": 4}
    assert found.free == {"cpu": -250, "memory": 3 * 2**29, "nvidia.com/gpu": 0}
    assert found.api_kinds == frozenset({("apps/v1", "Deployment"), ("v1", "ConfigMap")})
    assert [str(taint) for taint in found.taints] == ["{dedicated: groupName}"]
    assert (found.joined, found.ready, found.deleting) == (True, True, False)


def test_topology_stays_in_the_labels() -> None:
    """A label named region is no region: KubeAdmiral has no such fields."""
    found = only_cluster(FULL)
    assert (found.provider, found.region, found.zones) == (None, None, ())
    assert found.labels["region"] == "beijing"


def test_unknown_capacity() -> None:
    """Without resources nothing is known, which is no limit; with them a missing resource is none at all."""
    unknown, known = load(member("a", cpu=None), member("b")).clusters
    assert (unknown.free, unknown.allocatable) == (None, None)
    assert known.free == {"cpu": 10_000}


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ({"joined": "False"}, "is not joined"),
        ({"joined": "Unknown"}, "is not joined"),
        ({"ready": "False"}, "is not ready"),
        ({"deleting": True}, "is being deleted"),
        ({"kinds": [("apps", "v1beta1", "Deployment")]}, "did not have the API resource"),
        ({"taints": ["k=v:NoSchedule"]}, "had untolerated taint {k: v}"),
        ({"taints": ["k:NoExecute"]}, "had untolerated taint {k}"),
        ({"taints": ["k:PreferNoSchedule"]}, None),
    ],
)
def test_who_is_open(others: dict[str, object], reason: str | None) -> None:
    """Each ground closes a cluster on which nothing runs."""
    workload = only(load(member("a", **others), member("b"), policy(), web()))  # type: ignore[arg-type]
    assert closed(workload) == ({"a": reason} if reason else {})


@pytest.mark.parametrize(
    ("others", "keeps"),
    [
        ({"joined": "False"}, False),
        ({"ready": "Unknown"}, True),
        ({"deleting": True}, False),
        ({"kinds": [("", "v1", "ConfigMap")]}, False),
        ({"taints": ["k:NoSchedule"]}, True),
        ({"taints": ["k:NoExecute"]}, False),
        ({"taints": ["k:NoSchedule", "l:NoExecute"]}, False),
        ({"ready": "False", "joined": "False"}, False),
    ],
)
def test_who_keeps_what_runs(others: dict[str, object], keeps: bool) -> None:
    """NoSchedule and a lost connection leave alone what runs, but let nothing in; all others close."""
    clusters = [member("a", **others), member("b")]  # type: ignore[arg-type]
    workload = only(load(clusters, policy(), federated(web(), {"a": 4})))
    assert ("a" in candidates(workload).names) == keeps
    assert ("a" in held(workload)) == keeps


def test_cluster_that_does_not_tell_its_kinds() -> None:
    """It is taken to serve every kind, and that is said."""
    problem = load(member("a", kinds=()), policy(), web())
    assert candidates(only(problem)).names == ("a",)
    assert texts(problem, "cluster") == ["a: no status.apiResourceTypes, taken to serve every kind (<dict>)"]


def test_clusters_of_both_systems_in_one_input() -> None:
    """Either system's policies place on all clusters; one that has not joined is closed to both."""
    problem = load(
        cluster("karmada", cpu="10"),
        member("federated"),
        member("lost", joined="False"),
        policy(),
        web(),
        binding("other", 4, None, static(("karmada", 1), ("federated", 1)), cpu="1"),
    )
    mine, other = problem.workload("default/web"), problem.workload("default/other")
    assert candidates(mine).names == candidates(other).names == ("federated", "karmada")
    assert closed(mine) == closed(other) == {"lost": "is not joined"}


def test_one_name_in_both_systems() -> None:
    """Two clusters of one name are a mistake, whatever their kinds."""
    found = mistake(cluster("member1"), member("member1"))
    assert found == ("metadata.name: 'member1' is the name of two clusters; the first one is at <dict>")


def test_mistakes_have_their_lines() -> None:
    """A wrong quantity and a taint without effect, each where it stands."""
    text = FULL.replace("1.5Gi", "1.5GiB").replace("effect: NoSchedule, ", "")
    with pytest.raises(ManifestError) as caught:
        load_text(text)
    lines = str(caught.value).splitlines()
    assert [line.split(" ")[0] for line in lines] == [f"{STREAM}:12:", f"{STREAM}:22:"]


def test_policies_of_both_systems_in_one_input() -> None:
    """Two kinds of one name: each is read by its group, and each places its own workload."""
    problem = load(
        members(2),
        policy(placement=[{"cluster": "member1"}]),
        web(),
        karmada_policy("web", static(("member2", 1))),
    )
    assert candidates(only(problem)).names == ("member1",)
    assert texts(problem, "policy") == [
        "Karmada's policy default/web selects default/web too, but KubeAdmiral places it (<dict>)"
    ]


def test_clusters_of_both_systems_are_one_problem_and_a_warning_says_so() -> None:
    """Karmada knows no FederatedCluster and KubeAdmiral no Cluster; a workload of each may go to either."""
    ours = [member("a"), policy(), federated(web(2))]
    theirs = [cluster("b", cpu=9), binding("db", 2, {}, dynamic(), cpu="1")]
    karmada, kubeadmiral = texts(load([*ours, *theirs]), "cluster")
    assert karmada.startswith("a: open to workloads of Karmada, which does not know it; ")
    assert kubeadmiral.startswith("b: open to workloads of KubeAdmiral, which does not know it; ")
    assert texts(load(ours), "cluster") == []
