"""Writes into bindings: spec, then status, and a second look where somebody else was faster."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto

from fairlead.controller import patches
from fairlead.controller.batch import Decision, Placed, Reason, Unplaced
from fairlead.controller.settings import Settings
from fairlead.controller.world import Entry, entry_of
from fairlead.live.client import Client, Object, RefusedError, UnreachableError

LOG = logging.getLogger(__name__)

LOOKS = 5
"""How often a write is tried where only the status of a binding has changed meanwhile."""

CONFLICT = 409
GONE = 404
FORBIDDEN = 403


class Result(Enum):
    """What became of a decision."""

    WRITTEN = auto()
    """It stands in the binding, or stood there before."""
    STALE = auto()
    """The binding has changed: it is to be looked at again."""
    REFUSED = auto()
    """It is to be tried later: the server did not take it, or the binding has no place."""
    GONE = auto()
    """The binding is gone."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a decision.

    Parameters
    ----------
    result
        How to go on.
    entry
        The binding as the server has it now, as far as it told.
    decision
        What was written.
    changed
        Whether the spec or the condition changed.
    conflicts
        How often the version was stale.
    moved
        Replicas that are stopped where they ran.
    """

    result: Result
    entry: Entry
    decision: Decision | None
    changed: bool = False
    conflicts: int = 0
    moved: int = 0


class _Stale(Exception):  # noqa: N818 - no error: somebody else was faster
    """The spec of a binding has changed since it was read."""


@dataclass(slots=True)
class _Pen:
    """Writes one binding.

    Parameters
    ----------
    client
        The connection.
    settings
        Says whether anything is written at all.
    may_write
        Whether this controller is still the one that writes.
    entry
        The binding as it was read or written last.
    """

    client: Client
    settings: Settings
    may_write: Callable[[], bool]
    entry: Entry
    conflicts: int = 0

    def write(self, made: Callable[[Entry], Object | None], subresource: str = "") -> bool:
        """Send a patch of the binding as it is; tell whether there was one to send.

        Raises
        ------
        _Stale
            The spec has changed, or another controller writes now.
        """
        place = self.entry.place
        path = place.resource.path(place.namespace, place.name, subresource)
        for _ in range(LOOKS):
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
                if error.status != CONFLICT:
                    raise
                self._look_again()
                continue
            self.entry = entry_of(place.resource, answer)
            return True
        raise _Stale

    def _look_again(self) -> None:
        """Read the binding again; stale where more than its status has changed."""
        self.conflicts += 1
        before, place = self.entry, self.entry.place
        self.entry = entry_of(place.resource, self.client.get(place.path))
        if self.entry.spec_version != before.spec_version:
            raise _Stale


def carry_out(
    client: Client, settings: Settings, may_write: Callable[[], bool], entry: Entry, decision: Decision | None
) -> Written:
    """Write what was decided for a binding.

    Parameters
    ----------
    client
        The connection.
    settings
        The scheduler's name, and whether anything is written at all.
    may_write
        Whether this controller is still the one that writes; asked before every request.
    entry
        The binding by which it was decided.
    decision
        What was decided; None where it is placed, and only its status does not say so.
    """
    pen = _Pen(client, settings, may_write, entry)
    try:
        return _written(pen, decision)
    except _Stale:
        return Written(Result.STALE, pen.entry, decision, conflicts=pen.conflicts)
    except UnreachableError as error:
        LOG.warning("not written", extra={"binding": str(entry.place), "error": str(error)})
        return Written(Result.REFUSED, pen.entry, decision, conflicts=pen.conflicts)
    except RefusedError as error:
        if error.status == GONE:
            return Written(Result.GONE, pen.entry, decision, conflicts=pen.conflicts)
        LOG.warning("refused", extra={"binding": str(entry.place), "error": str(error)})
        return Written(Result.REFUSED, pen.entry, decision, conflicts=pen.conflicts)


def _written(pen: _Pen, decision: Decision | None) -> Written:
    """Write spec and status."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    match decision:
        case None:
            told = pen.write(lambda entry: patches.success(entry, now), "status")
            return Written(Result.WRITTEN, pen.entry, None, told, pen.conflicts)
        case Unplaced():
            told = pen.write(lambda entry: patches.failure(entry, now, decision), "status")
            return Written(Result.REFUSED, pen.entry, decision, told, pen.conflicts)
        case Placed():
            moved = patches.moved(pen.entry, decision)
            try:
                changed = pen.write(lambda entry: patches.spec_patch(entry, decision))
            except RefusedError as error:
                if error.status != FORBIDDEN or Reason.QUOTA_EXCEEDED not in str(error):
                    raise
                return _written(pen, Unplaced(Reason.QUOTA_EXCEEDED, str(error)))
            news = decision if changed or patches.is_news(pen.entry, decision) else None
            if not (changed and pen.settings.dry_run):
                pen.write(lambda entry: patches.success(entry, now, news), "status")
            return Written(
                Result.WRITTEN, pen.entry, decision, changed, pen.conflicts, moved if changed else 0
            )
