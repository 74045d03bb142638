"""A propagation policy as it applies to a workload, with the line of everything that it says."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairlead.manifests.api import kubeadmiral as api
from fairlead.manifests.api.kubeadmiral import (
    ClusterSelectorRequirement,
    ClusterSelectorTerm,
    DesiredPlacement,
    PropagationPolicySpec,
)
from fairlead.manifests.validation import Finding, Located, below
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster, Toleration
from fairlead.models.rules.bounds import Bound
from fairlead.models.selectors import IN, NOT_IN, LabelSelector, Requirement, operator_problem
from fairlead.models.source import Source

Locate = Callable[[Path], Source]

MINIMUM, MAXIMUM = "minReplicas", "maxReplicas"
_PREFERENCES = (MINIMUM, MAXIMUM, "weight", "priority")


@dataclass(frozen=True, slots=True)
class Preferences:
    """How many replicas clusters should get."""

    entries: Mapping[str, Source] = field(default_factory=dict)
    """Every listed cluster, with the place of its last entry; empty means that all clusters may be used."""
    minimum: Mapping[str, Bound] = field(default_factory=dict)
    maximum: Mapping[str, Bound] = field(default_factory=dict)
    weights: Mapping[str, Bound] = field(default_factory=dict)
    priorities: Mapping[str, Bound] = field(default_factory=dict)
    """What is said, by cluster; a cluster of which nothing is said is absent. Minima of 0 are absent too."""

    @property
    def told(self) -> frozenset[str]:
        """Return the clusters of which more is said than their name."""
        return frozenset({*self.minimum, *self.maximum, *self.weights, *self.priorities})


def preferences(placement: Sequence[DesiredPlacement], locate: Locate) -> Preferences:
    """Put the entries of a placement list together.

    Where a cluster stands several times, the last entry that states a preference wins; every entry states a
    minimum, which is 0 where it is left out.

    Parameters
    ----------
    locate
        Returns where a field stands, by its path below the list.
    """
    entries: dict[str, Source] = {}
    said: dict[str, dict[str, Bound]] = {name: {} for name in _PREFERENCES}
    for position, entry in enumerate(placement):
        entries[entry.cluster] = locate((position,))
        stated = entry.preferences
        numbers = (stated.min_replicas, stated.max_replicas, stated.weight, stated.priority)
        for name, number in zip(_PREFERENCES, numbers, strict=True):
            if number is not None:
                source = locate((position, "preferences", name))
                said[name][entry.cluster] = Bound(number, source)
    minimum = {cluster: bound for cluster, bound in said[MINIMUM].items() if bound.replicas}
    return Preferences(entries, minimum, said[MAXIMUM], said["weight"], said["priority"])


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
class Term:
    """One term of a cluster affinity; everything in it must hold, and an empty one matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    names: tuple[Requirement, ...] = ()

    def matches(self, cluster: Cluster) -> bool:
        """Tell whether a cluster is selected."""
        if not self.expressions and not self.names:
            return False
        labelled = all(one.matches(cluster.labels) for one in self.expressions)
        return labelled and all((cluster.name in one.values) == (one.operator == IN) for one in self.names)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a policy, and the annotations that override it, say.

    Parameters
    ----------
    key
        Equal for workloads to which exactly the same rules apply.
    sources
        Where each part stands, by the name of its field.
    divide
        True for Divide, False for Duplicate.
    binpack
        True where one cluster is filled after the other, False where all share.
    sticky
        True where nothing that runs changes.
    terms
        Terms of which one must match; None where there is no such rule.
    max_clusters
        Most clusters; None means no limit.
    avoid_disruption
        True where running replicas stay where they are as far as possible.
    auto_migration
        True where the reports of auto migration count.
    written
        The ``spec`` of the policy as it stands in the file; do not change it.
    """

    name: str
    key: Hashable
    sources: Mapping[str, Source]
    divide: bool
    binpack: bool = False
    sticky: bool = False
    selector: LabelSelector = field(default_factory=LabelSelector)
    terms: tuple[Term, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()
    max_clusters: int | None = None
    preferred: Preferences = field(default_factory=Preferences)
    avoid_disruption: bool = True
    auto_migration: bool = False
    written: Mapping[str, Any] = field(default_factory=dict)


def read_policy(located: LocatedPolicy, name: str) -> Policy:
    """Return what a policy says.

    Notes
    -----
    What is left out has the value that KubeAdmiral's API server writes there: ``avoidDisruption`` is true.
    """
    spec = located.model.spec
    rescheduling = spec.reschedule_policy or api.ReschedulePolicy()

    def locate(path: Path) -> Source:
        return located.source("spec", PLACEMENT, *path)

    sources = {one: located.source("spec", one) for one in _FIELDS}
    sources[RESCHEDULING] = located.source("spec", RESCHEDULING, "disableRescheduling")
    return Policy(
        name=name,
        key=(id(located.document),),
        sources=sources,
        divide=spec.scheduling_mode == "Divide",
        binpack=spec.replicas_strategy == "Binpack",
        sticky=rescheduling.disable_rescheduling,
        selector=LabelSelector.of(spec.cluster_selector),
        terms=terms(spec.cluster_affinity) if spec.cluster_affinity else None,
        tolerations=tuple(one.toleration for one in spec.tolerations),
        max_clusters=spec.max_clusters,
        preferred=preferences(spec.placement, locate),
        avoid_disruption=rescheduling.replica_rescheduling.avoid_disruption,
        auto_migration=spec.auto_migration is not None,
        written=located.document.data.get("spec") or {},
    )


def terms(found: Iterable[api.ClusterSelectorTerm]) -> tuple[Term, ...]:
    """Return the terms of a cluster affinity."""
    return tuple(Term(_requirements(one.match_expressions), _requirements(one.match_fields)) for one in found)


def _requirements(found: Iterable[api.ClusterSelectorRequirement]) -> tuple[Requirement, ...]:
    return tuple(Requirement(one.key, one.operator, one.values) for one in found)


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
