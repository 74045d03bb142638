"""A real API server with etcd on loopback ports: the one of `build_live_server`, with the kinds of the tests.

It serves custom resources only. Kinds that a whole control plane has built in (events, Deployments) come from
the small store of the tests, as does the one thing that the server asks of a control plane: who may do what.
"""

import json
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import urllib3

from build_live_server import ETCD, SERVER, cache, is_built
from fake_backend import MERGE, FakeBackend
from fake_store import RefusedError
from live_kinds import KINDS, Object, definition

PATIENCE = 120.0
"""Seconds in which a program begins to answer; a busy machine is slow."""

WATCH = 400.0
"""Seconds without a word after which a watch is given up: longer than any watch is asked for."""

PLUGINS = (
    "NamespaceLifecycle",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
)
"""Checks that need the rest of a control plane."""


class RealBackend:
    """The server as what keeps the objects.

    Parameters
    ----------
    directory
        Where its files go.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._rest = FakeBackend()
        self._server: subprocess.Popen[bytes] | None = None
        self._port = free_port()
        self._etcd = f"http://127.0.0.1:{free_port()}"
        self._pool: urllib3.HTTPSConnectionPool | None = None
        self._defined = False
        self._cuts = 0
        self._watches: set[HTTPSConnection] = set()
        self._lock = threading.Lock()

    @contextmanager
    def stored(self) -> Iterator[None]:
        """Run etcd while the block runs."""
        peer = f"http://127.0.0.1:{free_port()}"
        command: list[str | Path] = [
            cache() / ETCD,
            "--data-dir",
            self._directory / "etcd",
            "--unsafe-no-fsync",
        ]
        command += ["--listen-client-urls", self._etcd, "--advertise-client-urls", self._etcd]
        command += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
        command += ["--initial-cluster", f"default={peer}", "--log-level", "error"]
        process = self._begun(command, "etcd.log")
        try:
            yield
        finally:
            ended(process)

    def begin(self, rights: str) -> None:
        """Start the server, with a kubeconfig that says whom to ask for rights; add the kinds."""
        self._rights = rights
        self.start()
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        for kind in KINDS:
            if not kind.built_in:
                self.answer("POST", definitions, {}, definition(kind), "application/json")
        self._defined = True
        self._wait_for_kinds()

    def _wait_for_kinds(self) -> None:
        """Wait until objects of all kinds can be read."""
        for kind in KINDS:
            self._wait(partial(self._is_served, kind.resource.path()), kind.resource.plural)

    def start(self) -> None:
        """Go on with the objects that are there."""
        if self._server is not None:
            return
        certificates = self._directory / "certificates"
        command: list[str | Path] = [
            cache() / SERVER,
            "--etcd-servers",
            self._etcd,
            "--cert-dir",
            certificates,
        ]
        command += ["--bind-address", "127.0.0.1", "--secure-port", str(self._port)]
        command += [
            f"--{name}kubeconfig={self._rights}" for name in ("", "authentication-", "authorization-")
        ]
        command += ["--authentication-skip-lookup", "--enable-priority-and-fairness=false"]
        command += ["--disable-admission-plugins", ",".join(PLUGINS)]
        self._server = self._begun(command, "server.log")
        self._wait((certificates / "apiserver.crt").exists, "a certificate")
        self._tls = ssl.create_default_context(cafile=str(certificates / "apiserver.crt"))
        self._pool = urllib3.HTTPSConnectionPool(
            "127.0.0.1", self._port, ssl_context=self._tls, maxsize=32, retries=False, timeout=30.0
        )
        self._wait(lambda: self._is_served("/readyz"), "the server")
        if self._defined:
            self._wait_for_kinds()

    def stop(self) -> None:
        """Answer no more."""
        if self._server is None or self._pool is None:
            return
        self._pool.close()
        ended(self._server)
        self._server = None

    def forget(self) -> None:
        """Forget what happened: a server that begins anew knows only what is."""
        self.stop()
        self.start()

    def clear(self) -> None:
        """Remove all objects."""
        self._rest = FakeBackend()
        self.start()
        for kind in KINDS:
            if kind.built_in:
                continue
            namespaces: set[str] = set()
            for item in self.answer("GET", kind.resource.path(), {}, None, "")["items"]:
                meta = item["metadata"]
                namespace = meta.get("namespace", "")
                namespaces.add(namespace)
                if meta.get("finalizers"):
                    free = {"metadata": {"finalizers": None}}
                    self.answer("PATCH", kind.resource.path(namespace, meta["name"]), {}, free, MERGE)
            for namespace in namespaces:
                self.answer("DELETE", kind.resource.path(namespace), {}, None, "")

    def answer(self, method: str, path: str, query: dict[str, str], body: Any, kind: str) -> Object:
        """Return the answer to a request."""
        if _is_built_in(path):
            return self._rest.answer(method, path, query, body, kind)
        if self._pool is None:
            raise RefusedError(503, "the server is not there")
        url = f"{path}?{urlencode(query)}" if query else path
        text = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": kind or "application/json", "Accept": "application/json"}
        try:
            response = self._pool.request(method, url, body=text, headers=headers)
        except urllib3.exceptions.HTTPError as error:
            raise RefusedError(503, str(error)) from error
        if response.status >= 300:
            raise _refused(response.status, response.data)
        found: Object = json.loads(response.data) if path != "/readyz" else {}
        return found

    @contextmanager
    def watch(self, path: str, query: dict[str, str]) -> Iterator[Iterator[Object]]:
        """Yield what happens, until `cut`."""
        if _is_built_in(path):
            with self._rest.watch(path, query) as events:
                yield events
            return
        cuts = self._cuts
        # However it ends: a server that is being restarted may refuse the question itself.
        connection = HTTPSConnection("127.0.0.1", self._port, context=self._tls, timeout=WATCH)
        with closing(connection):
            connection.request("GET", f"{path}?{urlencode(query)}", headers={"Accept": "application/json"})
            with connection.getresponse() as response:
                if response.status >= 300:
                    raise _refused(response.status, response.read())
                with self._cuttable(connection, cuts):
                    yield _events(response)

    @contextmanager
    def _cuttable(self, connection: HTTPSConnection, cuts: int) -> Iterator[None]:
        """Let `cut` end a connection while the block runs; at once where it was begun before the last cut."""
        with self._lock:
            self._watches.add(connection)
            if self._cuts != cuts:
                _shut(connection)
        try:
            yield
        finally:
            with self._lock:
                self._watches.discard(connection)

    def cut(self) -> None:
        """End all watches."""
        self._rest.cut()
        with self._lock:
            self._cuts += 1
            for connection in self._watches:
                _shut(connection)

    def _is_served(self, path: str) -> bool:
        """Tell whether a path is answered."""
        try:
            self.answer("GET", path, {}, None, "")
        except RefusedError:
            return False
        return True

    def _begun(self, command: list[str | Path], log: str) -> "subprocess.Popen[bytes]":
        """Start a program that logs into a file; it ends with this process."""
        with (self._directory / log).open("ab") as file:
            return subprocess.Popen([str(part) for part in command], stdout=file, stderr=file)

    def _wait(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait until something is there."""
        until = time.monotonic() + PATIENCE
        while not is_so():
            died = self._server is not None and self._server.poll() is not None
            if died or time.monotonic() > until:
                log = (self._directory / "server.log").read_text(errors="replace")[-3000:]
                raise AssertionError(f"{what} is not there:\n{log}")
            time.sleep(0.1)


