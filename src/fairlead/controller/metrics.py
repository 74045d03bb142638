"""Events, logs as JSON, numbers for Prometheus, and the health of a controller."""

import json
import logging
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import IO, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from fairlead.controller.due import Decision, Kept, Placed
from fairlead.controller.world import ObjectVersion
from fairlead.live.client import EVENT, Client, Object, RefusedError, UnreachableError
from fairlead.models.errors import UsageError

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """Writes a record with all its extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _PLAIN},
        }
        if record.exc_info:
            told["trace"] = self.formatException(record.exc_info)
        return json.dumps(told, default=str, ensure_ascii=False)


def log_to(stream: IO[str] = sys.stderr, level: int = logging.INFO) -> None:
    """Send the logs of fairlead to a stream, as JSON."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("fairlead")
    logger.handlers = [handler]
    logger.setLevel(level)
    logger.propagate = False


_SECONDS = (0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30, 60)


class Metrics:
    """All numbers of one controller, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        gauge = partial(Gauge, registry=self.registry)
        counter = partial(Counter, registry=self.registry)
        histogram = partial(Histogram, buckets=_SECONDS, registry=self.registry)
        self.queue = gauge("fairlead_queue", "Bindings in the queue.")
        self.leading = gauge("fairlead_leading", "1 if this controller is the leader.")
        self.batches = counter("fairlead_batches", "Batches that were placed.")
        self.batch_seconds = histogram("fairlead_batch_seconds", "Time for placing a batch.")
        self.binding_seconds = histogram(
            "fairlead_binding_seconds", "Time from a change of a binding until its placement is written."
        )
        self.decisions = counter("fairlead_bindings", "Bindings by outcome.", ["reason"])
        self.gap = gauge("fairlead_gap", "Greatest gap of the last batch, 0 where all is proven.")
        self.missing = gauge("fairlead_unplaced_replicas", "Unplaced replicas of the last batch.")
        self.moved = counter("fairlead_moved_replicas", "Replicas that were moved off a cluster.")
        self.conflicts = counter("fairlead_conflicts", "Writes refused because of a conflict.")
        self.lost = counter("fairlead_lost_watches", "Kinds that could not be read.", ["resource"])


@contextmanager
def serving(
    host: str,
    port: int,
    registry: CollectorRegistry,
    is_healthy: Callable[[], bool],
    is_ready: Callable[[], bool],
) -> Iterator[int]:
    """Serve while the block runs, and yield the port; port 0 takes any that is free.

    `registry`: what ``/metrics`` tells. `is_healthy`, `is_ready`: what ``/healthz`` and ``/readyz`` tell.

    Raises `UsageError` where nothing can be served there.
    """

    class Handler(BaseHTTPRequestHandler):  # the names of its methods are the library's
        def do_GET(self) -> None:
            checks = {"/healthz": is_healthy, "/readyz": is_ready}
            path = self.path.partition("?")[0]
            if path == "/metrics":
                self._send(HTTPStatus.OK, generate_latest(registry))
            elif path in checks:
                good = checks[path]()
                status = HTTPStatus.OK if good else HTTPStatus.SERVICE_UNAVAILABLE
                self._send(status, b"ok\n" if good else b"not yet\n")
            else:
                self._send(HTTPStatus.NOT_FOUND, b"not found\n")

        def _send(self, status: HTTPStatus, text: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
            """Leave requests out of the log."""

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

    try:
        server = Server((host, port), Handler)
    except OSError as error:
        raise UsageError(f"nothing can be served on {host} port {port}: {error.strerror}") from error
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="serving", daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


LOG = logging.getLogger(__name__)

_LONGEST = 1024


def tell(client: Client, entry: ObjectVersion, decision: Decision, component: str) -> None:
    """Write an event on a binding and one on its workload; what the server refuses is only logged."""
    for event in events(entry, decision, component):
        try:
            client.create(EVENT.path(event["metadata"]["namespace"]), event)
        except (RefusedError, UnreachableError) as error:
            LOG.warning("no event", extra={"binding": str(entry.place), "error": str(error)})
            return


def events(entry: ObjectVersion, decision: Decision, component: str) -> Iterator[Object]:
    """Yield the events of a decision: on the binding, and on its workload."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(decision, Kept):
        return
    if isinstance(decision, Placed):
        parts = (
            f"{one['name']}: {one['replicas']}" if "replicas" in one else one["name"]
            for one in decision.targets
        )
        kind, reason = "Normal", "ScheduleBindingSucceed"
        message = f"Binding has been scheduled successfully. Result: {{{', '.join(parts)}}}"
    else:
        kind, reason, message = "Warning", "ScheduleBindingFailed", decision.message
    binding = {
        "apiVersion": entry.place.resource.api_version,
        "kind": entry.place.resource.kind,
        "namespace": entry.place.namespace,
        "name": entry.place.name,
        "uid": str(entry.metadata.get("uid", "")),
    }
    resource = entry.spec.get("resource") or {}
    names = ("apiVersion", "kind", "namespace", "name", "uid")
    for about in (binding, {name: str(resource.get(name, "")) for name in names}):
        namespace = about.get("namespace") or "default"
        yield {
            "apiVersion": EVENT.api_version,
            "kind": EVENT.kind,
            "metadata": {"generateName": f"{entry.place.name[:200]}.", "namespace": namespace},
            "involvedObject": {name: value for name, value in about.items() if value},
            "type": kind,
            "reason": reason,
            "message": message[:_LONGEST],
            "source": {"component": component},
            "reportingComponent": component,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
