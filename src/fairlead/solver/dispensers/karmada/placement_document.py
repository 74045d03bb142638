"""Reading a ``placement`` from parsed YAML or JSON, and the defaults that Karmada's webhook fills in."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fairlead.models.selectors import FieldRequirement, LabelSelector, Requirement
from fairlead.solver.dispensers.karmada.placement import (
    CLUSTER,
    DIVIDED,
    WEIGHTED,
    AffinityTerm,
    ClusterAffinity,
    ClusterToleration,
    PlacementSpec,
    ReplicaScheduling,
    SpreadConstraint,
    StaticWeight,
    WeightPreference,
)

Document = Mapping[str, Any]


def read_placement(document: Document) -> PlacementSpec:
    """Return the placement that a document states.

    Parameters
    ----------
    document
        A ``placement`` that the API server accepts (shapes and types are not checked again). Fields that the
        scheduler does not read are passed over.
    """
    affinity = document.get("clusterAffinity")
    scheduling = document.get("replicaScheduling")
    return PlacementSpec(
        cluster_affinity=None if affinity is None else read_affinity(affinity),
        cluster_affinities=tuple(_term(each) for each in document.get("clusterAffinities") or ()),
        cluster_tolerations=tuple(_toleration(each) for each in document.get("clusterTolerations") or ()),
        spread_constraints=tuple(_spread(each) for each in document.get("spreadConstraints") or ()),
        replica_scheduling=None if scheduling is None else _scheduling(scheduling),
    )


def with_defaults(placement: PlacementSpec) -> PlacementSpec:
    """Return the placement after the defaults of Karmada's webhook.

    It fills in ``minGroups`` 1, the field ``cluster`` and the preference ``Weighted``; it does not fill in
    ``maxGroups``.
    """
    scheduling = placement.replica_scheduling
    undecided = scheduling is not None and not scheduling.replica_division_preference
    if scheduling is not None and undecided and scheduling.replica_scheduling_type == DIVIDED:
        scheduling = replace(scheduling, replica_division_preference=WEIGHTED)
    constraints = tuple(_defaulted(each) for each in placement.spread_constraints)
    return replace(placement, replica_scheduling=scheduling, spread_constraints=constraints)


def read_affinity(document: Document) -> ClusterAffinity:
    """Return the cluster affinity that a document states."""
    selector = document.get("labelSelector")
    fields = (document.get("fieldSelector") or {}).get("matchExpressions") or ()
    return ClusterAffinity(
        label_selector=None if selector is None else _label_selector(selector),
        field_expressions=tuple(FieldRequirement(*_expression(each)) for each in fields),
        cluster_names=frozenset(document.get("clusterNames") or ()),
        exclude=frozenset(document.get("exclude") or ()),
    )


def _label_selector(document: Document) -> LabelSelector:
    expressions = document.get("matchExpressions") or ()
    labels = document.get("matchLabels") or {}
    return LabelSelector.of(labels, (Requirement(*_expression(each)) for each in expressions))


def _expression(document: Document) -> tuple[str, str, tuple[str, ...]]:
    return document.get("key", ""), document.get("operator", ""), tuple(document.get("values") or ())


def _term(document: Document) -> AffinityTerm:
    overflow = document.get("overflowAffinities")
    return AffinityTerm(
        affinity_name=document.get("affinityName", ""),
        affinity=read_affinity(document),
        overflow_affinities=None if overflow is None else tuple(read_affinity(each) for each in overflow),
    )


def _toleration(document: Document) -> ClusterToleration:
    return ClusterToleration(*(document.get(field) or "" for field in ("key", "operator", "value", "effect")))


def _spread(document: Document) -> SpreadConstraint:
    return SpreadConstraint(
        spread_by_field=document.get("spreadByField") or "",
        spread_by_label=document.get("spreadByLabel") or "",
        min_groups=document.get("minGroups") or 0,
        max_groups=document.get("maxGroups") or 0,
    )


def _scheduling(document: Document) -> ReplicaScheduling:
    weights = document.get("weightPreference")
    return ReplicaScheduling(
        # The API server itself fills in Divided, from the schema, before any webhook.
        replica_scheduling_type=document.get("replicaSchedulingType") or DIVIDED,
        replica_division_preference=document.get("replicaDivisionPreference") or "",
        weight_preference=None if weights is None else _weights(weights),
    )


def _weights(document: Document) -> WeightPreference:
    terms = document.get("staticWeightList") or ()
    return WeightPreference(
        static_weight_list=tuple(
            StaticWeight(read_affinity(each.get("targetCluster") or {}), each.get("weight") or 0)
            for each in terms
        ),
        dynamic_weight=document.get("dynamicWeight") or "",
    )


def _defaulted(constraint: SpreadConstraint) -> SpreadConstraint:
    field = constraint.spread_by_field or ("" if constraint.spread_by_label else CLUSTER)
    return replace(constraint, spread_by_field=field, min_groups=constraint.min_groups or 1)
