"""From documents to manifests: every kind validated, duplicates refused, unknown kinds named."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import cast, get_args

from fairlead.manifests.api import KINDS
from fairlead.manifests.api import karmada as clusters_api
from fairlead.manifests.api import kubeadmiral as kubeadmiral_api
from fairlead.manifests.api import workloads as workloads_api
from fairlead.manifests.api.karmada import (
    FederatedResourceQuota,
    ResourceBinding,
    WorkloadRebalancer,
)
from fairlead.manifests.api.kubeadmiral import FederatedObject
from fairlead.manifests.api.meta import Known, Object
from fairlead.manifests.api.overrides import (
    FederatedOverridePolicy,
    OverridePolicy,
)
from fairlead.manifests.api.own import OwnKind
from fairlead.manifests.api.policies import PropagationPolicy, PropagationSpec
from fairlead.manifests.api.workloads import AnyAutoscaler
from fairlead.manifests.autoscaling import autoscaler_findings
from fairlead.manifests.clusters import same_names
from fairlead.manifests.extensions import Extensions, RuleManifest
from fairlead.manifests.karmada.findings import labels_findings, placement_findings, quota_findings
from fairlead.manifests.karmada.specified import annotation_findings
from fairlead.manifests.kubeadmiral.annotations import feedback_mistakes
from fairlead.manifests.kubeadmiral.federated import Federated, override_mistakes, unpack
from fairlead.manifests.kubeadmiral.policies import LocatedPolicy
from fairlead.manifests.kubeadmiral.policies import policy_findings as kubeadmiral_policy_findings
from fairlead.manifests.own.findings import GROUP, own_findings, told_already, unknown_kind
from fairlead.manifests.validation import (
    UNKNOWN_FIELD,
    Finding,
    Located,
    Validated,
    below,
    each,
    mistakes,
    repeated,
    validate,
)
from fairlead.manifests.yaml.documents import Document
from fairlead.models.errors import InternalError, Mistake
from fairlead.models.statement import NOT_UNDERSTOOD, Statement


@dataclass(frozen=True, slots=True)
class Unread:
    """A binding or federated object that cannot be understood, which is left out.

    Parameters
    ----------
    located
        What of it can be read; None where that is too little.
    mistakes
        What cannot be understood.
    """

    document: Document
    located: "Located[ResourceBinding | FederatedObject] | None"
    mistakes: tuple[Mistake, ...]


_ROWS: Mapping[str, tuple[type[Object], ...]] = MappingProxyType(
    {
        "clusters": (clusters_api.Cluster,),
        "workloads": get_args(workloads_api.Workload),
        "policies": (PropagationPolicy,),
        "bindings": (ResourceBinding,),
        "rebalancers": (WorkloadRebalancer,),
        "quotas": (FederatedResourceQuota,),
        "autoscalers": get_args(AnyAutoscaler),
        "overrides": (OverridePolicy,),
        "federated_overrides": (FederatedOverridePolicy,),
        "priority_classes": (workloads_api.PriorityClass,),
        "own": (*get_args(OwnKind), RuleManifest),
        "federated_clusters": (kubeadmiral_api.FederatedCluster,),
        "federation_policies": (kubeadmiral_api.PropagationPolicy,),
        "federated_objects": (FederatedObject,),
    }
)
"""Which list of `Manifests` holds which kinds."""

_SOUND = (
    clusters_api.Cluster,
    *get_args(workloads_api.Workload),
    WorkloadRebalancer,
    OverridePolicy,
    FederatedOverridePolicy,
    workloads_api.PriorityClass,
    kubeadmiral_api.FederatedCluster,
    FederatedObject,
)
"""Kinds in which nothing that is right alone is wrong together."""
_DNS_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Kinds that are near to one that is read, with what to write instead.
_INSTEAD = {
    ("v1", "ResourceQuota"): "it does not tell in which cluster it counts; a FederatedResourceQuota does"
}
# Workloads of KubeAdmiral before it had federated objects: they change placements, so they are not skipped.
_EARLIER_GROUP = "types.kubeadmiral.io"


@dataclass(slots=True)
class Manifests:
    """Everything that was read, by what it is; and everything that is wrong or noteworthy.

    Parameters
    ----------
    clusters, workloads, policies, bindings, rebalancers, quotas, own
        Valid manifests in the order of the input.
    autoscalers, overrides, priority_classes
        The same of what changes numbers of replicas, and of what says how urgent they are.
    unread
        Bindings and federated objects that cannot be understood.
    """

    clusters: list[Located[clusters_api.Cluster]] = field(default_factory=list)
    workloads: list[Located[workloads_api.Workload]] = field(default_factory=list)
    policies: list[Located[PropagationPolicy]] = field(default_factory=list)
    bindings: list[Located[ResourceBinding]] = field(default_factory=list)
    rebalancers: list[Located[WorkloadRebalancer]] = field(default_factory=list)
    quotas: list[Located[FederatedResourceQuota]] = field(default_factory=list)
    autoscalers: list[Located[AnyAutoscaler]] = field(default_factory=list)
    overrides: list[Located[OverridePolicy]] = field(default_factory=list)
    federated_overrides: list[Located[FederatedOverridePolicy]] = field(default_factory=list)
    priority_classes: list[Located[workloads_api.PriorityClass]] = field(default_factory=list)
    own: list[Located[Object]] = field(default_factory=list)
    federated_clusters: list[Located[kubeadmiral_api.FederatedCluster]] = field(default_factory=list)
    federation_policies: list[LocatedPolicy] = field(default_factory=list)
    federated_objects: list[Located[FederatedObject]] = field(default_factory=list)
    federated: list[Federated] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    warnings: list[Statement] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    unsupported: list[Statement] = field(default_factory=list)


def collect(documents: Iterable[Document], extensions: Extensions | None = None) -> Manifests:
    """Validate documents and sort them by what they are.

    Parameters
    ----------
    extensions
        Where kinds and levels from outside are looked for; None means those that are installed.
    """
    extensions = extensions or Extensions()
    manifests = Manifests()
    skipped: dict[tuple[str, str], list[Document]] = {}
    known = Known()
    for document in documents:
        model = KINDS.get((document.api_version, document.kind))
        if model is not None:
            _add(manifests, document, model, known, extensions)
        elif _group(document) == GROUP:
            manifests.mistakes.append(unknown_kind(document))
        elif _group(document) == _EARLIER_GROUP:
            text = f"{document.kind} of {document.api_version} is left out: it is not supported"
            text += "; KubeAdmiral has replaced it by FederatedObject"
            manifests.unsupported.append(Statement(NOT_UNDERSTOOD, text, document.source()))
        elif (outside := extensions.kind(document.api_version, document.kind)) is not None:
            _add(manifests, document, outside, known, extensions)
        else:
            skipped.setdefault((document.api_version, document.kind), []).append(document)
    manifests.warnings.extend(_skipped(*item) for item in sorted(skipped.items()))
    manifests.mistakes.extend(_duplicates(manifests))
    _unpack_federated(manifests)
    return manifests


def _unpack_federated(manifests: Manifests) -> None:
    """Look into federated objects, and at what KubeAdmiral's controllers have written on workloads."""
    unpacked = unpack(manifests.federated_objects)
    manifests.warnings.extend(unpacked.warnings)
    for one in unpacked.federated:
        found = (*override_mistakes(one), *feedback_mistakes(one.located))
        if found:
            manifests.unread.append(Unread(one.located.document, one.located, found))
        else:
            manifests.federated.append(one)
    for located, wrong in unpacked.unread:
        found = (*wrong, *feedback_mistakes(located))
        manifests.unread.append(Unread(located.document, located, found))
    for template in manifests.workloads:
        manifests.mistakes.extend(feedback_mistakes(template))
    manifests.mistakes.extend(same_names(manifests.clusters, manifests.federated_clusters))


