"""Group total: how many replicas a named set of clusters holds together."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fairlead.models.data import WorkloadData
from fairlead.models.mistaken import Fleet, Found, Written, numbers, strangers
from fairlead.models.requirement import MINIMA, Among, GivesWay, Kind, Requirement, Side
from fairlead.models.source import Source
from fairlead.models.words import counted

KIND = "group-total"


@dataclass(frozen=True, slots=True, repr=False)
class GroupTotal(Written):
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

    def mistakes(self, known: Fleet) -> Found:
        """Yield clusters that the problem does not have, and what are no numbers of replicas."""
        about = f"GroupTotal {self.name}"
        yield from strangers(about, self.clusters, known)
        limit = {} if self.maximum is None else {f"{about}: maximum": self.maximum}
        yield from numbers({f"{about}: minimum": self.minimum, **limit})

    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Yield the minimum and the maximum of the set."""
        if self.minimum:
            yield minimum(self, workload)
        if self.maximum is not None:
            yield maximum(self, workload)


def minimum(rule: GroupTotal, workload: WorkloadData) -> Requirement:
    """Return how many replicas the set needs."""
    return _requirement(rule, workload, Side.LEAST, rule.minimum, GivesWay.ALWAYS)


def maximum(rule: GroupTotal, workload: WorkloadData) -> Requirement:
    """Return how many replicas the set may hold; none where the rule states no maximum."""
    return _requirement(rule, workload, Side.MOST, rule.maximum or 0, GivesWay.NEVER)


def _requirement(
    rule: GroupTotal, workload: WorkloadData, side: Side, limit: int, gives_way: GivesWay
) -> Requirement:
    scope, paired = Among(rule.name, rule.clusters, rule.several), rule.minimum == rule.maximum
    return Requirement(_RULE, side, limit, scope, workload, rule.source, gives_way=gives_way, paired=paired)


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
