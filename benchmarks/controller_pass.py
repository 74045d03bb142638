"""How long `fairlead controller` takes for a whole control plane, and for one change in it.

    python benchmarks/controller_pass.py [--bindings 1000] [--clusters 50]

The API server is the small one of the tests, in a process of its own; all traffic is real HTTP.
"""

import argparse
import multiprocessing
import resource
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))

from fairlead.controller.controller import Controller
from fairlead.controller.due import ControllerSettings
from fairlead.controller.metrics import Metrics
from fairlead.live.client import BINDING, Client, connect
from live_kinds import Object
from live_objects import binding, cluster
from served_api import serving

FIRST_PASS, ONE_CHANGE, MEMORY = 30.0, 0.3, 500.0
"""Bars: seconds, seconds, MiB."""

CHANGES = 10


def serve(pipe: Connection, bindings: int, clusters: int) -> None:
    """Serve a control plane until the other end says so."""
    with serving() as api, tempfile.TemporaryDirectory() as directory:
        for number in range(clusters):
            api.add(cluster(f"member{number:02}", cpu=str(40 + number % 7 * 10)))
        for number in range(bindings):
            cpu = f"{100 + number % 5 * 100}m"
            api.add(binding(f"web{number:04}", 2 + number % 9, namespace=f"team{number % 20}", cpu=cpu))
        pipe.send(api.kubeconfig(Path(directory)))
        pipe.recv()


def bindings_of(client: Client) -> list[Object]:
    """Return all bindings as the server has them."""
    return client.list(BINDING)[0]


def is_done(item: Object) -> bool:
    """Tell whether a binding is placed and its status says so."""
    status = item.get("status") or {}
    placed = sum(one["replicas"] for one in item["spec"].get("clusters") or ())
    observed = status.get("schedulerObservedGeneration") == item["metadata"]["generation"]
    return bool(observed and placed == item["spec"]["replicas"])


def seconds_until(is_so: Callable[[], bool], step: float) -> float:
    """Wait until something is so and return the seconds."""
    begun = time.monotonic()
    while not is_so():
        time.sleep(step)
    return time.monotonic() - begun


def changed(client: Client, item: Object) -> float:
    """Scale a binding and return the seconds until it is placed again."""
    meta = item["metadata"]
    path = BINDING.path(meta["namespace"], meta["name"])
    client.patch(path, {"spec": {"replicas": item["spec"]["replicas"] + 1}}, "benchmark")
    return seconds_until(lambda: is_done(client.get(path)), 0.005)


def measure(client: Client, controller: Controller) -> dict[str, Any]:
    """Measure a first pass, changes after it, and memory."""
    thread = threading.Thread(target=controller.run)
    thread.start()
    first = seconds_until(lambda: all(map(is_done, bindings_of(client))), 0.5)
    items = bindings_of(client)
    changes = [changed(client, items[number * len(items) // CHANGES]) for number in range(CHANGES)]
    controller.stop()
    thread.join()
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "first": first,
        "median": statistics.median(changes),
        "slowest": max(changes),
        "memory": mebibytes,
    }


def main() -> int:
    """Measure, print, and return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bindings", type=int, default=1000)
    parser.add_argument("--clusters", type=int, default=50)
    asked = parser.parse_args()
    here, there = multiprocessing.get_context("spawn").Pipe()
    arguments = (there, asked.bindings, asked.clusters)
    server = multiprocessing.get_context("spawn").Process(target=serve, args=arguments)
    server.start()
    client = connect(None, here.recv())
    found = measure(client, Controller(client, ControllerSettings(), Metrics()))
    here.send(None)
    server.join()
    print(f"{asked.bindings} bindings x {asked.clusters} clusters")
    print(f"first pass      {found['first']:8.2f} s    (bar {FIRST_PASS:g} s)")
    print(
        f"one change      {found['median']:8.3f} s    (bar {ONE_CHANGE:g} s; slowest {found['slowest']:.3f})"
    )
    print(f"memory, at most {found['memory']:8.0f} MiB  (bar {MEMORY:g} MiB)")
    kept = found["first"] <= FIRST_PASS and found["median"] <= ONE_CHANGE and found["memory"] <= MEMORY
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
