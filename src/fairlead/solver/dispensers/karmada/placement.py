"""A Karmada ``Placement`` as the scheduler reads it, under Karmada's own field names.

What is absent matters here: an absent ``maxGroups`` is 0 to the scheduler, an absent ``weightPreference`` is
not an empty one, and an empty list of overflow affinities is not an absent one.
"""

from dataclasses import dataclass

from fairlead.models.selectors import FieldRequirement, LabelSelector

DUPLICATED = "Duplicated"
DIVIDED = "Divided"
AGGREGATED = "Aggregated"
WEIGHTED = "Weighted"
STATIC_WEIGHT = "StaticWeight"
DYNAMIC_WEIGHT = "DynamicWeight"
AVAILABLE_REPLICAS = "AvailableReplicas"

CLUSTER = "cluster"
REGION = "region"
ZONE = "zone"
PROVIDER = "provider"


@dataclass(frozen=True, slots=True)
class ClusterAffinity:
    """Which clusters are meant; an empty one means all.

    Parameters
    ----------
    label_selector
        Selector over the labels of the cluster; None where there is none.
    field_expressions
        Expressions of the field selector, over provider, region and zone.
    cluster_names
        Names of the clusters; empty means no restriction.
    exclude
        Names of clusters that are not meant, whatever the rest says.
    """

    label_selector: LabelSelector | None = None
    field_expressions: tuple[FieldRequirement, ...] = ()
    cluster_names: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """One group of ``clusterAffinities``.

    Parameters
    ----------
    affinity_name
        Name of the group.
    affinity
        Its clusters.
    overflow_affinities
        Clusters for what the group cannot hold, tier by tier. None where the field is absent; an empty tuple
        where it is an empty list, which the scheduler treats as a group with overflow.
    """

    affinity_name: str
    affinity: ClusterAffinity
    overflow_affinities: tuple[ClusterAffinity, ...] | None = None


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """How many groups of clusters to select.

    Parameters
    ----------
    spread_by_field
        ``cluster``, ``region``, ``zone`` or ``provider``; empty where absent.
    spread_by_label
        Key of a label; empty where absent. Accepted by Karmada's validation, refused by its scheduler.
    min_groups, max_groups
        Bounds; 0 where absent. Karmada fills in a `min_groups` of 1 but no `max_groups`: an absent one means
        that no group may be selected, not that there is no limit.
    """

    spread_by_field: str = ""
    spread_by_label: str = ""
    min_groups: int = 0
    max_groups: int = 0


@dataclass(frozen=True, slots=True)
class StaticWeight:
    """A weight and the clusters that have it."""

    target_cluster: ClusterAffinity
    weight: int


@dataclass(frozen=True, slots=True)
class WeightPreference:
    """Weights by which replicas are divided.

    Parameters
    ----------
    static_weight_list
        Weights by cluster; the largest that matches a cluster counts.
    dynamic_weight
        ``AvailableReplicas``, or empty for static weights.
    """

    static_weight_list: tuple[StaticWeight, ...] = ()
    dynamic_weight: str = ""


@dataclass(frozen=True, slots=True)
class ReplicaScheduling:
    """How replicas are given to the selected clusters.

    Parameters
    ----------
    replica_scheduling_type
        ``Duplicated`` or ``Divided``.
    replica_division_preference
        ``Aggregated`` or ``Weighted``; empty where absent.
    weight_preference
        None where absent.
    """

    replica_scheduling_type: str = DIVIDED
    replica_division_preference: str = ""
    weight_preference: WeightPreference | None = None


@dataclass(frozen=True, slots=True)
class ClusterToleration:
    """What taints of a cluster the workload puts up with; empty texts are absent fields."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class PlacementSpec:
    """Everything a policy says about where replicas go.

    Parameters
    ----------
    cluster_affinity
        The clusters to choose from; None where absent.
    cluster_affinities
        Groups to be tried in order; empty where absent. Not together with `cluster_affinity`.
    cluster_tolerations
        Tolerations.
    spread_constraints
        Spread constraints, in their order: the last of each field counts.
    replica_scheduling
        None where absent, which means Duplicated.
    """

    cluster_affinity: ClusterAffinity | None = None
    cluster_affinities: tuple[AffinityTerm, ...] = ()
    cluster_tolerations: tuple[ClusterToleration, ...] = ()
    spread_constraints: tuple[SpreadConstraint, ...] = ()
    replica_scheduling: ReplicaScheduling | None = None

    @property
    def is_duplicated(self) -> bool:
        """Whether every selected cluster gets all replicas."""
        scheduling = self.replica_scheduling
        return scheduling is None or scheduling.replica_scheduling_type == DUPLICATED

    @property
    def strategy(self) -> str | None:
        """How replicas are assigned: one of the four strategies, or None where the scheduler knows none."""
        scheduling = self.replica_scheduling
        if scheduling is None or scheduling.replica_scheduling_type == DUPLICATED:
            return DUPLICATED
        if scheduling.replica_scheduling_type != DIVIDED:
            return None
        if scheduling.replica_division_preference == AGGREGATED:
            return AGGREGATED
        if scheduling.replica_division_preference != WEIGHTED:
            return None
        weights = scheduling.weight_preference
        return DYNAMIC_WEIGHT if weights is not None and weights.dynamic_weight else STATIC_WEIGHT

    @property
    def ignores_spread(self) -> bool:
        """Whether selection by spread constraints is skipped.

        A known inconsistency of the scheduler: an absent ``weightPreference`` ignores spread constraints, an
        empty one honours them, though both divide equally.
        """
        if not self.spread_constraints:
            return True
        if self.strategy != STATIC_WEIGHT or self.replica_scheduling is None:
            return False
        weights = self.replica_scheduling.weight_preference
        return weights is None or bool(weights.static_weight_list)

    def term(self, affinity_name: str | None) -> AffinityTerm | None:
        """Return the group of a name, None where there is none."""
        return next((term for term in self.cluster_affinities if term.affinity_name == affinity_name), None)
