"""What the real systems accept is read, and what has no effect is said."""

from typing import Any

import pytest

from builders import Manifest, binding, cluster, deployment, dynamic, policy, static
from fairlead.manifests.loading import load
from fairlead.models.problem import Problem
from loaded import candidates, load_text, mistake, mistakes, only, texts


def tolerated(**toleration: Any) -> Problem:
    """Load nginx on a cluster with a taint of every effect, and one without."""
    members = [
        cluster("free", 9),
        cluster("new", 9, taints=["key:NoSchedule"]),
        cluster("old", 9, taints=["key:NoExecute"]),
    ]
    return load(members, deployment(cpu=1), policy("p", {"clusterTolerations": [toleration], **dynamic()}))


@pytest.mark.parametrize(
    ("toleration", "open_to"),
    [
        # The seconds matter to what evicts, not to what schedules; with NoSchedule they mean nothing.
        (
            {"key": "key", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 0},
            ("free", "new"),
        ),
        # Without a key, Equal compares values of every taint: those here have none.
        ({"effect": "NoSchedule"}, ("free", "new")),
        ({}, ("free", "new", "old")),
        ({"key": "key", "operator": "Exists", "value": "ignored"}, ("free", "new", "old")),
        ({"key": "other", "tolerationSeconds": 60}, ("free",)),
    ],
)
def test_tolerations_as_karmada_takes_them(toleration: Manifest, open_to: tuple[str, ...]) -> None:
    """Only Lt and Gt are refused; all else is matched as Kubernetes matches it."""
    problem = tolerated(**toleration)
    assert candidates(only(problem)).names == open_to
    assert texts(problem, "toleration") == []


@pytest.mark.parametrize("toleration", [{"operator": "Maybe"}, {"operator": "Exists", "effect": "Soon"}])
def test_tolerations_that_tolerate_nothing_are_named(toleration: Manifest) -> None:
    """The API server takes any text there; no taint matches it."""
    problem = tolerated(**toleration)
    assert candidates(only(problem)).names == ("free",)
    (said,) = texts(problem, "toleration")
    assert said.startswith("policy default/p: spec.placement.clusterTolerations[0] tolerates nothing")


@pytest.mark.parametrize("operator", ["Lt", "Gt"])
def test_operators_that_compare_are_refused(operator: str) -> None:
    """As Karmada's webhook does."""
    placement = {"clusterTolerations": [{"key": "key", "operator": operator, "value": "1"}]}
    assert mistake(policy("p", placement)).startswith("spec.placement.clusterTolerations[0].operator")


def test_names_that_no_cluster_has_are_told_with_the_nearest() -> None:
    """In every affinity group, in what they exclude, in static weights; once for a whole policy."""
    placement = {
        "clusterAffinities": [
            {"affinityName": "one", "clusterNames": ["member1", "member22"]},
            {"affinityName": "two", "exclude": ["membre1"]},
        ],
        **static(("member1", 1), (["tokyo", "member2"], 2)),
    }
    members = [cluster("member1", 9), cluster("member2", 9)]
    problem = load(members, deployment(), deployment("other"), policy("p", placement))
    base = "policy default/p: spec.placement"
    absent = "not in the input (<dict>)"
    weights = f"{base}.replicaScheduling.weightPreference.staticWeightList[1].targetCluster"
    assert texts(problem, "cluster") == [
        f"{base}.clusterAffinities[0].clusterNames names member22 (did you mean member2?), {absent}",
        f"{base}.clusterAffinities[1].exclude names membre1 (did you mean member1?), {absent}",
        f"{weights}.clusterNames names tokyo, {absent}",
    ]


def test_regions_that_no_cluster_has_are_told_with_those_that_there_are() -> None:
    """Only where one of them is asked for: to be outside of a region that is not there is no mistake."""
    asked = {"key": "region", "operator": "In", "values": ["europe", "eurpoe", "moon"]}
    shunned = {"key": "zone", "operator": "NotIn", "values": ["z"]}
    affinity = {"fieldSelector": {"matchExpressions": [asked, shunned]}}
    members = [cluster("member1", 9, region="europe"), cluster("member2", 9, region="us")]
    problem = load(members, deployment(), policy("p", {"clusterAffinity": affinity}))
    (said,) = texts(problem, "cluster")
    where = "policy default/p: spec.placement.clusterAffinity.fieldSelector.matchExpressions[0].values"
    wrong = "region eurpoe (did you mean europe?), moon, not in the input (known: europe and us)"
    assert said == f"{where} names {wrong} (<dict>)"


