"""A propagation policy as it applies to a workload, with the line of everything that it says."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from fairlead.manifests.api import kubeadmiral as api
from fairlead.manifests.api.kubeadmiral import (
    ClusterSelectorRequirement,
    ClusterSelectorTerm,
    DesiredPlacement,
)
from fairlead.manifests.findings import Finding, below
from fairlead.manifests.karmada.findings import wrong_values
from fairlead.manifests.kubeadmiral.reading import as_stored, read_policy, section
from fairlead.manifests.kubeadmiral.stated import StatedPolicy
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import Path
from fairlead.models.selectors import IN, NOT_IN, operator_problem
from fairlead.models.source import Source

LocatedPolicy = Located[api.PropagationPolicy]

MODE = "schedulingMode"
SELECTOR = "clusterSelector"
AFFINITY = "clusterAffinity"
TOLERATIONS = "tolerations"
MAX_CLUSTERS = "maxClusters"
PLACEMENT = "placement"
RESCHEDULING = "reschedulePolicy"
_FIELDS = (MODE, SELECTOR, AFFINITY, TOLERATIONS, MAX_CLUSTERS, PLACEMENT)


@dataclass(frozen=True, slots=True)
class AppliedPolicy(StatedPolicy):
    """A policy, and what overrides it, as it applies to workloads: nothing in it is wrong."""

    name: str = ""
    """Name of the policy in messages, such as ``policy shop/web``."""
    key: Hashable = ()
    """Equal for workloads to which exactly the same rules apply."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Place of each part, by the name of its field."""
    written: Mapping[str, Any] = field(default_factory=dict)
    """The ``spec`` of the policy as it stands in the file; do not change it."""


def applied_policy(located: LocatedPolicy, name: str) -> AppliedPolicy:
    """Return the content of a policy, as the API server stores it."""

    def locate(path: Path) -> Source:
        return located.source("spec", PLACEMENT, *path)

    spec = section(located.document.data, "spec")
    said = read_policy(as_stored(spec), locate)
    sources = {one: located.source("spec", one) for one in _FIELDS}
    sources[RESCHEDULING] = located.source("spec", RESCHEDULING, "disableRescheduling")
    return AppliedPolicy(
        **{each.name: getattr(said, each.name) for each in fields(said)},
        name=name,
        key=(id(located.document),),
        sources=sources,
        written=spec,
    )


NAME = "metadata.name"


def policy_findings(policy: api.PropagationPolicy, _: object) -> Iterator[Finding]:
    """List the mistakes in a policy."""
    yield from below(("spec", "clusterAffinity"), affinity_findings(policy.spec.cluster_affinity))
    yield from below(("spec", "placement"), placement_findings(policy.spec.placement))


def affinity_findings(terms: Sequence[ClusterSelectorTerm]) -> Iterator[Finding]:
    """List expressions that cannot match as they are written."""
    for position, term in enumerate(terms):
        labels = ((one.values, operator_problem(one.operator, one.values)) for one in term.match_expressions)
        yield from below((position, "matchExpressions"), wrong_values(labels))
        fields = ((one.values, _field_problem(one)) for one in term.match_fields)
        yield from below((position, "matchFields"), wrong_values(fields))


def _field_problem(one: ClusterSelectorRequirement) -> str | None:
    if one.key != NAME:
        return f"{one.key} is an unknown field; allowed is {NAME}"
    if one.operator not in (IN, NOT_IN):
        return f"{one.operator} does not go with {NAME}; allowed are {IN} and {NOT_IN}"
    return None if len(one.values) == 1 else f"do not fit: {one.operator} needs exactly one name here"


def placement_findings(placement: Sequence[DesiredPlacement]) -> Iterator[Finding]:
    """List minima over maxima, all entries of a cluster taken together."""
    lows: dict[str, tuple[int, int]] = {}
    highs: dict[str, int] = {}
    for position, entry in enumerate(placement):
        lows[entry.cluster] = position, entry.preferences.min_replicas
        if entry.preferences.max_replicas is not None:
            highs[entry.cluster] = entry.preferences.max_replicas
    for cluster, (position, low) in lows.items():
        if low > highs.get(cluster, low):
            message = f"must be at most maxReplicas of {cluster}, which is {highs[cluster]}"
            yield Finding((position, "preferences", "minReplicas"), low, message)
