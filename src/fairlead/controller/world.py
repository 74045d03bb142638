"""Objects of the control plane, each version of them parsed once."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from fairlead.live.client import BINDING, CLUSTER, CLUSTER_BINDING, REBALANCER, Object, ResourceType
from fairlead.live.reading import named
from fairlead.manifests.collect import Manifests, collect
from fairlead.manifests.join import Rebalancing, Subject, identity_of, join
from fairlead.manifests.yaml.documents import Document, Identity
from fairlead.manifests.yaml.reader import read_object

BINDINGS = (BINDING, CLUSTER_BINDING)


class ObjectKey(NamedTuple):
    """Identity of an object on the server: kind, namespace and name."""

    resource: ResourceType
    namespace: str
    name: str
    """Name of the object; its namespace is empty where it has none."""

    @property
    def path(self) -> str:
        """Path of the object on the server."""
        return self.resource.path(self.namespace, self.name)

    def __str__(self) -> str:
        return "/".join(filter(None, (self.namespace, self.name)))


@dataclass(frozen=True, slots=True)
class ObjectVersion:
    """One version of an object, as the server has it and as fairlead reads it."""

    place: ObjectKey
    data: Mapping[str, Any]
    """The object; do not change it."""
    manifests: Manifests
    """Manifests that were read from the object."""
    subject: Subject | None = None
    """The workload of a binding; None where not even that can be read."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Metadata of the object."""
        found: Mapping[str, Any] = self.data["metadata"]
        return found

    @property
    def spec(self) -> Mapping[str, Any]:
        """Spec of the object; empty where it has none."""
        return self.data.get("spec") or {}

    @property
    def status(self) -> Mapping[str, Any]:
        """Status of the object; empty where it has none."""
        return self.data.get("status") or {}

    @property
    def generation(self) -> int:
        """Generation: the number of times that its spec has changed."""
        return int(self.metadata.get("generation", 0))

    @property
    def spec_version(self) -> tuple[str, int]:
        """UID and generation: they differ for any two specs of an object, also of one that was made again."""
        return str(self.metadata.get("uid", "")), self.generation

    @property
    def version(self) -> str:
        """The resourceVersion of the object."""
        return str(self.metadata.get("resourceVersion", ""))

    @property
    def is_understood(self) -> bool:
        """Whether nothing in it is wrong."""
        return not (self.manifests.mistakes or self.manifests.unread)

    @property
    def hindrance(self) -> str:
        """Sentence on the first mistake in it; empty where there is none."""
        unread = (one for each in self.manifests.unread for one in each.mistakes)
        return next((one.sentence for one in (*self.manifests.mistakes, *unread)), "")

    @property
    def rebalanced(self) -> frozenset[Identity]:
        """The workloads that a rebalancer names."""
        named = (one for each in self.manifests.rebalancers for one in each.model.spec.workloads)
        return frozenset(map(identity_of, named))

    @property
    def targets(self) -> tuple[str, ...]:
        """The clusters where a binding stands."""
        return tuple(str(one["name"]) for one in self.spec.get("clusters") or ())


def place_of(resource: ResourceType, item: Mapping[str, Any]) -> ObjectKey:
    """Return the place of an object."""
    meta = item["metadata"]
    return ObjectKey(resource, str(meta.get("namespace", "")), str(meta["name"]))


def entry_of(resource: ResourceType, item: Object) -> ObjectVersion:
    """Read an object."""
    document = named("cluster", {"apiVersion": resource.api_version, "kind": resource.kind, **item})
    found, mistakes = read_object(document)
    if found is None:
        return ObjectVersion(place_of(resource, item), document, Manifests(mistakes=mistakes))
    manifests = collect([Document(*found)])
    subjects, _ = join(manifests)
    return ObjectVersion(place_of(resource, item), found[0], manifests, subjects[0] if subjects else None)


class ObjectChange(NamedTuple):
    """Change of an object: its version before and after; None where there is none."""

    before: ObjectVersion | None
    after: ObjectVersion | None


