"""KubeAdmiral's policies: which one a workload names, which clusters they open, what is wrong in them."""

from typing import Any

import pytest

from builders import Manifest
from fairlead.manifests.loading import load
from fairlead.models.rules import (
    Aggregated,
)
from kubeadmiral_manifests import PREFIX, entry, federated, member, members, policy, web
from loaded import candidates, mistakes, only, texts

NAMES = {
    "policy": PREFIX + "propagation-policy-name",
    "cluster policy": PREFIX + "cluster-propagation-policy-name",
}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({NAMES["policy"]: "web"}, "policy default/web"),
        ({NAMES["cluster policy"]: "web"}, "cluster policy web"),
        ({NAMES["policy"]: "web", NAMES["cluster policy"]: "web"}, "policy default/web"),
    ],
)
def test_policy_by_label(labels: dict[str, str], expected: str) -> None:
    """The policy of the namespace wins; nothing else than labels selects."""
    problem = load(members(1), policy(), policy(federal=True), web(labels=labels))
    assert only(problem).policy == expected
    assert problem.warnings == ()


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (
            {},
            f"no label {NAMES['policy']} or {NAMES['cluster policy']} names its policy",
        ),
        ({NAMES["policy"]: "other"}, "its label names policy default/other, which is not in the input"),
        ({NAMES["cluster policy"]: "web"}, "its label names cluster policy web, which is not in the input"),
    ],
)
def test_left_out(labels: dict[str, str], reason: str) -> None:
    """A federated object whose policy is not there is not placed, and the reason is said."""
    problem = load(members(1), policy(), federated(web(labels=labels)))
    assert problem.workloads == ()
    (text,) = texts(problem, "left-out")
    assert text.startswith(f"default/web is left out: {reason}")


def test_plain_workload_without_label_is_left_out() -> None:
    """Nobody places it: it names no policy, and Karmada has none for it."""
    problem = load(members(1), policy(), web(labels={}))
    assert problem.workloads == ()
    assert len(texts(problem, "left-out")) == 1


def test_policy_of_another_namespace_does_not_count() -> None:
    """A policy is looked up in the namespace of the object."""
    other = policy()
    other["metadata"]["namespace"] = "prod"
    assert load(members(1), other, web()).workloads == ()


def test_label_of_the_federated_object_wins() -> None:
    """Federated object, plain manifest and template are read together; the first of them decides."""
    plain = web(labels={NAMES["policy"]: "web"})
    inner = web(labels={NAMES["policy"]: "inner"})
    outer = federated(inner, labels={NAMES["policy"]: "outer"})
    policies = [policy(name) for name in ("web", "inner", "outer")]
    assert only(load(members(1), policies, plain, outer)).policy == "policy default/outer"
    unlabelled = federated(inner, labels={})
    assert only(load(members(1), policies, plain, unlabelled)).policy == "policy default/web"
    assert only(load(members(1), policies, unlabelled)).policy == "policy default/inner"


def test_no_scheduling() -> None:
    """With the annotation the object keeps what it has, so there is nothing to decide."""
    problem = load(members(1), policy(), web(marks={"no-scheduling": "false"}))
    assert problem.workloads == ()
    assert "annotation kubeadmiral.io/no-scheduling is set" in texts(problem, "suspended")[0]


def test_what_is_being_deleted_is_left_out() -> None:
    """The federated object as well as the workload itself."""
    for leaving in (web(), federated(web())):
        leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        problem = load(members(1), policy(), leaving)
        assert problem.workloads == ()
        assert "is being deleted, so nothing new" in texts(problem, "suspended")[0]


# Candidates


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ({"matchExpressions": [{"key": "tier", "operator": "Gt", "values": ["1"]}]}, ("b",)),
        ({"matchExpressions": [{"key": "tier", "operator": "Lt", "values": ["2"]}]}, ("a",)),
        ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["1"]}]}, ("b", "c")),
        ({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}, ("c",)),
        ({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}, ("a",)),
        ({"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["a"]}]}, ("b", "c")),
        (
            {
                "matchExpressions": [{"key": "tier", "operator": "Exists"}],
                "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["a"]}],
            },
            ("b",),
        ),
        ({}, ()),
    ],
)
def test_affinity_terms(term: Manifest, expected: tuple[str, ...]) -> None:
    """Everything in a term holds together; an empty term matches nothing."""
    clusters = [member("a", labels={"tier": "1"}), member("b", labels={"tier": "2"}), member("c")]
    assert candidates(only(load(clusters, policy(clusterAffinity=[term]), web()))).names == expected


