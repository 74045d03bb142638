"""Whatever breaks on the way: nothing of others is undone, and what was begun is finished."""

import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from controlled import all_are_done, change, condition, controlled, eventually, found, is_done, placed
from fairlead.controller import watching
from fairlead.controller.batch import BatchDecisions, decide
from fairlead.controller.controller import Controller
from fairlead.controller.due import ControllerSettings
from fairlead.controller.lease import Lease
from fairlead.controller.watching import Queue, Watcher
from fairlead.live.client import BINDING, CLUSTER, LEASE, QUOTA, REBALANCER, connect
from fairlead.manifests.collect import Manifests
from fairlead.manifests.join import Subject
from fairlead.manifests.loading import problem_of
from fairlead.manifests.yaml.documents import Identity
from fairlead.models.problem import Problem
from live_kinds import Object
from live_objects import DYNAMIC, FULLY_APPLIED, binding, cluster, placement, static
from served_api import Request, ServedApi

EVEN = placement(static({"member1": 1, "member2": 1}))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let controllers look at what failed again after a fifth of a second, instead of a whole one."""
    monkeypatch.setattr(watching, "FIRST_WAIT", 0.2)


def members(api: ServedApi, *names: str, cpu: str = "1000") -> None:
    """Put clusters there."""
    for name in names:
        api.add(cluster(name, cpu))


def before_first_patch(api: ServedApi, patch: Object, subresource: str = "") -> None:
    """Change the binding just before the controller's first write arrives."""
    done = threading.Event()

    def meddle(method: str, path: str) -> None:
        if method == "PATCH" and "web-deployment" in path and not done.is_set():
            done.set()
            change(api, "web", patch, subresource)

    api.refuse = meddle


def test_a_scale_in_between_is_never_undone(api: ServedApi, tmp_path: Path) -> None:
    """The stale write fails, and the binding is placed as it is now."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))
    before_first_patch(api, {"spec": {"replicas": 10}})
    with controlled(api, tmp_path) as running:
        eventually(lambda: is_done(api, "web"))
        eventually(lambda: running.number("fairlead_conflicts_total") == 1)
    assert found(api, "web")["spec"]["replicas"] == 10
    assert placed(api, "web") == {"member1": 5, "member2": 5}


def test_a_binding_that_was_made_again_is_looked_at_again(api: ServedApi, tmp_path: Path) -> None:
    """Its generation is the same, and everything else is not."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))
    done, remade = threading.Event(), threading.Event()

    def remake(method: str, path: str) -> None:
        if method == "PATCH" and "web-deployment" in path and not done.is_set():
            done.set()
            api.delete(BINDING, "web-deployment")
            api.add(binding("web", 10, placed=EVEN))
            remade.set()

    api.refuse = remake
    with controlled(api, tmp_path):
        eventually(lambda: remade.is_set() and is_done(api, "web"))
    assert placed(api, "web") == {"member1": 5, "member2": 5}


def test_a_status_in_between_is_kept(api: ServedApi, tmp_path: Path) -> None:
    """It makes the version stale, and nothing is placed a second time for it."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))
    before_first_patch(api, {"status": {"conditions": [FULLY_APPLIED]}}, "status")
    with controlled(api, tmp_path) as running:
        eventually(lambda: is_done(api, "web"))
        eventually(lambda: running.number("fairlead_conflicts_total") == 1)
        assert running.number("fairlead_batches_total") == 1
    kinds = [one["type"] for one in found(api, "web")["status"]["conditions"]]
    assert kinds == ["FullyApplied", "Scheduled"]


def test_a_condition_written_between_spec_and_status_is_kept(api: ServedApi, tmp_path: Path) -> None:
    """The status is read again before it is written."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))

    def aggregate(told: Request) -> None:
        if told.method == "PATCH" and told.path.endswith("web-deployment"):
            applied = {"conditions": [FULLY_APPLIED]}
            change(api, "web", {"status": applied}, "status")

    api.after = aggregate
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web"))
    kinds = [one["type"] for one in found(api, "web")["status"]["conditions"]]
    assert kinds == ["FullyApplied", "Scheduled"]


