"""Clusters and workloads in the order of their names: what is asked of all of them is found out once.

They are the same in a problem and in those that are made of it (`dataclasses.replace`), and so is what is
known of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self, TypeVar, TypeVarTuple

from fairlead.models.cluster import Cluster

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

Value = TypeVar("Value")
Found = TypeVar("Found")
Others = TypeVarTuple("Others")


def in_order_of(names: tuple[str, ...], values: Mapping[str, Value], otherwise: Value) -> Iterable[Value]:
    """Return values in the order of names; mostly they have that order, and nothing is looked up."""
    if len(values) == len(names) and tuple(values) == names:
        return values.values()
    return map(values.get, names, repeat(otherwise))


class Known:
    """An immutable value that keeps what was found out about it."""

    def once(self, find: Callable[[Self, *Others], Found], *others: *Others) -> Found:
        """Return what a pure function finds of this value and of others; asked again it is not called.

        Others are told apart by identity, so they have to be immutable, and the same object each time.
        """
        known: dict[object, tuple[object, Any]] = self.__dict__.setdefault("_known", {})
        # Who is part of a key is kept, so that nobody else gets his identity.
        key = (find, *map(id, others))
        if key not in known:
            known[key] = (others, find(self, *others))
        found: Found = known[key][1]
        return found


class Clusters(tuple[Cluster, ...], Known):  # noqa: SLOT001 - keeps what was found out
    """Clusters in name order."""

    @classmethod
    def of(cls, clusters: Iterable[Cluster]) -> Clusters:
        """Return clusters in name order."""
        return clusters if isinstance(clusters, cls) else cls(sorted(clusters, key=attrgetter("name")))

    def __reduce__(self) -> tuple[type[Clusters], tuple[tuple[Cluster, ...]]]:
        return Clusters, (tuple(self),)

    @cached_property
    def by_name(self) -> Mapping[str, Cluster]:
        """Clusters by name."""
        return dict(zip(self.names, self, strict=True))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple([cluster.name for cluster in self])

    @cached_property
    def graded(self) -> tuple[Cluster, ...]:
        """Those that tell the grades of their nodes."""
        return tuple([cluster for cluster in self if cluster.grades])


class Workloads(tuple["Workload", ...], Known):  # noqa: SLOT001 - keeps what was found out
    """Workloads in key order."""

    @classmethod
    def of(cls, workloads: Iterable[Workload]) -> Workloads:
        """Return workloads in key order."""
        return workloads if isinstance(workloads, cls) else cls(sorted(workloads, key=attrgetter("key")))

    def __reduce__(self) -> tuple[type[Workloads], tuple[tuple[Workload, ...]]]:
        return Workloads, (tuple(self),)

    @cached_property
    def by_key(self) -> Mapping[str, Workload]:
        """Workloads by key."""
        return {workload.key: workload for workload in self}

    @cached_property
    def by_namespace(self) -> Mapping[str, tuple[Workload, ...]]:
        """Workloads by namespace."""
        found: dict[str, list[Workload]] = {}
        for workload in self:
            found.setdefault(workload.namespace, []).append(workload)
        return {namespace: tuple(inside) for namespace, inside in found.items()}
