"""/healthz, /readyz and /metrics."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest


@contextmanager
def serving(
    host: str,
    port: int,
    registry: CollectorRegistry,
    is_healthy: Callable[[], bool],
    is_ready: Callable[[], bool],
) -> Iterator[int]:
    """Serve while the block runs.

    Parameters
    ----------
    host, port
        Where; port 0 takes any that is free.
    registry
        What ``/metrics`` tells.
    is_healthy, is_ready
        What ``/healthz`` and ``/readyz`` tell.

    Yields
    ------
    int
        The port.
    """

    class Handler(BaseHTTPRequestHandler):  # the names of its methods are the library's
        def do_GET(self) -> None:
            checks = {"/healthz": is_healthy, "/readyz": is_ready}
            if self.path == "/metrics":
                self._send(HTTPStatus.OK, generate_latest(registry))
            elif self.path in checks:
                good = checks[self.path]()
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

    server = ThreadingHTTPServer((host, port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="serving", daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
