"""A binding and its placement as Karmada's scheduler sees them, and the results of scheduling.

What is absent in a placement matters: an absent ``maxGroups`` is 0 to the scheduler, an absent
``weightPreference`` is not an empty one, and an empty list of overflow affinities is not an absent one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from fairlead.manifests.api.policies import (
    ClusterAffinityTerm,
    ClusterPreferences,
    Placement,
    ReplicaSchedulingStrategy,
    SpreadConstraint,
)
from fairlead.models.cluster import Cluster

LARGEST = 2**31 - 1


def wrapped(number: int) -> int:
    """Return the 32-bit signed integer that arithmetic ends with: a number wraps round silently."""
    return (number + 2**31) % 2**32 - 2**31


@dataclass(frozen=True, slots=True)
class BindingInput:
    """A ``ResourceBinding`` that is due to be scheduled, and the clusters there are."""

    replicas: int
    """``spec.replicas``."""
    clusters: tuple[Cluster, ...]
    """All member clusters, in any order; one that does not tell its APIs is taken to serve none, and one of
    unknown capacity to have no room."""
    placement: Placement
    """``spec.placement``."""
    previous: tuple[tuple[str, int], ...] = ()
    """``spec.clusters``: name and replicas, in its order (which decides ties when an Aggregated workload
    shrinks)."""
    fresh: bool = False
    """True where a rebalance was asked for after the last schedule; what runs is then disregarded."""
    uid: str = ""
    """UID of the workload, which turns the direction of ties; may be empty."""
    observed_affinity: str = ""
    """``status.schedulerObservedAffinityName``; empty where there is none."""
    evicting: frozenset[str] = frozenset()
    """Clusters named in ``spec.gracefulEvictionTasks``."""
    api: tuple[str, str] = ("apps/v1", "Deployment")
    """apiVersion and kind of the workload."""
    requests: Mapping[str, int] | None = None
    """Request per replica, in the units of `Cluster.free`, rounded up; None where the binding has no
    ``replicaRequirements``."""
    empty_workload_propagation: bool = False
    """The scheduler flag ``--enable-empty-workload-propagation``: selected clusters without replicas stay,
    with 0."""
    defaulting: bool = False
    """True where the defaults of the webhook have still to be applied to the placement."""

    @property
    def is_workload(self) -> bool:
        """Whether it has replicas at all, as a Deployment has and a ConfigMap has not."""
        return self.replicas > 0 or self.requests is not None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why nothing was scheduled."""

    reason: str
    """Reason of the condition ``ScheduledBinding``: ``Unschedulable`` (not enough room), ``NoClusterFit`` (no
    cluster passed the filters) or ``SchedulerError`` (everything else, selection errors among them)."""
    text: str
    """The scheduler's own words. Where several filters refuse one cluster, the real scheduler names a random
    one of them; here it is always the first."""

    def within(self, step: str) -> "Failure":
        """Return the failure as the step around it reports it."""
        return Failure(self.reason, f"{step}: {self.text}")


@dataclass(frozen=True, slots=True)
class ScheduledBinding:
    """The binding after the scheduler has run."""

    clusters: Mapping[str, int]
    """Replicas by cluster, sorted by name. After a failure it is what stays in the binding: the previous
    placement, or nothing where no cluster fits. Clusters with 0 replicas are those that get the manifest
    only."""
    affinity_name: str = ""
    """Name of the affinity group in the status: the chosen one, after a failure still the observed one. Empty
    where there is none."""
    failure: Failure | None = None
    """Failure of scheduling; None where it succeeded."""


class Strategy(Enum):
    """How replicas are given to the selected clusters; ``UNKNOWN`` where the scheduler knows no way."""

    DUPLICATED = "Duplicated"
    AGGREGATED = "Aggregated"
    STATIC_WEIGHT = "StaticWeight"
    DYNAMIC_WEIGHT = "DynamicWeight"
    UNKNOWN = "unknown"


def with_defaults(placement: Placement) -> Placement:
    """Return the placement after the defaults of Karmada's webhook.

    It fills in ``minGroups`` 1, the field ``cluster`` and the preference ``Weighted``; it does not fill in
    ``maxGroups``.
    """
    scheduling = placement.replica_scheduling
    if scheduling is not None and not is_duplicated(placement) and not scheduling.replica_division_preference:
        scheduling = scheduling.model_copy(update={"replica_division_preference": "Weighted"})
    constraints = tuple(_defaulted(each) for each in placement.spread_constraints)
    return placement.model_copy(update={"replica_scheduling": scheduling, "spread_constraints": constraints})


def _defaulted(constraint: SpreadConstraint) -> SpreadConstraint:
    field = constraint.spread_by_field or (None if constraint.spread_by_label else "cluster")
    return constraint.model_copy(update={"spread_by_field": field, "min_groups": constraint.min_groups or 1})


def overflows(term: ClusterAffinityTerm) -> bool:
    """Tell whether a group has a list of overflow affinities; the scheduler treats an empty one as a list."""
    return "overflow_affinities" in term.model_fields_set


def is_duplicated(placement: Placement) -> bool:
    """Tell whether every selected cluster gets all replicas."""
    scheduling = placement.replica_scheduling
    return scheduling is None or scheduling.replica_scheduling_type == "Duplicated"


def weights_of(placement: Placement) -> ClusterPreferences | None:
    """Return the weights by which replicas are divided; None where they are absent."""
    scheduling = placement.replica_scheduling
    return None if scheduling is None else scheduling.weight_preference


def strategy(placement: Placement) -> Strategy:
    """Return how replicas are assigned.

    The API server itself fills in Divided where the type is absent, from the schema, before any webhook.
    """
    scheduling = placement.replica_scheduling or ReplicaSchedulingStrategy()
    if is_duplicated(placement):
        return Strategy.DUPLICATED
    if scheduling.replica_division_preference == "Aggregated":
        return Strategy.AGGREGATED
    if scheduling.replica_division_preference != "Weighted":
        return Strategy.UNKNOWN
    weights = scheduling.weight_preference
    dynamic = weights is not None and bool(weights.dynamic_weight)
    return Strategy.DYNAMIC_WEIGHT if dynamic else Strategy.STATIC_WEIGHT


def ignores_spread(placement: Placement) -> bool:
    """Tell whether selection by spread constraints is skipped.

    A known inconsistency of the scheduler: an absent ``weightPreference`` ignores spread constraints, an
    empty one honours them, though both divide equally.
    """
    if not placement.spread_constraints:
        return True
    if strategy(placement) is not Strategy.STATIC_WEIGHT:
        return False
    weights = weights_of(placement)
    return weights is None or bool(weights.static_weight_list)
