"""Which workloads a manifest of our own kinds is for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

from fairlead.manifests.affinity import label_selector
from fairlead.manifests.api import own
from fairlead.manifests.api.meta import Object
from fairlead.manifests.api.own_parts import SelectingSpec, WorkloadSelector
from fairlead.manifests.join import Subject
from fairlead.manifests.own import profile
from fairlead.manifests.validation import Located
from fairlead.models.errors import Mistake
from fairlead.models.workload import Workload

M = TypeVar("M", bound=Object)


def of_kind(manifests: Iterable[Located[Object]], kind: type[M]) -> list[Located[M]]:
    """Return the manifests of one kind in the order of their names, which is the same for every input."""
    found = [Located(one.model, one.document) for one in manifests if isinstance(one.model, kind)]
    return sorted(found, key=lambda one: one.model.metadata.name)


def named(located: Located[Object]) -> str:
    """Return kind and name of a manifest in words."""
    return f"{located.model.kind} {located.model.metadata.name}"


def selects(
    selector: WorkloadSelector, kind: str, namespace: str, name: str, labels: Mapping[str, str]
) -> bool:
    """Tell whether a selector matches a workload."""
    return (
        (not selector.kinds or kind in selector.kinds)
        and (not selector.namespaces or namespace in selector.namespaces)
        and (not selector.names or name in selector.names)
        and (selector.label_selector is None or label_selector(selector.label_selector).matches(labels))
    )


def selected(selector: WorkloadSelector, workloads: Iterable[Workload]) -> tuple[Workload, ...]:
    """Return the workloads that a selector matches."""
    return tuple(one for one in workloads if selects(selector, one.kind, one.namespace, one.name, one.labels))


def selects_workload(located: Located[Object], workload: Workload) -> bool:
    """Tell whether a manifest is for a workload; one that selects none is for no workload."""
    spec = getattr(located.model, "spec", None)
    return isinstance(spec, SelectingSpec) and selects(
        spec.workload_selector, workload.kind, workload.namespace, workload.name, workload.labels
    )


def contradictions(manifests: Sequence[Located[Object]], subjects: Sequence[Subject]) -> Iterator[Mistake]:
    """List manifests of which there may be one only: in the whole input, or for a workload."""
    yield from profile.second(of_kind(manifests, own.Profile))
    for pair in combinations(of_kind(manifests, own.PriceList), 2):
        yield from _both(*pair, subjects)
    for two in combinations(of_kind(manifests, own.HierarchicalWeights), 2):
        yield from _both(*two, subjects)


Single = own.PriceList | own.HierarchicalWeights


def _both(first: Located[Single], second: Located[Single], subjects: Sequence[Subject]) -> Iterator[Mistake]:
    """Refuse two manifests that select one workload; the first such workload is named."""
    for subject in subjects:
        _, kind, namespace, name = subject.identity
        who = (kind, namespace, name, subject.labels)
        if selects(first.model.spec.workload_selector, *who) and selects(
            second.model.spec.workload_selector, *who
        ):
            shown = "/".join(filter(None, (namespace, name)))
            message = (
                f"selects {kind} {shown}, which {named(first)} at {first.source()} selects too;"
                f" a workload takes one {second.model.kind} only"
            )
            path = ("spec", "workloadSelector")
            yield Mistake(second.source(*path), "spec.workloadSelector", "", message)
            return