def _group(document: Document) -> str:
    """Return the API group of a document; empty for the core group."""
    return document.api_version.rpartition("/")[0]


def _skipped(kind: tuple[str, str], documents: list[Document]) -> Statement:
    """Say how many documents of an unknown kind were skipped."""
    count = f"{len(documents)} documents" if len(documents) > 1 else "1 document"
    text = f"{kind[1]} of {kind[0]} is not a kind that is read: {count} skipped"
    if kind in _INSTEAD:
        text += f"; {_INSTEAD[kind]}"
    return Statement("unknown-kind", text, min(document.source() for document in documents))


def _add(
    manifests: Manifests, document: Document, model: type[Object], known: Known, extensions: Extensions
) -> None:
    """Validate one document of a known kind and put it where it belongs."""
    validated = validate(document, model, known)
    manifests.warnings.extend(validated.warnings)
    found = [*validated.mistakes, *_contradictions(document, validated, extensions)]
    if found and issubclass(model, ResourceBinding | FederatedObject):
        located = cast("Located[ResourceBinding | FederatedObject] | None", validated.located)
        manifests.unread.append(Unread(document, located, tuple(found)))
        return
    manifests.mistakes.extend(found)
    if validated.located is not None:
        manifests.warnings.extend(_stray_annotation(validated.located))
        manifests.warnings.extend(_odd_name(validated.located))
        _row(manifests, validated.located.model).append(validated.located)


