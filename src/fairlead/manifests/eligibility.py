"""How every cluster stands to a workload: open, closed, or open to what it holds already."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster, Taint, Toleration
from fairlead.models.rules import Candidates
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.source import Source

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
class Eligibility:
    """The clusters as one workload sees them."""

    names: tuple[str, ...]
    """Candidates in name order."""
    excluded: Mapping[str, Ground]
    held_only: Mapping[str, Ground]

    @classmethod
    def of(cls, closed: Mapping[str, Ground], names: Iterable[str], held: frozenset[str]) -> Self:
        """Return how clusters stand to a workload that holds replicas on some of them.

        `held`: clusters that are closed, hold replicas and may keep them.
        """
        return cls(
            tuple(sorted(name for name in names if name not in closed or name in held)),
            {name: ground for name, ground in closed.items() if name not in held},
            {name: closed[name] for name in sorted(held)},
        )

    def without(self, closed: Mapping[str, Ground]) -> "Eligibility":
        """Close some of the candidates as well; other clusters keep the ground that they have."""
        more = {name: closed[name] for name in self.names if name in closed}
        if not more:
            return self
        return Eligibility(
            tuple(name for name in self.names if name not in more),
            {**self.excluded, **more},
            {name: ground for name, ground in self.held_only.items() if name not in more},
        )

    def openable(self) -> tuple[str, ...]:
        """Return the clusters that only taints keep closed."""
        return tuple(sorted(name for name, ground in self.excluded.items() if ground.taints))

    def closed_for_good(
        self, names: Iterable[str], *, spoiling: Container[str] = (), cause: Cause | None = None
    ) -> "Eligibility":
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

    def limited(self, full: Mapping[str, Ground]) -> "Eligibility":
        """Let some of the candidates take nothing new."""
        if not full:
            return self
        # What takes nothing new for two reasons would not take more if its taints were tolerated.
        held = {
            name: replace(ground, taints=()) if name in full else ground
            for name, ground in self.held_only.items()
        }
        return Eligibility(self.names, self.excluded, {**full, **held})


T = TypeVar("T")
V = TypeVar("V")


def made_once(things: Iterable[T], make: Callable[[T], V]) -> dict[int, V]:
    """Return the value made of each thing, by identity; a thing in several places has one."""
    return {key: make(one) for key, one in {id(one): one for one in things}.items()}


def candidates(standing: Eligibility, source: Callable[[Path], Source] | None = None) -> Candidates:
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
