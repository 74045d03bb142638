"""From documents to manifests: every kind validated, duplicates refused, unknown kinds named."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fairlead.manifests.api import KINDS
from fairlead.manifests.api.karmada import (
    Cluster,
    FederatedResourceQuota,
    ResourceBinding,
    WorkloadRebalancer,
)
from fairlead.manifests.api.meta import Known, Object
from fairlead.manifests.api.policies import PropagationPolicy
from fairlead.manifests.api.workloads import AnyAutoscaler, PriorityClass, Workload
from fairlead.manifests.autoscaling import autoscaler_findings
from fairlead.manifests.clusters import same_names
from fairlead.manifests.extensions import Extensions
from fairlead.manifests.karmada.findings import labels_findings, placement_findings
from fairlead.manifests.karmada.quotas import quota_findings
from fairlead.manifests.karmada.specified import annotation_findings
from fairlead.manifests.validation import (
    UNKNOWN_FIELD,
    Finding,
    Located,
    Unread,
    Validated,
    below,
    each,
    mistakes,
    repeated,
    validate,
)
from fairlead.manifests.yaml.documents import OWN_GROUP, Document, Identity, group_of
from fairlead.models.errors import Mistake
from fairlead.models.statement import NOT_UNDERSTOOD, Statement
from fairlead.models.words import be, counted, listed, nearest

if TYPE_CHECKING:
    from fairlead.manifests.api.kubeadmiral import FederatedCluster, FederatedObject
    from fairlead.manifests.api.overrides import FederatedOverridePolicy, OverridePolicy
    from fairlead.manifests.kubeadmiral.federated import Federated
    from fairlead.manifests.kubeadmiral.policies import LocatedPolicy


_DNS_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Kinds that are near to one that is read, with what to write instead.
_INSTEAD = {
    ("v1", "ResourceQuota"): "it does not tell in which cluster it counts; a FederatedResourceQuota does"
}
# Characters that Karmada takes for a cluster, and Kubernetes for a namespace.
_LONGEST_CLUSTER, _LONGEST_NAMESPACE = 48, 63
# Workloads of KubeAdmiral before it had federated objects: they change placements, so they are not skipped.
_EARLIER_GROUP = "types.kubeadmiral.io"
# How alike a name has to be to be a slip of the pen.
_ALIKE = 0.85
_LEFT_OUT = ("bindings", "federated_objects")
"""Lists of `Manifests` of which one that cannot be understood is left out, and stops nobody."""


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


def _of_federation_policy(model: Any, _: Extensions) -> Iterator[Finding]:
    from fairlead.manifests.kubeadmiral.policies import policy_findings

    return below("spec", policy_findings(model.spec))


def _of_own(model: Any, extensions: Extensions) -> Iterator[Finding]:
    from fairlead.manifests.own.findings import own_findings

    return own_findings(model, extensions)


CHECKS: Mapping[str, Check] = {
    "policies": _of_policy,
    "bindings": _of_binding,
    "quotas": lambda model, _: below("spec", quota_findings(model.spec)),
    "autoscalers": lambda model, _: below("spec", autoscaler_findings(model)),
    "own": _of_own,
    "federation_policies": _of_federation_policy,
}
"""Checks for mistakes by list of `Manifests`; nothing can be wrong in lists that are not here."""


@dataclass(slots=True)
class Manifests:
    """Manifests that were read, by what they are, in the order of the input; mistakes and remarks."""

    clusters: list[Located[Cluster]] = field(default_factory=list)
    workloads: list[Located[Workload]] = field(default_factory=list)
    policies: list[Located[PropagationPolicy]] = field(default_factory=list)
    bindings: list[Located[ResourceBinding]] = field(default_factory=list)
    rebalancers: list[Located[WorkloadRebalancer]] = field(default_factory=list)
    quotas: list[Located[FederatedResourceQuota]] = field(default_factory=list)
    autoscalers: list[Located[AnyAutoscaler]] = field(default_factory=list)
    overrides: "list[Located[OverridePolicy]]" = field(default_factory=list)
    federated_overrides: "list[Located[FederatedOverridePolicy]]" = field(default_factory=list)
    priority_classes: list[Located[PriorityClass]] = field(default_factory=list)
    own: list[Located[Object]] = field(default_factory=list)
    federated_clusters: "list[Located[FederatedCluster]]" = field(default_factory=list)
    federation_policies: "list[LocatedPolicy]" = field(default_factory=list)
    federated_objects: "list[Located[FederatedObject]]" = field(default_factory=list)
    federated: "list[Federated]" = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    warnings: list[Statement] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    """Bindings and federated objects that cannot be understood."""
    unsupported: list[Statement] = field(default_factory=list)

    def row(self, name: str) -> list[Located[Object]]:
        """Return one of its lists of manifests."""
        found: list[Located[Object]] = getattr(self, name)
        return found


def collect(documents: Iterable[Document], extensions: Extensions | None = None) -> Manifests:
    """Validate documents and sort them by what they are.

    `extensions`: where kinds and levels from outside are looked for; None means those that are installed.
    """
    extensions = extensions or Extensions()
    manifests = Manifests()
    skipped: dict[tuple[str, str], list[Document]] = {}
    known = Known(dict)
    for document in documents:
        kind = KINDS.get((document.api_version, document.kind))
        if kind is not None:
            _add(manifests, kind.row, document, kind.model, known, extensions)
        elif group_of(document.api_version) == OWN_GROUP:
            from fairlead.manifests.own.findings import unknown_kind

            manifests.mistakes.append(unknown_kind(document))
        elif group_of(document.api_version) == _EARLIER_GROUP and document.kind.startswith("Federated"):
            text = f"{document.kind} of {document.api_version} is left out: it is not supported"
            text += "; KubeAdmiral has replaced it by FederatedObject"
            manifests.unsupported.append(Statement(NOT_UNDERSTOOD, text, document.source()))
        elif (outside := extensions.kind(document.api_version, document.kind)) is not None:
            _add(manifests, "own", document, outside, known, extensions)
        else:
            skipped.setdefault((document.api_version, document.kind), []).append(document)
    manifests.warnings.extend(_skipped(*item) for item in sorted(skipped.items()))
    manifests.mistakes.extend(_duplicates(manifests))
    if manifests.federated_objects or any(map(is_marked, manifests.workloads)):
        _unpack_federated(manifests)
    manifests.mistakes.extend(same_names(manifests.clusters, manifests.federated_clusters))
    return manifests


def is_marked(located: Located[Object]) -> bool:
    """Tell whether a label or annotation of KubeAdmiral stands on an object."""
    meta = located.model.metadata
    return any(key.startswith("kubeadmiral.io/") for key in (*meta.labels, *meta.annotations))


def _unpack_federated(manifests: Manifests) -> None:
    """Look into federated objects, and at what KubeAdmiral's controllers have written on workloads."""
    from fairlead.manifests.kubeadmiral.annotations import feedback_mistakes
    from fairlead.manifests.kubeadmiral.federated import unpack

    for one in unpack(manifests.federated_objects):
        match one:
            case Statement():
                manifests.warnings.append(one)
            case Unread():
                manifests.unread.append(one)
            case federated:
                manifests.federated.append(federated)
    for template in manifests.workloads:
        manifests.mistakes.extend(feedback_mistakes(template))