@dataclass(slots=True)
class World:
    """All objects that are watched; one thread reads and changes it."""

    entries: dict[ObjectKey, ObjectVersion] = field(default_factory=dict)
    """The latest version of every object by place."""
    _rebalancing: Rebalancing = field(default_factory=lambda: Rebalancing({}))

    def put(self, resource: ResourceType, item: Object) -> ObjectChange | None:
        """Take up a version of an object; None where a newer one, or this one, is known already.

        What is no binding and is not understood changes nothing where an earlier version is known.
        """
        before = self.entries.get(place_of(resource, item))
        if before is not None and not _is_newer(item, before):
            return None
        after = entry_of(resource, item)
        if resource in BINDINGS or before is None or after.is_understood:
            self.entries[after.place] = after
        if resource == REBALANCER:
            self._rebalance()
        return ObjectChange(before, after)

    def take(self, entry: ObjectVersion) -> None:
        """Take up what the server answered to a write, unless something newer is known, or it is gone."""
        known = self.entries.get(entry.place)
        if known is not None and _is_newer(entry.data, known):
            self.entries[entry.place] = entry

    def drop(self, resource: ResourceType, item: Object) -> ObjectChange | None:
        """Take up that an object is gone; None where it was not known."""
        before = self.entries.pop(place_of(resource, item), None)
        if resource == REBALANCER:
            self._rebalance()
        return None if before is None else ObjectChange(before, None)

    def replace(self, resource: ResourceType, items: Iterable[Object]) -> Iterator[ObjectChange]:
        """Take up all objects of a kind: those that are not among them are gone."""
        gone = {place for place in self.entries if place.resource == resource}
        for item in items:
            gone.discard(place_of(resource, item))
            change = self.put(resource, item)
            if change is not None:
                yield change
        for place in sorted(gone):
            yield ObjectChange(self.entries.pop(place), None)
        if resource == REBALANCER:
            self._rebalance()

    @property
    def bindings(self) -> list[ObjectVersion]:
        """All bindings."""
        return [entry for place, entry in self.entries.items() if place.resource in BINDINGS]

    def named(self, workloads: Container[Identity]) -> list[ObjectVersion]:
        """Return the bindings of some workloads."""
        return [one for one in self.bindings if one.subject is not None and one.subject.identity in workloads]

    def is_rebalanced(self, subject: Subject) -> bool:
        """Tell whether a rebalancer was made for a workload after it was scheduled last.

        As for Karmada's scheduler, one that was never scheduled is not asked for anew.
        """
        last = subject.binding.model.status.last_scheduled_time if subject.binding else None
        return last is not None and self._rebalancing.wants(subject)

    def _rebalance(self) -> None:
        found = (entry.manifests for place, entry in self.entries.items() if place.resource == REBALANCER)
        self._rebalancing = Rebalancing.of(one for manifests in found for one in manifests.rebalancers)

    def cluster(self, name: str) -> ObjectVersion | None:
        """Return a cluster; None where there is none of the name."""
        return self.entries.get(ObjectKey(CLUSTER, "", name))

    @property
    def has_clusters(self) -> bool:
        """Whether any cluster is known that is understood."""
        return any(entry.is_understood for place, entry in self.entries.items() if place.resource == CLUSTER)

    def joined(self) -> tuple[Manifests, list[Subject]]:
        """Return all that is understood, put together; of two bindings for one resource the first counts.

        Bindings that are not understood are among it, as what they hold is taken.
        """
        together = Manifests()
        rows = [each.name for each in fields(Manifests)]
        for place, entry in self.entries.items():
            if place.resource not in BINDINGS and not entry.is_understood:
                continue
            for row in rows:
                found = getattr(entry.manifests, row)
                if found:
                    getattr(together, row).extend(found)
        known = [entry.subject for entry in self.entries.values() if entry.subject is not None]
        subjects = {one.identity: one for one in known}
        if len(subjects) < len(known):
            return together, join(together)[0]
        return together, [subjects[identity] for identity in sorted(subjects)]


def _is_newer(item: Mapping[str, Any], known: ObjectVersion) -> bool:
    """Tell whether an object is newer than the version that is known; one made anew always is."""
    meta = item["metadata"]
    if meta.get("uid") != known.metadata.get("uid"):
        return True
    version = str(meta.get("resourceVersion", ""))
    if version.isdigit() and known.version.isdigit():
        return int(version) > int(known.version)
    return version != known.version
