"""From a placement to candidates and weights, resolved against the clusters.

Placements that read the same are resolved once and share what came of it.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from fairlead.manifests.api.policies import Placement, StaticClusterWeight
from fairlead.manifests.eligibility import (
    EVICTING,
    NO_AFFINITY,
    Eligibility,
    Ground,
    departing,
    not_joined,
    tainted,
    unready,
    without_api,
)
from fairlead.manifests.fleet import Fleet, roomiest
from fairlead.manifests.karmada import preferences
from fairlead.manifests.karmada.facts import Declared
from fairlead.manifests.karmada.groups import FIELDS, DeclaredGroup, lacks
from fairlead.manifests.karmada.totals import Resolved, resolve, without_unlisted
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster, values_of
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
    standing: Eligibility, group: DeclaredGroup, placement: Placement, clusters: Mapping[str, Cluster]
) -> Eligibility:
    """Close the later tiers to workloads that do not use them.

    Full copies and static weights need nothing beyond the first tier that has candidates: it takes all there
    is.
    """
    if preferences.is_divided(placement) and not preferences.is_static(placement):
        return standing
    if len(group.tiers) > 1:
        standing = _beside_tiers(standing, group.tiers_of(clusters))
    who = "static weights do" if preferences.is_divided(placement) else "Duplicated does"
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


def _beside_tiers(standing: Eligibility, tiers: Sequence[frozenset[str]]) -> Eligibility:
    """Say which clusters tolerations do not open where only the first tier with candidates is used.

    Those of a later tier stay closed, and one of an earlier tier would close all that are open now. Where
    nothing is open, what opens a cluster may open one of an earlier tier as well.
    """
    openable = standing.openable()
    place = {name: at for at, inside in enumerate(tiers) for name in inside}
    taints = {name: frozenset(standing.excluded[name].taints) for name in openable}
    if standing.names:
        first = min(place[name] for name in standing.names)
        stuck = [name for name in openable if place[name] != first]
        return standing.closed_for_good(stuck, spoiling=[name for name in stuck if place[name] < first])
    return standing.closed_for_good(
        name
        for name in openable
        if any(place[other] < place[name] and taints[other] <= taints[name] for other in openable)
    )


def grounds(
    placement: Placement, group: DeclaredGroup, api: tuple[str, str], clusters: Mapping[str, Cluster]
) -> Callable[[Cluster], Ground | None]:
    """Return a function that tells why a cluster is closed, whatever runs where; None where it is open.

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
        otherwise = unready(cluster) or without_api(cluster, api)
        taint = tainted(cluster, (*cluster.taints, *cluster.implied_taints), tolerations)
        return replace(taint, taints=()) if taint and otherwise else taint or otherwise

    return first


@dataclass(frozen=True, slots=True)
class ResolvedGroup:
    """Candidates of one workload in one affinity group, and how it is divided among them."""

    standing: Eligibility
    weights: Mapping[str, int] | None
    """Weight by candidate; None where nothing is divided."""
    tiers: TieredNames
    """Candidates by overflow tier; empty where there are not at least two."""
    bounds: preferences.ResolvedBounds
    totals: tuple[Resolved, ...]
    key: Hashable | None
    """Equal for workloads that share this division; None where nobody does."""
    unweighed: bool = False
    """True where static weights are declared and no candidate has one above 0, so that all weigh the same."""


