"""Which clusters the terms of a cluster affinity match."""

import re
from collections.abc import Sequence

from fairlead.models.selectors import IN, NOT_IN, Requirement, operator_problem
from fairlead.solver.dispensers.kubeadmiral.inputs import FederatedCluster, SelectorTerm

NAME_FIELD = "metadata.name"

_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_LONGEST_PREFIX = 253


class SelectorError(ValueError):
    """A requirement that Kubernetes refuses; says why."""


def matches_any(terms: Sequence[SelectorTerm], cluster: FederatedCluster) -> bool:
    """Tell whether one of the terms matches; no terms match nothing, nor does an empty term.

    Raises
    ------
    SelectorError
        Where a requirement is wrong and stands before the first match.
    """
    return any(_matches(term, cluster) for term in terms if term.expressions or term.fields)


def matches_expressions(expressions: Sequence[Requirement], cluster: FederatedCluster) -> bool:
    """Tell whether all expressions match the labels; no expressions match nothing.

    Raises
    ------
    SelectorError
        Where a requirement is wrong.
    """
    for expression in expressions:
        _check(expression)
    return bool(expressions) and all(expression.matches(cluster.labels) for expression in expressions)


def _matches(term: SelectorTerm, cluster: FederatedCluster) -> bool:
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
