"""An API server on the loopback interface, with the faults that a test asks for.

What is behind it keeps the objects: the small store of the tests, or a real API server. The client library
talks to it over real HTTP either way, so one suite runs against both.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qs, urlsplit

from fairlead.live.client import ResourceType
from fake_backend import APPLY, MERGE, FakeBackend
from fake_store import RefusedError
from live_kinds import RESOURCES, Object

FINALIZER = "fairlead.io/test"
OF_THE_SERVER = (
    "creationTimestamp",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
)
"""Metadata that nobody else writes."""


class Backend(Protocol):
    """What keeps the objects."""

    def answer(self, method: str, path: str, query: dict[str, str], body: Any, kind: str) -> Object:
        """Return the answer to a request with a body of some content type, or refuse it."""
        ...

    def watch(self, path: str, query: dict[str, str]) -> AbstractContextManager[Iterator[Object]]:
        """Yield what happens, until `cut`; refuse where the version is too old."""
        ...

    def cut(self) -> None:
        """End all watches."""
        ...

    def forget(self) -> None:
        """Forget what happened, so that every watch begins anew."""
        ...

    def start(self) -> None:
        """Go on with the objects that are there."""
        ...

    def stop(self) -> None:
        """Answer no more."""
        ...


class Request(NamedTuple):
    """A request that was answered."""

    method: str
    path: str
    body: Any


class ServedApi:
    """The server with its faults and what it was asked.

    Attributes
    ----------
    requests
        All requests but watches, in the order of their answers.
    refuse
        Returns the code with which to refuse a request; None lets it pass.
    words
        What is said where a request is refused.
    after
        Is told of every write that was answered, before the client hears of it.
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.requests: list[Request] = []
        self.refuse: Callable[[str, str], int | None] = lambda _method, _path: None
        self.words = "refused by the test"
        self.after: Callable[[Request], None] = lambda _request: None
        self._port = 0
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Serve; on the same port as before."""
        self.backend.start()
        handler = type("Handler", (_Handler,), {"api": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End all connections and serve no more, as a server that is restarted."""
        self.close()
        self.backend.stop()

    def close(self) -> None:
        """End all connections."""
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server = None
        self.cut()

    def cut(self) -> None:
        """End all watches."""
        self.backend.cut()

    def forget(self) -> None:
        """Forget what happened, so that every watch begins anew."""
        self.backend.forget()

    @property
    def stopped(self) -> bool:
        """Whether nothing is served."""
        return self._server is None

    @property
    def url(self) -> str:
        """Where it is served."""
        return f"http://127.0.0.1:{self._port}"

    def add(self, item: Object) -> Object:
        """Put an object there with its status, as if several controllers had made it; return it."""
        resource = RESOURCES[item["apiVersion"], item["kind"]]
        meta = item["metadata"]
        place = str(meta.get("namespace", "")), str(meta["name"])
        leaving = "deletionTimestamp" in meta
        made = {name: value for name, value in meta.items() if name not in OF_THE_SERVER}
        body = {**item, "metadata": {**made, **({"finalizers": [FINALIZER]} if leaving else {})}}
        found = self._asked("POST", resource.path(place[0]), body)
        if item.get("status"):
            found = self.patch(resource, place[1], {"status": item["status"]}, "status", place[0])
        return self.delete(resource, place[1], place[0]) if leaving else found

    def get(self, resource: ResourceType, name: str, namespace: str = "default") -> Object:
        """Return an object as it is."""
        return self._asked("GET", resource.path(namespace if resource.namespaced else "", name))

    def all(self, resource: ResourceType) -> list[Object]:
        """Return all objects of a kind."""
        return list(self._asked("GET", resource.path()).get("items") or ())

    def patch(
        self,
        resource: ResourceType,
        name: str,
        patch: Object,
        subresource: str = "",
        namespace: str = "default",
    ) -> Object:
        """Change an object as somebody else does."""
        path = resource.path(namespace if resource.namespaced else "", name, subresource)
        return self._asked("PATCH", path, patch)

    def apply(self, document: Object, subresource: str = "") -> Object:
        """Apply a document as kubectl does with --server-side --force-conflicts --field-manager=fairlead."""
        resource = RESOURCES[document["apiVersion"], document["kind"]]
        meta = document["metadata"]
        path = resource.path(meta.get("namespace", ""), meta["name"], subresource)
        query = {"fieldManager": "fairlead", "force": "true"}
        return self.backend.answer("PATCH", path, query, document, APPLY)

    def delete(self, resource: ResourceType, name: str, namespace: str = "default") -> Object:
        """Remove an object as somebody else does."""
        return self._asked("DELETE", resource.path(namespace if resource.namespaced else "", name))

    def _asked(self, method: str, path: str, body: Any = None) -> Object:
        """Ask the backend, past all faults."""
        kind = MERGE if method == "PATCH" else "application/json"
        return self.backend.answer(method, path, {}, body, kind)

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
def serving(backend: Backend | None = None) -> Iterator[ServedApi]:
    """Serve while the block runs; without a backend, an empty store."""
    api = ServedApi(backend or FakeBackend())
    api.start()
    try:
        yield api
    finally:
        api.close()


class _Handler(BaseHTTPRequestHandler):
    """Answers requests."""

    api: ServedApi
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
                kind = str(self.headers["Content-Type"])
                answer = self.api.backend.answer(self.command, split.path, query, body, kind)
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

    def _watch(self, path: str, query: dict[str, str]) -> None:
        with self.api.backend.watch(path, query) as events:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.close_connection = True
            for event in events:
                text = json.dumps(event).encode() + b"\n"
                self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")


def _pass(code: int | None, words: str) -> None:
    """Refuse a request with the code of the test, where it has one."""
    if code is not None:
        raise RefusedError(code, words)
