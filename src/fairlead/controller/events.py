"""Events on bindings and their workloads, as kubectl describe shows them."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime

from fairlead.controller.batch import Decision, Placed
from fairlead.controller.world import Entry
from fairlead.live.client import Client, Object, RefusedError, UnreachableError
from fairlead.live.resources import EVENT

LOG = logging.getLogger(__name__)

_LONGEST = 1024


def tell(client: Client, entry: Entry, decision: Decision, component: str) -> None:
    """Write an event on a binding and one on its workload; what the server refuses is only logged.

    Parameters
    ----------
    client
        The connection.
    entry
        The binding.
    decision
        What was decided.
    component
        Name of the scheduler.
    """
    for event in events(entry, decision, component):
        try:
            client.create(EVENT.path(event["metadata"]["namespace"]), event)
        except (RefusedError, UnreachableError) as error:
            LOG.warning("no event", extra={"binding": str(entry.place), "error": str(error)})
            return


def events(entry: Entry, decision: Decision, component: str) -> Iterator[Object]:
    """Yield the events of a decision: on the binding, and on its workload."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
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
