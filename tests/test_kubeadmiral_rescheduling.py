"""When KubeAdmiral schedules again: what always counts, what is asked for, what never counts."""

from dataclasses import replace

import pytest
import yaml

from fairlead.models.cluster import Cluster, Taint
from fairlead.models.rescheduling import (
    ReschedulePolicy,
    RescheduleWhen,
    SchedulingState,
    policy_content,
    read_reschedule_policy,
    reschedule_reasons,
)

PRINTED_DEFAULT = """
reschedulePolicy:
  disableRescheduling: false
  rescheduleWhen:
    policyContentChanged: true
    clusterJoined: false
    clusterLabelsChanged: false
    clusterAPIResourcesChanged: false
  replicaRescheduling:
    avoidDisruption: true
"""

A = Cluster("a", labels={"region": "eu"}, taints=(Taint("k", "", "NoSchedule"),), api_kinds=frozenset())
B = Cluster("b")
BEFORE = SchedulingState(
    3, {"cpu": 100}, policy="web", content='{"maxClusters": 2}', clusters={"a": A, "b": B}
)
NEVER = ReschedulePolicy(when=None)
EVERYTHING = ReschedulePolicy(when=RescheduleWhen(True, True, True, True))


def changed_cluster(**changes: object) -> SchedulingState:
    """Return the state with a cluster that has changed."""
    return replace(BEFORE, clusters={"a": replace(A, **changes), "b": B})  # type: ignore[arg-type]


def test_printed_default_is_the_default() -> None:
    """What the documentation prints as default is what an absent reschedulePolicy means."""
    assert read_reschedule_policy(yaml.safe_load(PRINTED_DEFAULT)) == ReschedulePolicy()
    assert read_reschedule_policy({}) == ReschedulePolicy()
    assert ReschedulePolicy().when == RescheduleWhen(True, False, False, False)


def test_reschedule_policy_without_triggers_has_none() -> None:
    """The default belongs to the whole reschedulePolicy; with a part of it given nothing is added."""
    assert read_reschedule_policy({"reschedulePolicy": {"disableRescheduling": True}}) == ReschedulePolicy(
        True, None
    )
    given = {"reschedulePolicy": {"rescheduleWhen": {"clusterJoined": True}}}
    assert read_reschedule_policy(given) == ReschedulePolicy(when=RescheduleWhen(True, cluster_joined=True))


def test_first_time() -> None:
    """What was never scheduled is scheduled, whatever the policy."""
    assert reschedule_reasons(ReschedulePolicy(True, None), None, BEFORE) == ("it was never scheduled",)


def test_nothing_changed() -> None:
    """The same state is no reason, even where everything counts."""
    assert reschedule_reasons(EVERYTHING, BEFORE, replace(BEFORE)) == ()


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (replace(BEFORE, replicas=5), "replicas changed from 3 to 5"),
        (replace(BEFORE, requests={"cpu": 200}), "resource requests changed"),
        (replace(BEFORE, policy="other"), "the policy changed from web to other"),
        (
            replace(BEFORE, annotations={"kubeadmiral.io/maxClusters": "1"}),
            "annotation kubeadmiral.io/maxClusters changed",
        ),
        (
            replace(BEFORE, auto_migration=True, annotations={"kubeadmiral.io/auto-migration-info": "{}"}),
            "annotation kubeadmiral.io/auto-migration-info changed",
        ),
    ],
)
def test_what_always_counts(after: SchedulingState, reason: str) -> None:
    """The object itself and the choice of its policy count even where rescheduling is disabled."""
    for policy in (ReschedulePolicy(disabled=True), NEVER, ReschedulePolicy()):
        assert reschedule_reasons(policy, BEFORE, after) == (reason,)


