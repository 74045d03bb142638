"""Contradictions in a placement: fields that are right alone and wrong together.

Karmada's webhooks refuse all of it. What they refuse only because Karmada cannot do it (spreading by region
without a constraint by cluster, overflow tiers of full copies or static weights) has a meaning here.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Protocol

from fairlead.manifests.api import policies as api
from fairlead.manifests.api.karmada import ResourceBinding
from fairlead.manifests.api.meta import LabelSelector
from fairlead.manifests.api.propagation import PropagationPolicy
from fairlead.manifests.findings import Finding, below, crossed, each, repeated
from fairlead.manifests.karmada.groups import by, declared_tiers
from fairlead.manifests.karmada.preferences import (
    SPECIFIED,
    constraints_of,
    lists_of,
    preference_of,
    preferences_of,
    target_sets,
)
from fairlead.manifests.karmada.specified import annotation_findings
from fairlead.manifests.yaml.documents import Path, field_name
from fairlead.models.selectors import field_problem, operator_problem

_COMPARING = ("Lt", "Gt")
"""Operators of tolerations that compare numbers; no taint of a cluster has one."""

_AFFINITY_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")


def policy_findings(policy: PropagationPolicy, _: object) -> Iterator[Finding]:
    """List the mistakes in a policy."""
    yield from below("metadata", annotation_findings(policy.metadata))
    if not policy.spec.resource_selectors:
        text = "needs at least one item; an empty list selects nothing"
        yield Finding(("spec", "resourceSelectors"), None, text)
    selectors = each(policy.spec.resource_selectors, labels_findings)
    yield from below(("spec", "resourceSelectors"), selectors)
    yield from below(("spec", "placement"), placement_findings(policy.spec.placement))


def binding_findings(binding: ResourceBinding, _: object) -> Iterator[Finding]:
    """List the mistakes in a binding."""
    yield from below("metadata", annotation_findings(binding.metadata))
    if binding.spec.placement:
        yield from below(("spec", "placement"), placement_findings(binding.spec.placement))
    named = [one.name for one in binding.spec.clusters]
    yield from below(("spec", "clusters"), repeated(named, ("name",)))


def placement_findings(placement: api.Placement) -> Iterator[Finding]:
    """List the mistakes in a placement."""
    for check in _CHECKS:
        yield from check(placement)


class Selecting(Protocol):
    """Object that may select by labels."""

    @property
    def label_selector(self) -> LabelSelector | None:
        """Expressions over labels; None where it does not."""
        ...


def labels_findings(selecting: Selecting) -> Iterator[Finding]:
    """List expressions over labels whose operator and values do not fit together."""
    found = selecting.label_selector.match_expressions if selecting.label_selector else ()
    told = ((one.values, operator_problem(one.operator, one.values)) for one in found)
    yield from below(("labelSelector", "matchExpressions"), wrong_values(told))


def wrong_values(expressions: Iterable[tuple[Sequence[str], str | None]]) -> Iterator[Finding]:
    """List the values of expressions with what is wrong with them; None where nothing is."""
    for position, (values, problem) in enumerate(expressions):
        if problem:
            yield Finding((position, "values"), list(values), problem)


def _groups(placement: api.Placement) -> Iterator[Finding]:
    stated = {
        "clusterAffinity": placement.cluster_affinity,
        "clusterAffinities": placement.cluster_affinities,
        "preferredClusterAffinities": placement.preferred_cluster_affinities,
    }
    for first, second in combinations([field for field, said in stated.items() if said], 2):
        yield Finding((second,), None, f"cannot be combined with {first}; use one of the two")
    yield from below("clusterAffinities", _terms(placement.cluster_affinities))
    yield from below("preferredClusterAffinities", _terms(placement.preferred_cluster_affinities))
    if placement.cluster_affinity:
        yield from below("clusterAffinity", _overflow(placement.cluster_affinity))


def _terms(terms: Sequence[api.ClusterAffinityTerm]) -> Iterator[Finding]:
    yield from _names([term.affinity_name for term in terms], set())
    for position, term in enumerate(terms):
        names = [tier.affinity_name for tier in term.overflow_affinities]
        yield from below((position, "overflowAffinities"), _names(names, {term.affinity_name}))
        yield from below(position, _overflow(term))


def _overflow(affinity: api.ClusterAffinity) -> Iterator[Finding]:
    """List the mistakes in the sets that take what a set of clusters cannot."""
    overflows = bool(affinity.overflow_affinities) if isinstance(affinity, api.ClusterAffinityTerm) else False
    if overflows and affinity.supplements:
        message = "cannot be combined with overflowAffinities, which say the same; use one of the two"
        yield Finding(("supplements",), None, message)
    if not overflows and not affinity.supplements:
        return
    if not any((affinity.cluster_names, affinity.exclude, affinity.label_selector, affinity.field_selector)):
        message = "needs a group that names clusters; one of all clusters leaves nothing to overflow to"
        yield Finding(("overflowAffinities" if overflows else "supplements",), None, message)


def _sets(placement: api.Placement) -> Iterator[Finding]:
    """List supplements of sets that candidates do not come from, and wrong expressions of all sets."""
    sources = {tier.path for tier in declared_tiers(placement)}
    sets = tuple(affinities(placement))
    for path, affinity in sets:
        if isinstance(affinity, api.ClusterAffinity) and affinity.supplements and path not in sources:
            message = "belongs to clusterAffinity or to a term of clusterAffinities; a target has none"
            yield Finding((*path, "supplements"), None, message)
    for path, affinity in sets:
        yield from below(path, selector_findings(affinity))


def _names(names: Sequence[str], taken: set[str]) -> Iterator[Finding]:
    for position, name in enumerate(names):
        path = (position, "affinityName")
        if not _AFFINITY_NAME.fullmatch(name):
            yield Finding(path, name, "must be at most 63 letters, digits, '-', '_' or '.'")
        if name in taken or name in names[:position]:
            yield Finding(path, name, "names another group; names must differ")


def affinities(placement: api.Placement) -> Iterator[tuple[Path, api.ClusterSet]]:
    """Yield every set of clusters that a placement describes, with its path."""
    for tier in declared_tiers(placement):
        if tier.affinity is not None:
            yield tier.path, tier.affinity
    yield from target_sets(placement.replica_scheduling)


def selector_findings(affinity: api.ClusterSet) -> Iterator[Finding]:
    """List wrong expressions of one set of clusters."""
    yield from labels_findings(affinity)
    fields = affinity.field_selector.match_expressions if affinity.field_selector else ()
    told = ((one.values, field_problem(one.key, one.operator, one.values)) for one in fields)
    yield from below(("fieldSelector", "matchExpressions"), wrong_values(told))


def _tolerations(placement: api.Placement) -> Iterator[Finding]:
    """List tolerations that Karmada's webhook refuses; what else they say, it takes as it is."""
    for position, toleration in enumerate(placement.cluster_tolerations):
        if toleration.operator in _COMPARING:
            message = "is not allowed for clusters; allowed are Equal and Exists"
            yield Finding(("clusterTolerations", position, "operator"), toleration.operator, message)


