"""``fairlead controller`` as a process: what it serves, logs, and leaves behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from controlled import PATIENCE, eventually, is_done, placed
from fairlead.cli.app import main
from fairlead.live.client import LEASE
from live_objects import binding, cluster
from served_api import ServedApi, serving


@contextmanager
def started(api: ServedApi, directory: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Run the command while the block runs; its logs go to a file of the directory."""
    command = [sys.executable, "-m", "fairlead", "controller", "--kubeconfig", api.kubeconfig(directory)]
    with (directory / "log").open("w") as log:
        process = subprocess.Popen([*command, *options], stderr=log, text=True, env=os.environ)
        try:
            yield process
        finally:
            process.kill()
            process.wait(PATIENCE)


def logged(directory: Path) -> list[dict[str, object]]:
    """Return what was logged so far."""
    lines = (directory / "log").read_text().splitlines()
    return [json.loads(line) for line in lines]


def asked(url: str) -> tuple[int, str]:
    """Return the answer to a request; 0 where there is none."""
    try:
        with urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - the loopback interface
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, ""
    except URLError:
        return 0, ""


def free_port() -> int:
    """Return a port that is free now."""
    with serving() as api:
        return int(api.url.rpartition(":")[2])


def test_it_serves_and_ends_cleanly(api: ServedApi, tmp_path: Path) -> None:
    """Probes and metrics answer; SIGTERM gives the lease back at once."""
    port = free_port()
    api.refuse = lambda _, path: 503 if path.endswith("/clusters") else None
    api.add(cluster("member1"))
    api.add(binding("web", 3))
    with started(api, tmp_path, "--listen", f"127.0.0.1:{port}", "--workers", "1") as process:
        eventually(lambda: asked(f"http://127.0.0.1:{port}/healthz")[0] == 200)
        assert asked(f"http://127.0.0.1:{port}/readyz")[0] == 503
        api.refuse = lambda _method, _path: None
        eventually(lambda: is_done(api, "web"))
        assert asked(f"http://127.0.0.1:{port}/readyz")[0] == 200
        told = 'fairlead_bindings_total{reason="Success"} 1.0'
        eventually(lambda: told in asked(f"http://127.0.0.1:{port}/metrics")[1])
        assert "fairlead_leading 1.0" in asked(f"http://127.0.0.1:{port}/metrics")[1]
        assert asked(f"http://127.0.0.1:{port}/elsewhere")[0] == 404
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    lease = api.get(LEASE, "fairlead-fairlead", "karmada-system")
    assert lease["spec"]["holderIdentity"] == ""
    assert placed(api, "web") == {"member1": 3}
    decided = next(one for one in logged(tmp_path) if one["message"] == "decided")
    assert decided["binding"] == "default/web-deployment"
    assert decided["clusters"] == {"member1": 3}
    assert decided["level"] == "info"


def test_a_dry_run_takes_no_lease(api: ServedApi, tmp_path: Path) -> None:
    """It only logs."""
    api.add(cluster("member1"))
    api.add(binding("web", 3))
    with started(api, tmp_path, "--dry-run", "--listen", "127.0.0.1:0") as process:
        eventually(lambda: any(one["message"] == "would write" for one in logged(tmp_path)))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert [one for one in api.requests if one.method != "GET"] == []


def test_it_listens_on_an_address_of_ipv6(api: ServedApi, tmp_path: Path) -> None:
    """In brackets, as in a URL; a query behind a path is no other path."""
    with socket.socket(socket.AF_INET6) as tried:
        try:
            tried.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        port = tried.getsockname()[1]
    with started(api, tmp_path, "--dry-run", "--listen", f"[::1]:{port}"):
        eventually(lambda: asked(f"http://[::1]:{port}/healthz?verbose")[0] == 200)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--listen", "8080"], "HOST:PORT"),
        (["--listen", "localhost:http"], "is not a port"),
        (["--lease", "fairlead"], "NAMESPACE/NAME"),
        (["--context", "prod"], "prod"),
        (["--listen", "203.0.113.1:8080"], "served on 203.0.113.1 port 8080"),
    ],
)
def test_wrong_options_are_refused(
    api: ServedApi, options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is served."""
    code = main(["controller", "--kubeconfig", api.kubeconfig(tmp_path), *options])
    assert code == 2
    assert told in capsys.readouterr().err


def test_a_killed_controller_is_followed_by_the_next(api: ServedApi, tmp_path: Path) -> None:
    """What it wrote into the spec gets its status from the next one, which waits for the lease to end."""
    api.add(cluster("member1"))
    api.add(binding("web", 3))
    api.refuse = lambda _, path: 503 if path.endswith("web-deployment/status") else None
    with started(api, tmp_path, "--listen", "127.0.0.1:0") as process:
        eventually(lambda: placed(api, "web") == {"member1": 3})
        process.kill()
        process.wait(PATIENCE)
    assert not is_done(api, "web")
    # Looked at every 3 s: then it has not changed for 2 s.
    shorter = {"spec": {"leaseDurationSeconds": 2}}
    api.patch(LEASE, "fairlead-fairlead", shorter, namespace="karmada-system")
    api.refuse = lambda _method, _path: None
    begun = time.monotonic()
    with started(api, tmp_path, "--listen", "127.0.0.1:0"):
        eventually(lambda: is_done(api, "web"))
    assert time.monotonic() - begun > 2
    assert len([one for one in api.writes() if one.path.endswith("web-deployment")]) == 1
