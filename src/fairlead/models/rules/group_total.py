"""Group total: how many replicas a named set of clusters holds together."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from fairlead.models.cluster import Cluster
from fairlead.models.data import WorkloadData
from fairlead.models.mistaken import Faults, FleetClusters, numbers, strangers
from fairlead.models.requirement import MINIMA, Among, GivesWay, Kind, Requirement, Side
from fairlead.models.rules.numbered import Number, Numbered
from fairlead.models.source import Source
from fairlead.models.words import counted

KIND = "group-total"


@dataclass(frozen=True, slots=True, repr=False)
class GroupTotal(Numbered):
    """A set of clusters holds at least a minimum and at most a maximum of replicas together.

    Where both are equal the total is exact (``Specified``). Minima do not bind a workload scaled to 0.
    """

    name: str
    """Name of the set, as people call it, such as ``region RegionA`` or ``member1``."""
    clusters: frozenset[str]
    """Names of the clusters in the set."""
    minimum: int = 0
    """Fewest replicas."""
    maximum: int | None = None
    """Most replicas; None means no limit."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""
    closed: frozenset[str] | None = field(default=None, compare=False, repr=False)
    """Clusters of the set that are no candidates, and would count if they were; None where that is not known.
    Left out of comparisons."""
    grouped_by: str = field(default="", compare=False, repr=False)
    """Field or label for each of whose values one line states the same bounds (``region``, ``zone``, ...);
    empty where the set was named by itself. Left out of comparisons."""
    several: bool = field(default=False, compare=False, repr=False)
    """Whether the name is a plural, such as ``all eligible clusters``. Left out of comparisons."""

    kind: ClassVar[str] = KIND

    @property
    def detail(self) -> str:
        """The name of the set."""
        return self.name

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have, and what are no numbers of replicas."""
        about = f"GroupTotal {self.name}"
        yield from strangers(about, self.clusters, known)
        limit = {} if self.maximum is None else {f"{about}: maximum": self.maximum}
        yield from numbers({f"{about}: minimum": self.minimum, **limit})

    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Yield the minimum and the maximum of the set."""
        if self.minimum:
            yield self._asks(workload, Side.LEAST, self.minimum)
        if self.maximum is not None:
            yield self._asks(workload, Side.MOST, self.maximum)

    def _asks(self, workload: WorkloadData, side: Side, limit: int) -> Requirement:
        """Return how many replicas the set needs, or how many it may hold."""
        scope, paired = Among(self.name, self.clusters, self.several), self.minimum == self.maximum
        ways = GivesWay.ALWAYS if side is Side.LEAST else GivesWay.NEVER
        return Requirement(_RULE, side, limit, scope, workload, self.source, gives_way=ways, paired=paired)

    def numbers(self) -> Iterator[Number]:
        """Yield the minimum and the maximum; of an exact total both are the total."""
        kinds = ("total", "total") if self.minimum == self.maximum else ("group-minimum", "group-maximum")
        for name, value, side, kind, end in (
            ("minimum", self.minimum, Side.LEAST, kinds[0], 0),
            ("maximum", self.maximum, Side.MOST, kinds[1], None),
        ):
            if value is not None:
                yield Number(name, value, side, kind, f"the {name} of {self.name}", end, self.source)

    def requirement(self, workload: WorkloadData, number: Number) -> Requirement:
        """Return the requirement of the minimum or the maximum."""
        return self._asks(workload, number.side, number.value)

    def only(self, number: Number) -> Self:
        """Return the rule without its other side."""
        return replace(self, maximum=None) if number.side is Side.LEAST else replace(self, minimum=0)

    @property
    def wanted(self) -> int:
        """The minimum."""
        return self.minimum

    def needed(self, minima: int) -> int:
        """Return the minimum: one cluster may have to hold all of it."""
        del minima
        return self.minimum

    def impossible(self, most: int, everywhere: frozenset[str]) -> bool:
        """Tell whether the clusters of the set hold less than the minimum."""
        del everywhere
        return self.minimum > most * len(self.clusters)

    def widened(self, closed: Collection[Cluster]) -> Self:
        """Return the rule with what is closed of the set, which would count as well, were it open."""
        del closed
        return replace(self, clusters=self.clusters | (self.closed or frozenset()))


def _asked(one: Requirement) -> str:
    limit = counted(one.limit, "replica")
    if one.paired:
        told = f"must hold exactly {limit}"
    elif one.side is Side.LEAST:
        told = f"need{_ending(one)} at least {limit}"
    else:
        told = f"may hold at most {one.limit}"
    empty = one.side is Side.LEAST and isinstance(one.scope, Among) and not one.scope.clusters
    return f"{one.who}: {one.detail} {told}{', but no eligible cluster is in it' if empty else ''}"


def _broken(one: Requirement, found: int) -> str:
    return one.differs(f"{one.detail} hold{_ending(one)} {counted(found, 'replica')}", found)


def _ending(one: Requirement) -> str:
    """Return the ending of a verb that tells what the set does."""
    return "" if isinstance(one.scope, Among) and one.scope.several else "s"


_RULE = Kind(KIND, _asked, _broken, MINIMA)
