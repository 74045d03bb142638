"""How a placement divides replicas: weights, totals and bounds under all names, against the clusters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

from fairlead.manifests.api import policies as api
from fairlead.manifests.eligibility import Ground
from fairlead.manifests.fleet import Weighed
from fairlead.manifests.karmada.groups import matching
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster
from fairlead.models.rules.candidates import Cause

SPECIFIED = ("Specified", "SpecifiedClusters", "SpecifiedRegions")
REGIONS = "Regions"

STRATEGY: Path = ("replicaScheduling",)


def preferences_of(
    strategy: api.ReplicaSchedulingStrategy | None,
) -> Iterator[tuple[Path, api.ClusterPreferences]]:
    """Yield the preferences of a strategy, with their paths inside the placement."""
    if strategy is None:
        return
    known = {
        "weightPreference": strategy.weight_preference,
        "specifyPreference": strategy.specify_preference,
        "extendClusterPreferences": strategy.extend_cluster_preferences,
    }
    for name, preferences in known.items():
        if preferences is not None:
            yield (*STRATEGY, name), preferences


def preference_of(strategy: api.ReplicaSchedulingStrategy | None) -> str | None:
    """Return how replicas are divided; a webhook may have filled in what the extension overrides.

    A name that belongs to a scheduler of one's own says nothing here.
    """
    if strategy is None:
        return None
    extension = strategy.extend_replica_division_preference
    known = extension in (*SPECIFIED, REGIONS)
    return extension if known else strategy.replica_division_preference


def lists_of(preferences: api.ClusterPreferences) -> Mapping[str, Sequence[api.SpecifiedReplicas]]:
    """Return the lists of specified replicas under both of their names."""
    return {
        "staticSpecifyList": preferences.static_specify_list,
        "extendStaticList": preferences.extend_static_list,
    }


def divided_by(strategy: api.ReplicaSchedulingStrategy | None) -> Iterator[Path]:
    """Yield the paths of all weights and totals that a strategy states, inside the placement."""
    for path, preferences in preferences_of(strategy):
        stated = {
            "staticWeightList": preferences.static_weight_list,
            "dynamicWeight": preferences.dynamic_weight,
            **lists_of(preferences),
        }
        yield from ((*path, name) for name, said in stated.items() if said)


def constraints_of(
    strategy: api.ReplicaSchedulingStrategy | None,
) -> Iterator[tuple[Path, api.ClusterConstraint]]:
    """Yield the bounds of clusters, with their path: under either name, or right among the preferences."""
    for path, preferences in preferences_of(strategy):
        if preferences.cluster_constraint is not None:
            yield (*path, "clusterConstraint"), preferences.cluster_constraint
        if preferences.cluster_constraint_in_go is not None:
            yield (*path, "ClusterConstraint"), preferences.cluster_constraint_in_go
        bounds = (preferences.min_replicas, preferences.max_replicas)
        if preferences.cluster_constraint_terms or bounds != (None, None):
            yield path, preferences


def target_sets(strategy: api.ReplicaSchedulingStrategy | None) -> Iterator[tuple[Path, api.ClusterSet]]:
    """Yield the sets of clusters that weights, totals and bounds are for, with their paths.

    Those that are nothing but names of clusters are left out.
    """
    lists: list[tuple[Path, Sequence[api.Targeted]]] = []
    for path, preferences in preferences_of(strategy):
        lists.append(((*path, "staticWeightList"), preferences.static_weight_list))
        lists += [((*path, name), targets) for name, targets in lists_of(preferences).items()]
    for path, constraint in constraints_of(strategy):
        lists.append(((*path, "clusterConstraintTerms"), constraint.cluster_constraint_terms))
    for path, terms in lists:
        if all(map(_ONLY_NAMES, terms)):
            continue
        for position, term in enumerate(terms):
            if not term.only_names:
                yield (*path, position, *term.target_path), term.target_cluster


_ONLY_NAMES = attrgetter("only_names")


DIVISION: Path = ("replicaScheduling", "replicaDivisionPreference")
PREFERENCE: Path = ("replicaScheduling", "weightPreference")
STATIC: Path = (*PREFERENCE, "staticWeightList")
DYNAMIC: Path = (*PREFERENCE, "dynamicWeight")

NO_WEIGHT = "matched no static weight"
ZERO_WEIGHT = "has static weight 0"


def is_divided(placement: api.Placement) -> bool:
    """Tell whether replicas are divided; without ``replicaScheduling`` every cluster gets all of them."""
    strategy = placement.replica_scheduling
    return strategy is not None and strategy.replica_scheduling_type != "Duplicated"


def is_aggregated(placement: api.Placement) -> bool:
    """Tell whether replicas stand on as few clusters as possible."""
    strategy = placement.replica_scheduling
    return is_divided(placement) and strategy is not None and _divides_by(strategy) == "Aggregated"


def is_dynamic(placement: api.Placement) -> bool:
    """Tell whether the weights are what the clusters have room for, as also under Aggregated."""
    preference = _preference(placement)
    weighed = is_divided(placement) and preference is not None and bool(preference.dynamic_weight)
    return weighed or is_aggregated(placement)


def is_static(placement: api.Placement) -> bool:
    """Tell whether the weights are those that the placement states, or all equal."""
    strategy = placement.replica_scheduling
    weighted = strategy is not None and _divides_by(strategy) == "Weighted"
    return is_divided(placement) and weighted and not is_dynamic(placement)


def _divides_by(strategy: api.ReplicaSchedulingStrategy) -> str:
    """Return how replicas are divided; by weights where that is left open, as Karmada fills it in."""
    return strategy.replica_division_preference or "Weighted"


def _preference(placement: api.Placement) -> api.ClusterPreferences | None:
    return placement.replica_scheduling.weight_preference if placement.replica_scheduling else None


def weighted_terms(placement: api.Placement) -> tuple[api.StaticClusterWeight, ...]:
    """Return the terms of the static weights that count."""
    preference = _preference(placement)
    return preference.static_weight_list if preference else ()


def alone(
    terms: Sequence[api.StaticClusterWeight], clusters: Mapping[str, Cluster]
) -> Mapping[str, int] | None:
    """Return weights by cluster; None unless each term names one cluster of its own, and that is there."""
    found: list[Any] = list(map(_SINGLE, terms))
    weights: dict[str, int] = {} if None in found else dict(found)
    return weights if len(weights) == len(found) and weights.keys() <= clusters.keys() else None


_SINGLE = attrgetter("single")


def largest(terms: Sequence[api.StaticClusterWeight], clusters: Mapping[str, Cluster]) -> Mapping[str, int]:
    """Return the largest weight of every cluster that matches a term."""
    found: dict[str, int] = {}
    for term in terms:
        for name in matching(term.target_cluster, clusters):
            found[name] = max(term.weight, found.get(name, 0))
    return found


def static_weights(largest: Mapping[str, int], names: Sequence[str]) -> Weighed:
    """Return the static weights of candidates, as Karmada reads them.

    The largest weight among the matching terms counts. Where no candidate has a positive weight, all weigh 1.
    Otherwise one that matches no term, or has weight 0, gets nothing and is no candidate.
    """
    if not any(largest.get(name) for name in names):
        return Weighed(dict.fromkeys(names, 1), {})
    weights = {name: largest[name] for name in names if largest.get(name)}
    zero, none = (Ground(one, STATIC, cause=Cause.BESIDE_OTHERS) for one in (ZERO_WEIGHT, NO_WEIGHT))
    closed = {name: zero if name in largest else none for name in names if name not in weights}
    return Weighed(weights, closed)


class Declaration(NamedTuple):
    """A number of replicas and its path inside the placement."""

    replicas: int
    path: Path


@dataclass(frozen=True, slots=True)
class ResolvedBounds:
    """Bounds by candidate."""

    minimum: Mapping[str, Declaration]
    maximum: Mapping[str, Declaration]
    idle: tuple[tuple[Path, tuple[str, ...]], ...] = ()
    """Terms that name clusters which are no candidates: path of the term, and these clusters."""
    absent: tuple[tuple[Path, tuple[str, ...]], ...] = ()
    """Terms that name clusters which the input does not have: path of the term, and these names."""


NO_BOUNDS = ResolvedBounds({}, {})


def resolve_bounds(
    placement: api.Placement, names: tuple[str, ...], clusters: Mapping[str, Cluster]
) -> ResolvedBounds:
    """Return the fewest and the most replicas of every candidate.

    Terms win over the global values. Of several terms that match a cluster, the smallest minimum and the
    smallest maximum count; a bound that no matching term states is left to the global value.
    """
    base, constraint = next(constraints_of(placement.replica_scheduling), (PREFERENCE, None))
    if constraint is None:
        return NO_BOUNDS
    open_to = frozenset(names)
    lows: list[tuple[Declaration, Iterable[str]]] = []
    highs: list[tuple[Declaration, Iterable[str]]] = []
    idle: list[tuple[Path, tuple[str, ...]]] = []
    absent: list[tuple[Path, tuple[str, ...]]] = []
    for position, term in enumerate(constraint.cluster_constraint_terms):
        path = (*base, "clusterConstraintTerms", position)
        matched = matching(term.target_cluster, clusters)
        if term.min_replicas is not None:
            lows.append((Declaration(term.min_replicas, (*path, "minReplicas")), matched))
        if term.max_replicas is not None:
            highs.append((Declaration(term.max_replicas, (*path, "maxReplicas")), matched))
        closed = tuple(name for name in matched if name not in open_to)
        if closed:
            idle.append((path, closed))
        unknown = tuple(name for name in term.target_cluster.cluster_names if name not in clusters)
        if unknown:
            absent.append(((*path, *term.target_path, "clusterNames"), unknown))
    low, high = constraint.min_replicas, constraint.max_replicas
    return ResolvedBounds(
        _bounds(names, lows, None if low is None else Declaration(low, (*base, "minReplicas"))),
        _bounds(names, highs, None if high is None else Declaration(high, (*base, "maxReplicas"))),
        tuple(idle),
        tuple(absent),
    )


def _bounds(
    names: tuple[str, ...], terms: Iterable[tuple[Declaration, Iterable[str]]], otherwise: Declaration | None
) -> Mapping[str, Declaration]:
    """Return the smallest declaration that matches each candidate, or the global one."""
    smallest: dict[str, Declaration] = {}
    for declaration, matched in terms:
        for name in matched:
            known = smallest.get(name)
            if known is None or declaration.replicas < known.replicas:
                smallest[name] = declaration
    found = ((name, smallest.get(name, otherwise)) for name in names)
    return {name: declaration for name, declaration in found if declaration is not None}
