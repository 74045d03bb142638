"""The controller: takes up what changes, places what is due, writes what was decided."""

import logging
import queue
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import assert_never

from fairlead.controller.batch import decide
from fairlead.controller.due import (
    BindingState,
    ControllerSettings,
    Decision,
    Kept,
    Placed,
    Reason,
    Unplaced,
    kept,
    standing_of,
)
from fairlead.controller.lease import Lease
from fairlead.controller.metrics import Metrics, tell
from fairlead.controller.watching import Failed, Listed, Lost, Queue, Seen, Told, Watcher
from fairlead.controller.world import BINDINGS, ObjectChange, ObjectKey, ObjectVersion, World
from fairlead.controller.writing import WriteOutcome, WriteResult, carry_out
from fairlead.live.client import CLUSTER, QUOTA, REBALANCER, Client, ResourceType

LOG = logging.getLogger(__name__)

WRITERS = 8
"""Bindings that are written at once."""

LONGEST_REST = 0.5
"""Seconds after which the controller looks around even where nothing happens."""


class Controller:
    """Serves the bindings of one control plane.

    `metrics`: what is told to Prometheus. `lease`: says whether this controller may write; None where there
    is only one, or nothing is written. `others`: kinds that influence placements beside bindings, clusters
    and quotas: rebalancers and fairlead's own.
    """

    def __init__(
        self,
        client: Client,
        settings: ControllerSettings,
        metrics: Metrics | None = None,
        lease: Lease | None = None,
        others: Iterable[ResourceType] = (),
    ) -> None:
        self._client, self._settings, self._lease = client, settings, lease
        self._metrics = metrics or Metrics()
        self._resources = (*BINDINGS, CLUSTER, QUOTA, *others)
        self._told: queue.SimpleQueue[Told | None] = queue.SimpleQueue()
        self._world, self._queue = World(), Queue()
        self._unlisted = set(self._resources)
        self._led = False
        self._alive = time.monotonic()
        self._stopped = threading.Event()

    @property
    def is_ready(self) -> bool:
        """Whether everything has been listed once."""
        return not self._unlisted

    @property
    def is_healthy(self) -> bool:
        """Whether the controller goes on: a batch may take its time limit, and as long again."""
        return time.monotonic() - self._alive < 60 + 2 * (self._settings.time_limit or 600)

    def stop(self) -> None:
        """End soon; also from signal handlers and other threads."""
        self._stopped.set()
        self._told.put(None)

    def run(self) -> None:
        """Work until `stop` is called; then end all watches and give the lease back."""
        for resource in self._resources:
            Watcher(self._client, resource, self._told.put, self._stopped).start()
        if self._lease is not None:
            self._lease.start(lambda error: self._told.put(Failed(error)))
        with ThreadPoolExecutor(WRITERS, "write") as writers, ThreadPoolExecutor(1, "event") as telling:
            works = False
            while not self._stopped.is_set():
                self._alive = time.monotonic()
                # Who may not work waits for news, however long bindings wait already.
                self._take_up(self._gathered(self._queue.pause(LONGEST_REST) if works else LONGEST_REST))
                works = self._may_write() and self.is_ready and self._world.has_clusters
                if works:
                    self._work(writers, telling)
                self._metrics.queue.set(len(self._queue))
            telling.shutdown(cancel_futures=True)
        if self._lease is not None:
            self._lease.release()

    def _may_write(self) -> bool:
        """Tell whether this controller writes; all bindings are looked at where it begins to."""
        leading = not self._stopped.is_set() and (self._lease is None or self._lease.held)
        if leading and not self._led:
            self._look_at(self._world.bindings)
        self._led = leading
        self._metrics.leading.set(leading)
        return leading

    def _look_at(self, bindings: Iterable[ObjectVersion]) -> None:
        for entry in bindings:
            self._queue.add(entry.place)

    def _gathered(self, rest: float) -> list[Told]:
        """Wait for something to happen, at most so many seconds, and for what happens right after it."""
        found: list[Told | None] = []
        try:
            found.append(self._told.get(timeout=rest))
            until = time.monotonic() + self._settings.window
            while not self._stopped.is_set():
                found.append(self._told.get(timeout=max(0.0, until - time.monotonic())))
        except queue.Empty:
            pass
        return [one for one in found if one is not None]

    def _take_up(self, told: Iterable[Told]) -> None:
        concerned = [self._concerns(resource, change) for resource, change in self._changes(told)]
        if any(concerned):
            self._look_at(self._world.bindings)

    def _changes(self, told: Iterable[Told]) -> Iterator[tuple[ResourceType, ObjectChange]]:
        for one in told:
            match one:
                case Listed(resource, items):
                    yield from ((resource, change) for change in self._world.replace(resource, items))
                    self._unlisted.discard(resource)
                case Seen(resource, item, gone):
                    found = (self._world.drop if gone else self._world.put)(resource, item)
                    if found is not None:
                        yield resource, found
                case Lost(resource, reason):
                    self._metrics.lost.labels(resource.plural).inc()
                    LOG.warning("cannot be read now", extra={"resource": resource.plural, "reason": reason})
                case Failed(error):
                    raise error
                case _:
                    assert_never(one)

    def _concerns(self, resource: ResourceType, change: ObjectChange) -> bool:
        """Look at the binding that changed; tell whether a change concerns all. That of a status does not."""
        before, after = change
        if after is not None and not after.is_understood:
            told = {"object": str(after.place), "kind": resource.kind, "reason": after.hindrance}
            LOG.warning("not understood", extra=told)
        if resource == REBALANCER and after is not None:
            self._look_at(self._world.named(after.rebalanced))
        if resource not in BINDINGS:
            return resource == CLUSTER and _says(before) != _says(after)
        if after is None and before is not None:
            self._queue.forget(before.place)
        elif after is not None and (before is None or before.spec_version != after.spec_version):
            self._queue.add(after.place)
        return False

    def _work(self, writers: ThreadPoolExecutor, telling: ThreadPoolExecutor) -> None:
        """Place what is due, and write it."""
        waiting = self._queue.take()
        known = {place: self._world.entries[place] for place in waiting if place in self._world.entries}
        standing = {place: standing_of(entry, self._world, self._settings) for place, entry in known.items()}
        due = [known[place] for place, what in standing.items() if what is BindingState.DUE]
        todo: dict[ObjectKey, Decision] = {
            place: kept(known[place], self._world)
            for place, what in standing.items()
            if what is BindingState.UNFINISHED
        }
        if due:
            todo.update(self._decided(due))
        if self._stopped.is_set():
            # The search was broken off: what it found is not what is to be written.
            return
        for entry in due:
            if entry.place not in todo:
                self._queue.add(entry.place)
        write = partial(
            carry_out, self._client, self._settings, lambda: self._lease is None or self._lease.held
        )
        results = writers.map(lambda place: write(known[place], todo[place]), todo)
        for written in results:
            self._note(written, waiting[written.entry.place])
            if written.is_news and not self._settings.dry_run:
                name = self._settings.scheduler_name
                telling.submit(tell, self._client, written.entry, written.decision, name)

    def _decided(self, due: list[ObjectVersion]) -> Mapping[ObjectKey, Decision]:
        begun = time.monotonic()
        batch = decide(self._world, due, self._settings)
        seconds = time.monotonic() - begun
        self._metrics.batches.inc()
        self._metrics.batch_seconds.observe(seconds)
        self._metrics.missing.set(batch.missing)
        self._metrics.gap.set(float("nan") if batch.gap is None else float(batch.gap))
        failed = sum(isinstance(one, Unplaced) for one in batch.decisions.values())
        told = {"bindings": len(due), "failed": failed, "seconds": round(seconds, 3)}
        LOG.info("placed", extra={**told, "gap": None if batch.gap is None else float(batch.gap)})
        return batch.decisions

    def _note(self, written: WriteOutcome, since: float) -> None:
        """Take up what the server has now, and when to look at the binding again."""
        entry, decision = written.entry, written.decision
        self._alive = time.monotonic()
        self._metrics.conflicts.inc(written.conflicts)
        self._metrics.moved.inc(written.moved)
        self._world.take(entry)
        match written.result:
            case WriteResult.GONE:
                # Until it is heard of: a server that is restarting may not know a whole kind.
                self._queue.retry(entry.place)
                return
            case WriteResult.STALE:
                self._queue.add(entry.place)
                return
            case WriteResult.UNPLACED if (
                isinstance(decision, Unplaced) and decision.reason == Reason.NO_CLUSTER_FIT
            ):
                # Time does not help: only another placement or cluster does.
                self._queue.forget(entry.place)
            case WriteResult.REFUSED | WriteResult.UNPLACED:
                self._queue.retry(entry.place)
            case WriteResult.WRITTEN:
                self._queue.forget(entry.place)
        if isinstance(decision, Placed) and written.result is WriteResult.WRITTEN:
            self._metrics.binding_seconds.observe(time.monotonic() - since)
        if written.is_news:
            reason = decision.reason if isinstance(decision, Unplaced) else "Success"
            self._metrics.decisions.labels(str(reason)).inc()
            LOG.info("decided", extra={"binding": str(entry.place), "reason": str(reason), **_told(decision)})


def _told(decision: Decision) -> Mapping[str, object]:
    match decision:
        case Unplaced(message=message):
            return {"why": message}
        case Placed(targets=targets):
            return {"clusters": {one["name"]: one.get("replicas") for one in targets}}
        case Kept():
            return {}
        case _:
            assert_never(decision)


def _says(entry: ObjectVersion | None) -> object:
    """Return the parts of a cluster whose change is looked at: labels, spec, whether it is to go."""
    if entry is None:
        return None
    meta = entry.metadata
    return meta.get("labels") or {}, entry.spec, bool(meta.get("deletionTimestamp"))
