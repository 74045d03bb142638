"""A plan carried out: wave by wave, never over what somebody changed meanwhile, and to be gone on with."""

import io
import signal
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from controlled import change, controlled, found, placed
from fairlead.cli.app import main
from fairlead.cli.exits import signal_was_heard
from fairlead.cli.plan import plan_command
from fairlead.controller.applying import arrival
from fairlead.controller.world import entry_of
from fairlead.live.client import BINDING
from fairlead.solver.running.deadline import Listener, handled
from live_objects import Object, binding, cluster, placement, static
from members import SCHEDULED, follow, followed, reports
from served_api import Request, ServedApi

EVEN = placement(static({"member1": 1, "member2": 1}))
MEMBER1 = {"clusterName": "member1", "applied": True}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often."""
    monkeypatch.setattr("fairlead.controller.applying.PAUSE", 0.02)


@pytest.fixture
def fleet(api: ServedApi) -> ServedApi:
    """Return a server where two of web's four replicas are to move; one at a time with --max-surge 1."""
    for name in ("member1", "member2"):
        api.add(cluster(name))
    api.add(binding("web", 4, placed=EVEN, clusters={"member1": 4}, applied=True))
    followed(api, "web-deployment")
    follow(api)
    return api


def run(
    api: ServedApi, directory: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[int, str, str]:
    """Plan, with options, and return the exit code and what was printed."""
    code = main(["plan", "--kubeconfig", api.kubeconfig(directory), "--max-surge", "1", *options])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def written(api: ServedApi) -> list[dict[str, int]]:
    """Return the placements that were written, in their order."""
    return [
        {target["name"]: target["replicas"] for target in one.body["spec"]["clusters"]}
        for one in api.writes("/web-deployment")
        if not one.path.endswith("/status")
    ]


def test_waves_are_written_one_after_another(
    fleet: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only what is the scheduler's is written, with the version; afterwards there is nothing to do."""
    code, _, told = run(fleet, tmp_path, capsys, "--apply", "--yes")
    assert code == 0
    assert written(fleet) == [{"member1": 3, "member2": 1}, {"member1": 2, "member2": 2}]
    assert "wave 1 of 2: 1 object written\nwave 1 of 2: healthy" in told
    assert "wave 2 of 2: healthy" in told
    for one in fleet.writes("/web-deployment"):
        assert set(one.body["spec"]) == {"clusters"}
        assert one.body["metadata"]["resourceVersion"]
    code, out, _ = run(fleet, tmp_path, capsys, "--detailed-exitcode", "--apply", "--yes")
    assert code == 0
    assert "No changes: what runs now is already the target." in out
    assert len(written(fleet)) == 2


def test_it_stops_where_a_wave_is_not_healthy_and_goes_on_later(
    fleet: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The next wave waits for what was written before."""
    saved = str(tmp_path / "plan.json")
    follow(fleet, ready=False)
    options = ("--apply", "--yes", "--wave-timeout", "0.1")
    code, _, told = run(fleet, tmp_path, capsys, *options, "--save", saved)
    assert code == 6
    assert "wave 1 of 2 is written, and not healthy in time" in told
    assert "default/web: readyReplicas is 0 in member1, not 3" in told
    assert f"--resume {saved}" in told
    code, _, told = run(fleet, tmp_path, capsys, *options, "--resume", saved)
    assert code == 6
    assert "what was written before" in told
    assert placed(fleet, "web") == {"member1": 3, "member2": 1}
    follow(fleet)
    followed(fleet, "web-deployment")
    code, _, _ = run(fleet, tmp_path, capsys, *options, "--resume", saved)
    assert code == 0
    assert placed(fleet, "web") == {"member1": 2, "member2": 2}


@pytest.mark.parametrize(
    ("meanwhile", "told"),
    [
        ({"replicas": 10}, "it was scaled from 4 to 10 replicas"),
        ({"clusters": [{"name": "member2", "replicas": 4}]}, "its placement was changed"),
        ({"placement": placement(static({"member1": 9}))}, "its placement was changed"),
        ({"replicaRequirements": {"resourceRequest": {"cpu": "9"}}}, "its requests were changed"),
    ],
)
def test_what_somebody_changed_is_never_overwritten(
    fleet: ServedApi,
    meanwhile: Object,
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It changes just before the write arrives: the stale version is refused, and looked at again."""
    changed: list[Object] = []

    def meddle(method: str, path: str) -> int | None:
        if method == "PATCH" and path.endswith("/web-deployment") and not changed:
            changed.append(change(fleet, "web", {"spec": meanwhile}))
        return None

    fleet.refuse = meddle
    code, _, printed = run(fleet, tmp_path, capsys, "--apply", "--yes")
    assert code == 6
    assert f"stopped in wave 1 of 2, 0 of 1 object of it are written: default/web: {told}" in printed
    assert found(fleet, "web")["spec"] == changed[0]["spec"]


def test_what_was_scaled_is_not_taken_for_done(
    fleet: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stands where the wave would put it, and wants ten replicas by now: the plan was for four."""
    meanwhile = [{"name": "member1", "replicas": 3}, {"name": "member2", "replicas": 1}]
    changed: list[Object] = []

    def meddle(method: str, path: str) -> int | None:
        if method == "PATCH" and path.endswith("/web-deployment") and not changed:
            changed.append(change(fleet, "web", {"spec": {"replicas": 10, "clusters": meanwhile}}))
        return None

    fleet.refuse = meddle
    code, _, printed = run(fleet, tmp_path, capsys, "--apply", "--yes", "--wave-timeout", "5")
    assert code == 6
    assert "default/web: it was scaled from 4 to 10 replicas since the plan was made" in printed
    assert found(fleet, "web")["spec"] == changed[0]["spec"]


@pytest.mark.parametrize("code", [429, 503])
def test_a_busy_server_is_asked_again(
    fleet: ServedApi, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """While a wave becomes healthy, a server that restarts or limits requests ends nothing."""
    busy = iter(range(3))

    def refuse(method: str, path: str) -> int | None:
        waiting = method == "GET" and path.endswith("/web-deployment") and bool(written(fleet))
        return code if waiting and next(busy, None) is not None else None

    fleet.refuse = refuse
    assert run(fleet, tmp_path, capsys, "--apply", "--yes")[0] == 0
    assert next(busy, None) is None
    assert placed(fleet, "web") == {"member1": 2, "member2": 2}


def test_a_status_that_changes_meanwhile_hinders_nothing(
    fleet: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The version is stale, and nothing of the question has changed."""
    times = iter(range(2))

    def meddle(method: str, path: str) -> int | None:
        if method == "PATCH" and path.endswith("/web-deployment") and next(times, None) is not None:
            change(fleet, "web", {"status": {"aggregatedStatus": []}}, "status")
            followed(fleet, "web-deployment")
        return None

    fleet.refuse = meddle
    assert run(fleet, tmp_path, capsys, "--apply", "--yes")[0] == 0
    assert placed(fleet, "web") == {"member1": 2, "member2": 2}


def test_a_scale_between_two_waves_stops_it(
    fleet: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The scheduler divides it anew then, and the plan no longer fits."""

    def after(told: Request) -> None:
        if told.path.endswith("/web-deployment") and told.method == "PATCH":
            targets = [{"name": "member1", "replicas": 5}, {"name": "member2", "replicas": 5}]
            change(fleet, "web", {"spec": {"replicas": 10, "clusters": targets}})
            followed(fleet, "web-deployment")

    fleet.after = after
    code, _, told = run(fleet, tmp_path, capsys, "--apply", "--yes")
    assert code == 6
    assert "its placement was changed (member1: 5, member2: 5, not member1: 3, member2: 1)" in told
    assert placed(fleet, "web") == {"member1": 5, "member2": 5}


def test_fairlead_itself_may_be_the_scheduler(
    fleet: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The controller leaves alone what adds up, and says that it has seen it."""

    def after(told: Request) -> None:
        if told.method == "PATCH" and told.path.endswith("/web-deployment"):
            report = reports(found(fleet, "web")["spec"]["clusters"])
            change(fleet, "web", {"status": {"aggregatedStatus": report}}, "status")

    fleet.after = after
    with controlled(fleet, tmp_path) as running:
        assert run(fleet, tmp_path, capsys, "--apply", "--yes")[0] == 0
        assert running.number("fairlead_batches_total") == 0
    # Where the controller has just noted what it saw, a write is refused with 409 and sent again.
    assert [wave for wave, _ in groupby(written(fleet))] == [
        {"member1": 3, "member2": 1},
        {"member1": 2, "member2": 2},
    ]


def test_a_dry_run_is_checked_by_the_server(
    fleet: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All waves are sent, and none is kept; what the server would refuse is told."""
    before = found(fleet, "web")
    code, _, told = run(fleet, tmp_path, capsys, "--apply", "--dry-run", "server")
    assert code == 0
    assert "wave 2 of 2: the server would take 1 object" in told
    assert found(fleet, "web") == before
    detailed, _, _ = run(fleet, tmp_path, capsys, "--apply", "--dry-run", "server", "--detailed-exitcode")
    assert detailed == 5  # as nothing was kept, there is still something to do
    fleet.refuse = lambda method, _: 403 if method == "PATCH" else None
    code, _, told = run(fleet, tmp_path, capsys, "--apply", "--dry-run", "server")
    assert code == 6
    assert told.endswith(
        "stopped in wave 1 of 2, a dry run that writes nothing: default/web: refused by the test\n"
    )


def test_nothing_is_written_where_a_signal_ended_the_search(
    fleet: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who presses Ctrl-C wants less to happen, not the best plan so far."""
    listener = Listener(lambda _number, _frame: None)
    listener.ask()
    with handled([signal.SIGTERM], listener):
        assert signal_was_heard()
        code = plan_command.main(
            ["--kubeconfig", fleet.kubeconfig(tmp_path), "--apply", "--yes"], standalone_mode=False
        )
    assert code == 6
    assert "nothing was written" in capsys.readouterr().err
    assert written(fleet) == []


@pytest.mark.parametrize("answer", ["n\n", "y\n"])
def test_it_asks_first(
    fleet: ServedApi,
    answer: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only a yes is a yes."""
    monkeypatch.setattr("fairlead.cli.console.is_answered", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    code, _, told = run(fleet, tmp_path, capsys, "--apply")
    assert "Write 1 object in 2 waves?" in told
    assert code == (6 if answer == "n\n" else 0)
    assert len(written(fleet)) == (0 if answer == "n\n" else 2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--apply"], "--yes"),
        (["--yes"], "--yes needs --apply"),
        (["--dry-run", "server", "--wave-timeout", "9"], "--dry-run and --wave-timeout need --apply"),
        (["--apply", "--yes", "-f", "."], "without -f"),
        (["--apply", "--yes", "--scale", "default/web=9"], "apply --add, --scale and --weight first"),
    ],
)
def test_what_cannot_be_carried_out_is_refused_before_the_search(
    fleet: ServedApi, options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written."""
    code, _, printed = run(fleet, tmp_path, capsys, *options)
    assert code == 2
    assert told in printed
    assert written(fleet) == []


@pytest.mark.parametrize(
    ("asked", "code"),
    [(["--max-unavailable", "0"], 2), (["--max-unavailable", "1"], 0), (["--max-surge", "2"], 0)],
)
def test_what_may_be_unavailable_is_kept(
    fleet: ServedApi, asked: list[str], code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One patch stops and starts: what it stops at once is told, and refused beyond what is allowed."""
    found_code, _, told = run(fleet, tmp_path, capsys, *asked, "--apply", "--yes")
    assert found_code == code
    if code:
        assert (
            "a wave would stop 1 replica without waiting for the new ones, and 0 may be unavailable" in told
        )
        assert written(fleet) == []
    else:
        away = 2 if "--max-surge" in asked else 1
        assert f"Unavailable at the same time:\n  default/web: {away} of 4 replicas" in told


@pytest.mark.parametrize(
    ("status", "missing"),
    [
        ({}, "its scheduler has not seen it yet"),
        ({"conditions": [{**SCHEDULED, "status": "False", "message": "no room"}]}, "no room"),
        ({"aggregatedStatus": []}, "member1 has not reported yet"),
        (
            {"aggregatedStatus": [{"clusterName": "member1", "appliedMessage": "no such kind"}]},
            "no such kind",
        ),
        (
            {"aggregatedStatus": reports([{"name": "member1", "replicas": 2}])},
            "replicas is 2 in member1, not 3",
        ),
        (
            {"aggregatedStatus": [{"clusterName": "member1", "applied": True, "health": "Unhealthy"}]},
            "healthy",
        ),
        (
            {"aggregatedStatus": reports([{"name": n, "replicas": 3} for n in ("member1", "member2")])},
            "is still in member2",
        ),
        ({"aggregatedStatus": [{**MEMBER1, "health": "Unknown"}]}, ""),
        # Kinds of one's own may mean something else by these names.
        ({"aggregatedStatus": reports([{"name": "member1", "replicas": "three"}])}, ""),
        ({"aggregatedStatus": reports([{"name": "member1", "replicas": 3}])}, ""),
    ],
)
def test_what_has_arrived(status: dict[str, Any], missing: str) -> None:
    """A binding that its scheduler has seen, and whose clusters report what they are to hold."""
    item = binding("web", 3, clusters={"member1": 3})
    item["metadata"]["generation"] = 2
    seen = {"schedulerObservedGeneration": 2, "conditions": [SCHEDULED]} if status else {}
    told = arrival(entry_of(BINDING, {**item, "status": {**seen, **status}}), {"member1": 3})
    assert missing in told
    assert bool(missing) == bool(told)
