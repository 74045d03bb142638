"""``fairlead controller``: place the bindings of a Karmada control plane as they become due."""

import os
import platform
import signal
import uuid
from collections.abc import Callable
from contextlib import closing
from types import FrameType
from typing import TYPE_CHECKING

import click

from fairlead.cli import exits
from fairlead.cli.options import WORKERS, flag, time_limit, valued
from fairlead.cli.values import pair
from fairlead.solver.running.deadline import ENDING, Listener, handled

if TYPE_CHECKING:
    from fairlead.controller.due import ControllerSettings
    from fairlead.live.client import Client

_USE = """\b
Examples:
  fairlead controller --context karmada --dry-run
  fairlead controller --context karmada --namespace shop"""

_LEASE = "karmada-system/fairlead-SCHEDULER"


def _lease(value: str) -> tuple[str, str]:
    """Read ``NAMESPACE/NAME``."""
    return pair(value, "NAMESPACE/NAME", "/")


def _address(value: str) -> tuple[str, str]:
    """Read ``HOST:PORT``; an address of IPv6 stands in brackets, as in a URL."""
    host, port = pair(value, "HOST:PORT", ":")
    return host.removeprefix("[").removesuffix("]"), port


@click.command("controller", epilog=_USE)
@valued("--context", "Context of the kubeconfig.  [default: its current one]", "NAME")
@valued("--kubeconfig", "Kubeconfig.  [default: KUBECONFIG, ~/.kube/config, or this pod's]", "FILE")
@valued("--scheduler-name", "Serve bindings of this schedulerName.", "NAME", default="fairlead")
@valued("-n --namespace namespaces", "Serve only this namespace.", "NAME", each=True)
@flag("--dry-run", "Write nothing; log what would be written.")
@valued(
    "--window",
    "Collect changes for this long, and place them together.",
    "SECONDS",
    type=click.FloatRange(min=0, max=60),
    default=0.05,
)
@time_limit(10, "Stop placing a batch after this many seconds, with the best placement found")
@WORKERS
@valued(
    "--lease",
    f"Lease for leader election: only its holder writes; a dry run takes none.  [default: {_LEASE}]",
    "NAMESPACE/NAME",
    type=_lease,
)
@valued(
    "--listen",
    "Serve /healthz, /readyz and /metrics there.",
    "HOST:PORT",
    type=_address,
    default="0.0.0.0:8080",
)
def controller_command(  # noqa: PLR0913 - the options, all by keyword
    context: str | None,
    kubeconfig: str | None,
    scheduler_name: str,
    namespaces: tuple[str, ...],
    *,
    dry_run: bool,
    window: float,
    time_limit: float | None,
    workers: int | None,
    lease: tuple[str, str] | None,
    listen: tuple[str, str],
) -> int:
    """Place the bindings of a Karmada control plane as they become due, all that are due together.

    Serves bindings whose schedulerName is its own, and leaves all others alone. Logs are JSON, on standard
    error. SIGTERM and Ctrl-C end it cleanly; a second one ends it at once.
    """
    if not listen[1].isdigit() or int(listen[1]) > 65535:
        raise click.BadParameter(f"{listen[1]!r} is not a port", param_hint="--listen")
    from fairlead.controller.due import ControllerSettings
    from fairlead.live.client import connect

    settings = ControllerSettings(scheduler_name, frozenset(namespaces), dry_run, window, time_limit, workers)
    with closing(connect(context, kubeconfig)) as client:
        place = lease or ("karmada-system", f"fairlead-{scheduler_name}")
        _serve(client, settings, place, (listen[0], int(listen[1])))
    return exits.SOLVED


def _serve(
    client: "Client", settings: "ControllerSettings", lease: tuple[str, str], listen: tuple[str, int]
) -> None:
    """Serve until a signal ends it."""
    from fairlead.controller.controller import Controller
    from fairlead.controller.lease import Lease
    from fairlead.controller.metrics import Metrics, log_to, serving
    from fairlead.live.client import REBALANCER
    from fairlead.live.reading import served
    from fairlead.manifests import extensions
    from fairlead.manifests.api import KINDS

    log_to()
    metrics = Metrics()
    kinds = [
        (REBALANCER.api_version, REBALANCER.kind),
        *(named for named, kind in KINDS.items() if kind.row == "own"),
    ]
    kinds += [(kind.group_version, name) for name, kind in extensions.kinds().items()]
    others = served(client, kinds)
    identity = f"{platform.node()}_{uuid.uuid4()}"
    held = None if settings.dry_run else Lease(client, *lease, identity)
    controller = Controller(client, settings, metrics, held, others)
    heard = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    with (
        handled(heard, _Ending(controller.stop)),
        serving(*listen, metrics.registry, lambda: controller.is_healthy, lambda: controller.is_ready),
    ):
        controller.run()


class _Ending(Listener):
    """Ends the controller, and a search that it is in; the second signal ends the process at once."""

    def __init__(self, stop: Callable[[], None]) -> None:
        super().__init__(lambda number, _frame: os._exit(128 + number))
        self._stop = stop
        self._heard = False

    def __call__(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Handle a signal."""
        if self._heard:
            os._exit(128 + number)
        self._heard = True
        self._stop()
        self.ask()
