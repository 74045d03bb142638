"""Which workloads and clusters a manifest of our own kinds is for, and what there is to say about it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from fairlead.manifests.api.meta import Object
from fairlead.manifests.api.own_values import ClusterSet, SelectingSpec, WorkloadSelector
from fairlead.manifests.karmada.groups import matching
from fairlead.manifests.karmada.policies import ResourceTemplate
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import first_of, with_nearest
from fairlead.models.workload import Workload

KIND = "own-kind"


class Remark(NamedTuple):
    """A warning."""

    text: str
    source: Source
    workload: str | None = None
    """Key of the workload it holds for; None where it holds whatever the workload."""


def statements(remarks: Iterable[Remark]) -> Iterator[Statement]:
    """Say remarks that hold for several workloads once, with their names."""
    found: dict[tuple[str, Source], set[str]] = {}
    for text, source, workload in remarks:
        found.setdefault((text, source), set()).update([workload] if workload else [])
    for (text, source), keys in found.items():
        about = f" ({first_of(sorted(keys))})" if keys else ""
        yield Statement(KIND, f"{text}{about}", source, next(iter(keys)) if len(keys) == 1 else None)


def matched(target: ClusterSet, clusters: Mapping[str, Cluster]) -> frozenset[str]:
    """Return the clusters of the input that belong to a set."""
    return frozenset(matching(target, clusters))


def without_clusters(
    target: ClusterSet, clusters: Mapping[str, Cluster], name: str, source: Source
) -> Iterator[Remark]:
    """Tell of names that the input does not have, and of a set that matches nothing."""
    unknown = [one for one in target.cluster_names if one not in clusters]
    if unknown:
        yield Remark(f"{name} names {with_nearest(unknown, clusters)}, not in the input", source)
    elif not matched(target, clusters):
        yield Remark(f"{name} matches no cluster of the input", source)


def called(target: ClusterSet) -> str:
    """Return the name of a set, such as ``member1`` or ``region RegionA``; empty where it has none."""
    names = target.cluster_names
    expressions = list(target.field_selector.match_expressions if target.field_selector else ())
    if target.exclude or target.label_selector or len(names) + len(expressions) != 1:
        return ""
    if names:
        return names[0]
    only = expressions[0]
    return f"{only.key} {', '.join(only.values)}" if only.operator == "In" else ""


M = TypeVar("M", bound=Object)


def of_kind(manifests: Iterable[Located[Object]], kind: type[M]) -> list[Located[M]]:
    """Return the manifests of one kind in the order of their names, which is the same for every input."""
    found = [Located(one.model, one.document) for one in manifests if isinstance(one.model, kind)]
    return sorted(found, key=lambda one: one.model.metadata.name)


def named(located: Located[Object]) -> str:
    """Return kind and name of a manifest in words."""
    return f"{located.model.kind} {located.model.metadata.name}"


def selects(selector: WorkloadSelector, workload: Workload | ResourceTemplate) -> bool:
    """Tell whether a selector matches a workload."""
    labels = selector.label_selector
    return (
        (not selector.kinds or workload.kind in selector.kinds)
        and (not selector.namespaces or workload.namespace in selector.namespaces)
        and (not selector.names or workload.name in selector.names)
        and (labels is None or labels.selector.matches(workload.labels))
    )


def selected(selector: WorkloadSelector, workloads: Iterable[Workload]) -> tuple[Workload, ...]:
    """Return the workloads that a selector matches."""
    return tuple(one for one in workloads if selects(selector, one))


def selects_workload(located: Located[Object], workload: Workload) -> bool:
    """Tell whether a manifest is for a workload; one that selects none is for no workload."""
    spec = getattr(located.model, "spec", None)
    return isinstance(spec, SelectingSpec) and selects(spec.workload_selector, workload)
