"""Numbered rules: those that state numbers, each of which somebody could change by itself.

What a conflict is made of, what a way out changes and what `why` tries are loops over these numbers. Whoever
reads, changes or explains rules about groups (regions, zones, values of a label) asks such a rule itself: a
new one needs no word elsewhere.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

from fairlead.models.cluster import Cluster, groups
from fairlead.models.data import WorkloadData
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, numbers, strangers
from fairlead.models.requirement import Binds, Requirement, Side
from fairlead.models.source import Source
from fairlead.models.statement import Statement


class Number(NamedTuple):
    """A number that a rule states, and that somebody could change."""

    name: str
    """Name of the number in the rule, such as ``minimum``."""
    value: int
    """The number: replicas or groups."""
    side: Side
    """Whether at least, at most or exactly so many are asked for."""
    change: str
    """The kind of such a change, one of `changes.kinds.ChangeKind`."""
    words: str
    """Name of the number, as people call it: ``the fewest region groups``."""
    farthest: int | None = None
    """The number beyond which a change does not help any more; None where only the replicas tell."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""
    cluster: str | None = None
    """The cluster that it is about; None where it is about several."""

    @property
    def idle(self) -> bool:
        """Whether it asks for nothing."""
        return self.side is Side.LEAST and not self.value


class Numbered(PlainRepr):
    """A rule of a workload that states numbers.

    An abstract class, but not an `ABC`: to ask whether a rule is one takes several times as long there, and
    that is asked of every rule of every workload.
    """

    __slots__ = ()

    kind: ClassVar[str]
    """Name of the rule in statements and rows."""

    @property
    def detail(self) -> str:
        """Name of its set or field, to tell it from others of its kind; empty where it has none."""
        return ""

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the encoder's rows for it (`Origin.detail`); a row of one cluster has its number's."""
        return (self.detail,)

    @abstractmethod
    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Yield the requirements of the rule."""
        raise NotImplementedError

    @abstractmethod
    def numbers(self) -> Iterator[Number]:
        """Yield the numbers that it states."""
        raise NotImplementedError

    @abstractmethod
    def requirement(self, workload: WorkloadData, number: Number) -> Requirement:
        """Return the requirement of one of its numbers."""
        raise NotImplementedError

    def statement(self, number: Number, workload: WorkloadData) -> Statement:
        """Say in the user's words what one of its numbers asks for."""
        return self.requirement(workload, number).statement()

    def only(self, number: Number) -> Self:
        """Return a rule that states one of its numbers alone."""
        del number
        return self

    def changed(self, number: Number, value: int) -> Self:
        """Return a rule with another value of one of its numbers."""
        return replace(self, **{number.name: value})  # type: ignore[type-var]

    @property
    def wanted(self) -> int:
        """How many replicas it asks for in all, whatever number is wanted."""
        return 0

    def needed(self, minima: int) -> int:
        """Return how many replicas a single cluster may need for it, where minima add up to so many."""
        del minima
        return 0

    def impossible(self, most: int, everywhere: frozenset[str]) -> bool:
        """Tell whether not even so many replicas on every cluster of a problem keep it."""
        del most, everywhere
        return False

    def tight(self, number: Number, workload: WorkloadData, placed: Mapping[str, int]) -> bool:
        """Tell whether a placement (replicas by cluster) stands right at one of its numbers."""
        return any(
            one.side is number.side and one.binds is Binds.ALWAYS and one.count(placed) == one.limit
            for one in self.requirements(workload)
        )

    def widened(self, closed: Collection[Cluster]) -> Self:
        """Return a rule that knows closed clusters as well, and allows no less for it."""
        del closed
        return self

    def while_closed(self, open_now: AbstractSet[str]) -> Self:
        """Return a rule that knows clusters that would open, as it counts while only some are open."""
        del open_now
        return self


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
