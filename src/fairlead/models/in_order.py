"""Clusters in the order of their names, which keep what was found out about them.

They are the same in a problem and in those that are made of it (`dataclasses.replace`), and so is what is
known of them; `fairlead.models.workload.Workloads` are the other ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import repeat
from operator import attrgetter
from typing import TypeVar

from fairlead.models.cluster import Cluster
from fairlead.models.kept import Known

Value = TypeVar("Value")


def in_order_of(names: tuple[str, ...], values: Mapping[str, Value], otherwise: Value) -> Iterable[Value]:
    """Return values in the order of names; mostly they have that order, and nothing is looked up."""
    if len(values) == len(names) and tuple(values) == names:
        return values.values()
    return map(values.get, names, repeat(otherwise))


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
