"""From documents to manifests: every kind validated, duplicates refused, unknown kinds named."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fairlead.manifests.api import KINDS
from fairlead.manifests.api.meta import KnownValues, Object
from fairlead.manifests.clusters import same_names
from fairlead.manifests.extensions import Extensions
from fairlead.manifests.findings import Finding, mistakes
from fairlead.manifests.validation import Located, Unread, Validated, odd_metadata, validate
from fairlead.manifests.yaml.documents import OWN_GROUP, Document, Identity, group_of
from fairlead.models.errors import Mistake
from fairlead.models.statement import NOT_UNDERSTOOD, Statement
from fairlead.models.words import be, counted, listed, nearest

if TYPE_CHECKING:
    from fairlead.manifests.api import karmada, kubeadmiral
    from fairlead.manifests.api.overrides import FederatedOverridePolicy, OverridePolicy
    from fairlead.manifests.api.propagation import FederatedResourceQuota, PropagationPolicy
    from fairlead.manifests.api.workloads import AnyAutoscaler, PriorityClass, Workload
    from fairlead.manifests.kubeadmiral.federated import Federated
    from fairlead.manifests.kubeadmiral.policies import LocatedPolicy

Check = Callable[[Any, Extensions], Iterator[Finding]]

# Kinds that are near to one that is read, with what to write instead.
_INSTEAD = {
    ("v1", "ResourceQuota"): "it does not tell in which cluster it counts; a FederatedResourceQuota does"
}
# Workloads of KubeAdmiral before it had federated objects: they change placements, so they are not skipped.
_EARLIER_GROUP = "types.kubeadmiral.io"
# How alike a name has to be to be a slip of the pen.
_ALIKE = 0.85
_LEFT_OUT = ("bindings", "federated_objects")
"""Lists of `Manifests` of which one that cannot be understood is left out, and stops nobody."""


CHECKS: Mapping[str, str] = {
    "policies": "karmada.findings.policy_findings",
    "bindings": "karmada.findings.binding_findings",
    "quotas": "karmada.quotas.quota_findings",
    "autoscalers": "autoscaling.autoscaler_findings",
    "own": "own.findings.own_findings",
    "federation_policies": "kubeadmiral.policies.policy_findings",
}
"""Check of a manifest by list of `Manifests`: module of this package and function that lists what is right
alone and wrong together; nothing can be in lists that are not here."""


@dataclass(slots=True)
class Manifests:
    """Manifests that were read, by what they are, in the order of the input; mistakes and remarks."""

    clusters: list[Located[karmada.Cluster]] = field(default_factory=list)
    workloads: list[Located[Workload]] = field(default_factory=list)
    policies: list[Located[PropagationPolicy]] = field(default_factory=list)
    bindings: list[Located[karmada.ResourceBinding]] = field(default_factory=list)
    rebalancers: list[Located[karmada.WorkloadRebalancer]] = field(default_factory=list)
    quotas: list[Located[FederatedResourceQuota]] = field(default_factory=list)
    autoscalers: list[Located[AnyAutoscaler]] = field(default_factory=list)
    overrides: list[Located[OverridePolicy]] = field(default_factory=list)
    federated_overrides: list[Located[FederatedOverridePolicy]] = field(default_factory=list)
    priority_classes: list[Located[PriorityClass]] = field(default_factory=list)
    own: list[Located[Object]] = field(default_factory=list)
    federated_clusters: list[Located[kubeadmiral.FederatedCluster]] = field(default_factory=list)
    federation_policies: list[LocatedPolicy] = field(default_factory=list)
    federated_objects: list[Located[kubeadmiral.FederatedObject]] = field(default_factory=list)
    federated: list[Federated] = field(default_factory=list)
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
    known = KnownValues(dict)
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
    known: KnownValues,
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
        manifests.warnings.extend(odd_metadata(validated.located, specifies=row in ("policies", "bindings")))
        manifests.row(row).append(validated.located)


def _contradictions(
    row: str, document: Document, validated: Validated[Object], extensions: Extensions
) -> Iterator[Mistake]:
    """List the fields of a document that are right alone and wrong together."""
    located = validated.located
    if located is None or row not in CHECKS:
        return
    module, _, name = CHECKS[row].rpartition(".")
    check: Check = getattr(import_module(f"fairlead.manifests.{module}"), name)
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