class Resolver(Fleet):
    """Resolves placements against clusters, those that read the same only once."""

    __slots__ = ()

    def division(
        self, group: DeclaredGroup, workload: Workload, declared: Declared, evicting: Mapping[str, Source]
    ) -> ResolvedGroup:
        """Find the candidates of a workload in one affinity group, and how it is divided among them."""
        placement, api = declared.placement, (workload.api_version, workload.kind)
        text = self._text(declared, *FIELDS, "clusterTolerations", "spreadConstraints")
        who = (text, group.path, api)
        same, base = self.standing(who, lambda: grounds(placement, group, api, self.clusters), workload)
        leaving = {name: Ground(EVICTING, source) for name, source in evicting.items() if name in base.names}
        stuck = frozenset(name for name in evicting if name in base.excluded)
        apart = id(declared.document) if declared.totals.apart else None
        key: Hashable = (
            "division",
            same,
            stuck,
            self._text(declared, "replicaScheduling", "replicas"),
            apart,
        )
        if _by_room(declared):
            key = (key, tuple(sorted(workload.requests.items())))
        # No toleration opens what a workload is taken off.
        shut = base.closed_for_good(stuck)
        own = leaving or (_by_room(declared) and any(name in self.clusters for name in workload.current))
        return self.memory.once(
            None if own else key,
            lambda: self._divided(shut.without(leaving), group, workload, declared, None if own else key),
        )

    def values(self, field: str) -> frozenset[str]:
        """Return the values of a field, such as ``region``, that any cluster has."""
        return self.memory.once(
            ("values", field),
            lambda: frozenset(value for one in self.clusters.values() for value in values_of(one, field)),
        )

    def ranking(self, division: ResolvedGroup, workload: Workload) -> tuple[tuple[str, ...], ...]:
        """Return the candidates, those with the most room first and those with as much together."""
        return roomiest(self.rooms(division.standing.names, workload))

    def alone(self, terms: Sequence[StaticClusterWeight]) -> Mapping[str, int] | None:
        """Return weights by cluster, where each term is about one alone; looked up once for each list."""
        return self.memory.once(("alone", id(terms)), lambda: preferences.alone(terms, self.clusters))

    def _text(self, declared: Declared, *names: str) -> str:
        """Return fields of a placement as text, which tells placements that say the same."""
        return self.memory.once(("text", id(declared.document), names), lambda: declared.text(*names))

    def _divided(
        self,
        base: Eligibility,
        group: DeclaredGroup,
        workload: Workload,
        declared: Declared,
        key: Hashable | None,
    ) -> ResolvedGroup:
        """Weigh the candidates of a workload, which may close some of them."""
        placement, totals = declared.placement, declared.totals
        if not totals.even:
            base = within_tiers(base, group, placement, self.clusters)
        weights: Mapping[str, int] | None = None
        unweighed = False
        if totals.even:
            base = without_unlisted(totals, base, self.clusters)
        elif totals.equal:
            base, weights, unweighed = self._static(base, (), declared.reweighed)
        elif _by_room(declared):
            base, weights = self.by_room(
                base, lambda names: self.weighed(self.rooms(names, workload), workload)
            )
        elif preferences.is_divided(placement):
            terms = preferences.weighted_terms(placement)
            base, weights, unweighed = self._static(base, terms, declared.reweighed)
        tiers, names = tiered(group, base.names, self.clusters), base.names
        bounds = preferences.resolve_bounds(placement, names, self.clusters)
        totalled = resolve(totals, names, self.clusters)
        return ResolvedGroup(base, weights, tiers if len(tiers) > 1 else (), bounds, totalled, key, unweighed)

    def _static(
        self, base: Eligibility, terms: Sequence[StaticClusterWeight], instead: Mapping[str, int]
    ) -> tuple[Eligibility, Mapping[str, int], bool]:
        """Weigh candidates by what a placement says; those without weight are none.

        `instead`: weights that are tried in the place of what it says. Also tells whether it says so of none
        of them, though it has weights.
        """
        known = self.alone(terms)
        weights = preferences.largest(terms, self.clusters) if known is None else known
        if instead:
            weights = {**(weights if terms else dict.fromkeys(self.clusters, 1)), **instead}
        found = preferences.static_weights(weights, base.names)
        if openable := base.openable():
            wider = preferences.static_weights(weights, (*base.names, *openable)).closed
            # A weight that counts only once a cluster is open would close others that weigh 1 until then.
            harms = any(name in wider and name not in found.closed for name in base.names)
            base = base.closed_for_good(openable if harms else wider, spoiling=openable if harms else ())
        unweighed = bool(terms and base.names) and not any(map(weights.get, base.names))
        return base.without(found.closed), found.weights, unweighed


def _by_room(declared: Declared) -> bool:
    """Tell whether candidates are weighed by the room that they have for a workload."""
    return preferences.is_dynamic(declared.placement) and not (declared.totals.even or declared.totals.equal)
