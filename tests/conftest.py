"""
How Hypothesis draws its cases in this repository, and the API server of the tests that need one.

The draws are the same in every run (a failure on the build server is a failure here), and no case has a
deadline: how fast something is depends on the machine and belongs to ``benchmarks/``. With FAIRLEAD_LONG
set in the environment (``make check-long``) every property is tried on many more cases.
"""

import itertools
import os
import signal
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

from real_backend import RealBackend, running
from served_api import ServedApi, serving

# In the background of a script Ctrl-C is ignored, and under nohup a closed terminal, by all that is started.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Slow draws are a matter of the machine as well, hence no complaint about them.
settings.register_profile(
    "quick",
    max_examples=40,
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("quick"), max_examples=1000)
settings.load_profile("long" if os.environ.get("FAIRLEAD_LONG") else "quick")


@pytest.fixture(scope="session")
def live_server() -> Iterator[RealBackend]:
    """Run a real API server."""
    with running() as backend:
        yield backend


@pytest.fixture
def counted_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every look at the clock take 1 ms: a time limit ends a search at the same step on every machine."""
    looks = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: next(looks) * 0.001)
    monkeypatch.setattr("fairlead.solver.running.deadline.time", clock)


@pytest.fixture(params=["real" if os.environ.get("FAIRLEAD_LIVE") else "fake"])
def api(request: pytest.FixtureRequest) -> Iterator[ServedApi]:
    """Serve an empty API server: the small one, or with FAIRLEAD_LIVE (``make test-live``) a real one."""
    backend = None
    if request.param == "real":
        backend = request.getfixturevalue("live_server")
        backend.clear()
    with serving(backend) as served:
        yield served
