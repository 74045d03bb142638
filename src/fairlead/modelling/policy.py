"""Policy: where replicas may run and how they are divided; and what may be said of anything in a model.

Checks yield what is wrong, in the caller's words: values are looked at before anything is made of them, so
that one error names all mistakes.
"""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeVar, cast, get_args

from fairlead.models.cluster import FIELDS, Toleration
from fairlead.models.mistaken import COUNT, MOST_REPLICAS, Faults
from fairlead.models.quantity import parse_quantity
from fairlead.models.words import nearest

T = TypeVar("T")

Quantity = str | float | Decimal
"""An amount of a resource as manifests have it: ``"500m"``, ``"4Gi"``, ``2``, ``0.5``."""


def entries(field: str, value: object) -> tuple[tuple[str, object], ...]:
    """Return the entries of a mapping with the names of their fields; none where it is no mapping."""
    found = value.items() if isinstance(value, Mapping) else ()
    return tuple((f"{field}[{key}]", item) for key, item in found)


def kept(value: T) -> T:
    """Return a mapping that stays as it is when the caller's changes; all else as it is."""
    return cast("T", dict(value)) if isinstance(value, Mapping) else value


def mapping(field: str, value: object, holds: str) -> Faults:
    """Yield a mistake where a value is no mapping of names."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) and key for key in value):
        yield field, value, f"must be a mapping of {holds}"


def count(field: str, value: object, most: int = MOST_REPLICAS) -> Faults:
    """Yield a mistake where a value is no number of replicas, or of anything else that is counted."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        yield field, value, COUNT


def text(field: str, value: object) -> Faults:
    """Yield a mistake where a value is no text."""
    if not isinstance(value, str):
        yield field, value, "must be a string"


def texts(field: str, value: object) -> Faults:
    """Yield a mistake where a value is no mapping of texts, as labels are."""
    yield from mapping(field, value, "names and strings")
    for name, item in entries(field, value):
        yield from text(name, item)


def quantities(field: str, value: object) -> Faults:
    """Yield amounts that are no quantities, or below 0."""
    yield from mapping(field, value, "resources and quantities")
    for name, item in entries(field, value):
        try:
            negative = parse_quantity(str(item) if isinstance(item, Decimal) else _number(item)) < 0
        except ValueError as error:
            yield name, item, str(error)
        else:
            if negative:
                yield name, item, "must be at least 0"


def _number(value: object) -> str | float:
    """Return a value that may be a quantity; any other as a text that is none."""
    return value if isinstance(value, str | int | float) else f"<{value}>"


