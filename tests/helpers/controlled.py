"""Controllers that run beside a test, against the small API server."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairlead.controller.controller import Controller
from fairlead.controller.due import ControllerSettings
from fairlead.controller.lease import Lease
from fairlead.controller.metrics import Metrics
from fairlead.live.client import BINDING, REBALANCER, connect
from live_kinds import Object
from served_api import ServedApi

PATIENCE = 120.0
"""Seconds after which something did not happen; a busy machine is slow."""


@dataclass
class Running:
    """A controller that runs, and what it tells."""

    controller: Controller
    metrics: Metrics
    thread: threading.Thread

    def number(self, name: str) -> float:
        """Return a number of its metrics."""
        return self.metrics.registry.get_sample_value(name) or 0.0

    def end(self) -> None:
        """End it cleanly."""
        self.controller.stop()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@contextmanager
def controlled(
    api: ServedApi, directory: Path, *, lease: str | None = None, duration: float = 15.0, **settings: Any
) -> Iterator[Running]:
    """Run a controller while the block runs.

    Parameters
    ----------
    lease
        Its identity where it waits for a lease; None where it writes without one.
    """
    client = connect(None, api.kubeconfig(directory))
    asked = replace(ControllerSettings(window=0.05, time_limit=5.0, workers=1), **settings)
    metrics = Metrics()
    held = None if lease is None else Lease(client, "karmada-system", "fairlead", lease, duration)
    controller = Controller(client, asked, metrics, held, (REBALANCER,))
    running = Running(controller, metrics, threading.Thread(target=controller.run, daemon=True))
    running.thread.start()
    try:
        yield running
    finally:
        running.end()
        api.cut()
        client.close()


def eventually(is_so: Callable[[], object], what: str = "it") -> None:
    """Wait until something is so."""
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until, f"{what} did not happen"
        time.sleep(0.02)


def found(api: ServedApi, name: str, namespace: str = "default") -> Object:
    """Return the binding of a Deployment as the server has it."""
    return api.get(BINDING, f"{name}-deployment", namespace)


def change(api: ServedApi, name: str, patch: Object, subresource: str = "") -> Object:
    """Change the binding of a Deployment as somebody else does."""
    return api.patch(BINDING, f"{name}-deployment", patch, subresource)


def placed(api: ServedApi, name: str, namespace: str = "default") -> dict[str, int | None]:
    """Return where a Deployment is placed."""
    targets = found(api, name, namespace)["spec"].get("clusters") or []
    return {one["name"]: one.get("replicas") for one in targets}


def condition(api: ServedApi, name: str) -> Object:
    """Return the condition that schedulers write; empty where there is none."""
    return _condition_of(found(api, name))


def is_done(api: ServedApi, name: str) -> bool:
    """Tell whether the status of a Deployment's binding says that it is placed as it is now."""
    return _is_done(found(api, name))


def all_are_done(api: ServedApi) -> bool:
    """Tell that of all bindings."""
    return all(map(_is_done, api.all(BINDING)))


def _condition_of(item: Object) -> Object:
    """Return the condition that schedulers write."""
    conditions = item.get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == "Scheduled"), {})


def _is_done(item: Object) -> bool:
    """Tell whether the status of a binding says that it is placed as it is now."""
    observed = item.get("status", {}).get("schedulerObservedGeneration")
    return bool(observed == item["metadata"]["generation"] and _condition_of(item).get("status") == "True")