def test_inherited_without_groups_is_named() -> None:
    """The mode makes tiers of clusterAffinities; beside clusterAffinity alone there are none."""
    placement = {"clusterAffinity": {"clusterNames": ["a"]}, "affinityStrategy": {"mode": "Inherited"}}
    problem = load(cluster("a", 9), binding("web", 3, None, {**placement, **dynamic()}))
    (said,) = texts(problem, "affinity")
    assert "spec.placement.affinityStrategy.mode Inherited has no effect" in said
    groups = [{"affinityName": "only", "clusterNames": ["a"]}]
    used = {"clusterAffinities": groups, "affinityStrategy": {"mode": "Inherited"}, **dynamic()}
    assert texts(load(cluster("a", 9), binding("web", 3, None, used)), "affinity") == []


@pytest.mark.parametrize(
    ("strategy", "idle", "why"),
    [
        ({"replicaSchedulingType": "Duplicated"}, "staticWeightList", "Duplicated puts all replicas into"),
        (
            {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"},
            "staticWeightList",
            "Aggregated uses as few clusters as possible",
        ),
        ({"replicaSchedulingType": "Divided"}, "staticWeightList", "dynamicWeight precedes it"),
    ],
)
def test_weights_by_which_nothing_is_divided_are_named(strategy: dict[str, str], idle: str, why: str) -> None:
    """Karmada reads them only under Weighted, and static ones only where there is no dynamic one."""
    terms = [{"targetCluster": {"clusterNames": ["a"]}, "weight": 1}]
    weights: Manifest = {"staticWeightList": terms}
    if "precedes" in why:
        weights["dynamicWeight"] = "AvailableReplicas"
    placement = {"replicaScheduling": {**strategy, "weightPreference": weights}}
    (said,) = texts(load(cluster("a", 9), deployment(), policy("p", placement)), "specified")
    field = f"spec.placement.replicaScheduling.weightPreference.{idle}"
    assert said.startswith(f"policy default/p: {field} has no effect: ")
    assert why in said


def test_an_empty_name_is_seen() -> None:
    """A list may hold the empty text, which no cluster is called."""
    placement = {"clusterAffinity": {"clusterNames": [""]}, **dynamic()}
    (said,) = texts(load(cluster("a", 9), deployment(), policy("p", placement)), "cluster")
    assert "clusterNames names '', not in the input" in said


MIXED = """\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: p, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement:
    replicaScheduling:
      weightPreference:
        clusterConstraint:
          minReplicas: 4
          clusterConstraintTerms:
          - targetCluster: {clusterNames: [a]}
            maxReplicas: 2
"""


def test_a_bound_of_a_term_that_crosses_the_one_of_all_clusters() -> None:
    """The line of the term is told, and the line of the number that it crosses."""
    with pytest.raises(
        Exception, match=r"<stream>:13: .*\[0\].maxReplicas: '2' must be at least 4"
    ) as caught:
        load_text(MIXED)
    assert "clusterConstraint.minReplicas, <stream>:10)" in str(caught.value)


def unready(name: str, status: str, *taints: str) -> Manifest:
    """Return a cluster with a condition Ready."""
    found = cluster(name, 9, taints=taints)
    found["status"]["conditions"] = [{"type": "Ready", "status": status}]
    return found


def test_a_cluster_that_is_not_ready_takes_nothing_new() -> None:
    """Without the taint, False and Unknown count as NoSchedule: what runs stays; that is warned about."""
    members = [unready("a", "False"), unready("b", "Unknown"), unready("c", "True"), cluster("d", 9)]
    problem = load(members, binding("web", 6, {"a": 2}, dynamic(), cpu=1))
    found = candidates(only(problem))
    assert found.names == ("a", "c", "d")
    assert (set(found.held_only), set(found.excluded)) == ({"a"}, {"b"})
    taint = "{cluster.karmada.io/not-ready}"
    assert found.excluded["b"].reason == f"was not ready, as if it had untolerated taint {taint}"
    assert [said.split(" and ")[0] for said in texts(problem, "cluster")] == [
        "a: condition Ready is False",
        "b: condition Ready is Unknown",
    ]


def test_that_taint_can_be_tolerated() -> None:
    """As Karmada's own taint of that key with NoSchedule would be."""
    tolerations = [{"key": "cluster.karmada.io/not-ready", "operator": "Exists", "effect": "NoSchedule"}]
    placement = {"clusterTolerations": tolerations, **dynamic()}
    assert candidates(only(load(unready("a", "False"), binding("web", 6, None, placement, cpu=1)))).names == (
        "a",
    )


@pytest.mark.parametrize(
    ("status", "key"),
    [
        ("False", "cluster.karmada.io/not-ready"),
        ("Unknown", "cluster.karmada.io/not-ready"),
        ("Unknown", "cluster.karmada.io/unreachable"),
    ],
)
def test_a_cluster_whose_taint_tells_is_not_told_of_twice(status: str, key: str) -> None:
    """The taint decides alone; here it only prefers."""
    problem = load(unready("a", status, f"{key}:PreferNoSchedule"), binding("web", 6, None, dynamic(), cpu=1))
    assert candidates(only(problem)).names == ("a",)
    assert texts(problem, "cluster") == []


@pytest.mark.parametrize("name", ["a/b", "a%b", "..", "a b", "a\x1b[2Jb", "a\u202eb", "x" * 254])
def test_names_that_nothing_can_have_are_refused(name: str) -> None:
    """Of objects, their namespaces, and what bindings refer to; as long as names may be."""
    assert mistake(cluster(name)).startswith("metadata.name: ")
    assert mistake(deployment(namespace=name)).startswith("metadata.namespace: ")
    (one,) = mistakes(binding("web", 1, {name: 1}))
    assert one.startswith("spec.clusters[0].name: ")


def test_names_that_kubernetes_would_refuse_are_warned_about() -> None:
    """They name a thing here all the same; the longest name is fine."""
    problem = load(cluster("A", 9), cluster("x" * 48, 9), binding("web", 2, None, dynamic(), cpu=1))
    (said,) = texts(problem, "name")
    assert said == (
        "Cluster: metadata.name 'A' is not a name that Kubernetes accepts: at most 48 lower case letters, "
        "digits and '-', with a letter or digit at both ends (<dict>)"
    )


@pytest.mark.parametrize("name", ["x" * 49, "1.2.3.4"])
def test_clusters_are_called_as_karmada_allows(name: str) -> None:
    """A label of 48 characters at most, from which it makes a namespace with a prefix of 15."""
    problem = load(cluster(name, 9), binding("web", 2, None, dynamic(), cpu=1))
    assert texts(problem, "name")[0].startswith(f"Cluster: metadata.name '{name}' is not a name")


@pytest.mark.parametrize("name", ["Shop", "sh.op", "-", "x" * 64])
def test_namespaces_are_called_as_kubernetes_allows(name: str) -> None:
    """Namespaces are labels of 63 characters at most; workloads may have dots and 253."""
    problem = load(cluster("a", 9), binding("web", 2, None, dynamic(), cpu=1), deployment(namespace=name))
    assert texts(problem, "name")[0].startswith(f"Deployment: metadata.namespace '{name}' is not a name")


def test_the_beginning_of_a_name_stands_for_the_name() -> None:
    """``generateName`` is what people create jobs with; its policy selects by labels or kind."""
    job = deployment()
    job["metadata"] = {"generateName": "web-", "namespace": "default"}
    problem = load(cluster("a", 9), job, policy("p", dynamic()))
    assert [each.key for each in problem.workloads] == ["default/web-"]
    (said,) = texts(problem, "name")
    assert said.startswith("Deployment: metadata.generateName 'web-' stands for the name that")
