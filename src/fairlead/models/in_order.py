"""Clusters in the order of their names, which keep what was found out about them.

They are the same in a problem and in those that are made of it (`dataclasses.replace`), and so is what is
known of them; `fairlead.models.workload.Workloads` are the other ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress, repeat
from operator import attrgetter, itemgetter
from typing import TypeVar, cast

from fairlead.models.cluster import Cluster
from fairlead.models.kept import Known

Value = TypeVar("Value")


class Column(Mapping[str, int]):
    """Amounts of many clusters: a list beside names; a dictionary is made where one is looked for by name.

    Parameters
    ----------
    names
        Names, each once.
    amounts
        Amounts in that order; must not be changed by anybody.
    """

    __slots__ = ("_by_name", "amounts", "names")

    def __init__(self, names: tuple[str, ...], amounts: list[int]) -> None:
        self.names = names
        self.amounts = amounts
        self._by_name: dict[str, int] | None = None

    @property
    def by_name(self) -> Mapping[str, int]:
        """The same as a dictionary."""
        if self._by_name is None:
            self._by_name = dict(zip(self.names, self.amounts, strict=True))
        return self._by_name

    def __getitem__(self, name: str) -> int:
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return repr(self.by_name)


def in_order_of(names: tuple[str, ...], values: Mapping[str, Value], otherwise: Value) -> Iterable[Value]:
    """Return values in the order of names; mostly they have that order, and nothing is looked up."""
    if isinstance(values, Column):
        if values.names == names:
            return cast("list[Value]", values.amounts)
        values = cast("Mapping[str, Value]", values.by_name)
    if len(values) == len(names) and tuple(values) == names:
        return values.values()
    return map(values.get, names, repeat(otherwise))


def by_resource(names: tuple[str, ...], amounts: Sequence[Mapping[str, int]]) -> dict[str, Column]:
    """Return amounts of clusters by resource; mostly all of them tell the same ones."""
    found: dict[str, Column] = {}
    for resource in dict.fromkeys(chain.from_iterable(amounts)):
        try:
            found[resource] = Column(names, [*map(itemgetter(resource), amounts)])
        except KeyError:
            inside = [resource in each for each in amounts]
            told = [each[resource] for each in compress(amounts, inside)]
            found[resource] = Column(tuple(compress(names, inside)), told)
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
    def position(self) -> Mapping[str, int]:
        """Where each stands, by name."""
        return dict(zip(self.names, range(len(self)), strict=True))

    @cached_property
    def known(self) -> frozenset[str]:
        """Names of those of known capacity."""
        return frozenset([cluster.name for cluster in self if cluster.free is not None])

    @cached_property
    def free(self) -> Mapping[str, Column]:
        """What those of known capacity have free, by resource."""
        return self._by_resource([cluster.free for cluster in self])

    @cached_property
    def allocatable(self) -> Mapping[str, Column]:
        """What clusters have in all, by resource, as far as they say so."""
        return self._by_resource([cluster.allocatable for cluster in self])

    def _by_resource(self, amounts: list[Mapping[str, int] | None]) -> Mapping[str, Column]:
        """Return amounts of those clusters that tell any."""
        told = [each for each in amounts if each is not None]
        if len(told) == len(self):
            return by_resource(self.names, told)
        return by_resource(tuple(compress(self.names, [each is not None for each in amounts])), told)

    @cached_property
    def graded(self) -> tuple[Cluster, ...]:
        """Those that tell the grades of their nodes."""
        return tuple([cluster for cluster in self if cluster.grades])
