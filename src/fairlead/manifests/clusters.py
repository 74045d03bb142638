"""From the cluster objects of Karmada and KubeAdmiral to member clusters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING

from fairlead.manifests.api import karmada as api
from fairlead.manifests.api.meta import Object
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster, Grade, Taint
from fairlead.models.errors import Mistake
from fairlead.models.quantity import available_units
from fairlead.models.rules import Candidates
from fairlead.models.source import FederatedUnit
from fairlead.models.statement import Statement
from fairlead.models.variants import every_rule
from fairlead.models.words import first_of
from fairlead.models.workload import Workload

if TYPE_CHECKING:
    from fairlead.manifests.api.kubeadmiral import FederatedCluster

KIND = "cluster"

NOT_READY = Taint("cluster.karmada.io/not-ready", "", "NoSchedule")
"""Taint that a condition Ready that is not True amounts to where no taint says so."""

# Karmada marks a cluster whose state is unknown with the second one.
_TOLD_BY = {"False": (NOT_READY.key,), "Unknown": (NOT_READY.key, "cluster.karmada.io/unreachable")}

Kinds = frozenset[tuple[str, str]]
"""Pairs of apiVersion and kind."""


def read_clusters(
    clusters: Sequence[Located[api.Cluster]], federated: "Sequence[Located[FederatedCluster]]"
) -> tuple[Cluster, ...]:
    """Turn the clusters of Karmada, then those of KubeAdmiral, into member clusters.

    Clusters that serve the same kinds share one set of them. A deprecated ``spec.zone`` counts where
    ``spec.zones`` is empty, as Karmada's webhook migrates it. What is free of a FederatedCluster is
    ``status.resources.available``; one without it is of unknown capacity, and its region, zone and provider
    are labels like any other, as KubeAdmiral has no fields for them.
    """
    shared: dict[Kinds, Kinds] = {}
    karmada = (_cluster(one, shared) for one in clusters)
    return (*karmada, *(_federated(one, shared) for one in federated))


def _cluster(located: Located[api.Cluster], shared: dict[Kinds, Kinds]) -> Cluster:
    model = located.model
    spec, status = model.spec, model.status
    kinds = frozenset(
        (group.group_version, resource.kind)
        for group in status.api_enablements
        for resource in group.resources
    )
    summary = status.resource_summary
    return Cluster(
        name=model.metadata.name,
        provider=spec.provider or None,
        region=spec.region or None,
        zones=spec.zones or ((spec.zone,) if spec.zone else ()),
        labels=dict(model.metadata.labels),
        taints=tuple(Taint(taint.key, taint.value, taint.effect) for taint in spec.taints),
        implied_taints=(NOT_READY,) if _unready(model) else (),
        allocatable=_in_units(summary.allocatable) if summary else None,
        free=_in_units(free_of(summary)) if summary else None,
        grades=_grades(model),
        deleting=model.metadata.deletion_timestamp is not None,
        api_kinds=shared.setdefault(kinds, kinds) if kinds else None,
        source=located.source(),
    )


def readiness(model: api.Cluster) -> str:
    """Return the status of the condition Ready; a cluster of Karmada that does not tell is ready."""
    return next((one.status for one in model.status.conditions if one.type == "Ready"), "True")


def _unready(model: api.Cluster) -> str:
    """Return the status of the condition Ready where it is not True and no taint tells; empty otherwise."""
    found = readiness(model)
    told = any(taint.key in _TOLD_BY.get(found, ()) for taint in model.spec.taints)
    return "" if told or found not in _TOLD_BY else found


def _in_units(amounts: Mapping[str, Fraction]) -> Mapping[str, int]:
    """Return amounts in whole units, rounded down."""
    return {resource: available_units(resource, amount) for resource, amount in amounts.items()}


def free_of(summary: api.ResourceSummary) -> Mapping[str, Fraction]:
    """Return the amounts neither allocated nor about to be, by resource."""
    allocated, allocating = summary.allocated, summary.allocating
    return {
        resource: offered - allocated.get(resource, 0) - allocating.get(resource, 0)
        for resource, offered in summary.allocatable.items()
    }


def _counted(cluster: api.Cluster) -> Sequence[api.AllocatableModeling]:
    return cluster.status.resource_summary.allocatable_modelings if cluster.status.resource_summary else ()


def _grades(cluster: api.Cluster) -> tuple[Grade, ...]:
    """Return the free nodes by grade, the lowest first; none where a grade is not described."""
    models, counted = cluster.spec.resource_models, _counted(cluster)
    offers = {model.grade: _in_units({one.name: one.min for one in model.ranges}) for model in models}
    if any(one.grade not in offers for one in counted):
        return ()
    ordered = sorted(counted, key=lambda one: one.grade)
    return tuple(Grade(one.count, offers[one.grade]) for one in ordered)


def cluster_warnings(
    clusters: Sequence[Located[api.Cluster]], federated: "Sequence[Located[FederatedCluster]]"
) -> Iterator[Statement]:
    """Say which values are assumed of clusters that do not tell, and which of theirs are not used."""
    serves = "taken to serve every kind"
    silent = [one for one in clusters if not one.model.status.api_enablements]
    yield from _of_all(silent, f"no status.apiEnablements, {serves}")
    for status in _TOLD_BY:
        unready = [one for one in clusters if _unready(one.model) == status]
        text = f"condition Ready is {status} and no taint says so: nothing new is placed there"
        yield from _of_all(unready, f"{text}, as under taint {NOT_READY.key}:{NOT_READY.effect}")
    vague = [one for one in clusters if _counted(one.model) and not _grades(one.model)]
    text = "counts nodes of a grade that spec.resourceModels does not describe, so grades are left aside"
    yield from _of_all(vague, text)
    quiet = [one for one in federated if not one.model.status.api_resource_types]
    yield from _of_all(quiet, f"no status.apiResourceTypes, {serves}")


def _of_all(located: Sequence[Located[Object]], text: str) -> Iterator[Statement]:
    """Say one thing of many clusters at once; nothing where there are none."""
    if located:
        names = sorted(one.model.metadata.name for one in located)
        # Within a file they stand in the order of lines, which nobody has to look for until they are shown.
        first = min((one.source() for one in located), key=attrgetter("file"))
        yield Statement(KIND, f"{first_of(names)}: {text}", first)


def _federated(located: "Located[FederatedCluster]", shared: dict[Kinds, Kinds]) -> Cluster:
    """Turn one FederatedCluster into a member cluster; clusters that serve the same kinds share one set."""
    model = located.model
    status = model.status
    conditions = {condition.type: condition.status for condition in status.conditions}
    kinds = frozenset(
        (f"{one.group}/{one.version}" if one.group else one.version, one.kind)
        for one in status.api_resource_types
    )
    allocatable = status.resources.allocatable if status.resources else {}
    available = status.resources.available if status.resources else {}
    return Cluster(
        name=model.metadata.name,
        labels=dict(model.metadata.labels),
        taints=tuple(Taint(taint.key, taint.value, taint.effect) for taint in model.spec.taints),
        allocatable=_in_units(allocatable) or None,
        free=_in_units(available) or None,
        deleting=model.metadata.deletion_timestamp is not None,
        joined=conditions.get("Joined") == "True",
        ready=conditions.get("Ready") == "True",
        api_kinds=shared.setdefault(kinds, kinds) if kinds else None,
        source=located.source(),
    )


def across(
    clusters: Sequence[Located[api.Cluster]],
    federated: "Sequence[Located[FederatedCluster]]",
    workloads: Iterable[Workload],
) -> Iterator[Statement]:
    """Say which workloads may be placed on clusters that their own scheduler does not know."""
    if not clusters or not federated:
        return
    for system, others in (("Karmada", federated), ("KubeAdmiral", clusters)):
        foreign = {one.model.metadata.name: one for one in others}
        found: set[str] = set()
        for workload in workloads:
            theirs = "KubeAdmiral" if isinstance(workload.declared, FederatedUnit) else "Karmada"
            for rule in every_rule(workload) if theirs == system else ():
                if isinstance(rule, Candidates):
                    found.update(foreign.keys() & rule.names)
        if found:
            names = first_of(sorted(found))
            text = (
                f"{names}: open to workloads of {system}, which does not know "
                f"{'it' if len(found) == 1 else 'them'}; solve the two systems apart to rule that out"
            )
            yield Statement(KIND, text, foreign[min(found)].source())


def same_names(
    clusters: Sequence[Located[api.Cluster]], federated: "Sequence[Located[FederatedCluster]]"
) -> Iterator[Mistake]:
    """List FederatedClusters that have the name of one of Karmada's clusters."""
    first = {one.model.metadata.name: one for one in clusters}
    for one in federated:
        name = one.model.metadata.name
        if name in first:
            message = f"is the name of two clusters; the first one is at {first[name].source()}"
            yield one.document.mistake(("metadata", "name"), message, name)