def _contradictions(
    document: Document, validated: Validated[Object], extensions: Extensions
) -> Iterator[Mistake]:
    """List what is right alone and wrong together in a document."""
    if validated.located is None:
        return
    # What is wrong by itself and was taken out is not reported as missing beside others once more.
    known = {mistake.field for mistake in validated.mistakes}
    found = mistakes(document, _findings(validated.located.model, extensions))
    yield from (mistake for mistake in found if not told_already(mistake, known))


def _stray_annotation(located: Located[Object]) -> Iterator[Statement]:
    """Name the misspelt annotations of what specifies no replicas; elsewhere a proposal spells them so."""
    if located.model.metadata.annotation and not isinstance(
        located.model, PropagationPolicy | ResourceBinding
    ):
        text = f"{located.document.kind}: metadata.annotation is not a known field and has no effect"
        yield Statement(UNKNOWN_FIELD, text, located.source("metadata", "annotation"))


def _odd_name(located: Located[Object]) -> Iterator[Statement]:
    """Say that an API server would refuse a name; here it names a thing all the same."""
    name = located.model.metadata.name
    if not _DNS_NAME.fullmatch(name):
        text = f"{located.document.kind}: metadata.name {name!r} is no name that Kubernetes takes: lower case"
        text += " letters, digits, '-' and '.', with a letter or digit at both ends"
        yield Statement("name", text, located.source("metadata", "name"))


def _row(manifests: Manifests, model: Object) -> list[Located[Object]]:
    """Return the list that a manifest belongs to."""
    name = next(name for name, kinds in _ROWS.items() if isinstance(model, kinds))
    row: list[Located[Object]] = getattr(manifests, name)
    return row


def _findings(model: Object, extensions: Extensions) -> Iterator[Finding]:
    """List what is right alone and wrong together in one manifest."""
    match model:
        case PropagationPolicy(spec=spec):
            yield from below("metadata", annotation_findings(model.metadata))
            yield from below("spec", _policy_findings(spec))
        case ResourceBinding(spec=binding):
            yield from below("metadata", annotation_findings(model.metadata))
            if binding.placement:
                yield from below(("spec", "placement"), placement_findings(binding.placement))
            yield from below(
                ("spec", "clusters"), repeated([one.name for one in binding.clusters], ("name",))
            )
        case scaling if isinstance(scaling, AnyAutoscaler):
            yield from below("spec", autoscaler_findings(scaling))
        case FederatedResourceQuota(spec=limits):
            yield from below("spec", quota_findings(limits))
        case own if isinstance(own, OwnKind | RuleManifest):
            yield from own_findings(own, extensions)
        case kubeadmiral_api.PropagationPolicy():
            yield from below("spec", kubeadmiral_policy_findings(model.spec))
        case _ if isinstance(model, _SOUND):
            return
        case _:
            raise InternalError(f"nobody looks for what is wrong in a {type(model).__name__}")


def _policy_findings(spec: PropagationSpec) -> Iterator[Finding]:
    """List what is wrong in a policy beside its fields."""
    if not spec.resource_selectors:
        yield Finding(("resourceSelectors",), None, "needs at least one item; an empty list selects nothing")
    yield from below("resourceSelectors", each(spec.resource_selectors, labels_findings))
    yield from below("placement", placement_findings(spec.placement))


def _duplicates(manifests: Manifests) -> Iterator[Mistake]:
    """List objects that the input has twice."""
    for name in _ROWS:
        row: list[Located[Object]] = getattr(manifests, name)
        first: dict[tuple[str, str, str, str], Located[Object]] = {}
        for located in row:
            meta = located.model.metadata
            kind, group = located.document.kind, _group(located.document)
            earlier = first.setdefault((group, kind, *located.model.place), located)
            if earlier is not located:
                message = f"is the name of two {kind} objects; the first one is at {earlier.source()}"
                yield Mistake(located.source("metadata", "name"), "metadata.name", meta.name, message)
