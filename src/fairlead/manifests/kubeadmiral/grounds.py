"""Why clusters are closed to a workload, by KubeAdmiral's rules."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fairlead.manifests.karmada.standing import DELETING, NO_API, NOT_JOINED, NOT_READY
from fairlead.manifests.kubeadmiral.policies import AFFINITY, PLACEMENT, SELECTOR, Policy
from fairlead.models.cluster import Cluster
from fairlead.models.rules import Candidates
from fairlead.models.rules.candidates import Exclusion

NOT_LISTED = "is not in the placement list"
NO_SELECTOR = "did not match the cluster selector"
NO_AFFINITY = "did not match the cluster affinity"
UNAVAILABLE = "is to be left by the migration configuration"
NOTHING_RUNS = "does not run it, and rescheduling is disabled"

Api = tuple[str, str]
"""apiVersion and kind of a workload."""


class Ground(NamedTuple):
    """Why a cluster is not open to a workload.

    Parameters
    ----------
    exclusion
        The reason, and where it stands.
    keeps
        True where a cluster that holds replicas of the workload may keep them.
    """

    exclusion: Exclusion
    keeps: bool = False


def closed_clusters(policy: Policy, api: Api, clusters: Mapping[str, Cluster]) -> dict[str, Ground]:
    """Return why clusters are closed to a workload, whatever runs where; open ones are absent.

    Where there are several grounds the first one counts. Those that leave alone what runs already come last:
    an untolerated taint with effect ``NoSchedule``, and a cluster that is not ready. Taints with effect
    ``PreferNoSchedule`` are not looked at.
    """
    found: dict[str, Ground] = {}
    for name in sorted(clusters):
        ground = _first(policy, api, clusters[name])
        if ground is not None:
            found[name] = ground
    return found


def candidates(
    closed: Mapping[str, Ground], clusters: Mapping[str, Cluster], held: frozenset[str]
) -> Candidates:
    """Return the candidates of a workload that holds replicas on some clusters; those keep what they may."""
    kept = {name for name in held if name in closed and closed[name].keeps}
    return Candidates(
        tuple(sorted(name for name in clusters if name not in closed or name in kept)),
        {name: ground.exclusion for name, ground in closed.items() if name not in kept},
        {name: closed[name].exclusion for name in sorted(kept)},
    )


def without(candidates_: Candidates, closed: Mapping[str, Exclusion]) -> Candidates:
    """Close some candidates as well; other clusters keep the ground that they have."""
    more = {name: closed[name] for name in candidates_.names if name in closed}
    if not more:
        return candidates_
    return Candidates(
        tuple(name for name in candidates_.names if name not in more),
        dict(sorted({**candidates_.excluded, **more}.items())),
        {name: ground for name, ground in candidates_.held_only.items() if name not in more},
    )


def closed_for_good(candidates_: Candidates, names: Iterable[str], *, spoiling: bool = False) -> Candidates:
    """Say of some closed clusters that they would stay closed even if their taints were tolerated.

    Where that is spoiling they would open, but had better not: that would change what others hold.
    """
    stuck = {
        name: replace(
            candidates_.excluded[name], taints=(), spoiling=candidates_.excluded[name].taints * spoiling
        )
        for name in names
        if name in candidates_.excluded and candidates_.excluded[name].taints
    }
    return replace(candidates_, excluded={**candidates_.excluded, **stuck}) if stuck else candidates_


def _first(policy: Policy, api: Api, cluster: Cluster) -> Ground | None:
    """Return the first ground against a cluster."""
    for check in _CHECKS:
        ground = check(policy, api, cluster)
        if ground is not None:
            return ground
    return None


def _member(_policy: Policy, _api: Api, cluster: Cluster) -> Ground | None:
    if not cluster.joined:
        return Ground(Exclusion(NOT_JOINED, cluster.source))
    return Ground(Exclusion(DELETING, cluster.source)) if cluster.deleting else None


def _served(_policy: Policy, api: Api, cluster: Cluster) -> Ground | None:
    # A cluster that does not tell serves every kind.
    if cluster.api_kinds is None or api in cluster.api_kinds:
        return None
    return Ground(Exclusion(NO_API, cluster.source))


def _listed(policy: Policy, _api: Api, cluster: Cluster) -> Ground | None:
    entries = policy.preferred.entries
    if not entries or cluster.name in entries:
        return None
    return Ground(Exclusion(NOT_LISTED, policy.sources[PLACEMENT]))


def _selected(policy: Policy, _api: Api, cluster: Cluster) -> Ground | None:
    if not policy.selector.matches(cluster.labels):
        return Ground(Exclusion(NO_SELECTOR, policy.sources[SELECTOR]))
    if policy.terms is not None and not any(term.matches(cluster) for term in policy.terms):
        return Ground(Exclusion(NO_AFFINITY, policy.sources[AFFINITY]))
    return None


def _tainted(policy: Policy, _api: Api, cluster: Cluster) -> Ground | None:
    effects = ("NoExecute", "NoSchedule")
    found = tuple(
        taint
        for effect in effects
        for taint in cluster.taints
        if taint.effect == effect and not any(one.tolerates(taint) for one in policy.tolerations)
    )
    if not found:
        return None
    reason = f"had untolerated taint {found[0]}"
    opens = found if cluster.ready else ()
    return Ground(Exclusion(reason, cluster.source, opens), keeps=found[0].effect == "NoSchedule")


def _ready(_policy: Policy, _api: Api, cluster: Cluster) -> Ground | None:
    return None if cluster.ready else Ground(Exclusion(NOT_READY, cluster.source), keeps=True)


_CHECKS: Sequence[Callable[[Policy, Api, Cluster], Ground | None]] = (
    _member,
    _served,
    _listed,
    _selected,
    _tainted,
    _ready,
)
