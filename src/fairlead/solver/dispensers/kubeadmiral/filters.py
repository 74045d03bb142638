"""The filters that every cluster passes, in KubeAdmiral's order; the first refusal ends.

The filter for resources (``ClusterResourcesFit``) is off by default in KubeAdmiral and says nothing about the
number of replicas; it is not modelled. Nor is Katalyst, a feature that is off by default.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from fairlead.manifests.kubeadmiral.stated import Policy, SelectorTerm
from fairlead.models.cluster import Cluster, Taint, Toleration
from fairlead.models.selectors import IN, NOT_IN, Requirement, operator_problem
from fairlead.solver.dispensers.kubeadmiral.inputs import SchedulingUnit

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


def matches_expressions(expressions: Sequence[Requirement], cluster: Cluster) -> bool:
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


def _check(requirement: Requirement) -> None:
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


def _is_selected(policy: Policy, cluster: Cluster) -> bool:
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
