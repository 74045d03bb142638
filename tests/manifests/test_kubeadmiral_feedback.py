"""Annotations of KubeAdmiral: what its controllers report, and what overrides a policy."""

from typing import Any

import pytest

from builders import Manifest
from fairlead import dispense, solve
from fairlead.manifests.loading import load
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Duplicated, Spread, Weights
from kubeadmiral_manifests import PREFIX, entry, federated, member, members, policy, web
from kubeadmiral_solved import placed, refused
from loaded import STREAM, bounds, candidates, closed, load_text, mistakes, only, texts, weights

REPORT = {"estimatedCapacity": {"member1": 2, "member2": -1}, "scheduledReplicas": {"member1": 2}}
MIGRATED: Manifest = {"limitedCapacity": {"member1": 3}, "unavailableClusters": []}
EQUAL = [entry("member1", weight=1), entry("member2", weight=1)]


def marked(marks: Manifest, replicas: int = 10, **spec: Any) -> Problem:
    """Return default/web with annotations on its federated object, divided over two of two equal clusters."""
    return load(members(2), policy(**{"placement": EQUAL, **spec}), federated(web(replicas), marks=marks))


# Feedback


def test_a_reported_maximum_is_the_annotations_not_the_policys() -> None:
    """The policy states no maximum; the reason names the annotation that does."""
    name = "kubeadmiral.io/auto-migration-info"
    reasons = {
        one.cluster: one.reason
        for one in solve(marked({"auto-migration-info": REPORT}, autoMigration={})).decisions["default/web"]
    }
    assert reasons["member1"] == f"at its maximum of 2 by annotation {name}"


def test_what_must_not_be_rescheduled_says_so_of_every_cluster() -> None:
    """No policy states the 4 and 1 that run as a maximum."""
    sticky = policy(reschedulePolicy={"disableRescheduling": True})
    problem = load(members(2), sticky, federated(web(5), {"member1": 4, "member2": 1}))
    reasons = [one.reason for one in solve(problem).decisions["default/web"]]
    assert reasons == ["keeps its replicas: rescheduling is disabled"] * 2


def test_a_migration_that_is_asked_for_counts_once_it_is_applied() -> None:
    """KubeAdmiral's scheduler reads only what its controller has taken over; a warning says so until then."""
    asked = {"replicasMigrations": [{"cluster": "member1", "limitedCapacity": 3}]}
    problem = marked({"migration-configuration": asked})
    (text,) = texts(problem, "migration")
    assert "annotation kubeadmiral.io/migration-configuration has no effect until" in text
    assert placed(problem) == {"member1": 5, "member2": 5}
    applied = {"migration-configuration": asked, "applied-migration-configuration": MIGRATED}
    assert texts(marked(applied), "migration") == []


def test_estimated_capacity_counts_under_auto_migration_only() -> None:
    """member1 can run 2, so member2 takes 8; without autoMigration the report is not read: 5 and 5."""
    migrating = marked({"auto-migration-info": REPORT}, autoMigration={})
    assert bounds(only(migrating)) == ({}, {"member1": 2})
    assert placed(migrating) == {"member1": 2, "member2": 8}
    assert placed(marked({"auto-migration-info": REPORT})) == {"member1": 5, "member2": 5}


@pytest.mark.parametrize(
    "report", [{"estimatedCapacity": {"member1": None}}, {"estimatedCapacity": None}, None]
)
def test_null_is_absent_in_a_report(report: Manifest | None) -> None:
    """As everywhere in JSON that KubeAdmiral reads."""
    problem = marked({"auto-migration-info": report}, autoMigration={})
    assert placed(problem) == {"member1": 5, "member2": 5}


def test_limited_capacity_always_counts() -> None:
    """A user has asked to keep at most 3 on member1."""
    problem = marked({"applied-migration-configuration": MIGRATED})
    assert bounds(only(problem)) == ({}, {"member1": 3})
    assert placed(problem) == {"member1": 3, "member2": 7}


def test_the_smallest_maximum_counts_with_its_source() -> None:
    """Policy 4, report 2, migration 3: the report binds, and the conflict points at its line."""
    marks = {"auto-migration-info": REPORT, "applied-migration-configuration": MIGRATED}
    entries = [entry("member1", maxReplicas=4), entry("member2", maxReplicas=5)]
    problem = marked(marks, placement=entries, autoMigration={})
    assert bounds(only(problem)) == ({}, {"member1": 2, "member2": 5})
    told = "annotation kubeadmiral.io/auto-migration-info of default/web: member1 may hold at most 2"
    assert told in refused(problem)


