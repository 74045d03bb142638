"""What an API server does with objects, as small as the tests allow.

Kept are the rules that decide whether a client is right: versions that make stale writes fail, a generation
that only changes of the spec raise, status as a subresource, merge patches that replace whole lists, fields
of bindings that are pruned where no schema knows them, writes that change nothing, and a history that ends.
"""

import copy
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Object = dict[str, Any]

BINDING_SPEC = frozenset(
    {
        "clusters",
        "components",
        "conflictResolution",
        "failover",
        "gracefulEvictionTasks",
        "placement",
        "preserveResourcesOnDeletion",
        "propagateDeps",
        "replicaRequirements",
        "replicas",
        "requiredBy",
        "rescheduleTriggeredAt",
        "resource",
        "schedulePriority",
        "schedulerName",
        "suspension",
        "workloadAffinityGroups",
        "split",
    }
)
BINDING_STATUS = frozenset(
    {
        "aggregatedStatus",
        "conditions",
        "lastScheduledTime",
        "schedulerObservedGeneration",
        "schedulerObservingAffinityName",
        "split",
    }
)


@dataclass(frozen=True)
class Kind:
    """A kind that is served: what discovery tells, and which fields it knows (None: all)."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool
    spec: frozenset[str] | None = None
    status: frozenset[str] | None = None


KINDS = (
    Kind(
        "work.karmada.io/v1alpha2", "ResourceBinding", "resourcebindings", True, BINDING_SPEC, BINDING_STATUS
    ),
    Kind(
        "work.karmada.io/v1alpha2",
        "ClusterResourceBinding",
        "clusterresourcebindings",
        False,
        BINDING_SPEC,
        BINDING_STATUS,
    ),
    Kind("cluster.karmada.io/v1alpha1", "Cluster", "clusters", False),
    Kind("policy.karmada.io/v1alpha1", "PropagationPolicy", "propagationpolicies", True),
    Kind("policy.karmada.io/v1alpha1", "FederatedResourceQuota", "federatedresourcequotas", True),
    Kind("apps/v1", "Deployment", "deployments", True),
    Kind("apps/v1", "ReplicaSet", "replicasets", True),
    Kind("coordination.k8s.io/v1", "Lease", "leases", True),
    Kind("v1", "Event", "events", True),
)


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
        self.rows = {(one.api_version, one.plural): Row(one) for one in KINDS}
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
            raise RefusedError(404, f'{row.kind.plural} "{name}" not found')
        return found

    def add(self, item: Object) -> Object:
        """Put an object there with its status, as if several controllers had made it; return it."""
        kind = next(
            one for one in KINDS if one.kind == item["kind"] and one.api_version == item["apiVersion"]
        )
        with self.changed:
            return self._insert(self.row(kind.api_version, kind.plural), copy.deepcopy(item))

    def create(self, row: Row, namespace: str, item: Object) -> Object:
        """Create an object; its status is left out."""
        item = {name: value for name, value in item.items() if name != "status"}
        with self.changed:
            meta = item.setdefault("metadata", {})
            meta.setdefault("name", f"{meta.get('generateName', '')}{uuid.uuid4().hex[:8]}")
            if namespace:
                meta["namespace"] = namespace
            if (namespace, meta["name"]) in row.objects:
                raise RefusedError(409, f'{row.kind.plural} "{meta["name"]}" already exists')
            return self._insert(row, item)

    def _insert(self, row: Row, item: Object) -> Object:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        meta = item["metadata"]
        item.update(apiVersion=row.kind.api_version, kind=row.kind.kind)
        meta.update(uid=str(uuid.uuid4()), generation=1)
        meta.setdefault("creationTimestamp", now)
        return self._keep(row, "ADDED", _pruned(row.kind, item))

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

    def patch(self, row: Row, namespace: str, name: str, patch: Object, subresource: str = "") -> Object:
        """Merge a patch into an object, or into its status alone; return it."""
        with self.changed:
            before = self.get(row, namespace, name)
            return self._write(row, before, merged(before, patch), subresource)

    def replace(self, row: Row, namespace: str, name: str, item: Object, subresource: str = "") -> Object:
        """Replace an object, or its status alone; return it."""
        with self.changed:
            return self._write(row, self.get(row, namespace, name), copy.deepcopy(item), subresource)

    def _write(self, row: Row, before: Object, after: Object, subresource: str) -> Object:
        stated = after["metadata"].get("resourceVersion")
        if stated is not None and stated != before["metadata"]["resourceVersion"]:
            text = (
                "the object has been modified; please apply your changes to the latest version and try again"
            )
            raise RefusedError(
                409, f'Operation cannot be fulfilled on "{before["metadata"]["name"]}": {text}'
            )
        if subresource == "status":
            after = {**before, "status": after.get("status", {})}
        elif "status" in before or "status" in after:
            after = {**after, "status": before.get("status", {})}
        after = _pruned(row.kind, after)
        raised = after.get("spec") != before.get("spec")
        kept = {
            name: before["metadata"].get(name) for name in ("uid", "creationTimestamp", "resourceVersion")
        }
        generation = before["metadata"]["generation"] + raised
        after["metadata"] = {**after["metadata"], **kept, "generation": generation}
        return before if after == before else self._keep(row, "MODIFIED", after)

    def delete(self, row: Row, namespace: str, name: str) -> Object:
        """Remove an object and return it."""
        with self.changed:
            return self._keep(row, "DELETED", self.get(row, namespace, name))

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


def _pruned(kind: Kind, item: Object) -> Object:
    """Return an object without the fields that its schema does not know."""
    parts = {"spec": kind.spec, "status": kind.status}
    known = {part: names for part, names in parts.items() if names is not None and part in item}
    return {
        **item,
        **{part: {n: v for n, v in item[part].items() if n in names} for part, names in known.items()},
    }
