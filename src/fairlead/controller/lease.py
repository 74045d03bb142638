"""Leader election: of several controllers only the one that holds the lease writes."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from fairlead.controller.watching import begin
from fairlead.live.client import LEASE, Client, Object, RefusedError, UnreachableError

LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class Lease:
    """A lease that this controller holds, or waits for.

    Time is measured by this machine's own clock: a lease of somebody else is over where its version has not
    changed for its duration, whatever the clocks of others say.
    """

    client: Client
    namespace: str
    name: str
    """Namespace and name of the lease."""
    identity: str
    """Name of the one that holds it."""
    duration: float = 15.0
    """Seconds for which a lease that is not renewed is respected."""
    _until: float = 0.0
    _seen: tuple[str, float] = ("", 0.0)
    _holder: str = ""
    _stopped: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def held(self) -> bool:
        """Whether this controller may write now; false well before others may take the lease."""
        return time.monotonic() < self._until

    def start(self, fail: Callable[[Exception], None]) -> None:
        """Try to win the lease, and to keep it, in a thread of its own.

        `fail`: is told of a bug in that thread, which ends it.
        """
        self._thread = begin(self._keep, "lease", fail)

    def release(self) -> None:
        """Stop, and give the lease back where it is held."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(self.duration)
        if not self.held:
            return
        self._until = 0.0
        try:
            found = self.client.get(LEASE.path(self.namespace, self.name))
            if _spec_of(found).get("holderIdentity") == self.identity:
                spec = {**_spec_of(found), "holderIdentity": "", "leaseDurationSeconds": 1}
                self.client.replace(LEASE.path(self.namespace, self.name), {**found, "spec": spec})
        except (RefusedError, UnreachableError) as error:
            LOG.warning("the lease could not be released", extra={"error": str(error)})

    def _keep(self) -> None:
        """Renew the lease five times in its duration, until it is to end."""
        held = False
        while not self._stopped.is_set():
            try:
                self._renew()
            except (RefusedError, UnreachableError) as error:
                LOG.warning("the lease could not be renewed", extra={"error": str(error)})
            if held is not self.held:
                held = self.held
                LOG.info(
                    "leading" if held else "not leading", extra={"lease": f"{self.namespace}/{self.name}"}
                )
            self._stopped.wait(self.duration / 5)

    def _renew(self) -> None:
        """Win or keep the lease where nobody else holds it."""
        begun = time.monotonic()
        path = LEASE.path(self.namespace, self.name)
        try:
            found = self.client.get(path)
        except RefusedError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            typed = {"apiVersion": LEASE.api_version, "kind": LEASE.kind}
            made = {**typed, "metadata": {"name": self.name}, "spec": self._spec({})}
            self.client.create(LEASE.path(self.namespace), made)
        else:
            if self._belongs_to_another(found, begun):
                self._until = 0.0
                self._tell_of(str(_spec_of(found)["holderIdentity"]))
                return
            self.client.replace(path, {**found, "spec": self._spec(_spec_of(found))})
        self._until = begun + self.duration * 2 / 3

    def _tell_of(self, holder: str) -> None:
        """Say for whom this controller waits, once: it does nothing else, and nobody would know why."""
        if holder != self._holder:
            LOG.info("waiting", extra={"lease": f"{self.namespace}/{self.name}", "holder": holder})
        self._holder = holder

    def _belongs_to_another(self, found: Object, now: float) -> bool:
        """Tell whether somebody else holds the lease and has renewed it lately."""
        spec = _spec_of(found)
        holder = spec.get("holderIdentity")
        version = str(found["metadata"]["resourceVersion"])
        if version != self._seen[0]:
            self._seen = (version, now)
        lasting = float(spec.get("leaseDurationSeconds") or self.duration)
        return bool(holder) and holder != self.identity and now < self._seen[1] + lasting

    def _spec(self, before: Object) -> dict[str, Any]:
        """Return the lease as held by this controller, from now on."""
        now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        mine = before.get("holderIdentity") == self.identity
        return {
            "holderIdentity": self.identity,
            "leaseDurationSeconds": max(1, round(self.duration)),
            "acquireTime": before.get("acquireTime", now) if mine else now,
            "renewTime": now,
            "leaseTransitions": int(before.get("leaseTransitions") or 0) + (not mine and bool(before)),
        }


def _spec_of(lease: Object) -> Object:
    """Return the spec of a lease; empty where somebody made one without."""
    return lease.get("spec") or {}