def several(field: str, value: object) -> tuple[Sequence[object], list[tuple[str, object, str]]]:
    """Return the items of a list, and what is wrong where it is none; a text is no list of its letters."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        return (), [(field, value, "must be a list")]
    return value, []


def known(field: str, name: object, clusters: Collection[str]) -> Faults:
    """Yield a name that no cluster of the model has, with the one that comes nearest."""
    if isinstance(name, str) and name in clusters:
        return
    near = nearest(str(name), sorted(clusters))
    yield field, name, f"is not a cluster of the model{f'; did you mean {near[0]}?' if near else ''}"


def all_known(field: str, value: object, clusters: Collection[str]) -> Faults:
    """Yield mistakes where a value is no list of clusters of the model, or names others."""
    names, wrong = several(field, tuple(value) if isinstance(value, AbstractSet) else value)
    yield from wrong
    if not wrong and not names:
        yield field, "", "must name a cluster; None means all of them"
    for name in names:
        yield from known(field, name, clusters)


def kinds(field: str, value: object, allowed: type) -> Faults:
    """Yield items of a list that are not of a class."""
    items, wrong = several(field, value)
    yield from wrong
    for item in items:
        if not isinstance(item, allowed):
            yield field, item, f"must be a fairlead.{allowed.__name__}"


Division = Literal["weighted", "dynamic", "aggregated", "duplicated"]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Where replicas may run, and how they are divided; a propagation policy without its YAML."""

    clusters: Collection[str] | None = None
    """Names of the clusters on which replicas may run; None means all."""
    tiers: Sequence[Collection[str]] = ()
    """Sets of clusters that are filled one after the other and emptied in reverse, in place of `clusters`."""
    division: Division = "weighted"
    """``weighted`` divides in the ratio of `weights`, ``dynamic`` in that of the replicas for which clusters
    have capacity, keeping what runs; ``aggregated`` uses as few clusters as possible; ``duplicated`` puts all
    replicas on every cluster."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """Weight by cluster under ``weighted``; a cluster without one gets nothing. Empty means equal weights."""
    minimum: int | Mapping[str, int] | None = None
    """Fewest replicas on every cluster (a number), or by cluster (a mapping); None means no limit. Where the
    solver chooses clusters, minima bind only those that it chooses."""
    maximum: int | Mapping[str, int] | None = None
    """Most replicas, told likewise; None means no limit."""
    spread: Mapping[str, int | tuple[int, int | None]] = field(default_factory=dict)
    """How many groups hold replicas at least, or at least and at most (None: any number), by field:
    ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label."""
    tolerations: Sequence[Toleration] = ()
    """Taints of clusters that the workloads tolerate."""

    def __post_init__(self) -> None:
        for name in ("weights", "minimum", "maximum", "spread"):
            object.__setattr__(self, name, kept(getattr(self, name)))


def mistakes(policy: Policy, clusters: Collection[str]) -> Faults:
    """Yield everything that is wrong with a policy.

    `clusters`: names of the clusters of the model.
    """
    if policy.division not in get_args(Division):
        yield "division", policy.division, f"is not a division; allowed are {', '.join(get_args(Division))}"
    elif policy.weights and policy.division != "weighted":
        yield "weights", "", f"have no effect with division {policy.division!r}"
    if policy.clusters is not None:
        yield from all_known("clusters", policy.clusters, clusters)
    if policy.clusters is not None and policy.tiers:
        yield "tiers", "", "cannot be combined with clusters; tiers name all of them"
    tiers, wrong = several("tiers", policy.tiers)
    yield from wrong
    for number, tier in enumerate(tiers):
        yield from all_known(f"tiers[{number}]", tier, clusters)
    yield from by_cluster("weights", policy.weights, clusters)
    yield from _bounds(policy, clusters)
    yield from mapping("spread", policy.spread, "fields and numbers")
    for name, limits in entries("spread", policy.spread):
        yield from _spread(name, limits)
    yield from kinds("tolerations", policy.tolerations, Toleration)


def by_cluster(name: str, numbers: object, clusters: Collection[str]) -> Faults:
    """Yield mistakes where a value is not a mapping of clusters of the model to whole numbers."""
    yield from mapping(name, numbers, "clusters and numbers")
    for cluster in numbers if isinstance(numbers, Mapping) else ():
        yield from known(name, cluster, clusters)
    for place, number in entries(name, numbers):
        yield from count(place, number)


def _bounds(policy: Policy, clusters: Collection[str]) -> Faults:
    """Yield minima and maxima that are no numbers, and minima above their maxima."""
    wrong: list[tuple[str, object, str]] = []
    for name, bound in (("minimum", policy.minimum), ("maximum", policy.maximum)):
        if bound is not None:
            wrong += by_cluster(name, bound, clusters) if isinstance(bound, Mapping) else count(name, bound)
    yield from wrong
    if wrong or policy.minimum is None or policy.maximum is None:
        return
    for cluster in sorted(clusters):
        fewest, most = _bound(policy.minimum, cluster), _bound(policy.maximum, cluster)
        if fewest is not None and most is not None and fewest > most:
            yield f"minimum of {cluster}", fewest, f"is above its maximum {most}"


def _bound(bound: int | Mapping[str, int] | None, cluster: str) -> int | None:
    """Return the bound of a cluster; None where it has none."""
    return bound.get(cluster) if isinstance(bound, Mapping) else bound


def _spread(name: str, limits: object) -> Faults:
    """Yield a mistake where a value is no number of groups, and no pair of fewest and most."""
    pair = cast("Sequence[Any]", limits if isinstance(limits, tuple | list) else (limits, None))
    if len(pair) != 2:
        yield name, limits, "must be the fewest groups, or the fewest and the most"
        return
    fewest, most = pair
    wrong = [*count(name, fewest), *(count(name, most) if most is not None else ())]
    yield from wrong
    if not wrong and most is not None and most < max(1, fewest):
        yield name, limits, "the fewest groups are more than the most, or none is allowed"


def placement(policy: Policy) -> dict[str, Any]:
    """Return a valid policy as a placement of Karmada."""
    affinity: dict[str, Any] = {}
    if policy.clusters is not None:
        affinity = {"clusterNames": sorted(policy.clusters)}
    elif policy.tiers:
        first, *later = ({"clusterNames": sorted(tier)} for tier in policy.tiers)
        affinity = {**first, "supplements": later}
    return {
        **({"clusterAffinity": affinity} if affinity else {}),
        "clusterTolerations": [
            {"key": one.key, "operator": one.operator, "value": one.value, "effect": one.effect}
            for one in policy.tolerations
        ],
        "spreadConstraints": [_constraint(name, limits) for name, limits in policy.spread.items()],
        "replicaScheduling": _scheduling(policy),
    }


def _constraint(name: str, limits: int | tuple[int, int | None]) -> dict[str, Any]:
    fewest, most = limits if isinstance(limits, tuple | list) else (limits, None)
    groups = {"minGroups": fewest, **({} if most is None else {"maxGroups": most})}
    return {("spreadByField" if name in FIELDS else "spreadByLabel"): name, **groups}


def _scheduling(policy: Policy) -> dict[str, Any]:
    preference: dict[str, Any] = {}
    if policy.division == "dynamic":
        preference["dynamicWeight"] = "AvailableReplicas"
    if policy.weights:
        weights = sorted(policy.weights.items())
        preference["staticWeightList"] = [
            {"targetCluster": {"clusterNames": [cluster]}, "weight": weight} for cluster, weight in weights
        ]
    constraint = _constraints(policy)
    if constraint:
        preference["clusterConstraint"] = constraint
    preferred = {"weightPreference": preference} if preference else {}
    if policy.division == "duplicated":
        return {"replicaSchedulingType": "Duplicated", **preferred}
    divided = "Aggregated" if policy.division == "aggregated" else "Weighted"
    return {"replicaSchedulingType": "Divided", "replicaDivisionPreference": divided, **preferred}


def _constraints(policy: Policy) -> dict[str, Any]:
    """Return the bounds: those of all clusters, and a term for every cluster that has its own."""
    sides = (("minReplicas", policy.minimum), ("maxReplicas", policy.maximum))
    everywhere = {side: bound for side, bound in sides if isinstance(bound, int)}
    terms = [
        {"targetCluster": {"clusterNames": [cluster]}, side: replicas}
        for side, bound in sides
        if isinstance(bound, Mapping)
        for cluster, replicas in sorted(bound.items())
    ]
    return {**everywhere, **({"clusterConstraintTerms": terms} if terms else {})}
