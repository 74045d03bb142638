"""Writes into bindings: spec, then status, and a second look where somebody else was faster."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from http import HTTPStatus
from typing import Any

from fairlead.controller.due import (
    SCHEDULED,
    ControllerSettings,
    Decision,
    Kept,
    Placed,
    Reason,
    Unplaced,
    condition_of,
)
from fairlead.controller.world import ObjectVersion, entry_of
from fairlead.live.client import Client, Object, RefusedError, UnreachableError
from fairlead.manifests.karmada.scheduled import APPLIED, compact, parsed
from fairlead.models.rules.moves import stopped

_SUCCESS = "Success"
"""Reason of the condition where all went well."""

_MESSAGE = "Binding has been scheduled successfully."
"""Message of that condition, as Karmada's scheduler writes it."""


def spec_patch(entry: ObjectVersion, placed: Placed) -> Object | None:
    """Return the merge patch that places a binding; None where it would change nothing.

    Never in it: replicas and requests, which belong to the detector. The version makes it fail where the
    binding has changed since.
    """
    applied = compact(entry.spec["placement"])
    before = (entry.metadata.get("annotations") or {}).get(APPLIED)
    targets = [dict(one) for one in placed.targets]
    same = _in_order(entry.spec.get("clusters") or []) == _in_order(targets)
    if same and before is not None and parsed(before) == entry.spec["placement"]:
        return None
    spec = {} if same else {"spec": {"clusters": targets}}
    return {"metadata": {"resourceVersion": entry.version, "annotations": {APPLIED: applied}}, **spec}


def _success(entry: ObjectVersion, now: str, placed: Placed | Kept) -> Object | None:
    """Return the patch of the status of a binding that is placed; None where it would change nothing.

    `now`: the time, as Kubernetes writes it. `placed`: where it was placed just now; `Kept` where it stood
    there before, and nobody asked to place it anew.
    """
    status: Object = {"schedulerObservedGeneration": entry.generation}
    if isinstance(placed, Placed) or not entry.status.get("lastScheduledTime"):
        status["lastScheduledTime"] = now
    if placed.group is not None:
        status["schedulerObservingAffinityName"] = placed.group
    return _status_patch(entry, status, ("True", _SUCCESS, _MESSAGE), now)


def _is_news(entry: ObjectVersion, placed: Placed) -> bool:
    """Tell whether a placement that leaves the spec as it is still has to be told in the status."""
    noted = entry.status.get("schedulerObservingAffinityName")
    return placed.fresh or placed.group not in (None, noted)


def _status_patch(
    entry: ObjectVersion, status: Object, said: tuple[str, str, str], now: str
) -> Object | None:
    """Return the patch of a status, with the conditions of others: a patch replaces the whole list.

    None where it says so already.
    """
    state, reason, message = said
    condition = {"type": SCHEDULED, "status": state, "reason": str(reason), "message": message[:32768]}
    before = condition_of(entry.status) or {}
    told = {name: value for name, value in before.items() if name != "lastTransitionTime"}
    if told == condition and all(entry.status.get(name) == value for name, value in status.items()):
        return None
    since = before.get("lastTransitionTime") if before.get("status") == condition["status"] else None
    others = [one for one in entry.status.get("conditions") or () if one.get("type") != SCHEDULED]
    conditions = [*others, {**condition, "lastTransitionTime": since or now}]
    return {"metadata": {"resourceVersion": entry.version}, "status": {**status, "conditions": conditions}}


def _stopped(entry: ObjectVersion, placed: Placed) -> int:
    after = {str(one["name"]): int(one.get("replicas", 0)) for one in placed.targets}
    before = {str(one["name"]): int(one.get("replicas", 0)) for one in entry.spec.get("clusters") or ()}
    return stopped(before, after)


def _in_order(targets: Any) -> list[Mapping[str, Any]]:
    """Return targets in the order of their names, as their order says nothing."""
    return sorted((dict(one) for one in targets), key=lambda one: str(one["name"]))


LOG = logging.getLogger(__name__)

LOOKS = 5
"""How often a write is tried where only the status of a binding has changed meanwhile."""


class WriteResult(Enum):
    """Outcome of writing a decision."""

    WRITTEN = auto()
    """The decision stands in the binding, or stood there before."""
    STALE = auto()
    """The binding has changed: it is to be looked at again."""
    UNPLACED = auto()
    """The status says why the binding has no place."""
    REFUSED = auto()
    """The server did not take it: it is to be tried later."""
    GONE = auto()
    """The binding is gone."""