def _skipped(kind: tuple[str, str], documents: list[Document]) -> Statement:
    count = counted(len(documents), "document")
    text = f"{kind[1]} of {kind[0]} is not a kind that is read: {count} skipped"
    if hint := _INSTEAD.get(kind) or _nearest(*kind):
        text += f"; {hint}"
    return Statement("unknown-kind", text, min(document.source() for document in documents))


def _nearest(api_version: str, kind: str) -> str:
    """Return the kind that may be meant by one that is not read: another version of it, or a name like it."""
    group = group_of(api_version)
    versions = [version for version, name in KINDS if name == kind and group_of(version) == group]
    if versions:
        return f"allowed {be(len(versions))} {listed(versions)}"
    # Less alike is another kind that exists: CronJob is no Job.
    known = [name for version, name in KINDS if version == api_version]
    alike = nearest(kind, known, alike=_ALIKE)
    return f"did you mean {alike[0]}?" if alike else ""


def _add(
    manifests: Manifests,
    row: str,
    document: Document,
    model: type[Object],
    known: Known,
    extensions: Extensions,
) -> None:
    """Validate one document of a known kind and put it where it belongs."""
    validated = validate(document, model, known)
    manifests.warnings.extend(validated.warnings)
    found = [*validated.mistakes, *_contradictions(row, document, validated, extensions)]
    if found and row in _LEFT_OUT:
        manifests.unread.append(Unread(document, validated.located, tuple(found)))
        return
    manifests.mistakes.extend(found)
    if validated.located is not None:
        manifests.warnings.extend(_stray_annotation(validated.located))
        manifests.warnings.extend(_odd_name(validated.located))
        manifests.row(row).append(validated.located)


