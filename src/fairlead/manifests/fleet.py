"""The clusters as placements and policies are resolved against them, and what these mean for a workload."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar

from fairlead.manifests.eligibility import UNWEIGHABLE, Eligibility, Ground
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.rules import Moves, WorkloadRule
from fairlead.models.rules.candidates import Cause
from fairlead.models.rules.capacity import room, weighed
from fairlead.models.statement import Statement
from fairlead.models.workload import AffinityGroup, Reading, Workload

V = TypeVar("V")


class Memory:
    """Values by key, each made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}

    def once(self, key: Hashable | None, make: Callable[[], V]) -> V:
        """Return the thing of a key; None is the key of what nobody shares."""
        if key is None:
            return make()
        if key not in self._made:
            self._made[key] = make()
        found: V = self._made[key]
        return found


@dataclass(frozen=True, slots=True)
class Weighed:
    """Weights of the candidates, and the candidates that lose out."""

    weights: Mapping[str, int]
    closed: Mapping[str, Ground]
    """Candidates that cannot be weighed and so are none."""
    full: Mapping[str, Ground] = field(default_factory=dict)
    """Candidates that cannot be weighed and take nothing new."""


class Interpreted(NamedTuple):
    """Rules that a placement or a policy states for one workload."""

    rules: tuple[WorkloadRule, ...]
    """Rules, resolved against the clusters; those of the first affinity group where there are several."""
    warnings: tuple[Statement, ...]
    """Remarks on fields without effect, and on what is assumed."""
    groups: tuple[AffinityGroup, ...] = ()
    """The affinity groups with their rules; empty where there are none."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """The clusters as placements and policies are resolved against them; what workloads share is kept."""

    clusters: Mapping[str, Cluster]
    memory: Memory = field(default_factory=Memory)

    @classmethod
    def of(cls, clusters: Iterable[Cluster]) -> Self:
        """Return the fleet of some clusters."""
        return cls({cluster.name: cluster for cluster in clusters})

    @property
    def present(self) -> frozenset[str]:
        """Names of all clusters."""
        return self.memory.once("present", lambda: frozenset(self.clusters))

    def moves(self, workload: Workload, *, keep: bool, over_tiers: bool = False) -> Iterator[Moves]:
        """Say that what runs stays; nothing where nothing runs."""
        if not self.present.isdisjoint(workload.current):
            yield Moves(self.present, keep, over_tiers)

    def _closed(self, ground: Callable[[Cluster], Ground | None]) -> dict[str, Ground]:
        found = {name: ground(self.clusters[name]) for name in sorted(self.clusters)}
        return {name: why for name, why in found.items() if why is not None}

    def standing(
        self, who: Hashable, grounds: Callable[[], Callable[[Cluster], Ground | None]], workload: Workload
    ) -> tuple[Hashable, Eligibility]:
        """Return how clusters stand to a workload, and a key that is equal for all with the same standing.

        `who`: equal for workloads to which the same clusters are closed, whatever they hold. `grounds`:
        returns what tells why a cluster is closed to them, None where it is open.
        """
        closed = self.memory.once(("closed", who), lambda: self._closed(grounds()))
        held = frozenset(name for name in workload.current if name in closed and closed[name].keeps)
        key = ("standing", who, held)
        return key, self.memory.once(key, lambda: Eligibility.of(closed, self.clusters, held))

    def rooms(self, names: Iterable[str], workload: Workload) -> dict[str, int | None]:
        """Return the room of candidates; where nothing runs, the requests alone decide."""
        requests = tuple(sorted(workload.requests.items()))
        empty: dict[str, int | None] = self.memory.once(("room", requests), dict)
        found: dict[str, int | None] = {}
        for name in names:
            if name in workload.current:
                found[name] = room(workload, self.clusters[name])
            else:
                if name not in empty:
                    empty[name] = room(workload, self.clusters[name])
                found[name] = empty[name]
        return found

    def weighed(self, rooms: Mapping[str, int | None], workload: Workload) -> Weighed:
        """Weigh candidates by their room; one of unknown room is none, or keeps what it holds."""
        unknown = {
            name: Ground(UNWEIGHABLE, self.clusters[name].source, cause=Cause.UNWEIGHABLE)
            for name, most in rooms.items()
            if most is None
        }
        closed = {name: why for name, why in unknown.items() if name not in workload.current}
        weights = {name: weighed(most) for name, most in rooms.items() if name not in closed}
        return Weighed(weights, closed, {name: why for name, why in unknown.items() if name not in closed})

    def by_room(
        self, standing: Eligibility, weigh: Callable[[Sequence[str]], Weighed]
    ) -> tuple[Eligibility, Mapping[str, int]]:
        """Return how clusters stand to a workload that is weighed by their room, and the weights.

        Closed clusters of unknown room stay closed even if their taints were tolerated; what runs on one of
        them would stay there, and count.
        """
        found, there = weigh(standing.names), weigh(standing.openable())
        unknown = {**there.closed, **there.full}
        shut = standing.closed_for_good(unknown, spoiling=there.full, cause=Cause.UNWEIGHABLE)
        return shut.without(found.closed).limited(found.full), found.weights


def roomiest(
    rooms: Mapping[str, int | None], priorities: Mapping[str, int] = MappingProxyType({})
) -> tuple[tuple[str, ...], ...]:
    """Return clusters by priority, then by room: without limit first, then the most; equals together."""

    def place(name: str) -> tuple[int, bool, int]:
        return -priorities.get(name, 0), rooms[name] is not None, -(rooms[name] or 0)

    return tuple(tuple(alike) for _, alike in groupby(sorted(sorted(rooms), key=place), place))


Addition = Callable[[Workload, Mapping[str, Cluster]], Workload]
"""Adds what one manifest of our own kinds says of a workload, over the clusters that there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestReading(Reading, ABC):
    """Manifests of one system; a subclass for each says what only it knows."""

    added: tuple[Addition, ...] = ()
    """Rules that manifests of our own kinds add to those of the placement or policy, in order."""

    tolerated: tuple[Taint, ...] = ()
    """Taints that are tolerated beside those that the placement or policy tolerates."""

    def again(self, workload: Workload, clusters: Sequence[Cluster]) -> Workload:
        """Return a workload with the rules that its manifests make of some clusters."""
        if self.tolerated:
            clusters = [one.without_taints(self.tolerated) for one in clusters]
        found, there = self.stated(workload, clusters), {one.name: one for one in clusters}
        for add in self.added:
            found = add(found, there)
        return found

    def extended(self, addition: Addition) -> Self:
        """Return the same with what one more manifest adds."""
        return replace(self, added=(*self.added, addition))

    @abstractmethod
    def stated(self, workload: Workload, clusters: Sequence[Cluster]) -> Workload:
        """Return a workload with the rules that its placement or policy alone makes of some clusters."""

    def tolerating(self, taints: Sequence[Taint]) -> Self:
        """Return the same with some taints tolerated."""
        return replace(self, tolerated=(*self.tolerated, *taints))
