"""Which clusters pass the filters, which of them are taken, and by which weights Spread divides among them.

Scores come from four plugins of 0 to 100, summed without weights; PrioritySort and MaxCluster take clusters.
Known faults of the real program that are reproduced here: weights, minima, maxima, capacity and what runs
now play no part, so a limit on the clusters can drop one with a minimum, keep only clusters that are too
small, or move the whole workload when scores change. And of dynamic weights:

* the pod's request plays no part, and amounts are whole cores rounded up: 100m and 1 core free count the
  same;
* weights are thousandths, and what rounding leaves goes to one of the heaviest clusters, which one is left to
  chance (Go's map order); from 54 equal clusters on that correction can make a **negative weight**, or one
  cluster thirty times as heavy as its equals;
* the limit by allocatable resources can turn the ratio of free resources round;
* beyond 2000 equal clusters all weights become NaN, and nothing is placed by weight.

The filter for resources (``ClusterResourcesFit``) is off by default in KubeAdmiral and says nothing about the
number of replicas; it is not modelled. Nor is Katalyst, a feature that is off by default.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from fairlead.manifests.kubeadmiral.stated import SelectorTerm, StatedPolicy, numbers
from fairlead.models.cluster import Cluster, Taint, Toleration
from fairlead.models.selectors import IN, NOT_IN, SelectorRequirement, operator_problem
from fairlead.solver.dispensers.kubeadmiral.inputs import (
    CPU,
    GPU,
    MEMORY,
    MINIMUM,
    SchedulingUnit,
    divide,
    half_away,
    whole_units,
    wrap,
)

WHOLE = 1000.0
"""Sum of all dynamic weights."""

SUPPLY_LIMIT = 1.4
"""How far a cluster's share of the free resources may pass its share of the allocatable ones."""


@dataclass(frozen=True, slots=True)
class DynamicWeights:
    """Weights from resources before the rounding error has found its cluster."""

    weights: Mapping[str, int]
    """Weight by cluster, not corrected."""
    correction: int = 0
    """Difference to one thousand; negative where the rounded weights add up to more."""
    heaviest: tuple[str, ...] = ()
    """Clusters of the largest weight in name order, one of which takes the correction; empty where none
    does."""

    def corrected(self, chosen: str | None = None) -> dict[str, int]:
        """Return the final weights.

        `chosen`: which of the heaviest clusters takes the correction; None means the first by name. The real
        scheduler draws it anew in every run.
        """
        final = dict(self.weights)
        if self.heaviest:
            taker = self.heaviest[0] if chosen is None else chosen
            final[taker] = wrap(final[taker] + self.correction)
        return final


def is_dynamic(unit: SchedulingUnit) -> bool:
    """Tell whether weights come from resources: no entry of the placement list has a weight."""
    return not unit.policy.placement.weights


def dynamic_weights(unit: SchedulingUnit, clusters: Sequence[Cluster]) -> DynamicWeights:
    """Return weights by free resources: GPUs where a pod requests some, else cpu.

    `unit`: the object; only its GPU request is looked at. `clusters`: the selected clusters, at least one.
    """
    resource = CPU if unit.gpus is None else GPU
    free = {cluster.name: _whole(cluster.free, resource) for cluster in clusters}
    supply = float(sum(amount for amount in free.values() if amount > 0))
    if supply == 0:
        return DynamicWeights(dict.fromkeys(free, half_away(WHOLE / len(free))))
    limits = _limits(clusters, resource)
    shares = {
        name: min(half_away(max(float(amount), 0.0) / supply * WHOLE), limits[name])
        for name, amount in free.items()
    }
    total = sum(shares.values())
    weights = {name: _part(share, total) for name, share in shares.items()}
    largest = max(weights.values())
    # A weight of 0 never counts as the largest, and then the correction is lost.
    heaviest = tuple(sorted(name for name, weight in weights.items() if weight == largest > 0))
    return DynamicWeights(weights, wrap(int(WHOLE) - wrap(sum(weights.values()))), heaviest)


def _limits(clusters: Sequence[Cluster], resource: str) -> dict[str, int]:
    """Return the largest weight of each cluster, from its share of the allocatable resources."""
    offered = {cluster.name: _whole(cluster.allocatable, resource) for cluster in clusters}
    total = float(sum(offered.values()))
    if total == 0:
        return dict.fromkeys(offered, half_away(WHOLE / len(offered)))
    return {name: half_away(amount / total * WHOLE * SUPPLY_LIMIT) for name, amount in offered.items()}


