"""A Karmada ``Placement`` as the scheduler reads it, and the defaults that Karmada's webhook fills in.

What is absent matters here: an absent ``maxGroups`` is 0 to the scheduler, an absent ``weightPreference`` is
not an empty one, and an empty list of overflow affinities is not an absent one.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from fairlead.manifests.api.policies import (
    ClusterAffinityTerm,
    ClusterPreferences,
    Placement,
    ReplicaSchedulingStrategy,
    SpreadConstraint,
)
from fairlead.manifests.validation import validate
from fairlead.manifests.yaml.documents import Document, Lines, LineTable
from fairlead.models.errors import InternalError


class Strategy(Enum):
    """How replicas are given to the selected clusters; ``UNKNOWN`` where the scheduler knows no way."""

    DUPLICATED = "Duplicated"
    AGGREGATED = "Aggregated"
    STATIC_WEIGHT = "StaticWeight"
    DYNAMIC_WEIGHT = "DynamicWeight"
    UNKNOWN = "unknown"


def read_placement(document: Mapping[str, Any]) -> Placement:
    """Return the placement that a document states.

    Parameters
    ----------
    document
        A ``placement`` that the API server accepts. Fields that the scheduler does not read are passed over.
    """
    located = validate(Document(dict(document), Lines("", LineTable(), 0, 0)), Placement).located
    if located is None:
        raise InternalError("a placement that was read before cannot be read")
    return located.model


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