def test_affinity_terms_are_alternatives() -> None:
    """One term is enough; no term at all is no rule."""
    name = {"key": "metadata.name", "operator": "In"}
    terms = [{"matchFields": [{**name, "values": [one]}]} for one in ("member1", "member3")]
    found = only(load(members(3), policy(clusterAffinity=terms), web()))
    assert candidates(found).names == ("member1", "member3")
    nothing: tuple[Any, ...] = ([], {}, None)
    for empty in nothing:
        every = only(load(members(3), policy(clusterAffinity=empty), web()))
        assert len(candidates(every).names) == 3


def test_wrong_policies() -> None:
    """Every mistake at once, with field, value and what is allowed."""
    found = mistakes(
        policy(
            schedulingMode="Divided",
            maxClusters=-1,
            placement=[
                entry("a", minReplicas=5, maxReplicas=4),
                entry("b", weight=-1),
                {"preferences": {}},
            ],
            clusterAffinity=[
                {
                    "matchExpressions": [{"key": "k", "operator": "In", "values": []}],
                    "matchFields": [
                        {"key": "name", "operator": "In", "values": ["a"]},
                        {"key": "metadata.name", "operator": "Exists"},
                        {"key": "metadata.name", "operator": "In", "values": ["a", "b"]},
                    ],
                }
            ],
        )
    )
    assert len(found) >= 4
    assert "spec.schedulingMode: 'Divided' is not allowed; allowed are Duplicate and Divide" in found
    assert "spec.maxClusters: '-1' must be at least 0" in found
    assert "spec.placement[1].preferences.weight: '-1' must be at least 0" in found
    assert "spec.placement[2].cluster: is required and missing" in found


def test_wrong_affinity_and_bounds() -> None:
    """What is right alone and wrong together."""
    affinity = [
        {
            "matchExpressions": [{"key": "k", "operator": "In", "values": []}],
            "matchFields": [
                {"key": "name", "operator": "In", "values": ["a"]},
                {"key": "metadata.name", "operator": "Exists"},
                {"key": "metadata.name", "operator": "In", "values": ["a", "b"]},
            ],
        }
    ]
    placement = [
        entry("a", minReplicas=5, maxReplicas=4),
        entry("b", minReplicas=1),
        entry("b", maxReplicas=0),
    ]
    field = "spec.clusterAffinity[0].matchFields"
    assert mistakes(policy(clusterAffinity=affinity, placement=placement)) == [
        "spec.clusterAffinity[0].matchExpressions[0].values: '[]' is empty, but In needs at least one value",
        f"{field}[0].values: '[1 item]' name is an unknown field; allowed is metadata.name",
        f"{field}[1].values: '[]' Exists does not go with metadata.name; allowed are In and NotIn",
        f"{field}[2].values: '[2 items]' do not fit: In needs exactly one name here",
        "spec.placement[0].preferences.minReplicas: '5' must be at most maxReplicas of a, which is 4",
    ]


def test_known_rules_only() -> None:
    """Every field of a policy is read without a warning, also those that decide nothing."""
    problem = load(
        members(1),
        policy(
            replicasStrategy="Spread",
            schedulingProfile="default",
            disableFollowerScheduling=True,
            clusterSelector={},
            tolerations=[],
            autoMigration={"when": {"podUnschedulableFor": "1m"}, "keepUnschedulableReplicas": True},
            reschedulePolicy={
                "disableRescheduling": False,
                "rescheduleWhen": {
                    "policyContentChanged": True,
                    "clusterJoined": False,
                    "clusterLabelsChanged": False,
                    "clusterAPIResourcesChanged": False,
                },
                "replicaRescheduling": {"avoidDisruption": True},
            },
        ),
        web(),
    )
    assert problem.warnings == ()
    assert only(problem).rule(Aggregated) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("max-clusters", "maxClusters"),
        ("schedulingMode", "scheduling-mode"),
        ("sticky-clusters", "sticky-cluster"),
        ("toleration", "tolerations"),
        ("cluster-selector", "clusterSelector"),
        ("no-schedule", "no-scheduling"),
    ],
)
def test_a_misspelt_annotation_is_told(written: str, meant: str) -> None:
    """KubeAdmiral passes it over in silence; who wrote it meant another."""
    problem = load(members(1), policy(), federated(web(), marks={written: "1"}))
    (text,) = texts(problem, "annotation")
    assert text.startswith(
        f"default/web: annotation {PREFIX}{written} is unknown to KubeAdmiral; did you mean {PREFIX}{meant}?"
    )


@pytest.mark.parametrize("written", ["scheduling", "followers", "retain-replicas", "example"])
def test_annotations_of_other_use_are_nothing_to_tell(written: str) -> None:
    """They are known to KubeAdmiral, or near to none that it reads."""
    assert load(members(1), policy(), federated(web(), marks={written: "1"})).warnings == ()
