"""Static weights of many placements: terms that read the same are looked at once."""

from collections.abc import Mapping, Sequence

from fairlead.manifests.api.policies import StaticClusterWeight
from fairlead.manifests.karmada.groups import matching
from fairlead.models.cluster import Cluster

Single = tuple[str, int]
"""The one cluster that a term names, and its weight."""


class Terms:
    """Which clusters the terms of static weights match.

    Parameters
    ----------
    clusters
        Member clusters by name.
    """

    def __init__(self, clusters: Mapping[str, Cluster]) -> None:
        self._clusters = clusters
        # By identity; the terms are kept, so that no other one gets the identity of one that is gone.
        self._known: dict[int, Single | None] = {}
        self._kept: list[StaticClusterWeight] = []

    def singles(self, terms: Sequence[StaticClusterWeight]) -> Sequence[Single] | None:
        """Return cluster and weight of every term; None unless each names one cluster, and that is there."""
        try:
            found = list(map(self._known.__getitem__, map(id, terms)))
        except KeyError:
            unseen = [term for term in terms if id(term) not in self._known]
            self._known.update((id(term), self._single(term)) for term in unseen)
            self._kept.extend(unseen)
            found = [self._known[id(term)] for term in terms]
        singles = [one for one in found if one is not None]
        return singles if len(singles) == len(terms) else None

    def _single(self, term: StaticClusterWeight) -> Single | None:
        """Return cluster and weight of a term; None unless it is about one cluster that is there."""
        names = term.target_cluster.cluster_names if term.only_names else ()
        return (names[0], term.weight) if len(names) == 1 and names[0] in self._clusters else None

    def largest(self, terms: Sequence[StaticClusterWeight]) -> Mapping[str, int]:
        """Return the largest weight of every cluster that matches a term."""
        singles = self.singles(terms)
        found = dict(singles or ())
        if singles is not None and len(found) == len(singles):
            return found
        found = {}
        for term in terms:
            for name in matching(term.target_cluster, self._clusters):
                found[name] = max(term.weight, found.get(name, 0))
        return found
