"""What is written into a binding: the spec first, then the status."""

import json
from collections.abc import Mapping
from typing import Any

from fairlead.controller.batch import Placed, Unplaced
from fairlead.controller.standing import SCHEDULED, condition_of
from fairlead.controller.world import Entry
from fairlead.live.client import Object
from fairlead.manifests.karmada.scheduled import APPLIED, compact

SUCCESS = "Success"
"""Reason of the condition where all went well."""

MESSAGE = "Binding has been scheduled successfully."
"""Its message, as Karmada's scheduler writes it."""


def spec_patch(entry: Entry, placed: Placed) -> Object | None:
    """Return the merge patch that places a binding; None where it would change nothing.

    Never in it: replicas and requests, which belong to the detector. The version makes it fail where the
    binding has changed since.
    """
    applied = compact(entry.spec["placement"])
    before = (entry.metadata.get("annotations") or {}).get(APPLIED)
    targets = [dict(one) for one in placed.targets]
    same = _in_order(entry.spec.get("clusters") or []) == _in_order(targets)
    if same and before is not None and _parsed(before) == entry.spec["placement"]:
        return None
    spec = {} if same else {"spec": {"clusters": targets}}
    return {"metadata": {"resourceVersion": entry.version, "annotations": {APPLIED: applied}}, **spec}


def success(entry: Entry, now: str, placed: Placed | None = None) -> Object | None:
    """Return the patch of the status of a binding that is placed; None where it would change nothing.

    Parameters
    ----------
    entry
        The binding, its spec as it was written.
    now
        The time, as Kubernetes writes it.
    placed
        Where it was placed just now; None where it stood there before, and nobody asked to place it anew.
    """
    status: Object = {"schedulerObservedGeneration": entry.generation}
    if placed is not None or not entry.status.get("lastScheduledTime"):
        status["lastScheduledTime"] = now
    if placed is not None and placed.group is not None:
        status["schedulerObservingAffinityName"] = placed.group
    return _status_patch(entry, status, _condition("True", SUCCESS, MESSAGE), now)


def is_news(entry: Entry, placed: Placed) -> bool:
    """Tell whether a placement that leaves the spec as it is still has to be told in the status."""
    noted = entry.status.get("schedulerObservingAffinityName")
    return placed.fresh or placed.group not in (None, noted)


def failure(entry: Entry, now: str, unplaced: Unplaced) -> Object | None:
    """Return the patch of the status of a binding that finds no place; None where it says so already."""
    return _status_patch(entry, {}, _condition("False", unplaced.reason, unplaced.message), now)


def _condition(status: str, reason: str, message: str) -> Object:
    """Return a condition without its time."""
    return {"type": SCHEDULED, "status": status, "reason": str(reason), "message": message[:32768]}


def _status_patch(entry: Entry, status: Object, condition: Object, now: str) -> Object | None:
    """Return the patch of a status, with the conditions of others: a patch replaces the whole list."""
    before = condition_of(entry.status) or {}
    told = {name: value for name, value in before.items() if name != "lastTransitionTime"}
    if told == condition and all(entry.status.get(name) == value for name, value in status.items()):
        return None
    since = before.get("lastTransitionTime") if before.get("status") == condition["status"] else None
    others = [one for one in entry.status.get("conditions") or () if one.get("type") != SCHEDULED]
    conditions = [*others, {**condition, "lastTransitionTime": since or now}]
    return {
        "metadata": {"resourceVersion": entry.version},
        "status": {**status, "conditions": conditions},
    }


def moved(entry: Entry, placed: Placed) -> int:
    """Return how many replicas are stopped where they run now."""
    after = {str(one["name"]): int(one.get("replicas", 0)) for one in placed.targets}
    before = {str(one["name"]): int(one.get("replicas", 0)) for one in entry.spec.get("clusters") or ()}
    return sum(max(0, count - after.get(name, 0)) for name, count in before.items())


def _in_order(targets: Any) -> list[Mapping[str, Any]]:
    """Return targets in the order of their names, as their order says nothing."""
    return sorted((dict(one) for one in targets), key=lambda one: str(one["name"]))


def _parsed(text: str) -> Any:
    """Return what an annotation holds; None where it is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None