def _contradictions(
    row: str, document: Document, validated: Validated[Object], extensions: Extensions
) -> Iterator[Mistake]:
    """List the fields of a document that are right alone and wrong together."""
    located, check = validated.located, CHECKS.get(row)
    if located is None or check is None:
        return
    # What is wrong by itself and was taken out is not reported as missing beside others once more.
    known = {mistake.field for mistake in validated.mistakes}
    found = mistakes(document, check(located.model, extensions))
    yield from (mistake for mistake in found if not _told_already(mistake, known))


def _told_already(mistake: Mistake, known: Collection[str]) -> bool:
    """Tell whether something is missing or wrong only because a wrong value was taken out."""
    # With a wrong item its whole list was taken out.
    if mistake.field in known or any(field.startswith(f"{mistake.field}[") for field in known):
        return True
    holder = f"{mistake.field.rpartition('.')[0]}."
    return mistake.missing and any(field.startswith(holder) for field in known)


def _stray_annotation(located: Located[Object]) -> Iterator[Statement]:
    """Name the misspelt annotations of what specifies no replicas; elsewhere a proposal spells them so."""
    if located.model.metadata.annotation and not isinstance(
        located.model, PropagationPolicy | ResourceBinding
    ):
        text = f"{located.document.kind}: metadata.annotation is an unknown field and has no effect"
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
    """Say which names an API server would refuse; a length means that it has no dots either."""
    fits = _DNS_NAME.fullmatch(name) is not None and (longest is None or len(name) <= longest)
    if fits and not (longest and "." in name):
        return
    text = f"{located.document.kind}: metadata.{field} {name!r} is not a name that Kubernetes accepts: "
    allowed = "lower case letters, digits, '-' and '.'"
    if longest:
        allowed = f"at most {longest} lower case letters, digits and '-'"
    yield Statement(
        "name", f"{text}{allowed}, with a letter or digit at both ends", located.source("metadata", field)
    )


def _duplicates(manifests: Manifests) -> Iterator[Mistake]:
    for name in dict.fromkeys(kind.row for kind in KINDS.values()):
        first: dict[Identity, Located[Object]] = {}
        for located in manifests.row(name):
            meta, kind = located.model.metadata, located.document.kind
            known = Identity.of(located.document.api_version, kind, *located.model.place)
            earlier = first.setdefault(known, located)
            if earlier is not located:
                message = f"is the name of two {kind} objects; the first one is at {earlier.source()}"
                field = "name"
                if meta.name == meta.generate_name:
                    field, message = "generateName", f"{message}; give each a metadata.name"
                yield located.document.mistake(("metadata", field), message, meta.name)