def test_source_of_a_report_is_its_annotation() -> None:
    """The bound was declared on line 7, not in the policy."""
    problem = load_text("""\
apiVersion: core.kubeadmiral.io/v1alpha1
kind: FederatedObject
metadata:
  name: web-deployments.apps
  labels: {kubeadmiral.io/cluster-propagation-policy-name: p}
  annotations:
    kubeadmiral.io/applied-migration-configuration: '{"limitedCapacity": {"a": 1}}'
spec:
  template:
    {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 1}}
---
apiVersion: core.kubeadmiral.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: p}
spec: {schedulingMode: Divide}
---
apiVersion: core.kubeadmiral.io/v1alpha1
kind: FederatedCluster
metadata: {name: a}
status:
  conditions: [{type: Joined, status: "True"}, {type: Ready, status: "True"}]
  resources: {allocatable: {cpu: 1}, available: {cpu: 1}}
  apiResourceTypes: [{group: apps, version: v1, kind: Deployment}]
""")
    found = only(problem).rule(Bounds)
    assert found is not None
    assert str(found.maximum["a"].source) == f"{STREAM}:7"


def test_a_report_below_a_minimum_is_a_conflict() -> None:
    """5 are needed where 2 can run; the real scheduler quietly places fewer."""
    entries = [entry("member1", minReplicas=5), entry("member2")]
    problem = marked({"auto-migration-info": REPORT}, placement=entries, autoMigration={})
    assert refused(problem) == [
        "policy default/web: member1 needs at least 5",
        "annotation kubeadmiral.io/auto-migration-info of default/web: member1 may hold at most 2",
    ]


def test_feedback_limits_copies() -> None:
    """A copy of 10 becomes one of 3 where a user allows no more."""
    problem = marked({"applied-migration-configuration": MIGRATED}, schedulingMode="Duplicate", placement=[])
    copies = only(problem).rule(Duplicated)
    assert copies is not None
    assert copies.copies == {"member1": 3}
    assert placed(problem) == {"member1": 3, "member2": 10}


@pytest.mark.parametrize("most", [1, 0])
def test_a_report_below_the_minimum_of_a_copy_is_a_conflict(most: int) -> None:
    """As where replicas are divided: the minimum of 2 is no copy of 1, nor none at all."""
    marks = {"applied-migration-configuration": {"limitedCapacity": {"member1": most}}}
    entries = [entry("member1", minReplicas=2), entry("member2")]
    spec: Manifest = {"schedulingMode": "Duplicate", "placement": entries}
    told = "annotation kubeadmiral.io/applied-migration-configuration of default/web"
    assert refused(marked(marks, 1, **spec)) == [
        "policy default/web: member1 needs a full copy of 2 replicas",
        f"{told}: member1 may hold at most {most}",
    ]
    # Where clusters are chosen, that one is left out.
    assert placed(marked(marks, 1, **spec, maxClusters=1)) == {"member2": 1}


def test_no_toleration_opens_what_a_report_closes_as_well() -> None:
    """member1 is tainted, and can run none or is to be left: tolerating the taint would not open it."""
    clusters = [member("member1", taints=["edge:NoSchedule"]), member("member2")]
    none = {"auto-migration-info": {"estimatedCapacity": {"member1": 0}}}
    leaving = {"unavailableClusters": [{"cluster": "member1", "validUntil": "2999-01-01T00:00:00Z"}]}
    spec: Manifest = {"schedulingMode": "Duplicate", "placement": [], "autoMigration": {}}
    for marks, taints in (({}, 1), (none, 0), ({"applied-migration-configuration": leaving}, 0)):
        problem = load(clusters, policy(**spec), federated(web(2), marks=marks))
        assert len(candidates(only(problem)).excluded["member1"].taints) == taints


