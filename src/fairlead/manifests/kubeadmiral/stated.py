"""Policies, annotations and reports of KubeAdmiral as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from fairlead.models.cluster import Cluster, Toleration
from fairlead.models.rules.bounds import Bound
from fairlead.models.selectors import IN, SelectorRequirement
from fairlead.models.source import Source


@dataclass(frozen=True, slots=True)
class SelectorTerm:
    """One term of a cluster affinity: everything in it must hold."""

    expressions: tuple[SelectorRequirement, ...] = ()
    fields: tuple[SelectorRequirement, ...] = ()
    """Over ``metadata.name``, the only field there is."""

    def matches(self, cluster: Cluster) -> bool:
        """Tell whether a cluster is selected, where nothing is wrong; an empty term selects none."""
        if not self.expressions and not self.fields:
            return False
        labelled = all(one.matches(cluster.labels) for one in self.expressions)
        return labelled and all((cluster.name in one.values) == (one.operator == IN) for one in self.fields)


@dataclass(frozen=True, slots=True)
class StatedPreferences:
    """Numbers that a policy states by cluster, with their places as far as anybody asks."""

    entries: Mapping[str, Source | None] = field(default_factory=dict)
    """Every listed cluster, with the place of its last entry; empty means that all clusters may be used."""
    minimum: Mapping[str, Bound] = field(default_factory=dict)
    maximum: Mapping[str, Bound] = field(default_factory=dict)
    weights: Mapping[str, Bound] = field(default_factory=dict)
    priorities: Mapping[str, Bound] = field(default_factory=dict)
    """Numbers by cluster; a cluster of which nothing is said is absent. Minima of 0 are absent too."""

    @property
    def told(self) -> frozenset[str]:
        """Return the clusters of which more is said than their name."""
        return frozenset({*self.minimum, *self.maximum, *self.weights, *self.priorities})


def numbers(said: Mapping[str, Bound]) -> dict[str, int]:
    """Return the numbers by cluster, without their places."""
    return {cluster: bound.replicas for cluster, bound in said.items()}


@dataclass(frozen=True, slots=True)
class StatedPolicy:
    """Policy with the annotations that override it."""

    divide: bool = False
    """True for Divide; everything else is Duplicate."""
    binpack: bool = False
    """True for the replicas strategy Binpack; everything else is Spread."""
    sticky: bool = False
    """``disableRescheduling``: what was placed once stays as it is."""
    cluster_selector: Mapping[str, str] = field(default_factory=dict)
    """Labels with the value that a cluster must have."""
    required: tuple[SelectorTerm, ...] | None = None
    """Terms of which one must match; None means no such rule, an empty tuple matches nothing."""
    preferred: tuple[tuple[int, SelectorTerm], ...] = ()
    """Terms with the weight that a match adds to the score."""
    placement: StatedPreferences = field(default_factory=StatedPreferences)
    """The preferences by cluster."""
    tolerations: tuple[Toleration, ...] = ()
    max_clusters: int | None = None
    """Most clusters; None means no limit, a negative number is an error."""
    avoid_disruption: bool = False
    """Whether running replicas stay where they are."""
    auto_migration: bool = False
    """Whether the policy has an ``autoMigration``; without it the feedback is not read."""
    keep_unschedulable: bool = False
    """Whether replicas that cannot run stay requested."""

    def selects(self, cluster: Cluster) -> bool:
        """Tell whether a cluster has the labels that are asked for."""
        return all(cluster.labels.get(key) == value for key, value in self.cluster_selector.items())


@dataclass(frozen=True, slots=True)
class Feedback:
    """Reports that the migration controllers have written on the federated object."""

    estimated: Mapping[str, int] = field(default_factory=dict)
    """Replicas that an overloaded cluster can run, from ``auto-migration-info``."""
    scheduled: Mapping[str, int] = field(default_factory=dict)
    """Replicas whose pods found a node, from the same."""
    limited: Mapping[str, int] = field(default_factory=dict)
    """Most replicas by cluster, from ``applied-migration-configuration``."""
    unavailable: tuple[tuple[str, datetime | None], ...] = ()
    """Clusters that are evicted with the moment until which; None means that it is over."""