@dataclass(frozen=True, slots=True)
class WriteOutcome:
    """Decision that was written, or why it was not."""

    result: WriteResult
    """Outcome of writing, which says how to go on."""
    entry: ObjectVersion
    """The binding as the server has it now, as far as it told."""
    decision: Decision
    """Decision as it was written."""
    changed: bool = False
    """Whether something was written: the spec, or of what was not placed just now the status."""
    conflicts: int = 0
    """Number of times that the version was stale."""
    moved: int = 0
    """Replicas that are stopped where they ran."""

    @property
    def is_news(self) -> bool:
        """Whether users are told of it: a placement, or why there is none."""
        return self.changed and not isinstance(self.decision, Kept)


class _Stale(Exception):  # noqa: N818 - no error: somebody else was faster
    """The spec of a binding has changed since it was read."""


@dataclass(slots=True)
class _Pen:
    """Writes one binding."""

    client: Client
    settings: ControllerSettings
    """Says whether anything is written at all."""
    may_write: Callable[[], bool]
    """Whether this controller is still the one that writes."""
    entry: ObjectVersion
    """The binding as it was read or written last."""
    conflicts: int = 0
    placed: bool = False
    """Whether the spec was written, whatever became of the status."""
    moved: int = 0

    def write(self, made: Callable[[ObjectVersion], Object | None], subresource: str = "") -> bool:
        """Send a patch of the binding as it is; tell whether there was one to send.

        Raises `_Stale` where the spec has changed, or another controller writes now, and `RefusedError` where
        the server takes none.
        """
        place = self.entry.place
        path = place.resource.path(place.namespace, place.name, subresource)
        looks = 0
        while True:
            patch = made(self.entry)
            if patch is None:
                return False
            if self.settings.dry_run:
                LOG.info("would write", extra={"binding": str(place), "path": path, "patch": patch})
                return True
            if not self.may_write():
                raise _Stale
            try:
                answer = self.client.patch(path, patch, self.settings.scheduler_name)
            except RefusedError as error:
                looks += 1
                if error.status != HTTPStatus.CONFLICT or looks == LOOKS:
                    raise
                self._look_again()
                continue
            self.entry = entry_of(place.resource, answer)
            return True

    def _look_again(self) -> None:
        """Read the binding again; stale where more than its status has changed."""
        self.conflicts += 1
        before, place = self.entry, self.entry.place
        self.entry = entry_of(place.resource, self.client.get(place.path))
        if self.entry.spec_version != before.spec_version:
            raise _Stale


def carry_out(
    client: Client,
    settings: ControllerSettings,
    may_write: Callable[[], bool],
    entry: ObjectVersion,
    decision: Decision,
) -> WriteOutcome:
    """Write what was decided for a binding.

    `settings`: the scheduler's name, and whether anything is written at all. `may_write`: whether this
    controller is still the one that writes; asked before every request. `decision`: what was decided.
    """
    pen = _Pen(client, settings, may_write, entry)
    try:
        return _written(pen, decision)
    except _Stale:
        result = WriteResult.STALE
    except UnreachableError as error:
        LOG.warning("not written", extra={"binding": str(entry.place), "error": str(error)})
        result = WriteResult.REFUSED
    except RefusedError as error:
        result = WriteResult.GONE if error.status == HTTPStatus.NOT_FOUND else WriteResult.REFUSED
        if result is WriteResult.REFUSED:
            LOG.warning("refused", extra={"binding": str(entry.place), "error": str(error)})
    return WriteOutcome(result, pen.entry, decision, pen.placed, pen.conflicts, pen.moved)


def _written(pen: _Pen, decision: Decision) -> WriteOutcome:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    match decision:
        case Kept():
            told = pen.write(lambda entry: _success(entry, now, decision), "status")
            return WriteOutcome(WriteResult.WRITTEN, pen.entry, decision, told, pen.conflicts)
        case Unplaced():
            said = "False", decision.reason, decision.message
            told = pen.write(lambda entry: _status_patch(entry, {}, said, now), "status")
            return WriteOutcome(WriteResult.UNPLACED, pen.entry, decision, told, pen.conflicts)
        case Placed():
            moved = _stopped(pen.entry, decision)
            try:
                pen.placed = pen.write(lambda entry: spec_patch(entry, decision))
            except RefusedError as error:
                if error.status != HTTPStatus.FORBIDDEN or Reason.QUOTA_EXCEEDED not in str(error):
                    raise
                return _written(pen, Unplaced(Reason.QUOTA_EXCEEDED, str(error)))
            pen.moved = moved if pen.placed else 0
            news = decision if pen.placed or _is_news(pen.entry, decision) else Kept(decision.group)
            if not (pen.placed and pen.settings.dry_run):
                pen.write(lambda entry: _success(entry, now, news), "status")
            return WriteOutcome(
                WriteResult.WRITTEN, pen.entry, decision, pen.placed, pen.conflicts, pen.moved
            )
