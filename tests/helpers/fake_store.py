"""What an API server does with objects, as small as the tests allow.

Kept are the rules that decide whether a client is right: versions that make stale writes fail, a generation
that only changes of the spec raise, status as a subresource, merge patches that replace whole lists, fields
that a schema prunes or refuses, finalizers, dry runs, writes that change nothing, and a history that ends.
"""

import copy
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fake_schema import mistakes, pruned
from live_kinds import KINDS, Kind, Object

_STALE = "the object has been modified; please apply your changes to the latest version and try again"


class RefusedError(Exception):
    """A request is refused."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        super().__init__(message)


@dataclass
class Row:
    """All objects of one kind."""

    kind: Kind
    objects: dict[tuple[str, str], Object] = field(default_factory=dict)


class Store:
    """Objects with their history; every call may come from any thread."""

    def __init__(self) -> None:
        self.rows = {(one.resource.api_version, one.resource.plural): Row(one) for one in KINDS}
        self.changed = threading.Condition()
        self.version = 1
        self.history: list[tuple[int, Kind, str, Object]] = []
        self.oldest = 0

    def row(self, api_version: str, plural: str) -> Row:
        """Return the objects of a kind."""
        found = self.rows.get((api_version, plural))
        if found is None:
            raise RefusedError(404, "the server could not find the requested resource")
        return found

    def get(self, row: Row, namespace: str, name: str) -> Object:
        """Return an object."""
        found = row.objects.get((namespace, name))
        if found is None:
            raise RefusedError(404, f'{row.kind.resource.plural} "{name}" not found')
        return found

    def create(self, row: Row, namespace: str, item: Object, *, dry: bool = False) -> Object:
        """Create an object; its status is left out."""
        item = {name: copy.deepcopy(value) for name, value in item.items() if name != "status"}
        with self.changed:
            meta = item.setdefault("metadata", {})
            meta.setdefault("name", f"{meta.get('generateName', '')}{uuid.uuid4().hex[:8]}")
            if namespace:
                meta["namespace"] = namespace
            if (namespace, meta["name"]) in row.objects:
                raise RefusedError(409, f'{row.kind.resource.plural} "{meta["name"]}" already exists')
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            resource = row.kind.resource
            item.update(apiVersion=resource.api_version, kind=resource.kind)
            meta.update(uid=str(uuid.uuid4()), generation=1, creationTimestamp=now)
            item = _checked(row.kind, item)
            return item if dry else self._keep(row, "ADDED", item)

    def _keep(self, row: Row, event: str, item: Object) -> Object:
        self.version += 1
        meta = item["metadata"]
        item = {**item, "metadata": {**meta, "resourceVersion": str(self.version)}}
        place = (meta.get("namespace", ""), meta["name"])
        if event == "DELETED":
            row.objects.pop(place)
        else:
            row.objects[place] = item
        self.history.append((self.version, row.kind, event, item))
        self.changed.notify_all()
        return item

    def patch(
        self, row: Row, namespace: str, name: str, patch: Object, subresource: str = "", *, dry: bool = False
    ) -> Object:
        """Merge a patch into an object, or into its status alone; return it."""
        with self.changed:
            before = self.get(row, namespace, name)
            return self._write(row, before, merged(before, patch), subresource, dry=dry)

    def replace(
        self, row: Row, namespace: str, name: str, item: Object, subresource: str = "", *, dry: bool = False
    ) -> Object:
        """Replace an object, or its status alone; return it."""
        if "resourceVersion" not in item["metadata"]:
            raise RefusedError(422, "metadata.resourceVersion: must be specified for an update")
        with self.changed:
            before = self.get(row, namespace, name)
            return self._write(row, before, copy.deepcopy(item), subresource, dry=dry)

    def _write(self, row: Row, before: Object, after: Object, subresource: str, *, dry: bool) -> Object:
        stated = after["metadata"].get("resourceVersion")
        if stated is not None and stated != before["metadata"]["resourceVersion"]:
            text = f'Operation cannot be fulfilled on "{before["metadata"]["name"]}": {_STALE}'
            raise RefusedError(409, text)
        if subresource == "status":
            after = {**before, "status": after.get("status", {})}
        elif "status" in before or "status" in after:
            after = {**after, "status": before.get("status", {})}
        after = _checked(row.kind, after)
        raised = after.get("spec") != before.get("spec")
        own = ("uid", "creationTimestamp", "resourceVersion")
        kept = {name: before["metadata"].get(name) for name in own}
        generation = before["metadata"]["generation"] + raised
        after["metadata"] = {**after["metadata"], **kept, "generation": generation}
        return before if after == before else after if dry else self._keep(row, "MODIFIED", after)

    def delete(self, row: Row, namespace: str, name: str) -> Object:
        """Remove an object, or mark it where something holds it; return it."""
        with self.changed:
            found = self.get(row, namespace, name)
            if not found["metadata"].get("finalizers"):
                return self._keep(row, "DELETED", found)
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            meta = {**found["metadata"], "deletionTimestamp": now}
            return self._keep(row, "MODIFIED", {**found, "metadata": meta})

    def forget(self) -> None:
        """Forget all history, so that every watch begins anew."""
        with self.changed:
            self.oldest = self.version
            self.history.clear()
            self.changed.notify_all()

    def since(self, row: Row, version: int) -> Iterator[tuple[int, str, Object]]:
        """Yield what happened to a kind after a version."""
        if version < self.oldest:
            raise RefusedError(410, f"too old resource version: {version} ({self.oldest})")
        for number, kind, event, item in tuple(self.history):
            if number > version and kind is row.kind:
                yield number, event, item


def merged(before: Any, patch: Any) -> Any:
    """Return a value with a merge patch applied (RFC 7386): lists as a whole, null removes."""
    if not isinstance(patch, Mapping):
        return copy.deepcopy(patch)
    found = dict(before) if isinstance(before, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = merged(found.get(name), value)
    return found


def _checked(kind: Kind, item: Object) -> Object:
    """Return an object without the fields that its schema does not know; refuse what the schema does."""
    schemas: Object = (kind.schema or {}).get("properties", {})
    parts = {name: schema for name, schema in schemas.items() if name in item}
    after = {**item, **{name: pruned(schema, item[name]) for name, schema in parts.items()}}
    wrong = [one for name, schema in parts.items() for one in mistakes(schema, after[name], name)]
    if wrong:
        text = f'{kind.resource.kind} "{item["metadata"]["name"]}" is invalid: {", ".join(wrong)}'
        raise RefusedError(422, text)
    return after
