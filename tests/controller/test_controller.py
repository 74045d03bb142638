"""The controller places what is due, writes what others need, and leaves everything else alone."""

import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest

from controlled import change, condition, controlled, eventually, found, is_done, placed
from fairlead.live.client import CLUSTER, EVENT
from live_objects import APPLIED, FULLY_APPLIED, Object, binding, cluster, placement, static
from served_api import ServedApi

DUPLICATED = {"replicaSchedulingType": "Duplicated"}


def members(api: ServedApi, *names: str, cpu: str = "100") -> None:
    """Put clusters there."""
    for name in names:
        api.add(cluster(name, cpu))


def events(api: ServedApi) -> list[Object]:
    """Return all events."""
    return api.all(EVENT)


def would_write(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """Return what a dry run has told."""
    return [one for one in caplog.records if one.message == "would write"]


def test_new_bindings_are_placed_together(api: ServedApi, tmp_path: Path) -> None:
    """Two that want the same room share it; spec and status tell what others need."""
    members(api, "member1", "member2", cpu="4")
    asked = placement(static({"member1": 1, "member2": 1}))
    status = {"conditions": [FULLY_APPLIED]}
    api.add({**binding("web", 8, placed=asked), "status": status})
    api.add(binding("api", 8, placed=asked))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web") and is_done(api, "api"))
    assert placed(api, "web") == placed(api, "api") == {"member1": 4, "member2": 4}
    item = found(api, "web")
    assert json.loads(item["metadata"]["annotations"][APPLIED]) == asked
    assert [one["type"] for one in item["status"]["conditions"]] == ["FullyApplied", "Scheduled"]
    assert condition(api, "web")["reason"] == "Success"
    assert item["status"]["lastScheduledTime"]
    assert item["spec"]["replicas"] == 8
    spec = next(one for one in api.writes("web-deployment") if not one.path.endswith("/status"))
    assert set(spec.body["spec"]) == {"clusters"}
    assert spec.body["metadata"]["resourceVersion"]


def test_events_are_told_on_binding_and_workload(api: ServedApi, tmp_path: Path) -> None:
    """As Karmada's scheduler does."""
    members(api, "member1")
    api.add(binding("web", 2))
    with controlled(api, tmp_path):
        eventually(lambda: len(events(api)) == 2)
    assert {one["involvedObject"]["kind"] for one in events(api)} == {"ResourceBinding", "Deployment"}
    assert {one["reason"] for one in events(api)} == {"ScheduleBindingSucceed"}
    assert {one["source"]["component"] for one in events(api)} == {"fairlead"}


@pytest.mark.parametrize(
    "other",
    [
        {"scheduler": "default-scheduler"},
        {"suspension": {"scheduling": True}},
        {"placed": {}, "placement": None, "requiredBy": [{"name": "web"}]},
        {"namespace": "elsewhere"},
    ],
    ids=["scheduler", "suspended", "follower", "namespace"],
)
def test_what_is_not_served_is_left_alone(api: ServedApi, other: dict[str, Any], tmp_path: Path) -> None:
    """Whatever belongs to others, is suspended or only follows."""
    members(api, "member1")
    api.add(binding("other", 3, **other))
    leaving = binding("leaving", 3)
    leaving["metadata"]["deletionTimestamp"] = "2026-11-22T10:00:00Z"
    api.add(leaving)
    unclaimed = binding("unclaimed", 3)
    unclaimed["metadata"]["labels"] = {}
    api.add(unclaimed)
    api.add(binding("web", 2))
    with controlled(api, tmp_path, namespaces=frozenset({"default"})):
        eventually(lambda: is_done(api, "web"))
        time.sleep(0.2)
    assert {one.path.split("/")[-1] for one in api.writes()} <= {"web-deployment", "status"}
    assert all("web-deployment" in one.path for one in api.writes())


@pytest.mark.parametrize("asked", [None, placement(static({"member1": 1, "member2": 1}))])
def test_others_are_occupied_room(api: ServedApi, asked: Object | None, tmp_path: Path) -> None:
    """What another scheduler has placed is taken, before the member reports it."""
    members(api, "member1", "member2", cpu="4")
    api.add(binding("other", 6, clusters={"member1": 6}, scheduler="default-scheduler"))
    api.add(binding("web", 8, placed=asked))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web"))
    assert placed(api, "web") == {"member1": 2, "member2": 6}


def test_what_finds_no_place_keeps_what_it_has(api: ServedApi, tmp_path: Path) -> None:
    """The rest of the batch is placed; as soon as there is room, so is the one that waited."""
    members(api, "member1", cpu="4")
    api.add(binding("big", 12, clusters={"member1": 3}, applied=True))
    api.add(binding("web", 4))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web") and condition(api, "big"))
        assert condition(api, "big")["reason"] == "Unschedulable"
        assert "big" in condition(api, "big")["message"]
        assert placed(api, "big") == {"member1": 3}
        assert placed(api, "web") == {"member1": 4}
        assert "schedulerObservedGeneration" not in found(api, "big")["status"]
        members(api, "member2", cpu="40")
        eventually(lambda: is_done(api, "big"))
    assert sum(count or 0 for count in placed(api, "big").values()) == 12


def test_one_that_is_too_large_keeps_nobody_from_his_place(api: ServedApi, tmp_path: Path) -> None:
    """Copies that run stay, and whatever fits without it is placed in the same batch."""
    members(api, "member1", "member2", cpu="4")
    api.add(binding("huge", 1000))
    api.add(binding("copied", 2, placed=placement(DUPLICATED), clusters={"member1": 2, "member2": 2}))
    api.add(binding("web", 8))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web") and is_done(api, "copied") and condition(api, "huge"))
    assert condition(api, "huge")["reason"] == "Unschedulable"
    assert placed(api, "huge") == {}
    assert placed(api, "copied") == {"member1": 2, "member2": 2}
    assert sum(count or 0 for count in placed(api, "web").values()) == 8


def test_of_two_that_do_not_both_fit_one_is_placed(api: ServedApi, tmp_path: Path) -> None:
    """The more urgent one; the other one waits."""
    members(api, "member1", cpu="4")
    api.add(binding("first", 6, schedulePriority={"priority": 1}))
    api.add(binding("second", 6))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "first") and condition(api, "second"))
    assert placed(api, "first") == {"member1": 6}
    assert placed(api, "second") == {}


