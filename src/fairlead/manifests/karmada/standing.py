"""How every cluster stands to a workload: open, closed, or open to what it holds already."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fairlead.manifests.api.policies import Placement
from fairlead.manifests.karmada.groups import DeclaredGroup, lacks
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster, Taint, Toleration
from fairlead.models.source import Source

NO_AFFINITY = "did not match the placement cluster affinity constraint"
NO_API = "did not have the API resource"
DELETING = "is being deleted"
NOT_JOINED = "is not joined"
NOT_READY = "is not ready"
EVICTING = "is in the process of eviction"


@dataclass(frozen=True, slots=True)
class Ground:
    """Why a cluster is not open to a workload.

    Parameters
    ----------
    reason
        The end of Karmada's sentence "1 cluster(s) ...".
    where
        Place of the reason: a path inside the placement, or a source elsewhere.
    keeps
        True where a cluster that holds replicas of the workload may keep them.
    taints
        The taints that would have to be tolerated for the cluster to be open; empty where that would not do.
    spoiling
        Taints that had better not be tolerated; see `Exclusion`.
    """

    reason: str
    where: Path | Source
    keeps: bool = False
    taints: tuple[Taint, ...] = ()
    spoiling: tuple[Taint, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """The clusters as one workload sees them.

    Parameters
    ----------
    names
        Candidates in name order.
    excluded
        All others with the reason.
    held_only
        Candidates that take nothing new.
    """

    names: tuple[str, ...]
    excluded: Mapping[str, Ground]
    held_only: Mapping[str, Ground]

    def without(self, closed: Mapping[str, Ground]) -> "Standing":
        """Close some of the candidates as well."""
        if not closed:
            return self
        return Standing(
            tuple(name for name in self.names if name not in closed),
            {**self.excluded, **closed},
            {name: ground for name, ground in self.held_only.items() if name not in closed},
        )

    def openable(self) -> tuple[str, ...]:
        """Return the clusters that only taints keep closed."""
        return tuple(sorted(name for name, ground in self.excluded.items() if ground.taints))

    def closed_for_good(self, names: Iterable[str], *, spoiling: bool = False) -> "Standing":
        """Say of some closed clusters that they would stay closed even if their taints were tolerated.

        Parameters
        ----------
        names
            The clusters.
        spoiling
            True where they would open, but had better not: that would change what others hold.
        """
        stuck = {
            name: replace(self.excluded[name], taints=(), spoiling=self.excluded[name].taints * spoiling)
            for name in names
            if name in self.excluded and self.excluded[name].taints
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


def grounds(
    placement: Placement, group: DeclaredGroup, api_version: str, kind: str, clusters: Mapping[str, Cluster]
) -> dict[str, Ground]:
    """Return why clusters are closed to a workload, whatever runs where; open ones are absent.

    Where there are several reasons the first one counts: deletion, affinity, missing spread property, taints,
    missing API. Taints with effect ``PreferNoSchedule`` are not looked at, as in Karmada.
    """
    matched = frozenset().union(*group.tiers_of(clusters))
    tolerations = tuple(
        Toleration(one.key, one.operator, one.value, one.effect) for one in placement.cluster_tolerations
    )
    found: dict[str, Ground] = {}
    no_affinity = Ground(NO_AFFINITY, group.path)
    for name in sorted(clusters):
        cluster = clusters[name]
        if cluster.deleting or not cluster.joined:
            reason = DELETING if cluster.deleting else NOT_JOINED
            ground: Ground | None = Ground(reason, cluster.source)
        elif name not in matched:
            ground = no_affinity
        elif lacking := lacks(cluster, placement):
            ground = Ground(*lacking)
        else:
            otherwise = _unready(cluster) or _without_api(cluster, api_version, kind)
            tainted = _tainted(cluster, tolerations)
            ground = replace(tainted, taints=()) if tainted and otherwise else tainted or otherwise
        if ground is not None:
            found[name] = ground
    return found


def _tainted(cluster: Cluster, tolerations: Sequence[Toleration]) -> Ground | None:
    """Return the taint that keeps a workload away; ``NoSchedule`` does so only with what is new."""
    effects = ("NoExecute", "NoSchedule")
    found = tuple(
        taint
        for effect in effects
        for taint in (*cluster.taints, *cluster.implied_taints)
        if taint.effect == effect and not _tolerated(taint, tolerations)
    )
    if not found:
        return None
    implied = found[0] in cluster.implied_taints
    reason = f"{'was not ready, as if it' if implied else ''} had untolerated taint {found[0]}".strip()
    return Ground(reason, cluster.source, keeps=found[0].effect == "NoSchedule", taints=found)


def _tolerated(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    """Tell whether a taint is put up with."""
    return any(toleration.tolerates(taint) for toleration in tolerations)


def _unready(cluster: Cluster) -> Ground | None:
    """Return that a cluster cannot be reached (KubeAdmiral); one of Karmada tells so by its taints."""
    return None if cluster.ready else Ground(NOT_READY, cluster.source, keeps=True)


def _without_api(cluster: Cluster, api_version: str, kind: str) -> Ground | None:
    """Return the missing API; a cluster that does not tell serves every kind."""
    if cluster.api_kinds is None or (api_version, kind) in cluster.api_kinds:
        return None
    return Ground(NO_API, cluster.source, keeps=True)


def standing(closed: Mapping[str, Ground], names: Iterable[str], held: frozenset[str]) -> Standing:
    """Return how clusters stand to a workload that holds replicas on some of them.

    Parameters
    ----------
    closed
        What `grounds` found.
    names
        All clusters.
    held
        Clusters that are closed, hold replicas and may keep them.
    """
    return Standing(
        tuple(sorted(name for name in names if name not in closed or name in held)),
        {name: ground for name, ground in closed.items() if name not in held},
        {name: closed[name] for name in sorted(held)},
    )
