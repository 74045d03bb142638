"""What cannot be meant: fields that are right alone and wrong together.

Karmada's webhooks refuse all of it. What they refuse only because Karmada cannot do it (spreading by region
without a constraint by cluster, overflow tiers of full copies or static weights) has a meaning here.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from fairlead.models.errors import Mistake
from fairlead.models.manifests.api.meta import LabelSelector, Toleration
from fairlead.models.manifests.api.placement import (
    ClusterAffinity,
    ClusterAffinityTerm,
    ClusterConstraint,
    Placement,
    SpreadConstraint,
    WorkloadAffinity,
)
from fairlead.models.manifests.documents import Document, Path, field_name, shortened
from fairlead.models.manifests.groups import declared_tiers
from fairlead.models.manifests.preferences import constraints_of, target_sets
from fairlead.models.selectors import field_problem, operator_problem

_AFFINITY_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")


class Finding(NamedTuple):
    """What is wrong below some object.

    Parameters
    ----------
    path
        Field, seen from the object.
    value
        The offending value; None where there is none to show.
    message
        What is wrong and what is allowed.
    """

    path: Path
    value: object
    message: str


def mistakes(document: Document, base: Path, findings: Iterator[Finding]) -> Iterator[Mistake]:
    """Say where in a document the findings below `base` stand."""
    for path, value, message in findings:
        place = (*base, *path)
        shown = "" if value is None else shortened(value)
        yield Mistake(document.source(place), field_name(place), shown, message)


def below(step: str | int, findings: Iterator[Finding]) -> Iterator[Finding]:
    """Put a step before the paths of findings."""
    return (finding._replace(path=(step, *finding.path)) for finding in findings)


def placement_findings(placement: Placement) -> Iterator[Finding]:
    """List what is wrong in a placement."""
    for check in _CHECKS:
        yield from check(placement)


def label_selector_findings(selector: LabelSelector) -> Iterator[Finding]:
    """List expressions whose operator and values do not fit together."""
    for position, expression in enumerate(selector.match_expressions):
        problem = operator_problem(expression.operator, expression.values)
        if problem:
            yield Finding(("matchExpressions", position, "values"), list(expression.values), problem)


def _groups(placement: Placement) -> Iterator[Finding]:
    """List what is wrong with affinity groups and their overflow tiers."""
    if placement.cluster_affinity and placement.cluster_affinities:
        message = "cannot stand beside clusterAffinity; use one of the two"
        yield Finding(("clusterAffinities",), None, message)
    single, groups = placement.cluster_affinity, placement.cluster_affinities
    others = {"clusterAffinity": single, "clusterAffinities": groups}
    preferred = placement.preferred_cluster_affinities
    for field in [field for field, said in others.items() if said and preferred]:
        message = f"cannot stand beside {field}; use one of the two"
        yield Finding(("preferredClusterAffinities",), None, message)
    yield from below("clusterAffinities", _terms(placement.cluster_affinities))
    yield from below("preferredClusterAffinities", _terms(placement.preferred_cluster_affinities))
    if placement.cluster_affinity:
        yield from below("clusterAffinity", _overflow(placement.cluster_affinity))


def _terms(terms: Sequence[ClusterAffinityTerm]) -> Iterator[Finding]:
    """List what is wrong with named sets of clusters."""
    yield from _names([term.affinity_name for term in terms], set())
    for position, term in enumerate(terms):
        names = [tier.affinity_name for tier in term.overflow_affinities]
        yield from below(position, below("overflowAffinities", _names(names, {term.affinity_name})))
        yield from below(position, _overflow(term))


def _overflow(affinity: ClusterAffinity) -> Iterator[Finding]:
    """List what is wrong with the sets that take what a set of clusters cannot."""
    overflows = bool(affinity.overflow_affinities) if isinstance(affinity, ClusterAffinityTerm) else False
    if overflows and affinity.supplements:
        message = "cannot stand beside overflowAffinities, which say the same; use one of the two"
        yield Finding(("supplements",), None, message)
    if not overflows and not affinity.supplements:
        return
    if not any((affinity.cluster_names, affinity.exclude, affinity.label_selector, affinity.field_selector)):
        message = "needs a group that names clusters; one of all clusters leaves nothing to overflow to"
        yield Finding(("overflowAffinities" if overflows else "supplements",), None, message)


def _targets(placement: Placement) -> Iterator[Finding]:
    """List supplements of sets that candidates do not come from."""
    sources = {tier.path for tier in declared_tiers(placement)}
    for path, affinity in affinities(placement):
        if affinity.supplements and path not in sources:
            message = "belongs to clusterAffinity or to a term of clusterAffinities; a target has none"
            yield Finding((*path, "supplements"), None, message)


def _names(names: Sequence[str], taken: set[str]) -> Iterator[Finding]:
    """List affinity names that are malformed or used before."""
    used = set(taken)
    for position, name in enumerate(names):
        path = (position, "affinityName")
        if not _AFFINITY_NAME.fullmatch(name):
            yield Finding(path, name, "must be at most 63 letters, digits, '-', '_' or '.'")
        if name in used:
            yield Finding(path, name, "names another group; names must differ")
        used.add(name)


def affinities(placement: Placement) -> Iterator[tuple[Path, ClusterAffinity]]:
    """Yield every set of clusters that a placement describes, with its path."""
    for tier in declared_tiers(placement):
        if tier.affinity is not None:
            yield tier.path, tier.affinity
    yield from target_sets(placement.replica_scheduling)


def _selectors(placement: Placement) -> Iterator[Finding]:
    """List wrong expressions of all sets of clusters."""
    for path, affinity in affinities(placement):
        for finding in selector_findings(affinity):
            yield finding._replace(path=(*path, *finding.path))


def selector_findings(affinity: ClusterAffinity) -> Iterator[Finding]:
    """List wrong expressions of one set of clusters."""
    if affinity.label_selector:
        yield from below("labelSelector", label_selector_findings(affinity.label_selector))
    fields = affinity.field_selector.match_expressions if affinity.field_selector else ()
    for position, field in enumerate(fields):
        problem = field_problem(field.key, field.operator, field.values)
        if problem:
            path = ("fieldSelector", "matchExpressions", position, "values")
            yield Finding(path, list(field.values), problem)


def _tolerations(placement: Placement) -> Iterator[Finding]:
    """List tolerations that Kubernetes refuses."""
    for position, toleration in enumerate(placement.cluster_tolerations):
        yield from below("clusterTolerations", below(position, _toleration(toleration)))


def _toleration(toleration: Toleration) -> Iterator[Finding]:
    """List what is wrong with one toleration."""
    if not toleration.key and toleration.operator != "Exists":
        message = "must be Exists where the key is empty"
        yield Finding(("operator",), toleration.operator or None, message)
    if toleration.operator == "Exists" and toleration.value:
        yield Finding(("value",), toleration.value, "must be empty where the operator is Exists")
    if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
        message = "must be NoExecute where tolerationSeconds is set"
        yield Finding(("effect",), toleration.effect or None, message)


def _spread(placement: Placement) -> Iterator[Finding]:
    """List contradictory spread constraints."""
    seen: set[tuple[str, str]] = set()
    for position, constraint in enumerate(placement.spread_constraints):
        by = "" if constraint.spread_by_label else constraint.spread_by_field or "cluster"
        yield from below("spreadConstraints", below(position, _groups_of(constraint)))
        if (by, constraint.spread_by_label) in seen:
            path = ("spreadConstraints", position)
            yield Finding(path, None, f"spreads by {by or constraint.spread_by_label} a second time")
        seen.add((by, constraint.spread_by_label))


def _groups_of(constraint: SpreadConstraint) -> Iterator[Finding]:
    """List what is wrong with one spread constraint."""
    if constraint.spread_by_field and constraint.spread_by_label:
        message = "cannot stand beside spreadByField; use one of the two"
        yield Finding(("spreadByLabel",), constraint.spread_by_label, message)
    if 0 < constraint.max_groups < constraint.min_groups:
        message = f"must be at least minGroups, which is {constraint.min_groups}"
        yield Finding(("maxGroups",), constraint.max_groups, message)


def _bounds(placement: Placement) -> Iterator[Finding]:
    """List minima over their maxima, and bounds in two places."""
    found = tuple(constraints_of(placement.replica_scheduling))
    for path, constraint in found:
        for finding in _bounds_of(constraint):
            yield finding._replace(path=(*path, *finding.path))
    for path, _ in found[1:]:
        yield Finding(path, None, f"bounds clusters beside {field_name(found[0][0])}; use one of the two")


def _bounds_of(constraint: ClusterConstraint) -> Iterator[Finding]:
    """List minima over their maxima; a term takes from the global values what it does not say."""
    fewest, most = constraint.min_replicas, constraint.max_replicas
    yield from _crossed((), fewest, most, in_minimum=True)
    for position, term in enumerate(constraint.cluster_constraint_terms):
        low, high = term.min_replicas, term.max_replicas
        if low is None and high is None:
            continue
        path: Path = ("clusterConstraintTerms", position)
        low_or_global = fewest if low is None else low
        high_or_global = most if high is None else high
        yield from _crossed(path, low_or_global, high_or_global, in_minimum=low is not None)


def _crossed(path: Path, low: int | None, high: int | None, *, in_minimum: bool) -> Iterator[Finding]:
    """Report a minimum over a maximum, at the field that stands under the path."""
    if low is None or high is None or low <= high:
        return
    if in_minimum:
        yield Finding((*path, "minReplicas"), low, f"must be at most maxReplicas, which is {high}")
    else:
        yield Finding((*path, "maxReplicas"), high, f"must be at least minReplicas, which is {low}")


def _workload_affinity(placement: Placement) -> Iterator[Finding]:
    """Refuse one label for standing together and apart."""
    groups: WorkloadAffinity | None = placement.workload_affinity
    if groups and groups.affinity and groups.anti_affinity:
        key = groups.anti_affinity.group_by_label_key
        if key == groups.affinity.group_by_label_key:
            path = ("workloadAffinity", "antiAffinity", "groupByLabelKey")
            yield Finding(path, key, "must differ from the key of affinity")


_CHECKS: tuple[Callable[[Placement], Iterator[Finding]], ...] = (
    _groups,
    _targets,
    _selectors,
    _tolerations,
    _spread,
    _bounds,
    _workload_affinity,
)