def test_a_binding_without_any_cluster_is_not_emptied(api: ServedApi, tmp_path: Path) -> None:
    """Karmada would take it off every cluster; here nothing is taken away for lack of a place."""
    members(api, "member1")
    asked = placement(DUPLICATED, ["nowhere"])
    api.add(binding("web", 2, placed=asked, clusters={"member1": 2}))
    with controlled(api, tmp_path) as running:
        eventually(lambda: condition(api, "web"))
        time.sleep(0.2)
        assert running.number("fairlead_batches_total") == 1
    assert condition(api, "web")["reason"] == "NoClusterFit"
    assert placed(api, "web") == {"member1": 2}


def test_a_binding_that_is_not_understood_is_told_so(api: ServedApi, tmp_path: Path) -> None:
    """All others are placed."""
    members(api, "member1")
    odd = binding("odd", 2)
    odd["spec"]["placement"]["clusterTolerations"] = [{"key": 7}]
    api.add(odd)
    api.add(binding("web", 2))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web") and condition(api, "odd"))
    assert condition(api, "odd")["reason"] == "SchedulerError"
    assert "clusterTolerations[0].key" in condition(api, "odd")["message"]


def test_what_is_settled_causes_no_work(api: ServedApi, tmp_path: Path) -> None:
    """Changes of a status, of bindings and clusters, and the controller's own writes place nothing."""
    members(api, "member1", "member2")
    api.add(binding("web", 4))
    api.add(binding("copied", 1, placed=placement(DUPLICATED)))
    with controlled(api, tmp_path) as running:
        eventually(lambda: is_done(api, "web") and is_done(api, "copied"))
        time.sleep(0.5)  # a real server tells of its last write a little later
        batches, writes = running.number("fairlead_batches_total"), len(api.writes())
        health = [{"clusterName": "member1", "health": "Healthy"}]
        change(api, "web", {"status": {"aggregatedStatus": health}}, "status")
        change(api, "copied", {"status": {"aggregatedStatus": health}}, "status")
        summary = {"resourceSummary": {"allocated": {"cpu": "3"}}}
        api.patch(CLUSTER, "member1", {"status": summary}, "status")
        api.cut()
        api.forget()
        time.sleep(0.5)
        assert running.number("fairlead_batches_total") == batches
    assert len(api.writes()) == writes


def test_a_restart_finds_nothing_to_do(api: ServedApi, tmp_path: Path) -> None:
    """What is placed and told is written no second time."""
    members(api, "member1", "member2")
    api.add(binding("web", 4))
    api.add(binding("copied", 1, placed=placement(DUPLICATED)))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web") and is_done(api, "copied"))
    writes = len(api.writes())
    with controlled(api, tmp_path) as running:
        eventually(lambda: running.number("fairlead_batches_total") == 1)
        time.sleep(0.2)
    assert len(api.writes()) == writes


def test_a_scale_is_followed(api: ServedApi, tmp_path: Path) -> None:
    """Nothing moves that need not."""
    members(api, "member1", "member2")
    asked = placement(static({"member1": 1, "member2": 1}))
    api.add(binding("web", 4, placed=asked, clusters={"member1": 3, "member2": 1}, applied=True))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web"))
        assert placed(api, "web") == {"member1": 3, "member2": 1}
        change(api, "web", {"spec": {"replicas": 6}})
        eventually(lambda: is_done(api, "web"))
    assert placed(api, "web") == {"member1": 3, "member2": 3}


