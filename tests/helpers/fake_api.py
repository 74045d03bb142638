"""A small API server on the loopback interface: the real client library talks to it over real HTTP."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from fake_store import KINDS, Object, RefusedError, Row, Store

BOOKMARK_AFTER = 0.2
"""Seconds without an event after which a watch is told how far the server is."""


class Request(NamedTuple):
    """A request that was answered."""

    method: str
    path: str
    body: Any


class Target(NamedTuple):
    """What a path names."""

    row: Row
    namespace: str
    name: str
    subresource: str


class FakeApi:
    """The server with its objects, its faults and what it was asked.

    Attributes
    ----------
    store
        The objects.
    requests
        All requests but watches, in the order of their answers.
    refuse
        Returns the code with which to refuse a request; None lets it pass.
    words
        What is said where a request is refused.
    after
        Is told of every write that was answered, before the client hears of it.
    """

    def __init__(self) -> None:
        self.store = Store()
        self.requests: list[Request] = []
        self.refuse: Callable[[str, str], int | None] = lambda _method, _path: None
        self.words = "refused by the test"
        self.after: Callable[[Request], None] = lambda _request: None
        self.cuts = 0
        self._port = 0
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Serve; on the same port as before."""
        handler = type("Handler", (_Handler,), {"api": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End all connections and serve no more."""
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server = None
        self.cut()

    def cut(self) -> None:
        """End all watches."""
        with self.store.changed:
            self.cuts += 1
            self.store.changed.notify_all()

    @property
    def stopped(self) -> bool:
        """Whether nothing is served."""
        return self._server is None

    @property
    def url(self) -> str:
        """Where it is served."""
        return f"http://127.0.0.1:{self._port}"

    def writes(self, part: str = "bindings") -> list[Request]:
        """Return the writes so far whose path holds a text."""
        return [one for one in self.requests if one.method != "GET" and part in one.path]

    def kubeconfig(self, directory: Path) -> str:
        """Write a kubeconfig with the context ``fake`` and return its path."""
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "fake",
            "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "fake"}}],
            "clusters": [{"name": "fake", "cluster": {"server": self.url}}],
            "users": [{"name": "fake", "user": {"token": "secret"}}],
        }
        path = directory / "kubeconfig"
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)


@contextmanager
def serving() -> Iterator[FakeApi]:
    """Serve an empty server while the block runs."""
    api = FakeApi()
    api.start()
    try:
        yield api
    finally:
        api.stop()


class _Handler(BaseHTTPRequestHandler):
    """Answers requests."""

    api: FakeApi
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Stay silent."""

    def _any(self) -> None:
        split = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(split.query).items()}
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        if self.api.stopped:
            self.close_connection = True
            return
        with suppress(OSError):
            try:
                _pass(self.api.refuse(self.command, split.path), self.api.words)
                if query.get("watch") == "true":
                    self._watch(split.path, query)
                    return
                answer = self._answer(split.path, query, body)
                told = Request(self.command, split.path, body)
                self.api.requests.append(told)
                if self.command != "GET":
                    self.api.after(told)
                self._send(201 if self.command == "POST" else 200, answer)
            except RefusedError as error:
                self.api.requests.append(Request(self.command, split.path, body))
                self._send(error.code, {"kind": "Status", "code": error.code, "message": str(error)})

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _any  # noqa: N815 - names of the library

    def _send(self, code: int, answer: Object) -> None:
        text = json.dumps(answer).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _answer(self, path: str, query: dict[str, str], body: Any) -> Object:
        found = _discovered(path)
        if found is not None:
            return found
        store = self.api.store
        row, namespace, name, subresource = _target(store, path)
        match self.command:
            case "GET" if not name:
                return _page(store, row, namespace, query)
            case "GET":
                return store.get(row, namespace, name)
            case "POST":
                return store.create(row, namespace, body)
            case "PATCH":
                if self.headers["Content-Type"] != "application/merge-patch+json":
                    raise RefusedError(415, "only merge patches are served")
                return store.patch(row, namespace, name, body, subresource)
            case "PUT":
                return store.replace(row, namespace, name, body, subresource)
            case _:
                return store.delete(row, namespace, name)

    def _watch(self, path: str, query: dict[str, str]) -> None:
        store, cuts = self.api.store, self.api.cuts
        row, namespace, _, _ = _target(store, path)
        version = int(query.get("resourceVersion") or 0)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        while self.api.cuts == cuts:
            with store.changed:
                try:
                    events = list(store.since(row, version))
                except RefusedError as error:
                    status = {"kind": "Status", "code": error.code, "message": str(error)}
                    self._line({"type": "ERROR", "object": status})
                    break
                if not events and not store.changed.wait(BOOKMARK_AFTER):
                    meta = {"resourceVersion": str(store.version)}
                    events = [(store.version, "BOOKMARK", {"kind": row.kind.kind, "metadata": meta})]
            for number, event, item in events:
                version = number
                if not namespace or item["metadata"].get("namespace") == namespace:
                    self._line({"type": event, "object": item})
        self.wfile.write(b"0\r\n\r\n")

    def _line(self, event: Object) -> None:
        text = json.dumps(event).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
        self.wfile.flush()


def _pass(code: int | None, words: str) -> None:
    """Refuse a request with the code of the test, where it has one."""
    if code is not None:
        raise RefusedError(code, words)


def _discovered(path: str) -> Object | None:
    """Return what discovery tells of a group and version; None where the path is no question of discovery."""
    parts = path.strip("/").split("/")
    if len(parts) != (2 if parts[0] == "api" else 3):
        return None
    version = "/".join(parts[1:])
    kinds = [one for one in KINDS if one.api_version == version]
    if not kinds:
        raise RefusedError(404, "the server could not find the requested resource")
    resources = [
        {
            "name": one.plural,
            "kind": one.kind,
            "namespaced": one.namespaced,
            "verbs": ["get", "list", "watch"],
        }
        for one in kinds
    ]
    return {"kind": "APIResourceList", "groupVersion": version, "resources": resources}


def _target(store: Store, path: str) -> Target:
    """Return what a path names."""
    parts = path.strip("/").split("/")
    length = 2 if parts[0] == "api" else 3
    version, rest = "/".join(parts[1:length]), parts[length:]
    namespace = ""
    if rest[0] == "namespaces":
        namespace, rest = rest[1], rest[2:]
    plural, name, subresource = [*rest, "", ""][:3]
    return Target(store.row(version, plural), namespace, name, subresource)


def _page(store: Store, row: Row, namespace: str, query: dict[str, str]) -> Object:
    """Return a page of a list; items tell no kind, as those of a real server."""
    with store.changed:
        items = [item for place, item in sorted(row.objects.items()) if namespace in ("", place[0])]
        begin, size = int(query.get("continue") or 0), int(query.get("limit") or 0) or len(items) + 1
        page = items[begin : begin + size]
        meta = {"resourceVersion": str(store.version)}
        if begin + size < len(items):
            meta["continue"] = str(begin + size)
    bare = [
        {name: value for name, value in item.items() if name not in ("kind", "apiVersion")} for item in page
    ]
    return {
        "apiVersion": row.kind.api_version,
        "kind": f"{row.kind.kind}List",
        "metadata": meta,
        "items": bare,
    }
