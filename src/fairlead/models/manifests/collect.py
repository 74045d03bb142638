"""From documents to manifests: every kind validated, duplicates refused, unknown kinds named."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

from fairlead.models.errors import Mistake
from fairlead.models.manifests.api import KINDS
from fairlead.models.manifests.api import clusters as clusters_api
from fairlead.models.manifests.api import workloads as workloads_api
from fairlead.models.manifests.api.bindings import ClusterResourceBinding, ResourceBinding
from fairlead.models.manifests.api.meta import Object
from fairlead.models.manifests.api.policies import (
    ClusterPropagationPolicy,
    PropagationPolicy,
    PropagationSpec,
)
from fairlead.models.manifests.documents import Document
from fairlead.models.manifests.validation import Located, validate
from fairlead.models.manifests.webhook import (
    Finding,
    below,
    label_selector_findings,
    mistakes,
    placement_findings,
)
from fairlead.models.statement import Statement

Workload = workloads_api.Deployment | workloads_api.StatefulSet | workloads_api.ReplicaSet | workloads_api.Job
Policy = PropagationPolicy | ClusterPropagationPolicy
Binding = ResourceBinding | ClusterResourceBinding

_LATER_GROUPS = ("kubeadmiral.io", "fairlead.io")


@dataclass(slots=True)
class Manifests:
    """Everything that was read, by what it is; and everything that is wrong or noteworthy.

    Parameters
    ----------
    clusters, workloads, policies, bindings
        Valid manifests in the order of the input.
    mistakes
        What is wrong.
    warnings
        Unknown fields and skipped kinds.
    unsupported
        Kinds that this version cannot do yet, in words.
    """

    clusters: list[Located[clusters_api.Cluster]] = field(default_factory=list)
    workloads: list[Located[Workload]] = field(default_factory=list)
    policies: list[Located[Policy]] = field(default_factory=list)
    bindings: list[Located[Binding]] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    warnings: list[Statement] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)


def collect(documents: Iterable[Document]) -> Manifests:
    """Validate documents and sort them by what they are."""
    manifests = Manifests()
    skipped: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        model = KINDS.get((document.api_version, document.kind))
        if model is not None:
            _add(manifests, document, model)
        elif _group(document).endswith(_LATER_GROUPS):
            text = f"{document.source()}: {document.kind} of {document.api_version} is not supported yet"
            manifests.unsupported.append(text)
        else:
            skipped.setdefault((document.api_version, document.kind), []).append(document)
    manifests.warnings.extend(_skipped(*item) for item in sorted(skipped.items()))
    manifests.mistakes.extend(_duplicates(manifests))
    return manifests


def _group(document: Document) -> str:
    """Return the API group of a document; empty for the core group."""
    return document.api_version.rpartition("/")[0]


def _skipped(kind: tuple[str, str], documents: list[Document]) -> Statement:
    """Say how many documents of an unknown kind were skipped."""
    count = f"{len(documents)} documents" if len(documents) > 1 else "1 document"
    text = f"{kind[1]} of {kind[0]} is not a kind that is read: {count} skipped"
    return Statement("unknown-kind", text, min(document.source() for document in documents))


def _add(manifests: Manifests, document: Document, model: type[Object]) -> None:
    """Validate one document of a known kind and put it where it belongs."""
    validated = validate(document, model)
    manifests.warnings.extend(validated.warnings)
    manifests.mistakes.extend(validated.mistakes)
    if validated.located is None:
        return
    # What is wrong by itself and was taken out is not reported as missing beside others once more.
    known = {mistake.field for mistake in validated.mistakes}
    found = mistakes(document, (), _findings(validated.located.model))
    manifests.mistakes.extend(mistake for mistake in found if mistake.field not in known)
    row = _row(manifests, validated.located.model)
    row.append(validated.located)


def _row(manifests: Manifests, model: Object) -> list[Located[Object]]:
    """Return the list that a manifest belongs to."""
    row: object
    match model:
        case clusters_api.Cluster():
            row = manifests.clusters
        case PropagationPolicy() | ClusterPropagationPolicy():
            row = manifests.policies
        case ResourceBinding() | ClusterResourceBinding():
            row = manifests.bindings
        case _:
            row = manifests.workloads
    return cast("list[Located[Object]]", row)


def _findings(model: Object) -> Iterator[Finding]:
    """List what is right alone and wrong together in one manifest."""
    match model:
        case PropagationPolicy(spec=spec) | ClusterPropagationPolicy(spec=spec):
            yield from below("spec", _policy_findings(spec))
        case ResourceBinding(spec=binding) | ClusterResourceBinding(spec=binding):
            if binding.placement:
                yield from below("spec", below("placement", placement_findings(binding.placement)))
            yield from below("spec", below("clusters", _twice([target.name for target in binding.clusters])))
        case _:
            return


def _policy_findings(spec: PropagationSpec) -> Iterator[Finding]:
    """List what is wrong in a policy beside its fields."""
    if not spec.resource_selectors:
        yield Finding(("resourceSelectors",), None, "needs at least one item; an empty list selects nothing")
    for position, selector in enumerate(spec.resource_selectors):
        if selector.label_selector:
            found = below("labelSelector", label_selector_findings(selector.label_selector))
            yield from below("resourceSelectors", below(position, found))
    yield from below("placement", placement_findings(spec.placement))


def _twice(names: list[str]) -> Iterator[Finding]:
    """List names that stand in a list before."""
    for position, name in enumerate(names):
        if name in names[:position]:
            yield Finding((position, "name"), name, "stands in the list a second time")


def _duplicates(manifests: Manifests) -> Iterator[Mistake]:
    """List objects that the input has twice."""
    rows: tuple[Iterable[Located[Object]], ...] = (
        manifests.clusters,
        manifests.workloads,
        manifests.policies,
        manifests.bindings,
    )
    for row in rows:
        first: dict[tuple[str, str, str, str], Located[Object]] = {}
        for located in row:
            meta = located.model.metadata
            kind, group = located.document.kind, _group(located.document)
            earlier = first.setdefault((group, kind, namespace_of(located.model), meta.name), located)
            if earlier is not located:
                message = f"is the name of two {kind} objects; the first one is at {earlier.source()}"
                yield Mistake(located.source("metadata", "name"), "metadata.name", meta.name, message)


def namespace_of(model: Object) -> str:
    """Return the namespace of an object: ``default`` where it says none, empty where it is cluster-scoped."""
    if isinstance(model, clusters_api.Cluster | ClusterPropagationPolicy | ClusterResourceBinding):
        return ""
    return model.metadata.namespace or "default"