@pytest.mark.parametrize(
    ("until", "names", "told"),
    [
        ("2999-01-01T00:00:00Z", ("member2",), "member1 counts as unavailable until 2999"),
        ("2001-01-01T00:00:00Z", ("member2",), "member1 counts as unavailable until 2001"),
        (None, ("member1", "member2"), "the eviction from member1 has no validUntil and counts as over"),
    ],
)
def test_unavailable_clusters(until: str | None, names: tuple[str, ...], told: str) -> None:
    """There is no clock: an eviction with an end holds, one without is over, and both are said."""
    one = {"cluster": "member1"} if until is None else {"cluster": "member1", "validUntil": until}
    marks = {"applied-migration-configuration": {"unavailableClusters": [one]}}
    current = federated(web(4), {"member1": 4}, marks=marks)
    problem = load(members(2), policy(), current)
    assert candidates(only(problem)).names == names
    (text,) = texts(problem, "migration")
    assert text.startswith(f"default/web: {told}")
    if len(names) == 1:
        assert closed(only(problem)) == {"member1": "is excluded by the migration configuration"}
        assert placed(problem) == {"member2": 4}


def test_feedback_that_cannot_be_read() -> None:
    """KubeAdmiral stops with an error there, so it is a mistake, also on the plain workload."""
    name = f"metadata.annotations[{PREFIX}auto-migration-info]"
    other = f"metadata.annotations[{PREFIX}applied-migration-configuration]"
    assert mistakes(federated(web(), marks={"auto-migration-info": "["})) == [
        f"{name}: '[' cannot be read: is not JSON"
    ]
    assert mistakes(web(marks={"auto-migration-info": "[]"})) == [
        f"{name}: '[]' cannot be read: must be a mapping with fields"
    ]
    wrong = '{"limitedCapacity": {"a": -1}}'
    told = "limitedCapacity.a '-1' must be at least 0"
    assert mistakes(web(marks={"applied-migration-configuration": wrong})) == [
        f"{other}: {wrong!r} cannot be read: {told}"
    ]


# Annotations that override the policy


def test_scheduling_mode() -> None:
    """Divide becomes Duplicate for this object only."""
    assert placed(marked({"scheduling-mode": "Duplicate"}, 2)) == {"member1": 2, "member2": 2}


def test_sticky_cluster() -> None:
    """What runs stays, although the policy would divide it anew."""
    one = federated(web(4), {"member1": 4}, marks={"sticky-cluster": "true"})
    rescheduling = {"replicaRescheduling": {"avoidDisruption": False}}
    spec = policy(placement=EQUAL, reschedulePolicy=rescheduling)
    assert placed(load(members(2), spec, one)) == {"member1": 4}
    disabled = policy(placement=EQUAL, reschedulePolicy={**rescheduling, "disableRescheduling": True})
    free = federated(web(4), {"member1": 4}, marks={"sticky-cluster": "false"})
    assert placed(load(members(2), disabled, free)) == {"member1": 2, "member2": 2}


def test_tolerations() -> None:
    """The list replaces the policy's."""
    clusters = [member("a", taints=["k:NoSchedule"]), member("b", taints=["l:NoExecute"])]
    spec = policy(tolerations=[{"key": "l", "operator": "Exists"}])
    marks = {"tolerations": [{"key": "k", "operator": "Exists"}]}
    assert candidates(only(load(clusters, spec, web()))).names == ("b",)
    assert candidates(only(load(clusters, spec, web(marks=marks)))).names == ("a",)


def test_placements() -> None:
    """The list replaces clusters, bounds and weights together."""
    problem = marked({"placements": [entry("member2", maxReplicas=10)]})
    assert candidates(only(problem)).names == ("member2",)
    assert bounds(only(problem)) == ({}, {"member2": 10})
    found = only(problem).rule(Weights)
    assert found is not None
    assert found.dynamic  # the weights of the policy are gone