def test_a_reschedule_that_was_asked_for_is_done_once(api: ServedApi, tmp_path: Path) -> None:
    """The trigger counts where it is later than the last time, which is then told."""
    members(api, "member1", "member2")
    asked = placement(static({"member1": 1, "member2": 1}))
    item = binding("web", 4, placed=asked, clusters={"member1": 4}, applied=True)
    api.add({**item, "status": {"lastScheduledTime": "2026-01-01T00:00:00Z"}})
    with controlled(api, tmp_path) as running:
        eventually(lambda: is_done(api, "web"))
        assert placed(api, "web") == {"member1": 4}
        change(api, "web", {"spec": {"rescheduleTriggeredAt": "2026-02-01T00:00:00Z"}})
        eventually(lambda: placed(api, "web") == {"member1": 2, "member2": 2} and is_done(api, "web"))
        assert found(api, "web")["status"]["lastScheduledTime"] > "2026-02-01T00:00:00Z"
        batches = running.number("fairlead_batches_total")
        time.sleep(0.3)
        assert running.number("fairlead_batches_total") == batches


def test_a_rebalancer_counts_once(api: ServedApi, tmp_path: Path) -> None:
    """For the workloads that it names, where it was made after they were scheduled last."""
    members(api, "member1", "member2")
    asked = placement(static({"member1": 1, "member2": 1}))
    for name in ("web", "other"):
        item = binding(name, 4, placed=asked, clusters={"member1": 4}, applied=True)
        api.add({**item, "status": {"lastScheduledTime": "2026-01-01T00:00:00Z"}})
    with controlled(api, tmp_path) as running:
        eventually(lambda: is_done(api, "web") and is_done(api, "other"))
        workload = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "default"}
        made = api.add(
            {
                "apiVersion": "apps.karmada.io/v1alpha1",
                "kind": "WorkloadRebalancer",
                "metadata": {"name": "once"},
                "spec": {"workloads": [workload]},
            }
        )
        eventually(lambda: placed(api, "web") == {"member1": 2, "member2": 2} and is_done(api, "web"))
        created = made["metadata"]["creationTimestamp"]
        assert found(api, "web")["status"]["lastScheduledTime"] >= created
        change(api, "web", {"spec": {"rescheduleTriggeredAt": created}})  # as Karmada does of it
        eventually(lambda: is_done(api, "web"))
        assert running.number("fairlead_batches_total") == 1
    assert placed(api, "other") == {"member1": 4}


def settings_of(asked: Object) -> Object:
    """Return the binding of a ConfigMap."""
    item = binding("settings", 0, placed=asked)
    item["spec"]["resource"].update(apiVersion="v1", kind="ConfigMap")
    del item["spec"]["replicas"], item["spec"]["replicaRequirements"]
    return item


def test_what_has_no_replicas_goes_as_a_whole(api: ServedApi, tmp_path: Path) -> None:
    """Targets of a ConfigMap have names only."""
    members(api, "member1", "member2")
    api.add(settings_of(placement(DUPLICATED, ["member2"])))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "settings"))
    assert found(api, "settings")["spec"]["clusters"] == [{"name": "member2"}]


def test_what_has_no_replicas_is_spread(api: ServedApi, tmp_path: Path) -> None:
    """It stays where it is, and stands on no more clusters than it may."""
    one = [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}]
    members(api, "member1", "member2", "member3")
    item = settings_of({**placement(DUPLICATED), "spreadConstraints": one})
    item["spec"]["clusters"] = [{"name": "member2"}]
    api.add(item)
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "settings"))
    assert found(api, "settings")["spec"]["clusters"] == [{"name": "member2"}]


def test_the_affinity_group_is_told(api: ServedApi, tmp_path: Path) -> None:
    """Under the name that the API server knows."""
    members(api, "member1", "member2", cpu="4")
    asked = {
        "clusterAffinities": [
            {"affinityName": "home", "clusterNames": ["member1"]},
            {"affinityName": "away", "clusterNames": ["member2"]},
        ],
        "replicaScheduling": placement(DUPLICATED)["replicaScheduling"],
    }
    api.add(binding("other", 8, clusters={"member1": 8}, scheduler="default-scheduler"))
    api.add(binding("web", 4, placed=asked))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web"))
    assert placed(api, "web") == {"member2": 4}
    assert found(api, "web")["status"]["schedulerObservingAffinityName"] == "away"


def test_a_dry_run_writes_nothing(api: ServedApi, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It tells what it would write."""
    caplog.set_level("INFO", "fairlead.controller")
    members(api, "member1")
    api.add(binding("web", 2))
    with controlled(api, tmp_path, dry_run=True):
        eventually(lambda: would_write(caplog))
    patch = vars(would_write(caplog)[0])["patch"]
    assert patch["spec"] == {"clusters": [{"name": "member1", "replicas": 2}]}
    assert [one for one in api.requests if one.method != "GET"] == []
