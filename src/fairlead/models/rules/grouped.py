"""Rules about the groups of a field, and what they have in common: regions, zones, values of a label.

Whoever reads, changes or explains rules asks such a rule itself: a new one needs no word elsewhere.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Self

from fairlead.models.cluster import Cluster, groups
from fairlead.models.data import WorkloadData
from fairlead.models.mistaken import Faults, FleetClusters, numbers, strangers
from fairlead.models.requirement import Requirement
from fairlead.models.rules.numbered import Number, Numbered

ClustersByGroup = Mapping[str, frozenset[str]]
"""Clusters by group."""


@dataclass(frozen=True, slots=True, repr=False)
class Grouped(Numbered):
    """A rule of a workload about groups of clusters."""

    field: str
    """Field of the groups: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label."""
    groups: ClustersByGroup
    """Candidates by group; a candidate may be in several (zones)."""

    def requirement(self, workload: WorkloadData, number: Number) -> Requirement:
        """Return the first requirement with one of its numbers alone."""
        return next(iter(self.only(number).requirements(workload)))

    @abstractmethod
    def loosened(self) -> Self | None:
        """Return the rule without its lower limits; None where nothing is left."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """Name of its groups, to tell it from others of its kind: the field, unless it says otherwise."""
        return self.field

    @property
    def detail(self) -> str:
        """Name of its groups, as `name`."""
        return self.name

    @property
    def members(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield every group that it knows, with its clusters."""
        yield from self.groups.items()

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have, and what are no numbers of replicas."""
        about = f"{type(self).__name__} {self.name}"
        all_known = frozenset().union(*(each for _, each in self.members)) <= known.by_name.keys()
        for group, clusters in () if all_known else self.members:
            yield from strangers(f"{about}: {group}", clusters, known)
        yield from numbers({f"{about}: {number.name}": number.value for number in self.numbers()})

    def over(self, candidates: Collection[Cluster]) -> Self:
        """Return the rule over other candidates."""
        return replace(self, groups=groups(candidates, self.field))

    def opened(self, more: Collection[Cluster]) -> Self:
        """Return the rule once more clusters are candidates."""
        return replace(self, groups=joined(self.groups, groups(more, self.field)))

    def widened(self, closed: Collection[Cluster]) -> Self:
        """Return a rule that knows closed clusters as well, and allows no less for it."""
        return self.opened(closed)

    def without(self, names: AbstractSet[str], *, gone: bool = False) -> Self:
        """Return the rule once clusters are closed, or gone from the problem; empty groups are none."""
        del gone
        return replace(self, groups=left_in(self.groups, names))


def joined(first: ClustersByGroup, second: ClustersByGroup) -> ClustersByGroup:
    """Return the clusters of two groupings together, in the order of the groups' names."""
    none = frozenset[str]()
    return {name: first.get(name, none) | second.get(name, none) for name in sorted({*first, *second})}


def left_in(groups: ClustersByGroup, names: AbstractSet[str]) -> ClustersByGroup:
    """Return the groups that have clusters other than some."""
    left = (
        (group, clusters if clusters.isdisjoint(names) else clusters - names)
        for group, clusters in groups.items()
    )
    return {group: clusters for group, clusters in left if clusters}