def test_cluster_selector_and_affinity() -> None:
    """Both replace the policy's; required terms count, preferred ones have no effect, which is said."""
    clusters = [member("a", labels={"x": "1"}), member("b", labels={"x": "2"})]
    terms = [{"matchExpressions": [{"key": "x", "operator": "In", "values": ["1"]}]}]
    spec = policy(clusterSelector={"x": "2"}, clusterAffinity=terms)
    assert candidates(only(load(clusters, spec, web()))).names == ()
    selecting = web(marks={"clusterSelector": {"x": "1"}})
    assert candidates(only(load(clusters, spec, selecting))).names == ("a",)
    required = {"clusterSelectorTerms": [{"matchExpressions": [{"key": "x", "operator": "Exists"}]}]}
    preferred = [{"weight": 1, "preference": {}}]
    affinity = {
        "clusterAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": required,
            "preferredDuringSchedulingIgnoredDuringExecution": preferred,
        }
    }
    problem = load(clusters, spec, web(marks={"affinity": affinity}))
    assert candidates(only(problem)).names == ("b",)
    (text,) = texts(problem, "annotation")
    told = "preferred terms of annotation kubeadmiral.io/affinity have no effect; only required ones do"
    assert text == f"default/web: {told} (<dict>)"
    none = load(clusters, spec, web(marks={"affinity": {"clusterAffinity": {}}}))
    assert candidates(only(none)).names == ("b",)
    nothing: Manifest = {"clusterAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}
    assert candidates(only(load(clusters, spec, web(marks={"affinity": nothing})))).names == ()


def test_max_clusters() -> None:
    """One cluster although the policy allows two."""
    problem = marked({"maxClusters": "1"}, 4, maxClusters=2)
    limit = only(problem).rule(Spread)
    assert limit is not None
    assert limit.maximum == 1
    assert len(placed(problem)) == 1


def test_max_clusters_of_minus_zero() -> None:
    """Go reads it as 0, and so do fairlead and its model of the scheduler: no cluster at all."""
    problem = marked({"maxClusters": "-0"}, 4, maxClusters=2)
    limit = only(problem).rule(Spread)
    assert limit is not None
    assert limit.maximum == 0
    assert texts(problem, "annotation") == []
    assert not any(dispense(problem, like="kubeadmiral").placed(only(problem)).values())


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("scheduling-mode", "Divided", "'Divided' is not allowed; allowed are Divide and Duplicate"),
        ("sticky-cluster", "yes", "'yes' is not allowed; allowed are true and false"),
        ("tolerations", "no json", "'no json' is not JSON"),
        ("tolerations", '{"key": "k"}', """'{"key": "k"}' must be a list"""),
        ("clusterSelector", '{"x": 1}', "x '1' must be a string"),
        ("maxClusters", "-1", "'-1' must be a whole number, at least 0"),
        ("maxClusters", "2.5", "'2.5' must be a whole number, at least 0"),
        ("placements", [{"cluster": "member1", "preferences": {"weight": -1}}], "'-1' must be at least 0"),
        (
            "placements",
            [entry("member1", minReplicas=2, maxReplicas=1)],
            "[0].preferences.minReplicas must be at most maxReplicas of member1, which is 1",
        ),
        (
            "affinity",
            {
                "clusterAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "clusterSelectorTerms": [{"matchExpressions": [{"key": "x", "operator": "In"}]}]
                    }
                }
            },
            "In needs at least one value",
        ),
        (
            "affinity",
            {"clusterAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": ["member1"]}},
            "cannot be read",
        ),
    ],
)
def test_unreadable_overrides_fall_back(name: str, value: Any, told: str) -> None:
    """The policy holds for the part that cannot be read, and the reason is said."""
    problem = marked({name: value}, maxClusters=2)
    assert weights(only(problem)) == {"member1": 1, "member2": 1}
    limit = only(problem).rule(Spread)
    assert limit is not None
    assert limit.maximum == 2
    (text,) = texts(problem, "annotation")
    assert text.startswith(f"default/web: annotation {PREFIX}{name} ")
    assert told in text
    assert text.endswith("; policy default/web holds instead (<dict>)")


def test_unknown_fields_in_annotations_are_passed_over() -> None:
    """KubeAdmiral reads JSON so; null is as good as absent."""
    problem = marked({"placements": [{"cluster": "member2", "new": 1}], "tolerations": "null"})
    assert candidates(only(problem)).names == ("member2",)
    assert texts(problem, "annotation") == []


def test_overrides_belong_to_one_object() -> None:
    """Two workloads of one policy: the annotation of the one does not reach the other."""
    other = web(4)
    other["metadata"]["name"] = "other"
    marks = {"placements": [entry("member2")]}
    problem = load(members(2), policy(placement=EQUAL), web(4, marks=marks), other)
    assert candidates(problem.workload("default/web")).names == ("member2",)
    assert candidates(problem.workload("default/other")).names == ("member1", "member2")


def test_annotations_of_the_federated_object_win() -> None:
    """Both carry the annotation: what the scheduler reads is the federated object's."""
    plain = web(4, marks={"maxClusters": "2"})
    one = federated(web(4), marks={"maxClusters": "1"})
    limit = only(load(members(2), policy(), plain, one)).rule(Spread)
    assert limit is not None
    assert limit.maximum == 1