@pytest.mark.parametrize(
    "after",
    [
        replace(
            BEFORE, annotations={"kubeadmiral.io/auto-migration-info": "{}"}
        ),  # no autoMigration declared
        replace(BEFORE, annotations={"example.com/owner": "me"}),
        changed_cluster(free={"cpu": 1}, allocatable={"cpu": 2}),
    ],
)
def test_what_never_counts(after: SchedulingState) -> None:
    """Other annotations and what clusters have free are no reason, even where everything counts."""
    assert reschedule_reasons(EVERYTHING, BEFORE, after) == ()


JOINED = replace(BEFORE, clusters={"a": A, "b": B, "c": Cluster("c")})


@pytest.mark.parametrize(
    ("trigger", "after", "reason"),
    [
        ("policy_content_changed", replace(BEFORE, content="{}"), "what the policy says changed"),
        ("cluster_joined", JOINED, "cluster c joined"),
        ("cluster_labels_changed", changed_cluster(labels={}), "labels of cluster a changed"),
        (
            "cluster_api_resources_changed",
            changed_cluster(api_kinds=frozenset({("apps/v1", "Deployment")})),
            "API resources of cluster a changed",
        ),
    ],
)
def test_triggers(trigger: str, after: SchedulingState, reason: str) -> None:
    """Each trigger alone decides about its change, and none does where rescheduling is disabled."""
    only = RescheduleWhen(**{"policy_content_changed": False, trigger: True})
    assert reschedule_reasons(ReschedulePolicy(when=only), BEFORE, after) == (reason,)
    none = RescheduleWhen(policy_content_changed=False)
    assert reschedule_reasons(ReschedulePolicy(when=none), BEFORE, after) == ()
    assert reschedule_reasons(ReschedulePolicy(disabled=True, when=only), BEFORE, after) == ()
    assert reschedule_reasons(NEVER, BEFORE, after) == ()


def test_taints_and_lost_clusters_count_unless_disabled() -> None:
    """There is no trigger to turn them off; only disableRescheduling and missing triggers do."""
    none = ReschedulePolicy(when=RescheduleWhen(policy_content_changed=False))
    tainted = changed_cluster(taints=())
    gone = replace(BEFORE, clusters={"a": A})
    assert reschedule_reasons(none, BEFORE, tainted) == ("taints of cluster a changed",)
    assert reschedule_reasons(none, BEFORE, gone) == ("cluster b is gone",)
    for policy in (NEVER, ReschedulePolicy(disabled=True)):
        assert reschedule_reasons(policy, BEFORE, tainted) == ()
        assert reschedule_reasons(policy, BEFORE, gone) == ()


def test_a_cluster_in_place_of_another_is_no_join() -> None:
    """Only where every old cluster is still there does a new one count; here b is gone and c is new."""
    swapped = replace(BEFORE, clusters={"a": A, "c": Cluster("c")})
    joins = ReschedulePolicy(when=RescheduleWhen(cluster_joined=True))
    assert reschedule_reasons(joins, BEFORE, swapped) == ("cluster b is gone",)


def test_labels_of_a_new_cluster_do_not_count() -> None:
    """A cluster that was not there before has no labels that could change."""
    labels = ReschedulePolicy(when=RescheduleWhen(cluster_labels_changed=True))
    assert reschedule_reasons(labels, BEFORE, JOINED) == ()


def test_order_of_taints_does_not_count() -> None:
    """Taints are a set."""
    one, two = Taint("k", "", "NoSchedule"), Taint("l", "", "NoExecute")
    before = replace(BEFORE, clusters={"a": replace(A, taints=(one, two))})
    after = replace(BEFORE, clusters={"a": replace(A, taints=(two, one))})
    assert reschedule_reasons(ReschedulePolicy(), before, after) == ()


def test_policy_content() -> None:
    """The order of fields and auto migration do not belong to the content; avoidDisruption does."""
    spec = {"schedulingMode": "Divide", "maxClusters": 2}
    same = {"maxClusters": 2, "schedulingMode": "Divide", "autoMigration": {}}
    assert policy_content(spec) == policy_content(same)
    other = {**spec, "reschedulePolicy": {"replicaRescheduling": {"avoidDisruption": False}}}
    assert policy_content(spec) != policy_content(other)
