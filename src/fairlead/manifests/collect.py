"""From documents to manifests: every kind validated, duplicates refused, unknown kinds named."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, cast, get_args

from fairlead.manifests.api import KINDS
from fairlead.manifests.api import karmada as clusters_api
from fairlead.manifests.api import kubeadmiral as kubeadmiral_api
from fairlead.manifests.api import workloads as workloads_api
from fairlead.manifests.api.karmada import (
    Cluster,
    FederatedResourceQuota,
    ResourceBinding,
    WorkloadRebalancer,
)
from fairlead.manifests.api.kubeadmiral import FederatedObject
from fairlead.manifests.api.meta import Known, Object
from fairlead.manifests.api.overrides import FederatedOverridePolicy, OverridePolicy
from fairlead.manifests.api.own import OwnKind
from fairlead.manifests.api.policies import PropagationPolicy
from fairlead.manifests.api.workloads import AnyAutoscaler
from fairlead.manifests.autoscaling import autoscaler_findings
from fairlead.manifests.clusters import same_names
from fairlead.manifests.extensions import Extensions, RuleManifest
from fairlead.manifests.karmada.findings import labels_findings, placement_findings
from fairlead.manifests.karmada.quotas import quota_findings
from fairlead.manifests.karmada.specified import annotation_findings
from fairlead.manifests.kubeadmiral import policies as federation
from fairlead.manifests.kubeadmiral.annotations import feedback_mistakes
from fairlead.manifests.kubeadmiral.federated import Federated, override_mistakes, unpack
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
from fairlead.models.errors import Mistake
from fairlead.models.statement import NOT_UNDERSTOOD, Statement


@dataclass(frozen=True, slots=True)
class Unread:
    """A binding or federated object that cannot be understood, which is left out."""

    document: Document
    located: "Located[ResourceBinding | FederatedObject] | None"
    """What of it can be read; None where that is too little."""
    mistakes: tuple[Mistake, ...]
    """What cannot be understood."""


_DNS_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Kinds that are near to one that is read, with what to write instead.
_INSTEAD = {
    ("v1", "ResourceQuota"): "it does not tell in which cluster it counts; a FederatedResourceQuota does"
}
# Characters that Karmada takes for a cluster, and Kubernetes for a namespace.
_LONGEST_CLUSTER, _LONGEST_NAMESPACE = 48, 63
# Workloads of KubeAdmiral before it had federated objects: they change placements, so they are not skipped.
_EARLIER_GROUP = "types.kubeadmiral.io"


Check = Callable[[Any, Extensions], Iterator[Finding]]
"""Lists what is right alone and wrong together in a manifest."""


def _of_policy(model: PropagationPolicy, _: Extensions) -> Iterator[Finding]:
    yield from below("metadata", annotation_findings(model.metadata))
    if not model.spec.resource_selectors:
        text = "needs at least one item; an empty list selects nothing"
        yield Finding(("spec", "resourceSelectors"), None, text)
    selectors = each(model.spec.resource_selectors, labels_findings)
    yield from below(("spec", "resourceSelectors"), selectors)
    yield from below(("spec", "placement"), placement_findings(model.spec.placement))


def _of_binding(model: ResourceBinding, _: Extensions) -> Iterator[Finding]:
    yield from below("metadata", annotation_findings(model.metadata))
    if model.spec.placement:
        yield from below(("spec", "placement"), placement_findings(model.spec.placement))
    named = [one.name for one in model.spec.clusters]
    yield from below(("spec", "clusters"), repeated(named, ("name",)))


def _of_autoscaler(model: AnyAutoscaler, _: Extensions) -> Iterator[Finding]:
    return below("spec", autoscaler_findings(model))


def _in_spec(check: Callable[[Any], Iterable[Finding]]) -> Check:
    return lambda model, _: below("spec", check(model.spec))


class Row(NamedTuple):
    """Kinds that a list of `Manifests` holds, and what looks for what is wrong; None where nothing can be."""

    kinds: tuple[type[Object], ...]
    check: Check | None = None


ROWS: Mapping[str, Row] = MappingProxyType(
    {
        "clusters": Row((clusters_api.Cluster,)),
        "workloads": Row(get_args(workloads_api.Workload)),
        "policies": Row((PropagationPolicy,), _of_policy),
        "bindings": Row((ResourceBinding,), _of_binding),
        "rebalancers": Row((WorkloadRebalancer,)),
        "quotas": Row((FederatedResourceQuota,), _in_spec(quota_findings)),
        "autoscalers": Row(get_args(AnyAutoscaler), _of_autoscaler),
        "overrides": Row((OverridePolicy,)),
        "federated_overrides": Row((FederatedOverridePolicy,)),
        "priority_classes": Row((workloads_api.PriorityClass,)),
        "own": Row((*get_args(OwnKind), RuleManifest), own_findings),
        "federated_clusters": Row((kubeadmiral_api.FederatedCluster,)),
        "federation_policies": Row(
            (kubeadmiral_api.PropagationPolicy,), _in_spec(federation.policy_findings)
        ),
        "federated_objects": Row((FederatedObject,)),
    }
)
"""Every list of manifests by its name."""


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
    federation_policies: list[federation.LocatedPolicy] = field(default_factory=list)
    federated_objects: list[Located[FederatedObject]] = field(default_factory=list)
    federated: list[Federated] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    warnings: list[Statement] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    unsupported: list[Statement] = field(default_factory=list)

    def row(self, name: str) -> list[Located[Object]]:
        """Return one of its lists of manifests."""
        found: list[Located[Object]] = getattr(self, name)
        return found


@cache
def _row_of(kind: type[Object]) -> str:
    """Return the name of the list that holds manifests of a kind."""
    return next(name for name, row in ROWS.items() if issubclass(kind, row.kinds))


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
        elif _group(document) == _EARLIER_GROUP and document.kind.startswith("Federated"):
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
        manifests.row(_row_of(model)).append(validated.located)


def _contradictions(
    document: Document, validated: Validated[Object], extensions: Extensions
) -> Iterator[Mistake]:
    """List what is right alone and wrong together in a document."""
    located = validated.located
    check = ROWS[_row_of(type(located.model))].check if located else None
    if located is None or check is None:
        return
    # What is wrong by itself and was taken out is not reported as missing beside others once more.
    known = {mistake.field for mistake in validated.mistakes}
    found = mistakes(document, check(located.model, extensions))
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
    meta, kind = located.model.metadata, located.document.kind
    if meta.name == meta.generate_name:
        text = (
            f"{kind}: metadata.generateName {meta.name!r} stands for the name that Kubernetes will make of it"
        )
        yield Statement("name", text, located.source("metadata", "generateName"))
    else:
        longest = _LONGEST_CLUSTER if isinstance(located.model, Cluster) else None
        yield from _odd(located, "name", meta.name, longest)
    if meta.namespace:
        yield from _odd(located, "namespace", meta.namespace, _LONGEST_NAMESPACE)


def _odd(located: Located[Object], field: str, name: str, longest: int | None) -> Iterator[Statement]:
    """Say what an API server takes instead of a name; a length means that it has no dots either."""
    fits = _DNS_NAME.fullmatch(name) is not None and (longest is None or len(name) <= longest)
    if fits and not (longest and "." in name):
        return
    text = f"{located.document.kind}: metadata.{field} {name!r} is no name that Kubernetes takes: "
    allowed = "lower case letters, digits, '-' and '.'"
    if longest:
        allowed = f"at most {longest} lower case letters, digits and '-'"
    yield Statement(
        "name", f"{text}{allowed}, with a letter or digit at both ends", located.source("metadata", field)
    )


def _duplicates(manifests: Manifests) -> Iterator[Mistake]:
    """List objects that the input has twice."""
    for name in ROWS:
        first: dict[tuple[str, str, str, str], Located[Object]] = {}
        for located in manifests.row(name):
            meta = located.model.metadata
            kind, group = located.document.kind, _group(located.document)
            earlier = first.setdefault((group, kind, *located.model.place), located)
            if earlier is not located:
                message = f"is the name of two {kind} objects; the first one is at {earlier.source()}"
                yield Mistake(located.source("metadata", "name"), "metadata.name", meta.name, message)
