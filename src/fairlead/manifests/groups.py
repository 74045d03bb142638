"""Where candidates come from: affinity groups, and the overflow tiers of each, in all their spellings."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fairlead.manifests.affinity import matching
from fairlead.manifests.api.placement import ClusterAffinity, ClusterAffinityTerm, Placement
from fairlead.manifests.documents import Path
from fairlead.models.cluster import Cluster

FIELDS = ("clusterAffinity", "clusterAffinities", "affinityStrategy", "preferredClusterAffinities")
"""Fields of a placement that say where candidates come from."""


@dataclass(frozen=True, slots=True)
class DeclaredTier:
    """One set of clusters, and where in the placement it stands.

    Parameters
    ----------
    affinity
        The set; None means all clusters.
    path
        Its path inside the placement.
    """

    affinity: ClusterAffinity | None
    path: Path

    def matched(self, clusters: Mapping[str, Cluster]) -> frozenset[str]:
        """Return the names of the clusters in the tier."""
        return frozenset(clusters if self.affinity is None else matching(self.affinity, clusters))


@dataclass(frozen=True, slots=True)
class DeclaredGroup:
    """An affinity group: tiers that are filled one after the other.

    Parameters
    ----------
    name
        Name of the group; None where the placement has no affinity groups.
    path
        Its path inside the placement.
    tiers
        At least one.
    """

    name: str | None
    path: Path
    tiers: tuple[DeclaredTier, ...]

    def tiers_of(self, clusters: Mapping[str, Cluster]) -> tuple[frozenset[str], ...]:
        """Return the clusters of every tier; a cluster belongs to the first one that lists it."""
        found: list[frozenset[str]] = []
        for tier in self.tiers:
            found.append(tier.matched(clusters).difference(*found))
        return tuple(found)


def is_inherited(placement: Placement) -> bool:
    """Tell whether clusterAffinities are tiers of one group."""
    strategy = placement.affinity_strategy
    return strategy is not None and strategy.mode == "Inherited"


def groups_of(placement: Placement) -> tuple[DeclaredGroup, ...]:
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
        return tuple(_group(term, ("clusterAffinities", number)) for number, term in enumerate(terms))
    path: Path = ("clusterAffinity",)
    if placement.cluster_affinity is None:
        return (DeclaredGroup(None, path, (DeclaredTier(None, path),)),)
    return (DeclaredGroup(None, path, tuple(_tiers(placement.cluster_affinity, path))),)


def declared_tiers(placement: Placement) -> Iterator[DeclaredTier]:
    """Yield every set that candidates come from, also where a placement contradicts itself."""
    if placement.cluster_affinity is not None:
        yield from _tiers(placement.cluster_affinity, ("clusterAffinity",))
    for number, term in enumerate(placement.cluster_affinities):
        yield from _tiers(term, ("clusterAffinities", number))
    for number, term in enumerate(placement.preferred_cluster_affinities):
        yield from _tiers(term, ("preferredClusterAffinities", number))


def _group(term: ClusterAffinityTerm, path: Path) -> DeclaredGroup:
    """Return the group that one term describes."""
    return DeclaredGroup(term.affinity_name, path, tuple(_tiers(term, path)))


def _inherited(field: str, terms: Iterable[ClusterAffinityTerm]) -> DeclaredGroup:
    """Return the single group of which all terms are tiers."""
    tiers = (tier for number, term in enumerate(terms) for tier in _tiers(term, (field, number)))
    return DeclaredGroup(None, (field,), tuple(tiers))


def _tiers(affinity: ClusterAffinity, path: Path) -> Iterator[DeclaredTier]:
    """Yield a set of clusters and then those that take what it cannot, at any depth."""
    yield DeclaredTier(affinity, path)
    if isinstance(affinity, ClusterAffinityTerm):
        for number, overflow in enumerate(affinity.overflow_affinities):
            yield from _tiers(overflow, (*path, "overflowAffinities", number))
    for number, supplement in enumerate(affinity.supplements):
        yield from _tiers(supplement, (*path, "supplements", number))
