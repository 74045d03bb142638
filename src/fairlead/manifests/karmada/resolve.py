"""From a placement to candidates and weights, resolved against the clusters.

Placements that read the same are resolved once and share what came of it.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from fairlead.manifests.api.policies import Placement
from fairlead.manifests.karmada.facts import Declared
from fairlead.manifests.karmada.groups import FIELDS, DeclaredGroup, lacks
from fairlead.manifests.karmada.preferences import (
    ResolvedBounds,
    Terms,
    is_divided,
    is_dynamic,
    is_static,
    resolve_bounds,
    static_weights,
    weighted_terms,
)
from fairlead.manifests.karmada.totals import Group, resolve, without_unlisted
from fairlead.manifests.standing import (
    EVICTING,
    NO_AFFINITY,
    Fleet,
    Ground,
    Standing,
    departing,
    not_joined,
    roomiest,
    tainted,
    unready,
    without_api,
)
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster
from fairlead.models.rules.candidates import Cause
from fairlead.models.source import Source
from fairlead.models.workload import Workload

TieredNames = Sequence[tuple[frozenset[str], Path]]
"""Candidates by tier, with the path of the tier."""


def tiered(group: DeclaredGroup, names: Sequence[str], clusters: Mapping[str, Cluster]) -> TieredNames:
    """Return the candidates of every tier that has any; empty where there is only one declared."""
    if len(group.tiers) == 1:
        return ()
    candidates = frozenset(names)
    found = zip(group.tiers_of(clusters), group.tiers, strict=True)
    return tuple((inside & candidates, tier.path) for inside, tier in found if inside & candidates)


def within_tiers(
    standing: Standing, group: DeclaredGroup, placement: Placement, clusters: Mapping[str, Cluster]
) -> Standing:
    """Close the later tiers to workloads that do not use them.

    Full copies and static weights need nothing beyond the first tier that has candidates: it takes all there
    is.
    """
    if is_divided(placement) and not is_static(placement):
        return standing
    who = "static weights do" if is_divided(placement) else "Duplicated does"
    reason = f"is in a later overflow tier, which {who} not use"
    later = tiered(group, standing.names, clusters)[1:]
    return standing.without(
        {
            name: ground
            for inside, path in later
            for ground in (Ground(reason, path, cause=Cause.BESIDE_OTHERS),)
            for name in inside
        }
    )


def grounds(
    placement: Placement, group: DeclaredGroup, api_version: str, kind: str, clusters: Mapping[str, Cluster]
) -> dict[str, Ground]:
    """Return why clusters are closed to a workload, whatever runs where; open ones are absent.

    Where there are several reasons the first one counts: deletion, affinity, missing spread property, taints,
    missing API. Taints with effect ``PreferNoSchedule`` are not looked at, as in Karmada.
    """
    matched = frozenset().union(*group.tiers_of(clusters))
    tolerations = tuple(one.toleration for one in placement.cluster_tolerations)
    no_affinity = Ground(NO_AFFINITY, group.path)

    def first(cluster: Cluster) -> Ground | None:
        if outside := departing(cluster) or not_joined(cluster):
            return outside
        if cluster.name not in matched:
            return no_affinity
        if lacking := lacks(cluster, placement):
            return Ground(*lacking)
        otherwise = unready(cluster) or without_api(cluster, (api_version, kind))
        taint = tainted(cluster, (*cluster.taints, *cluster.implied_taints), tolerations)
        return replace(taint, taints=()) if taint and otherwise else taint or otherwise

    found = {name: first(clusters[name]) for name in sorted(clusters)}
    return {name: ground for name, ground in found.items() if ground is not None}


@dataclass(frozen=True, slots=True)
class Division:
    """Candidates and weights of one workload in one affinity group."""

    standing: Standing
    weights: Mapping[str, int] | None = None
    """Weight by candidate; None where nothing is divided."""
    tiers: TieredNames = ()
    """Candidates by overflow tier; empty where there are not at least two."""
    key: Hashable | None = None
    """Equal for workloads that share this division; None where nobody does."""


class Resolver(Fleet):
    """Resolves placements against clusters, those that read the same only once."""

    __slots__ = ()

    @property
    def terms(self) -> Terms:
        """Which clusters the terms of static weights match."""
        return self.memory.once("terms", lambda: Terms(self.clusters))

    def division(
        self, group: DeclaredGroup, workload: Workload, declared: Declared, evicting: Mapping[str, Source]
    ) -> Division:
        """Find the candidates of a workload in one affinity group, their weights and their tiers."""
        base = self._within_tiers(self._standing(group, workload, declared, evicting), group, declared)
        return self._with_tiers(self._division(base, workload, declared), group)

    def bounds(self, division: Division, declared: Declared) -> ResolvedBounds:
        """Resolve the bounds against the candidates."""
        names = division.standing.names
        key = division.key and ("resolved", division.key)
        return self.memory.once(key, lambda: resolve_bounds(declared.placement, names, self.clusters))

    def totals(self, division: Division, declared: Declared) -> tuple[Group, ...]:
        """Resolve the totals against the candidates."""
        key = division.key and ("totals", division.key)
        return self.memory.once(key, lambda: resolve(declared.totals, division.standing.names, self.clusters))

    def ranking(self, division: Division, workload: Workload) -> tuple[str, ...]:
        """Return the candidates, those with the most room first."""
        return tuple(roomiest(self.rooms(division.standing.names, workload)))

    def _text(self, declared: Declared, *names: str) -> str:
        """Return fields of a placement as text, which tells placements that say the same."""
        return self.memory.once(("text", id(declared.document), names), lambda: declared.text(*names))

    def _division(self, base: Division, workload: Workload, declared: Declared) -> Division:
        """Weigh the candidates of a workload; under static weights those without weight are none."""
        text = self._text(declared, "replicaScheduling", "replicas")
        apart = id(declared.document) if declared.totals.apart else None
        key = None if base.key is None else (text, apart, base.key)
        if declared.totals.even:
            return self.memory.once(
                key and ("even", key),
                lambda: Division(without_unlisted(declared.totals, base.standing, self.clusters), key=key),
            )
        if declared.totals.equal:
            return Division(base.standing, dict.fromkeys(base.standing.names, 1), key=key)
        if not is_divided(declared.placement):
            return replace(base, key=key)
        if is_dynamic(declared.placement):
            return self._dynamic(base, workload, key)
        return self.memory.once(key and ("static", key), lambda: self._static(base, declared.placement, key))

    def _standing(
        self, group: DeclaredGroup, workload: Workload, declared: Declared, evicting: Mapping[str, Source]
    ) -> Division:
        text = self._text(declared, *FIELDS, "clusterTolerations", "spreadConstraints")
        who = (text, group.path, workload.api_version, workload.kind)
        key, base = self.standing(
            who,
            lambda: grounds(declared.placement, group, workload.api_version, workload.kind, self.clusters),
            workload,
        )
        leaving = {name: Ground(EVICTING, source) for name, source in evicting.items() if name in base.names}
        return Division(base.without(leaving), key=None if leaving else key)

    def _within_tiers(self, base: Division, group: DeclaredGroup, declared: Declared) -> Division:
        """Close the later tiers to workloads that do not use them."""
        if len(group.tiers) == 1 or declared.totals.even:
            return base
        key = base.key and ("within", self._text(declared, "replicaScheduling"), base.key)
        return self.memory.once(
            key,
            lambda: replace(
                base, standing=within_tiers(base.standing, group, declared.placement, self.clusters)
            ),
        )

    def _with_tiers(self, division: Division, group: DeclaredGroup) -> Division:
        if len(group.tiers) == 1:
            return division
        key = division.key and ("tiers", division.key)
        found = self.memory.once(key, lambda: tiered(group, division.standing.names, self.clusters))
        return replace(division, tiers=found if len(found) > 1 else ())

    def _static(self, base: Division, placement: Placement, key: Hashable | None) -> Division:
        """Weigh candidates by what the placement says; those without weight are none."""
        largest = self.terms.largest(weighted_terms(placement))
        found = static_weights(largest, base.standing.names)
        openable = base.standing.openable()
        if not openable:
            return Division(base.standing.without(found.closed), found.weights, key=key)
        wider = static_weights(largest, (*base.standing.names, *openable)).closed
        # A weight that counts only once a cluster is open would close others that weigh 1 until then.
        harms = any(name in wider and name not in found.closed for name in base.standing.names)
        stuck = base.standing.closed_for_good(
            openable if harms else wider, spoiling=openable if harms else ()
        )
        standing = stuck.without(found.closed)
        return Division(standing, found.weights, key=key)

    def _dynamic(self, base: Division, workload: Workload, key: Hashable | None) -> Division:
        """Weigh candidates by the room they have for the workload; one of unknown room takes nothing new."""
        holds = any(name in self.clusters for name in workload.current)
        shared = None if key is None or holds else (key, tuple(sorted(workload.requests.items())))
        return self.memory.once(
            shared and ("dynamic", shared), lambda: self._by_room(base.standing, workload, shared)
        )

    def _by_room(self, base: Standing, workload: Workload, key: Hashable | None) -> Division:
        found = self.weighed(self.rooms(base.names, workload), workload)
        rooms = self.rooms(base.openable(), workload)
        unknown = frozenset(name for name, most in rooms.items() if most is None)
        # What runs where the room is unknown would stay there once its taints are tolerated, and count.
        held = unknown.intersection(name for name, count in workload.current.items() if count)
        shut = base.closed_for_good(unknown, spoiling=held, cause=Cause.UNWEIGHABLE)
        return Division(shut.without(found.closed).limited(found.full), found.weights, key=key)
