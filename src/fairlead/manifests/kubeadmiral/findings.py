"""What is right alone and wrong together in KubeAdmiral's manifests."""

from collections.abc import Iterator, Sequence

from fairlead.manifests.api.kubeadmiral import (
    ClusterSelectorRequirement,
    ClusterSelectorTerm,
    DesiredPlacement,
    PropagationPolicySpec,
)
from fairlead.manifests.kubeadmiral.preferences import crossed
from fairlead.manifests.webhook import Finding, below
from fairlead.models.selectors import IN, NOT_IN, operator_problem

NAME = "metadata.name"


def policy_findings(spec: PropagationPolicySpec) -> Iterator[Finding]:
    """List what is wrong in the spec of a policy."""
    yield from below("clusterAffinity", affinity_findings(spec.cluster_affinity))
    yield from below("placement", placement_findings(spec.placement))


def affinity_findings(terms: Sequence[ClusterSelectorTerm]) -> Iterator[Finding]:
    """List expressions that cannot match as they are written."""
    for position, term in enumerate(terms):
        rows = (("matchExpressions", term.match_expressions), ("matchFields", term.match_fields))
        for name, requirements in rows:
            for number, one in enumerate(requirements):
                problem = operator_problem(one.operator, one.values)
                if name == "matchFields":
                    problem = _field_problem(one)
                if problem:
                    path = (position, name, number, "values")
                    yield Finding(path, list(one.values), problem)


def _field_problem(one: ClusterSelectorRequirement) -> str | None:
    """Return why an expression over fields is wrong; None where it is right."""
    if one.key != NAME:
        return f"{one.key} is an unknown field; allowed is {NAME}"
    if one.operator not in (IN, NOT_IN):
        return f"{one.operator} does not go with {NAME}; allowed are {IN} and {NOT_IN}"
    return None if len(one.values) == 1 else f"{one.operator} needs exactly one name here"


def placement_findings(placement: Sequence[DesiredPlacement]) -> Iterator[Finding]:
    """List minima over maxima."""
    for one in crossed(placement):
        message = f"must be at most maxReplicas of {one.cluster}, which is {one.maximum}"
        yield Finding((one.position, "preferences", "minReplicas"), one.minimum, message)
