"""The small store behind the paths and queries of an API server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from fake_store import RefusedError, Row, Store
from live_kinds import KINDS, Object

MERGE, APPLY = "application/merge-patch+json", "application/apply-patch+yaml"

BOOKMARK_AFTER = 0.2
"""Seconds without an event after which a watch is told how far the server is."""


class Target(NamedTuple):
    """What a path names."""

    row: Row
    namespace: str
    name: str
    subresource: str


class FakeBackend:
    """Answers out of a store.

    Who manages which field is not kept: an apply changes what it names, as it does for the one manager of
    all that it names. Lists are replaced as a whole by both.
    """

    def __init__(self) -> None:
        self.store = Store()
        self._cuts = 0

    def start(self) -> None:
        """Go on with the objects that are there."""

    def stop(self) -> None:
        """Answer no more."""

    def cut(self) -> None:
        """End all watches."""
        with self.store.changed:
            self._cuts += 1
            self.store.changed.notify_all()

    def forget(self) -> None:
        """Forget what happened."""
        self.store.forget()

    def answer(self, method: str, path: str, query: dict[str, str], body: Any, kind: str) -> Object:
        """Return the answer to a request."""
        found = _discovered(path)
        if found is not None:
            return found
        store, dry = self.store, query.get("dryRun") == "All"
        row, namespace, name, subresource = _target(store, path)
        match method:
            case "GET" if not name:
                return _page(store, row, namespace, query)
            case "GET":
                return store.get(row, namespace, name)
            case "POST":
                return store.create(row, namespace, body, dry=dry)
            case "PATCH":
                if kind not in (MERGE, APPLY):
                    raise RefusedError(415, f"{kind} is not served")
                return store.patch(row, namespace, name, body, subresource, dry=dry)
            case "PUT":
                return store.replace(row, namespace, name, body, subresource, dry=dry)
            case _:
                return store.delete(row, namespace, name)

    @contextmanager
    def watch(self, path: str, query: dict[str, str]) -> Iterator[Iterator[Object]]:
        """Yield what happens, and now and then how far the server is."""
        yield self._events(path, query)

    def _events(self, path: str, query: dict[str, str]) -> Iterator[Object]:
        """Yield the events of a watch until it is cut."""
        store, cuts = self.store, self._cuts
        row, namespace, _, _ = _target(store, path)
        version = int(query.get("resourceVersion") or 0)
        while self._cuts == cuts:
            with store.changed:
                try:
                    events = list(store.since(row, version))
                    if not events and not store.changed.wait(BOOKMARK_AFTER):
                        # Something may have happened between the end of waiting and having the lock again.
                        events = list(store.since(row, version)) or [_bookmark(store, row)]
                except RefusedError as error:
                    status = {"kind": "Status", "code": error.code, "message": str(error)}
                    yield {"type": "ERROR", "object": status}
                    return
            for number, event, item in events:
                version = number
                if event == "BOOKMARK" or namespace in ("", item["metadata"].get("namespace")):
                    yield {"type": event, "object": item}


def _bookmark(store: Store, row: Row) -> tuple[int, str, Object]:
    """Return the event that tells how far the server is."""
    meta = {"resourceVersion": str(store.version)}
    return store.version, "BOOKMARK", {"kind": row.kind.resource.kind, "metadata": meta}


def _discovered(path: str) -> Object | None:
    """Return what discovery tells of a group and version; None where the path is no question of discovery."""
    parts = path.strip("/").split("/")
    if len(parts) != (2 if parts[0] == "api" else 3):
        return None
    version = "/".join(parts[1:])
    kinds = [one.resource for one in KINDS if one.resource.api_version == version]
    if not kinds:
        raise RefusedError(404, "the server could not find the requested resource")
    verbs = ["get", "list", "watch"]
    resources = [
        {"name": one.plural, "kind": one.kind, "namespaced": one.namespaced, "verbs": verbs} for one in kinds
    ]
    return {"kind": "APIResourceList", "groupVersion": version, "resources": resources}


def _target(store: Store, path: str) -> Target:
    """Return what a path names."""
    parts = path.strip("/").split("/")
    length = 2 if parts[0] == "api" else 3
    version, rest = "/".join(parts[1:length]), parts[length:]
    namespace = ""
    if rest[0] == "namespaces":
        namespace, rest = rest[1], rest[2:]
    plural, name, subresource = [*rest, "", ""][:3]
    return Target(store.row(version, plural), namespace, name, subresource)


def _page(store: Store, row: Row, namespace: str, query: dict[str, str]) -> Object:
    """Return a page of a list; items tell no kind, as those of a real server."""
    with store.changed:
        items = [item for place, item in sorted(row.objects.items()) if namespace in ("", place[0])]
        begin, size = int(query.get("continue") or 0), int(query.get("limit") or 0) or len(items) + 1
        page = items[begin : begin + size]
        meta = {"resourceVersion": str(store.version)}
        if begin + size < len(items):
            meta["continue"] = str(begin + size)
    bare = [
        {name: value for name, value in item.items() if name not in ("kind", "apiVersion")} for item in page
    ]
    resource = row.kind.resource
    return {
        "apiVersion": resource.api_version,
        "kind": f"{resource.kind}List",
        "metadata": meta,
        "items": bare,
    }
