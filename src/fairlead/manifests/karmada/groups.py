"""Where candidates come from: affinity groups, the overflow tiers of each, and spread constraints."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairlead.manifests.api import policies as api
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster, field_of_label, groups, values_of
from fairlead.models.rules import Spread


def matches(affinity: api.ClusterSet, cluster: Cluster) -> bool:
    """Tell whether an affinity matches a cluster; an empty one matches every cluster.

    Excluded names, labels, fields and listed names must all agree, as in Karmada.
    """
    if cluster.name in affinity.exclude or (affinity.names and cluster.name not in affinity.names):
        return False
    return affinity.labels.matches(cluster.labels) and all(
        one.among(values_of(cluster, one.key)) for one in affinity.fields
    )


def matching(affinity: api.ClusterSet, clusters: Mapping[str, Cluster]) -> list[str]:
    """Return the names of the clusters that an affinity matches, sorted."""
    names = affinity.names & clusters.keys() if affinity.names else clusters
    return sorted(name for name in names if matches(affinity, clusters[name]))


FIELDS = ("clusterAffinity", "clusterAffinities", "affinityStrategy", "preferredClusterAffinities")
"""Fields of a placement that say where candidates come from."""


@dataclass(frozen=True, slots=True)
class DeclaredTier:
    """One set of clusters, and where in the placement it stands."""

    affinity: api.ClusterAffinity | None
    """Set of clusters; None means all."""
    path: Path
    """Path of the tier inside the placement."""

    def matched(self, clusters: Mapping[str, Cluster]) -> frozenset[str]:
        """Return the names of the clusters in the tier."""
        return frozenset(clusters if self.affinity is None else matching(self.affinity, clusters))


@dataclass(frozen=True, slots=True)
class DeclaredGroup:
    """An affinity group: tiers that are filled one after the other."""

    name: str | None
    """Name of the group; None where the placement has no affinity groups."""
    path: Path
    """Path of the group inside the placement."""
    tiers: tuple[DeclaredTier, ...]

    def tiers_of(self, clusters: Mapping[str, Cluster]) -> tuple[frozenset[str], ...]:
        """Return the clusters of every tier; a cluster belongs to the first one that lists it."""
        found: list[frozenset[str]] = []
        for tier in self.tiers:
            found.append(tier.matched(clusters).difference(*found))
        return tuple(found)


def is_inherited(placement: api.Placement) -> bool:
    """Tell whether clusterAffinities are tiers of one group."""
    strategy = placement.affinity_strategy
    return strategy is not None and strategy.mode == "Inherited"


def groups_of(placement: api.Placement) -> tuple[DeclaredGroup, ...]:
    """Return the affinity groups of a placement in declared order; at least one.

    ``clusterAffinities`` are groups that exclude each other. With ``affinityStrategy.mode: Inherited``, or
    written as ``preferredClusterAffinities``, they are the tiers of a single group. ``overflowAffinities``
    and ``supplements`` are tiers that follow the set they belong to.
    """
    if placement.preferred_cluster_affinities:
        return (_inherited("preferredClusterAffinities", placement.preferred_cluster_affinities),)
    terms = placement.cluster_affinities
    if terms and is_inherited(placement):
        return (_inherited("clusterAffinities", terms),)
    if terms:
        placed = ((term, ("clusterAffinities", number)) for number, term in enumerate(terms))
        return tuple(DeclaredGroup(one.affinity_name, at, tuple(_tiers(one, at))) for one, at in placed)
    path: Path = ("clusterAffinity",)
    if placement.cluster_affinity is None:
        return (DeclaredGroup(None, path, (DeclaredTier(None, path),)),)
    return (DeclaredGroup(None, path, tuple(_tiers(placement.cluster_affinity, path))),)


def group_with(
    names: Iterable[str],
    groups: Sequence[DeclaredGroup],
    observed: str | None,
    clusters: Mapping[str, Cluster],
) -> str | None:
    """Return the name of the first affinity group, from the observed one on, that has all of some clusters.

    `observed`: the group that the status names; from the first one on where it names none of them. None where
    no group has all.
    """
    known, inside = [group.name for group in groups], frozenset(names)
    for group in groups[known.index(observed) if observed in known else 0 :]:
        if inside <= frozenset().union(*group.tiers_of(clusters)):
            return group.name
    return None


def declared_tiers(placement: api.Placement) -> Iterator[DeclaredTier]:
    """Yield every set that candidates come from, also where a placement contradicts itself."""
    if placement.cluster_affinity is not None:
        yield from _tiers(placement.cluster_affinity, ("clusterAffinity",))
    yield from _inherited("clusterAffinities", placement.cluster_affinities).tiers
    yield from _inherited("preferredClusterAffinities", placement.preferred_cluster_affinities).tiers


def _inherited(field: str, terms: Iterable[api.ClusterAffinityTerm]) -> DeclaredGroup:
    tiers = (tier for number, term in enumerate(terms) for tier in _tiers(term, (field, number)))
    return DeclaredGroup(None, (field,), tuple(tiers))


def _tiers(affinity: api.ClusterAffinity, path: Path) -> Iterator[DeclaredTier]:
    """Yield a set of clusters and then those that take what it cannot, at any depth."""
    yield DeclaredTier(affinity, path)
    if isinstance(affinity, api.ClusterAffinityTerm):
        for number, overflow in enumerate(affinity.overflow_affinities):
            yield from _tiers(overflow, (*path, "overflowAffinities", number))
    for number, supplement in enumerate(affinity.supplements):
        yield from _tiers(supplement, (*path, "supplements", number))


_PROPERTIES = {"region": "region", "provider": "provider", "zone": "zones"}


def by(constraint: api.SpreadConstraint) -> str:
    """Return the field of a constraint (``cluster`` if it says nothing), or the key of its label."""
    label = constraint.spread_by_label
    return field_of_label(label) if label else constraint.spread_by_field or "cluster"


def path_of(position: int) -> Path:
    """Return the path of a constraint inside the placement."""
    return ("spreadConstraints", position)


def lacks(cluster: Cluster, placement: api.Placement) -> tuple[str, Path] | None:
    """Return why a cluster is in no group of some constraint, as Karmada words it; None where it is in all.

    The end of the sentence "1 cluster(s) ...", and the path of the constraint.
    """
    for position, constraint in enumerate(placement.spread_constraints):
        if values_of(cluster, by(constraint)):
            continue
        if constraint.spread_by_label:
            return f"did not have label {constraint.spread_by_label}", path_of(position)
        return f"did not have {_PROPERTIES[by(constraint)]} property", path_of(position)
    return None


def spreads(
    placement: api.Placement, names: Iterable[str], clusters: Mapping[str, Cluster]
) -> Iterator[tuple[Spread, Path]]:
    """Yield every spread constraint over the candidates as a rule, with its path.

    A minimum that is not given is 1, a maximum that is not given (or 0) means no limit.
    """
    candidates = [clusters[name] for name in names]
    for position, constraint in enumerate(placement.spread_constraints):
        fewest, most = max(1, constraint.min_groups), constraint.max_groups or None
        field = by(constraint)
        yield Spread(field, groups(candidates, field), fewest, most), path_of(position)