def _whole(amounts: Mapping[str, int] | None, resource: str) -> int:
    """Return an amount in whole cores or devices, parts rounded away from zero; 0 where none is told."""
    return whole_units(Fraction((amounts or {}).get(resource, 0), 1000 if resource == CPU else 1))


def _part(share: int, total: int) -> int:
    """Return a share in thousandths of the total; 0 of 0 is NaN in Go, here a huge negative weight."""
    return half_away(share / total * WHOLE) if total else MINIMUM


HIGHEST = 100

_RESOURCE_WEIGHTS = {CPU: 1, MEMORY: 1, GPU: 4}
_PREFER_NO_SCHEDULE = "PreferNoSchedule"


def scores(unit: SchedulingUnit, clusters: Sequence[Cluster]) -> dict[str, int]:
    """Return the score of every cluster that passed the filters.

    Raises `SelectorError` where a preferred term has a wrong requirement.
    """
    tolerations = unit.policy.tolerations
    taints = [len(untolerated(cluster, tolerations, [_PREFER_NO_SCHEDULE])) for cluster in clusters]
    tolerance = [HIGHEST - part for part in _normalised(taints)]
    affinity = _normalised([_preference(unit, cluster) for cluster in clusters])
    return {
        cluster.name: tolerated + balanced(unit, cluster) + least_allocated(unit, cluster) + preferred
        for cluster, tolerated, preferred in zip(clusters, tolerance, affinity, strict=True)
    }


def _normalised(counts: Sequence[int]) -> list[int]:
    """Return counts as integer percentages of the largest; all 0 where the largest is none."""
    largest = max(counts, default=0)
    if largest <= 0:
        return [0] * len(counts)
    return [divide(wrap(HIGHEST * count), largest) for count in counts]


def _preference(unit: SchedulingUnit, cluster: Cluster) -> int:
    """Return the summed weights of the preferred terms that match; their fields are not looked at."""
    return sum(
        weight
        for weight, term in unit.policy.preferred
        if weight and matches_expressions(term.expressions, cluster)
    )


def least_allocated(unit: SchedulingUnit, cluster: Cluster) -> int:
    """Return the weighted mean of the free part of each resource, in percent; integers throughout."""
    total, weights = 0, 0
    for resource, (used, offered) in _usage(unit, cluster).items():
        weight = _RESOURCE_WEIGHTS[resource]
        weights += weight
        if offered != 0 and used <= offered:
            total += weight * divide(wrap((offered - used) * HIGHEST), offered)
    return divide(total, weights)


def balanced(unit: SchedulingUnit, cluster: Cluster) -> int:
    """Return 100 times one minus the standard deviation of the used parts; 0 where a resource is used up."""
    parts = [used / offered if offered else 1.0 for used, offered in _usage(unit, cluster).values()]
    if any(part >= 1 for part in parts):
        return 0
    if len(parts) == 2:
        deviation = abs((parts[0] - parts[1]) / 2)
    else:
        mean = sum(parts) / len(parts)
        deviation = math.sqrt(sum((part - mean) * (part - mean) for part in parts) / len(parts))
    return int((1 - deviation) * HIGHEST)


def _usage(unit: SchedulingUnit, cluster: Cluster) -> dict[str, tuple[int, int]]:
    """Return used and allocatable amounts: millicores, bytes, and GPUs where a pod requests some.

    Only the pod's GPUs are added to what is used; its cpu and memory are not known to the scheduler. Where
    more is free than allocatable, the real program stops subtracting at a random place; here that resource
    counts as used up.
    """
    amounts = {}
    for resource in _RESOURCE_WEIGHTS:
        if resource == GPU and unit.gpus is None:
            continue
        offered, free = ((told or {}).get(resource, 0) for told in (cluster.allocatable, cluster.free))
        used = offered if free > offered else wrap(offered - free)
        amounts[resource] = (wrap(used + (unit.gpus or 0)) if resource == GPU else used, offered)
    return amounts


class SelectionError(ValueError):
    """The limit on the clusters is negative, which KubeAdmiral's API does not refuse."""


