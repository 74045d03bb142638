"""A propagation policy as it applies to a workload, with the line of everything that it says."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fairlead.manifests.api import kubeadmiral as api
from fairlead.manifests.api import meta
from fairlead.manifests.documents import Path
from fairlead.manifests.kubeadmiral.preferences import Preferences, preferences
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster, Toleration
from fairlead.models.selectors import IN, LabelSelector, Requirement
from fairlead.models.source import Source

LocatedPolicy = Located[api.PropagationPolicy] | Located[api.ClusterPropagationPolicy]

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
    """One term of a cluster affinity; everything in it must hold, and an empty one matches nothing.

    Parameters
    ----------
    expressions
        Over the labels of a cluster.
    names
        Over the name of a cluster.
    """

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
    name
        The policy in words.
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
    selector
        Labels that a cluster must have.
    terms
        Terms of which one must match; None where there is no such rule.
    tolerations
        Taints that are put up with.
    max_clusters
        Most clusters; None means no limit.
    preferred
        The placement list.
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
        tolerations=tolerations(spec.tolerations),
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


def tolerations(found: Iterable[meta.Toleration]) -> tuple[Toleration, ...]:
    """Return tolerations; for how long they hold does not matter to a scheduler."""
    return tuple(Toleration(one.key, one.operator, one.value, one.effect) for one in found)
