"""How every cluster stands to a workload: open, closed, or open to what it holds already."""

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar

from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster, Taint, Toleration
from fairlead.models.rules import Candidates, Moves, WorkloadRule
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.rules.capacity import room, weighed
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.workload import AffinityGroup, Workload

NO_AFFINITY = "did not match the placement cluster affinity constraint"
NO_API = "did not have the API resource"
DELETING = "is being deleted"
NOT_JOINED = "is not joined"
NOT_READY = "is not ready"
EVICTING = "is in the process of eviction"
UNWEIGHABLE = "has unknown capacity, so it cannot be weighed by available replicas"


@dataclass(frozen=True, slots=True)
class Ground:
    """Why a cluster is not open to a workload."""

    reason: str
    """The end of Karmada's sentence "1 cluster(s) ..."."""
    where: Path | Source | None
    """Place of the reason: a path inside the placement, or a source elsewhere; None where there is none."""
    keeps: bool = False
    """True where a cluster that holds replicas of the workload may keep them."""
    taints: tuple[Taint, ...] = ()
    """The taints that would have to be tolerated for the cluster to be open; empty where that would not
    do."""
    spoiling: tuple[Taint, ...] = ()
    """Taints that had better not be tolerated; see `Exclusion`."""
    cause: Cause = Cause.OTHER


@dataclass(frozen=True, slots=True)
class Standing:
    """The clusters as one workload sees them."""

    names: tuple[str, ...]
    """Candidates in name order."""
    excluded: Mapping[str, Ground]
    held_only: Mapping[str, Ground]

    def without(self, closed: Mapping[str, Ground]) -> "Standing":
        """Close some of the candidates as well; other clusters keep the ground that they have."""
        more = {name: closed[name] for name in self.names if name in closed}
        if not more:
            return self
        return Standing(
            tuple(name for name in self.names if name not in more),
            {**self.excluded, **more},
            {name: ground for name, ground in self.held_only.items() if name not in more},
        )

    def openable(self) -> tuple[str, ...]:
        """Return the clusters that only taints keep closed."""
        return tuple(sorted(name for name, ground in self.excluded.items() if ground.taints))

    def closed_for_good(
        self, names: Iterable[str], *, spoiling: Container[str] = (), cause: Cause | None = None
    ) -> "Standing":
        """Say of some closed clusters that they would stay closed even if their taints were tolerated.

        `spoiling`: those that would open, but had better not: that would change what others hold, or bind
        what binds nothing until then. `cause`: what would keep them closed beside the taints; None where
        nobody asks.
        """
        stuck = {
            name: replace(
                ground,
                taints=(),
                spoiling=ground.taints if name in spoiling else (),
                cause=cause if cause is not None and ground.cause is Cause.OTHER else ground.cause,
            )
            for name in names
            if (ground := self.excluded.get(name)) is not None and ground.taints
        }
        return replace(self, excluded={**self.excluded, **stuck}) if stuck else self

    def limited(self, full: Mapping[str, Ground]) -> "Standing":
        """Let some of the candidates take nothing new."""
        if not full:
            return self
        # What takes nothing new for two reasons would not take more if its taints were tolerated.
        held = {
            name: replace(ground, taints=()) if name in full else ground
            for name, ground in self.held_only.items()
        }
        return Standing(self.names, self.excluded, {**full, **held})


T = TypeVar("T")
V = TypeVar("V")


def made_once(things: Iterable[T], make: Callable[[T], V]) -> dict[int, V]:
    """Return the value made of each thing, by identity; a thing in several places has one."""
    return {key: make(one) for key, one in {id(one): one for one in things}.items()}


def candidates(standing: Standing, source: Callable[[Path], Source] | None = None) -> Candidates:
    """Return the rule; `source` tells where a path inside the placement stands, None where there is none."""

    def exclusion(ground: Ground) -> Exclusion:
        where = ground.where
        if isinstance(where, tuple):
            where = source(where) if source else None
        return Exclusion(ground.reason, where, ground.taints, ground.spoiling, ground.cause)

    excluded, held_only = standing.excluded, standing.held_only
    made = made_once((*excluded.values(), *held_only.values()), exclusion)
    return Candidates(
        standing.names,
        {name: made[id(excluded[name])] for name in sorted(excluded)},
        {name: made[id(held_only[name])] for name in sorted(held_only)},
    )


def departing(cluster: Cluster) -> Ground | None:
    """Return that a cluster is being deleted."""
    return Ground(DELETING, cluster.source, cause=Cause.DELETING) if cluster.deleting else None


def not_joined(cluster: Cluster) -> Ground | None:
    """Return that a cluster is no member (KubeAdmiral)."""
    return None if cluster.joined else Ground(NOT_JOINED, cluster.source)


def tainted(cluster: Cluster, taints: Iterable[Taint], tolerations: Sequence[Toleration]) -> Ground | None:
    """Return the taint that keeps a workload away; ``NoSchedule`` does so only with what is new.

    Taints with effect ``PreferNoSchedule`` are not looked at. One that counts first would, with all others,
    have to be tolerated for the cluster to be open.
    """
    known = tuple(taints)
    found = tuple(
        taint
        for effect in ("NoExecute", "NoSchedule")
        for taint in known
        if taint.effect == effect and not any(one.tolerates(taint) for one in tolerations)
    )
    if not found:
        return None
    implied = found[0] in cluster.implied_taints
    reason = f"{'was not ready, as if it' if implied else ''} had untolerated taint {found[0]}".strip()
    return Ground(reason, cluster.source, keeps=found[0].effect == "NoSchedule", taints=found)


def unready(cluster: Cluster) -> Ground | None:
    """Return that a cluster cannot be reached (KubeAdmiral); one of Karmada tells so by its taints."""
    return None if cluster.ready else Ground(NOT_READY, cluster.source, keeps=True, cause=Cause.NOT_READY)


def without_api(cluster: Cluster, api: tuple[str, str]) -> Ground | None:
    """Return that an apiVersion and kind is missing; a cluster that does not tell serves every kind."""
    if cluster.api_kinds is None or api in cluster.api_kinds:
        return None
    return Ground(NO_API, cluster.source, keeps=True)


def _standing(closed: Mapping[str, Ground], names: Iterable[str], held: frozenset[str]) -> Standing:
    """Return how clusters stand to a workload that holds replicas on some of them.

    `held`: clusters that are closed, hold replicas and may keep them.
    """
    return Standing(
        tuple(sorted(name for name in names if name not in closed or name in held)),
        {name: ground for name, ground in closed.items() if name not in held},
        {name: closed[name] for name in sorted(held)},
    )


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
    ) -> tuple[Hashable, Standing]:
        """Return how clusters stand to a workload, and a key that is equal for all with the same standing.

        `who`: equal for workloads to which the same clusters are closed, whatever they hold. `grounds`:
        returns what tells why a cluster is closed to them, None where it is open.
        """
        closed = self.memory.once(("closed", who), lambda: self._closed(grounds()))
        held = frozenset(name for name in workload.current if name in closed and closed[name].keeps)
        key = ("standing", who, held)
        return key, self.memory.once(key, lambda: _standing(closed, self.clusters, held))

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
        self, standing: Standing, weigh: Callable[[Sequence[str]], Weighed]
    ) -> tuple[Standing, Mapping[str, int]]:
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
