"""Skew: how far the fullest and the emptiest region, zone, provider or cluster may differ."""

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from fairlead.models.cluster import Cluster, noun_of
from fairlead.models.data import WorkloadData
from fairlead.models.requirement import Kind, Requirement, Scope, Side
from fairlead.models.rules.numbered import ClustersByGroup, Grouped, Number
from fairlead.models.source import Source
from fairlead.models.words import counted

KIND = "skew"


@dataclass(frozen=True, slots=True)
class Apart(Scope):
    """How many replicas more the fullest group holds than the emptiest one."""

    field: str
    groups: ClustersByGroup
    """Candidates by group, none of them empty."""
    where_held: frozenset[str] = frozenset()
    """Groups that count only where they hold replicas."""

    @property
    def detail(self) -> str:
        """The field."""
        return self.field

    def count(self, placed: Mapping[str, int]) -> int:
        """Return the difference; 0 where there is no other group."""
        every = {group: sum(placed.get(name, 0) for name in self.groups[group]) for group in self.groups}
        held = [count for group, count in every.items() if count or group not in self.where_held]
        return max(held, default=0) - min(held, default=0)

    def held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether any group holds replicas."""
        return any(placed.get(name) for clusters in self.groups.values() for name in clusters)


@dataclass(frozen=True, slots=True, repr=False)
class Skew(Grouped):
    """The fullest group that has candidates holds at most so many replicas more than the emptiest one.

    Kubernetes knows it as ``maxSkew`` of topologySpreadConstraints, with nodes in the place of clusters.
    Candidates that tell no group count nowhere.
    """

    maximum: int
    """Most replicas by which two groups may differ."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""
    where_held: frozenset[str] = dataclasses.field(default=frozenset(), repr=False)
    """Groups that count only where they hold replicas: those of clusters that could be opened."""

    kind: ClassVar[str] = KIND

    def _with_candidates(self) -> ClustersByGroup:
        return {group: clusters for group, clusters in self.groups.items() if clusters}

    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Yield by how much the groups may differ."""
        scope = Apart(self.field, self._with_candidates(), self.where_held)
        yield Requirement(_RULE, Side.MOST, self.maximum, scope, workload, self.source)

    def numbers(self) -> Iterator[Number]:
        """Yield by how much the groups may differ."""
        words = f"the most by which two groups of {self.field} differ"
        yield Number("maximum", self.maximum, Side.MOST, KIND, words, None, self.source)

    def loosened(self) -> Self | None:
        """Return all of it: it asks nothing at least."""
        return self

    def needed(self, minima: int) -> int:
        """Return the replicas that the fullest group may need, which all others have to keep up with."""
        return minima

    def widened(self, closed: Collection[Cluster]) -> Self:
        """Return the rule over closed groups as well; these count where they hold replicas, so are opened."""
        wide = self.opened(closed)
        return replace(wide, where_held=frozenset(wide.groups.keys() - self._with_candidates().keys()))

    def while_closed(self, open_now: AbstractSet[str]) -> Self:
        """Return the rule over groups that have candidates now, with what would open in them."""
        groups = {group: names for group, names in self.groups.items() if not names.isdisjoint(open_now)}
        return replace(self, groups=groups)


def _asked(one: Requirement) -> str:
    most = counted(one.limit, "replica")
    return f"{one.who}: the fullest and the emptiest {noun_of(one.detail)} differ by at most {most}"


def _broken(one: Requirement, found: int) -> str:
    stands = f"the fullest and the emptiest {noun_of(one.detail)} differ by {counted(found, 'replica')}"
    return one.differs(stands, found)


_RULE = Kind(KIND, _asked, _broken)