def _spread(placement: api.Placement) -> Iterator[Finding]:
    spread_by = [(bool(one.spread_by_label), by(one)) for one in placement.spread_constraints]
    for position, constraint in enumerate(placement.spread_constraints):
        path = ("spreadConstraints", position)
        if constraint.spread_by_field and constraint.spread_by_label:
            message = "cannot be combined with spreadByField; use one of the two"
            yield Finding((*path, "spreadByLabel"), constraint.spread_by_label, message)
        if 0 < constraint.max_groups < constraint.min_groups:
            message = f"must be at least minGroups, which is {constraint.min_groups}"
            yield Finding((*path, "maxGroups"), constraint.max_groups, message)
        if spread_by[position] in spread_by[:position]:
            yield Finding(path, None, f"spreads by {by(constraint)} twice")


def _totals(placement: api.Placement) -> Iterator[Finding]:
    """List targets without a number where totals divide."""
    if preference_of(placement.replica_scheduling) not in SPECIFIED:
        return
    for path, preferences in preferences_of(placement.replica_scheduling):
        for name, targets in lists_of(preferences).items():
            for position, target in enumerate(targets):
                if target.total is None:
                    where = (*path, name, position, "extendFields", "replicas")
                    yield Finding(where, None, "is required and missing")


def _bounds(placement: api.Placement) -> Iterator[Finding]:
    """List minima over their maxima, and bounds in two places."""
    found = tuple(constraints_of(placement.replica_scheduling))
    for path, constraint in found:
        yield from below(path, _bounds_of(constraint))
    for path, _ in found[1:]:
        yield Finding(path, None, f"bounds clusters beside {field_name(found[0][0])}; use one of the two")


def _bounds_of(constraint: api.ClusterConstraint) -> Iterator[Finding]:
    """List minima over their maxima; a term takes from the global values what it does not say."""
    fewest, most = constraint.min_replicas, constraint.max_replicas
    yield from crossed(fewest, most)
    for position, term in enumerate(constraint.cluster_constraint_terms):
        path = ("clusterConstraintTerms", position)
        yield from below(path, crossed(term.min_replicas, term.max_replicas))
        yield from _beside_all(path, term, fewest, most)


def _beside_all(
    path: Path, term: api.ClusterConstraintTerm, fewest: int | None, most: int | None
) -> Iterator[Finding]:
    """List bounds of a term that cross the one of all clusters, where it has no other one itself."""
    low, high = term.min_replicas, term.max_replicas
    named = "counts where a term names none"
    if low is not None and high is None and most is not None and low > most:
        message = f"must be at most {most}, the maxReplicas of all clusters, which {named}"
        yield Finding((*path, "minReplicas"), low, message, ("maxReplicas",))
    elif high is not None and low is None and fewest is not None and high < fewest:
        message = f"must be at least {fewest}, the minReplicas of all clusters, which {named}"
        yield Finding((*path, "maxReplicas"), high, message, ("minReplicas",))


def _workload_affinity(placement: api.Placement) -> Iterator[Finding]:
    """Refuse one label for standing together and apart."""
    groups: api.WorkloadAffinity | None = placement.workload_affinity
    if groups and groups.affinity and groups.anti_affinity:
        key = groups.anti_affinity.group_by_label_key
        if key == groups.affinity.group_by_label_key:
            path = ("workloadAffinity", "antiAffinity", "groupByLabelKey")
            yield Finding(path, key, "must differ from the key of affinity")


_CHECKS: tuple[Callable[[api.Placement], Iterator[Finding]], ...] = (
    _groups,
    _sets,
    _tolerations,
    _spread,
    _totals,
    _bounds,
    _workload_affinity,
)
