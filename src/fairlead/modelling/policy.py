"""Policy: where the replicas of workloads may stand and how they are divided, in a few words."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from fairlead.modelling.checks import Found, all_known, count, entries, kept, kinds, known, mapping, several
from fairlead.models.cluster import Toleration
from fairlead.models.topology import FIELDS

Division = Literal["weighted", "dynamic", "aggregated", "duplicated"]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Where replicas may stand, and how they are divided; a propagation policy without its YAML.

    Parameters
    ----------
    clusters
        Names of the clusters on which replicas may stand; None means all.
    tiers
        Sets of clusters that are filled one after the other and emptied in reverse, in place of `clusters`.
    division
        ``weighted`` divides in the ratio of `weights`, ``dynamic`` in that of the replicas for which clusters
        have capacity, keeping what runs; ``aggregated`` uses as few clusters as possible; ``duplicated``
        puts all replicas on every cluster.
    weights
        Weight by cluster under ``weighted``; a cluster without one gets nothing. Empty means equal weights.
    minimum, maximum
        Fewest and most replicas on every cluster (a number), or by cluster (a mapping); None means no limit.
        Where the solver chooses clusters, minima bind only those that it chooses.
    spread
        How many groups hold replicas at least, or at least and at most (None: any number), by field:
        ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label.
    tolerations
        Taints of clusters that the workloads put up with.
    """

    clusters: Collection[str] | None = None
    tiers: Sequence[Collection[str]] = ()
    division: Division = "weighted"
    weights: Mapping[str, int] = field(default_factory=dict)
    minimum: int | Mapping[str, int] | None = None
    maximum: int | Mapping[str, int] | None = None
    spread: Mapping[str, int | tuple[int, int | None]] = field(default_factory=dict)
    tolerations: Sequence[Toleration] = ()

    def __post_init__(self) -> None:
        for name in ("weights", "minimum", "maximum", "spread"):
            object.__setattr__(self, name, kept(getattr(self, name)))


def mistakes(policy: Policy, clusters: Collection[str]) -> Found:
    """Yield everything that is wrong with a policy.

    Parameters
    ----------
    clusters
        Names of the clusters of the model.
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


def by_cluster(name: str, numbers: object, clusters: Collection[str]) -> Found:
    """Yield what is no mapping of clusters of the model to whole numbers."""
    yield from mapping(name, numbers, "clusters and numbers")
    for cluster in numbers if isinstance(numbers, Mapping) else ():
        yield from known(name, cluster, clusters)
    for place, number in entries(name, numbers):
        yield from count(place, number)


def _bounds(policy: Policy, clusters: Collection[str]) -> Found:
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


def _spread(name: str, limits: object) -> Found:
    """Yield what is no number of groups, or no pair of fewest and most."""
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
    """Return a spread constraint."""
    fewest, most = limits if isinstance(limits, tuple | list) else (limits, None)
    groups = {"minGroups": fewest, **({} if most is None else {"maxGroups": most})}
    return {("spreadByField" if name in FIELDS else "spreadByLabel"): name, **groups}


def _scheduling(policy: Policy) -> dict[str, Any]:
    """Return how replicas are divided."""
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