def _events(response: HTTPResponse) -> Iterator[Object]:
    """Yield the events of a watch until it ends."""
    with suppress(OSError, HTTPException, ValueError):
        while line := response.readline():
            yield json.loads(line)


def _shut(connection: HTTPSConnection) -> None:
    """Let nothing more come through a connection that somebody reads."""
    if connection.sock is not None:
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)


def _is_built_in(path: str) -> bool:
    """Tell whether a path belongs to a kind, or group, that no server of custom resources has."""
    return path.startswith(("/api/", "/apis/apps/"))


def _refused(code: int, text: bytes) -> RefusedError:
    """Return what a request was refused with."""
    try:
        message = str(json.loads(text).get("message", ""))
    except ValueError:
        message = text.decode(errors="replace")
    return RefusedError(code, message)


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def ended(process: "subprocess.Popen[bytes]") -> None:
    """End a program, at once where it does not end by itself."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class _Rights(BaseHTTPRequestHandler):
    """Allows everything to everybody, and holds nothing."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Stay silent."""

    def do_POST(self) -> None:
        """Allow what is asked about."""
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send(201, {**review, "status": {"allowed": True}})

    def do_GET(self) -> None:
        """List nothing; there is nothing to watch either, and who asks is let wait before he asks again."""
        query = parse_qs(urlsplit(self.path).query)
        if "watch" in query and "sendInitialEvents" not in query:
            time.sleep(60)
        if "watch" in query:
            self._send(422, {"kind": "Status", "apiVersion": "v1", "code": 422, "status": "Failure"})
            return
        self._send(
            200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []}
        )

    def _send(self, code: int, answer: Object) -> None:
        text = json.dumps(answer).encode()
        with suppress(OSError):  # who asked may be gone
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)


@contextmanager
def _granting(directory: Path) -> Iterator[str]:
    """Answer questions of rights while the block runs; yields a kubeconfig."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Rights)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    path = directory / "rights"
    named = {"name": "all", "context": {"cluster": "all", "user": "all"}}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "all",
        "contexts": [named],
        "clusters": [{"name": "all", "cluster": {"server": url}}],
        "users": [{"name": "all", "user": {}}],
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        yield str(path)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def running() -> Iterator[RealBackend]:
    """Run the server while the block runs.

    Raises
    ------
    AssertionError
        It is not built, or does not start; says what it logged.
    """
    assert is_built(), f"there is no API server in {cache()}: make live-server"
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        backend = RealBackend(Path(name))
        with _granting(Path(name)) as rights, backend.stored():
            try:
                backend.begin(rights)
                yield backend
            finally:
                backend.stop()
