"""Input from a cluster: everything in one go, with the rights that there are."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairlead.cli.app import main
from fairlead.live.client import RefusedError, UnreachableError, connect
from fairlead.live.reading import snapshot
from live_objects import binding, cluster
from served_api import ServedApi


def filled(api: ServedApi) -> None:
    """Put two clusters and a workload there."""
    for name in ("member1", "member2"):
        api.add(cluster(name))
    api.add(binding("web", replicas=4))


def output_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run the command line and return the exit code and what it printed."""
    code = main(arguments)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("command", ["solve", "compare", "validate", "plan"])
def test_commands_read_a_cluster(
    api: ServedApi, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A context is all the input that a command needs."""
    filled(api)
    options = [command, "--kubeconfig", api.kubeconfig(tmp_path), "--context", "fake", "-o", "json"]
    code, out, err = output_of(options, capsys)
    assert (code, err) == (0, "")
    assert json.loads(out)
    assert not [one for one in api.requests if one.method != "GET"]


def test_what_may_not_be_read_is_said(
    api: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kinds without the right to list them are named; the rest is read."""
    filled(api)
    api.refuse = lambda _, path: 403 if path.endswith("deployments") else None
    code, out, err = output_of(["solve", "--kubeconfig", api.kubeconfig(tmp_path), "-o", "name"], capsys)
    assert (code, out) == (0, "deployment.apps/web\n")
    assert err == "warning: fake: deployments of apps/v1 may not be listed, and are left out\n"


def test_without_any_right_nothing_is_read(
    api: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing may be listed the command ends."""
    api.refuse = lambda _, path: 403 if path.count("/") > 3 else None
    code, _, err = output_of(["solve", "--kubeconfig", api.kubeconfig(tmp_path)], capsys)
    assert code == 2
    assert "none of the kinds that are read may be listed" in err


def test_all_pages_are_read_without_what_others_made(
    api: ServedApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long lists come in pages; the ReplicaSet of a Deployment is no workload of its own."""
    monkeypatch.setattr("fairlead.live.client.PAGE", 2)
    template: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": "web-1",
            "namespace": "default",
            "ownerReferences": [{"kind": "Deployment", "name": "web", "controller": True}],
        },
        "spec": {"replicas": 1, "template": {"spec": {"containers": []}}},
    }
    api.add(template)
    for number in range(5):
        api.add(cluster(f"member{number}"))
    found = snapshot(connect(None, api.kubeconfig(tmp_path)))
    assert [one["metadata"]["name"] for one in found.documents] == [f"member{number}" for number in range(5)]
    assert {one["kind"] for one in found.documents} == {"Cluster"}


def test_mistakes_name_the_object(api: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong in a cluster is told with the object's name."""
    filled(api)
    api.add(cluster("odd", taints=[{"key": "a", "effect": "Never"}]))
    code, _, err = output_of(["solve", "--kubeconfig", api.kubeconfig(tmp_path)], capsys)
    assert code == 2
    assert "<fake> Cluster odd: spec.taints[0].effect" in err


def test_a_wrong_context_is_a_mistake_of_usage(
    api: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a traceback nor a bug."""
    options = ["solve", "--kubeconfig", api.kubeconfig(tmp_path), "--context", "prod"]
    code, _, err = output_of(options, capsys)
    assert code == 2
    assert "prod" in err


def test_a_server_that_does_not_answer_is_told(api: ServedApi, tmp_path: Path) -> None:
    """So is one that refuses whatever it is asked."""
    client = connect(None, api.kubeconfig(tmp_path))
    api.refuse = lambda _method, _path: 500
    with pytest.raises(RefusedError) as refused:
        snapshot(client)
    assert refused.value.status == 500
    api.stop()
    with pytest.raises(UnreachableError, match="fake"):
        snapshot(client)


def test_a_simulation_reads_a_cluster_once(
    api: ServedApi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is added stands beside the cluster as it was at first."""
    added = tmp_path / "new.json"
    added.write_text(json.dumps(cluster("member3")), encoding="utf-8")
    filled(api)
    options = ["simulate", "--kubeconfig", api.kubeconfig(tmp_path), "--add", str(added)]
    code, out, _ = output_of(options, capsys)
    lists = [one for one in api.requests if one.path.endswith("/clusters")]
    assert code == 0
    assert "member3" in out
    assert len(lists) == 1