def select(unit: SchedulingUnit, clusters: Sequence[Cluster], scores: Mapping[str, int]) -> list[Cluster]:
    """Return the clusters that are taken, best first, then by name.

    `unit`: the object. Any priority, and Binpack always, *replaces* the scores by the priorities; a cluster
    without one counts as 0. `clusters`: clusters that passed the filters. `scores`: by cluster.

    Raises `SelectionError` where the limit on the clusters is negative.
    """
    policy = unit.policy
    if policy.max_clusters is not None and policy.max_clusters < 0:
        raise SelectionError("max cluster is less than 0")
    priorities = numbers(policy.placement.priorities)
    ranks = priorities if priorities or (unit.divides and policy.binpack) else scores
    ordered = sorted(clusters, key=lambda cluster: (-ranks.get(cluster.name, 0), cluster.name))
    return ordered[: policy.max_clusters]


NAME_FIELD = "metadata.name"

_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_LONGEST_PREFIX = 253


class SelectorError(ValueError):
    """A requirement that Kubernetes refuses; says why."""


def matches_any(terms: Sequence[SelectorTerm], cluster: Cluster) -> bool:
    """Tell whether one of the terms matches; no terms match nothing, nor does an empty term.

    Raises `SelectorError` where a requirement is wrong and stands before the first match.
    """
    return any(_matches(term, cluster) for term in terms if term.expressions or term.fields)


def matches_expressions(expressions: Sequence[SelectorRequirement], cluster: Cluster) -> bool:
    """Tell whether all expressions match the labels; no expressions match nothing."""
    for expression in expressions:
        _check(expression)
    return bool(expressions) and all(expression.matches(cluster.labels) for expression in expressions)


def _matches(term: SelectorTerm, cluster: Cluster) -> bool:
    if term.expressions and not matches_expressions(term.expressions, cluster):
        return False
    for requirement in term.fields:
        if requirement.operator not in (IN, NOT_IN) or len(requirement.values) != 1:
            raise SelectorError(
                f"field {requirement.key}: {requirement.operator} of {len(requirement.values)} values"
            )
    values = {NAME_FIELD: cluster.name}
    # A field that does not exist is an empty text.
    return all(
        (values.get(requirement.key, "") == requirement.values[0]) == (requirement.operator == IN)
        for requirement in term.fields
    )


def _check(requirement: SelectorRequirement) -> None:
    """Refuse what ``labels.NewRequirement`` refuses: operator, number of values, malformed keys or values."""
    problem = operator_problem(requirement.operator, requirement.values)
    if problem:
        raise SelectorError(f"{requirement.key} {problem}")
    prefix, slash, name = requirement.key.rpartition("/")
    if slash and (not _PREFIX.fullmatch(prefix) or len(prefix) > _LONGEST_PREFIX):
        raise SelectorError(f"{requirement.key} is not a label key")
    if not _NAME.fullmatch(name):
        raise SelectorError(f"{requirement.key} is not a label key")
    for value in requirement.values:
        if value and not _NAME.fullmatch(value):
            raise SelectorError(f"{value} is not a label value")


NO_SCHEDULE = "NoSchedule"
NO_EXECUTE = "NoExecute"


def refusal(unit: SchedulingUnit, cluster: Cluster, now: datetime) -> str | None:
    """Return why a cluster is not open to the object, in KubeAdmiral's words; None where it is open."""
    policy, in_use = unit.policy, cluster.name in unit.current
    if unit.api not in (cluster.api_kinds or ()):
        return "didn't support this APIVersion"
    effects = [NO_EXECUTE] if in_use else [NO_SCHEDULE, NO_EXECUTE]
    for taint in untolerated(cluster, policy.tolerations, effects):
        return f"had taint {{{taint.key}: {taint.value}}}, that the schedulingUnit didn't tolerate"
    if policy.placement.entries and cluster.name not in policy.placement.entries:
        return "were not in placement list"
    if not _is_selected(policy, cluster):
        return "didn't match cluster selector"
    if not (cluster.ready or in_use):
        return "were unready"
    if cluster.deleting:
        return "were terminating"
    evicted = (until for name, until in unit.feedback.unavailable if name == cluster.name)
    if any(until is not None and now < until for until in evicted):
        return "were evicted due to custom migration configuration"
    return None


def _is_selected(policy: StatedPolicy, cluster: Cluster) -> bool:
    """Tell whether selector and affinity match; a wrong requirement refuses without a word."""
    if not policy.selects(cluster):
        return False
    try:
        return policy.required is None or matches_any(policy.required, cluster)
    except SelectorError:
        return False


def untolerated(cluster: Cluster, tolerations: Sequence[Toleration], effects: Sequence[str]) -> list[Taint]:
    """Return the taints of some effects that no toleration matches, in the order of the cluster."""
    return [
        taint
        for taint in cluster.taints
        if taint.effect in effects and not any(each.tolerates(taint) for each in tolerations)
    ]