def test_what_was_left_between_spec_and_status_is_finished(api: ServedApi, tmp_path: Path) -> None:
    """A controller that comes after one that was killed writes the status, and moves nothing."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN, clusters={"member1": 3, "member2": 1}, applied=True))
    with controlled(api, tmp_path) as running:
        eventually(lambda: is_done(api, "web"))
        assert running.number("fairlead_batches_total") == 0
    assert placed(api, "web") == {"member1": 3, "member2": 1}
    assert found(api, "web")["status"]["lastScheduledTime"]
    assert [one.path.rsplit("/", 1)[1] for one in api.writes()] == ["status"]


def test_a_group_that_was_chosen_and_not_noted_is_noted(api: ServedApi, tmp_path: Path) -> None:
    """Otherwise the next scale would begin with the first group, and take everything back to it."""
    members(api, "member1", "member2")
    asked = {
        "clusterAffinities": [
            {"affinityName": "home", "clusterNames": ["member1"]},
            {"affinityName": "away", "clusterNames": ["member2"]},
        ],
        "replicaScheduling": DYNAMIC,
    }
    api.add(binding("web", 4, placed=asked, clusters={"member2": 4}, applied=True))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web"))
        assert found(api, "web")["status"]["schedulerObservingAffinityName"] == "away"
        change(api, "web", {"spec": {"replicas": 6}})
        eventually(lambda: placed(api, "web") == {"member2": 6})


@pytest.mark.parametrize("missing", ["lease", "clusters", "right"])
def test_who_may_not_work_waits(
    api: ServedApi, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks around twice a second; it used to do nothing else, with a whole core."""
    if missing != "clusters":
        members(api, "member1")
    if missing == "right":
        api.refuse = lambda _method, path: 403 if path.endswith(QUOTA.plural) else None
    lease = {"holderIdentity": "another", "leaseDurationSeconds": 600}
    api.add(lease_of(lease))
    api.add(binding("web", 4))
    looks: list[float] = []

    def length(_queue: Queue) -> int:
        """Told to the metrics once a round."""
        looks.append(time.monotonic())
        return 0

    monkeypatch.setattr(Queue, "__len__", length)
    with controlled(api, tmp_path, lease="mine" if missing == "lease" else None):
        eventually(lambda: looks)
        time.sleep(0.5)
    assert len(looks) < 40


def lease_of(spec: Object | None) -> Object:
    """Return the lease of the controllers."""
    meta = {"name": "fairlead", "namespace": "karmada-system"}
    head = {"apiVersion": LEASE.api_version, "kind": LEASE.kind, "metadata": meta}
    return head if spec is None else {**head, "spec": spec}


def test_a_lease_without_a_spec_is_free(api: ServedApi, tmp_path: Path) -> None:
    """Somebody made it by hand; nobody ever led."""
    members(api, "member1")
    api.add(binding("web", 4))
    api.add(lease_of(None))
    with controlled(api, tmp_path, lease="first"):
        eventually(lambda: is_done(api, "web"))


@pytest.mark.parametrize("where", [(Watcher, "_follow"), (Lease, "_renew")], ids=["watch", "lease"])
def test_a_bug_in_a_thread_ends_the_controller(
    api: ServedApi, where: tuple[type, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that its pod restarts; it went on without that thread."""

    def breaking(_self: object) -> None:
        raise ZeroDivisionError("something odd")

    monkeypatch.setattr(*where, breaking)
    client = connect(None, api.kubeconfig(tmp_path))
    lease = Lease(client, "karmada-system", "fairlead", "first")
    controller = Controller(client, ControllerSettings(workers=1), lease=lease, others=(REBALANCER,))
    with pytest.raises(ZeroDivisionError, match="something odd"):
        controller.run()
    controller.stop()
    lease.release()
    api.cut()
    client.close()


@pytest.mark.parametrize("gone", [False, True], ids=["lost", "gone"])
def test_lost_watches_are_begun_anew(api: ServedApi, gone: bool, tmp_path: Path) -> None:
    """Also where the server no longer knows the version; nothing that happened meanwhile is missed."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))
    api.add(binding("old", 4, placed=EVEN))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web") and is_done(api, "old"))
        api.refuse = lambda _method, _path: 503
        api.cut()
        time.sleep(0.3)
        change(api, "web", {"spec": {"replicas": 8}})
        api.delete(BINDING, "old-deployment")
        if gone:
            api.forget()
        api.refuse = lambda _method, _path: None
        eventually(lambda: is_done(api, "web"))
    assert placed(api, "web") == {"member1": 4, "member2": 4}


def test_a_watch_that_tells_nonsense_is_begun_anew(
    api: ServedApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a proxy in between that answers itself; the watch used to end for good, and nobody knew."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))
    real, nonsense = api.backend.watch, threading.Event()

    @contextmanager
    def watch(path: str, query: dict[str, str]) -> Iterator[Iterator[Object]]:
        if nonsense.is_set():
            yield iter([{"message": "no route to the server"}])
        else:
            with real(path, query) as events:
                yield events

    monkeypatch.setattr(api.backend, "watch", watch)
    with controlled(api, tmp_path) as running:
        eventually(lambda: is_done(api, "web"))
        nonsense.set()
        api.cut()
        lost = {"resource": BINDING.plural}
        tells = running.metrics.registry.get_sample_value
        eventually(lambda: bool(tells("fairlead_lost_watches_total", lost)))
        nonsense.clear()
        change(api, "web", {"spec": {"replicas": 8}})
        eventually(lambda: is_done(api, "web"))
    assert placed(api, "web") == {"member1": 4, "member2": 4}


def test_a_list_that_is_none_is_not_an_empty_one(
    api: ServedApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands between answers, and there are quotas all the same."""
    real, nonsense = api.backend.answer, threading.Event()
    nonsense.set()

    def answer(method: str, path: str, query: dict[str, str], body: object, kind: str) -> Object:
        if nonsense.is_set() and path.endswith(QUOTA.plural):
            return {"message": "log in first"}
        return real(method, path, query, body, kind)

    monkeypatch.setattr(api.backend, "answer", answer)
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))
    with controlled(api, tmp_path) as running:
        lost = {"resource": QUOTA.plural}
        tells = running.metrics.registry.get_sample_value
        eventually(lambda: tells("fairlead_lost_watches_total", lost))
        assert not running.controller.is_ready
        assert placed(api, "web") == {}
        nonsense.clear()
        eventually(lambda: is_done(api, "web"))


def test_a_busy_server_is_not_asked_for_everything_again(api: ServedApi, tmp_path: Path) -> None:
    """A watch that it refuses for now goes on from where it was."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))
    with controlled(api, tmp_path) as running:
        eventually(lambda: is_done(api, "web"))
        api.refuse = lambda _method, path: 429 if path.endswith(BINDING.plural) else None
        api.cut()
        lost = {"resource": BINDING.plural}
        tells = running.metrics.registry.get_sample_value
        eventually(lambda: tells("fairlead_lost_watches_total", lost))
        api.refuse = lambda _method, _path: None
        before = len(api.requests)
        change(api, "web", {"spec": {"replicas": 8}})
        eventually(lambda: is_done(api, "web"))
        assert [one for one in api.requests[before:] if one.path.endswith(BINDING.plural)] == []


def refuse_first_patch(api: ServedApi, code: int, end: str = "") -> list[str]:
    """Let the server refuse the first patch of a path with an end; its path is in the list from then on."""
    refused: list[str] = []

    def refuse(method: str, path: str) -> int | None:
        if method != "PATCH" or refused or not path.endswith(end):
            return None
        refused.append(path)
        return code

    api.refuse = refuse
    return refused


def test_what_the_server_does_not_know_for_now_is_tried_again(api: ServedApi, tmp_path: Path) -> None:
    """A server that starts may not know a kind yet; what is really gone is heard of."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))
    refused = refuse_first_patch(api, 404)
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web"))
    assert refused


def test_a_server_that_restarts_in_the_middle_of_a_batch(api: ServedApi, tmp_path: Path) -> None:
    """Everything is placed in the end, once."""
    names = [f"web{number}" for number in range(12)]
    members(api, "member1", "member2")
    for name in names:
        api.add(binding(name, 4, placed=EVEN))
    with controlled(api, tmp_path):
        eventually(lambda: len(api.writes()) >= 5)
        api.stop()
        time.sleep(0.5)
        api.after = lambda _request: None
        api.start()
        eventually(lambda: all(is_done(api, name) for name in names))
    assert all(placed(api, name) == {"member1": 2, "member2": 2} for name in names)
    assert all(found(api, name)["metadata"]["generation"] == 2 for name in names)


def test_of_two_controllers_one_writes(
    api: ServedApi, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The other one says for whom it waits, and takes over where the first ends."""
    caplog.set_level("INFO", "fairlead.controller")
    members(api, "member1", "member2")
    with controlled(api, tmp_path, lease="first", duration=6.0) as first:
        api.add(binding("web", 4, placed=EVEN))
        eventually(lambda: is_done(api, "web"))
        with controlled(api, tmp_path, lease="second", duration=6.0) as second:
            change(api, "web", {"spec": {"replicas": 8}})
            eventually(lambda: is_done(api, "web"))
            assert second.number("fairlead_batches_total") == 0
            told = [vars(one) for one in caplog.records if one.message == "waiting"]
            assert [(one["lease"], one["holder"]) for one in told] == [("karmada-system/fairlead", "first")]
            first.end()
            lease = api.get(LEASE, "fairlead", "karmada-system")
            assert lease["spec"]["holderIdentity"] != "first"
            change(api, "web", {"spec": {"replicas": 12}})
            eventually(lambda: is_done(api, "web"))
            assert second.number("fairlead_batches_total") == 1
    assert found(api, "web")["metadata"]["generation"] == 6


def test_without_its_lease_a_controller_does_not_write(api: ServedApi, tmp_path: Path) -> None:
    """Where the lease cannot be renewed, writing ends before another one may begin."""
    members(api, "member1", "member2")
    with controlled(api, tmp_path, lease="first", duration=1.0) as running:
        eventually(lambda: running.number("fairlead_leading") == 1)
        api.refuse = lambda _method, path: 503 if "leases" in path else None
        eventually(lambda: running.number("fairlead_leading") == 0)
        api.add(binding("web", 4, placed=EVEN))
        time.sleep(0.5)
        assert placed(api, "web") == {}
        api.refuse = lambda _method, _path: None
        eventually(lambda: is_done(api, "web"))


def test_a_cluster_that_vanishes_is_left(api: ServedApi, tmp_path: Path) -> None:
    """Its replicas go elsewhere; where all clusters seem gone, nothing is touched."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, clusters={"member1": 2, "member2": 2}, applied=True))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web"))
        api.delete(CLUSTER, "member1")
        eventually(lambda: placed(api, "web") == {"member2": 4} and is_done(api, "web"))
        api.delete(CLUSTER, "member2")
        time.sleep(0.5)
        assert placed(api, "web") == {"member2": 4}
        assert condition(api, "web")["status"] == "True"


def test_a_cluster_that_is_not_understood_keeps_what_it_has(api: ServedApi, tmp_path: Path) -> None:
    """What stands there is not moved for that."""
    members(api, "member1")
    api.add(cluster("odd", taints=[{"key": "a", "effect": "Never"}]))
    api.add(binding("web", 4, clusters={"odd": 2}, applied=True))
    with controlled(api, tmp_path):
        eventually(lambda: condition(api, "web"))
    assert condition(api, "web")["reason"] == "SchedulerError"
    assert placed(api, "web") == {"odd": 2}


def test_the_last_version_of_a_cluster_that_is_understood_counts(
    api: ServedApi, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """And the log says what is wrong in the one that came after it."""
    members(api, "member1")
    api.add(binding("web", 2))
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "web"))
        api.patch(CLUSTER, "member1", {"spec": {"taints": [{"key": "a", "effect": "Never"}]}})
        eventually(lambda: [one for one in caplog.records if one.message == "not understood"])
        change(api, "web", {"spec": {"replicas": 3}})
        eventually(lambda: placed(api, "web") == {"member1": 3})
    (told,) = (vars(one) for one in caplog.records if one.message == "not understood")
    assert (told["object"], told["kind"]) == ("member1", "Cluster")
    assert "spec.taints[0].effect" in told["reason"]


def test_one_odd_binding_keeps_no_other_from_its_place(
    api: ServedApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong with it, which should not."""

    def breaking(manifests: Manifests, subjects: Sequence[Subject], asked: Collection[Identity]) -> Problem:
        if any(one.name == "odd" for one in asked):
            raise ZeroDivisionError("something odd")
        return problem_of(manifests, subjects, asked)

    monkeypatch.setattr("fairlead.controller.batch.problem_of", breaking)
    names = [f"web{number}" for number in range(9)]
    members(api, "member1", "member2")
    for name in (*names[:4], "odd", *names[4:]):
        api.add(binding(name, 4, placed=EVEN))
    with controlled(api, tmp_path):
        eventually(lambda: all(is_done(api, name) for name in names) and condition(api, "odd"))
    assert condition(api, "odd")["reason"] == "SchedulerError"
    assert condition(api, "odd")["message"] == "ZeroDivisionError: something odd"


@pytest.mark.parametrize("count", [50, pytest.param(1000, marks=pytest.mark.long)])
def test_many_bindings_at_once(api: ServedApi, count: int, tmp_path: Path) -> None:
    """All of them fit, and no cluster holds more than it has: 5 % more than is needed."""
    names = [f"web{number:03}" for number in range(count)]
    members(api, *(f"member{number}" for number in range(5)), cpu=str(count * 21 // 50))
    for name in names:
        api.add(binding(name, 4, cpu="500m"))
    with controlled(api, tmp_path, time_limit=3.0):
        eventually(lambda: all_are_done(api))
    used: dict[str, int] = {}
    for item in api.all(BINDING):
        targets = item["spec"]["clusters"]
        assert sum(one["replicas"] for one in targets) == 4
        for one in targets:
            used[one["name"]] = used.get(one["name"], 0) + one["replicas"]
    assert max(used.values()) <= count * 21 // 25


@pytest.mark.parametrize("code", [422, 500])
def test_what_the_server_refuses_is_tried_again(api: ServedApi, code: int, tmp_path: Path) -> None:
    """Whatever it is refused for; all others are placed meanwhile."""
    members(api, "member1", "member2")
    for name in ("web", "other"):
        api.add(binding(name, 4, placed=EVEN))
    api.refuse = lambda method, path: code if method == "PATCH" and "web-deployment" in path else None
    with controlled(api, tmp_path):
        eventually(lambda: is_done(api, "other"))
        assert placed(api, "web") == {}
        api.refuse = lambda _method, _path: None
        eventually(lambda: is_done(api, "web"))


def test_what_a_signal_broke_off_is_not_written(
    api: ServedApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a placement that is not the best, nor that there was none in time."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))
    asked = threading.Event()

    def broken_off(*given: Any) -> BatchDecisions:
        asked.set()
        running.controller.stop()
        return decide(*given)

    monkeypatch.setattr("fairlead.controller.controller.decide", broken_off)
    with controlled(api, tmp_path) as running:
        eventually(asked.is_set)
    assert api.writes() == []


def test_who_always_hears_of_conflicts_pauses(
    api: ServedApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A webhook may refuse with 409 as well; the binding was written again and again without a pause."""
    monkeypatch.setattr(watching, "FIRST_WAIT", 0.5)
    members(api, "member1")
    api.add(binding("web", 4))
    api.refuse = lambda method, _path: 409 if method == "PATCH" else None
    with controlled(api, tmp_path):
        eventually(api.writes)
        time.sleep(0.8)
        assert len(api.writes()) <= 15  # five at once, after half a second and after one more
        api.refuse = lambda _method, _path: None
        eventually(lambda: is_done(api, "web"))


def test_a_placement_is_told_where_its_status_is_late(api: ServedApi, tmp_path: Path) -> None:
    """The spec is written and the status is not: what was placed is an event, once."""
    members(api, "member1")
    api.add(binding("web", 4))
    refused = refuse_first_patch(api, 503, "/status")
    with controlled(api, tmp_path) as running:
        eventually(lambda: is_done(api, "web"))
        eventually(lambda: len(api.writes("events")) == 2)
        assert (
            running.metrics.registry.get_sample_value("fairlead_bindings_total", {"reason": "Success"}) == 1
        )
    assert refused
    assert {one.body["reason"] for one in api.writes("events")} == {"ScheduleBindingSucceed"}
    assert len(api.writes("events")) == 2  # on the binding and on its workload


def test_that_no_cluster_fits_is_told_in_the_end(api: ServedApi, tmp_path: Path) -> None:
    """Time does not help the binding, but it helps the server that could not take its status."""
    members(api, "member1")
    api.add(binding("web", 4, placed=placement(DYNAMIC, ["member9"])))
    refused = refuse_first_patch(api, 503)
    with controlled(api, tmp_path):
        eventually(lambda: condition(api, "web"))
    assert refused
    assert condition(api, "web")["reason"] == "NoClusterFit"


def test_a_refused_quota_is_told(api: ServedApi, tmp_path: Path) -> None:
    """Karmada's webhook refuses a placement that a quota does not allow."""
    members(api, "member1", "member2")
    api.add(binding("web", 4, placed=EVEN))

    def refuse(method: str, path: str) -> int | None:
        return 403 if method == "PATCH" and path.endswith("web-deployment") else None

    api.refuse, api.words = refuse, "FederatedResourceQuota(default/team) exceeded: QuotaExceeded"
    with controlled(api, tmp_path):
        eventually(lambda: condition(api, "web"))
        assert condition(api, "web")["reason"] == "QuotaExceeded"
        api.refuse = lambda _method, _path: None
        eventually(lambda: is_done(api, "web"))
