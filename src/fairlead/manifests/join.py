"""Workloads with all that the input says of them: template, binding, policy, rebalancer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fairlead.manifests.api.karmada import ResourceBinding, WorkloadRebalancer
from fairlead.manifests.api.karmada import WorkloadReference as ObjectReference
from fairlead.manifests.api.meta import Object
from fairlead.manifests.api.propagation import PropagationPolicy
from fairlead.manifests.api.workloads import Workload
from fairlead.manifests.collect import Manifests
from fairlead.manifests.karmada.policies import PolicyIndex, ResourceTemplate, claim_of
from fairlead.manifests.validation import Located, Unread
from fairlead.manifests.yaml.documents import Identity, object_name
from fairlead.models.errors import Mistake
from fairlead.models.statement import SUSPENDED, Statement

if TYPE_CHECKING:
    from fairlead.manifests.kubeadmiral.federated import Federated


@dataclass(frozen=True, slots=True)
class Subject:
    """A workload with everything that the input says of it."""

    identity: Identity
    api_version: str
    template: Located[Workload] | None = None
    """Manifest of the workload; None where the input has none."""
    binding: Located[ResourceBinding] | None = None
    """Binding of the workload; None where the input has none."""
    policy: Located[PropagationPolicy] | None = None
    """The policy that selects it; None where none in the input does."""
    outvoted: Located[PropagationPolicy] | None = None
    """A policy that selects it too and would come first, had not another one claimed the workload before."""
    federated: "Federated | None" = None
    """Federated object of KubeAdmiral; None where the input has none."""
    unread: tuple[Unread, ...] = ()
    """Bindings or federated objects that cannot be understood; empty where there are none."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels of the template, or those of the binding where there is no template."""
        known = self.template or self.binding or (self.federated and self.federated.template)
        return known.model.metadata.labels if known else {}

    @property
    def resource(self) -> ResourceTemplate:
        """The resource as selectors of policies see it."""
        return ResourceTemplate(self.api_version, *self.identity[1:], self.labels)


def join(manifests: Manifests) -> tuple[list[Subject], list[Mistake]]:
    """Put workloads, bindings and policies together.

    Every resource that has a template or a binding, sorted by identity; and what is wrong: resources with two
    bindings or two federated objects.
    """
    subjects: dict[Identity, Subject] = {}
    for template in manifests.workloads:
        model = template.model
        identity = Identity.of(model.api_version, model.kind, *model.place)
        subjects.setdefault(identity, Subject(identity, model.api_version, template=template))
    found: list[Mistake] = []
    for binding in manifests.bindings:
        reference = _of_binding(binding)
        known = subjects.get(reference.identity, reference)
        if known.binding is not None and known.binding is not binding:
            resource, path = binding.model.spec.resource, ("spec", "resource")
            named = f"{resource.kind} {resource.name}"
            found.append(_second("bindings", binding, path, named, known.binding))
            continue
        subjects[reference.identity] = replace(known, binding=binding)
    for one in manifests.unread:
        left_out = subject_of(one)
        if left_out is not None:
            known = subjects.get(left_out.identity, left_out)
            subjects[left_out.identity] = replace(known, unread=(*known.unread, one))
    found.extend(_join_federated(manifests.federated, subjects))
    index = PolicyIndex.of(manifests.policies)
    return [_with_policy(subjects[identity], index) for identity in sorted(subjects)], found


def _join_federated(federated: "Sequence[Federated]", subjects: dict[Identity, Subject]) -> Iterator[Mistake]:
    """Put federated objects to the workloads that they hold; list those that have two."""
    for one in federated:
        model = one.template.model
        identity = Identity.of(model.api_version, model.kind, one.namespace, model.metadata.name)
        known = subjects.get(identity, Subject(identity, model.api_version))
        if known.federated is not None:
            named, path = f"{model.kind} {model.metadata.name}", ("spec", "template")
            yield _second("federated objects", one.located, path, named, known.federated.located)
            continue
        subjects[identity] = replace(known, federated=one)


def _of_binding(binding: Located[ResourceBinding]) -> Subject:
    resource = binding.model.spec.resource
    namespace = resource.namespace or binding.model.in_namespace
    identity = Identity.of(resource.api_version, resource.kind, namespace, resource.name)
    return Subject(identity, resource.api_version, binding=binding)


def subject_of(unread: Unread) -> Subject | None:
    """Return whose object cannot be understood; None where not even that can be read."""
    located = unread.located
    if located is None:
        return None
    if isinstance(located.model, ResourceBinding):
        return _of_binding(Located(located.model, located.document))
    template = located.document.data["spec"].get("template")
    names = object_name(template if isinstance(template, dict) else {})
    if not (names.api_version and names.kind and names.name):
        return None
    namespace = names.namespace or located.model.metadata.namespace or "default"
    identity = Identity.of(names.api_version, names.kind, namespace, names.name)
    return Subject(identity, names.api_version)


def _second(
    objects: str, second: Located[Object], path: tuple[str, ...], named: str, first: Located[Object]
) -> Mistake:
    message = f"has two {objects}; the first one is at {first.source()}"
    return second.document.mistake(path, message, named)


def _with_policy(subject: Subject, index: PolicyIndex) -> Subject:
    """Find the policy of a subject; where there is no template, what the binding says comes first."""
    claim = claimed_by(subject)
    if subject.template is None and claim is not None and claim in index.by_name:
        return replace(subject, policy=index.by_name[claim])
    choice = index.choose(subject.resource, claim)
    return replace(subject, policy=choice.policy, outvoted=choice.outvoted)


def claimed_by(subject: Subject) -> tuple[str, str] | None:
    """Return namespace and name of the policy that has claimed a subject; None where none has."""
    for located in (subject.template, subject.binding):
        claim = claim_of(located.model) if located else None
        if claim:
            return claim
    return None


def being_deleted(located: Located[Object] | None, key: str, what: str = "it") -> Statement | None:
    """Say that nothing new is placed for what is being deleted; None where nobody deletes it.

    `key`: the workload that is left out; `what`: the object in words.
    """
    if located is None or located.model.metadata.deletion_timestamp is None:
        return None
    text = f"{key} is left out: {what} is being deleted, so nothing new is placed for it"
    return Statement(SUSPENDED, text, located.source("metadata", "deletionTimestamp"), key)


def keys(subjects: Sequence[Subject]) -> Iterator[str]:
    """Yield the key of every subject, in order.

    ``namespace/name`` (``name`` where cluster-scoped); the kind stands before it where two kinds share the
    name, and the API group behind the kind where two kinds of one name do.
    """
    kinds: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for group, kind, namespace, name in (subject.identity for subject in subjects):
        kinds.setdefault((namespace, name), set()).add((kind, group))
    for group, kind, namespace, name in (subject.identity for subject in subjects):
        short = f"{namespace}/{name}" if namespace else name
        sharing = kinds[namespace, name]
        if len(sharing) == 1:
            yield short
        elif sum(other == kind for other, _ in sharing) == 1:
            yield f"{kind}/{short}"
        else:
            yield f"{kind}.{group}/{short}"


KIND = "rebalancer"

_NOT_YET_CREATED = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Rebalancing:
    """When each workload was last asked to be placed afresh."""

    asked: Mapping[Identity, datetime]
    """Latest creation of a rebalancer that names a workload. One that says no time is not created yet, and
    later than everything."""

    @classmethod
    def of(cls, rebalancers: Iterable[Located[WorkloadRebalancer]]) -> "Rebalancing":
        """Return the workloads that some rebalancers ask to place afresh, with the times."""
        asked: dict[Identity, datetime] = {}
        for rebalancer in rebalancers:
            created = rebalancer.model.metadata.creation_timestamp or _NOT_YET_CREATED
            for reference in rebalancer.model.spec.workloads:
                named = identity_of(reference)
                asked[named] = max(created, asked.get(named, created))
        return cls(asked)

    def wants(self, subject: Subject) -> bool:
        """Tell whether a workload was asked to be placed afresh after it was scheduled last, if ever."""
        asked = self.asked.get(subject.identity)
        if asked is None:
            return False
        last = subject.binding.model.status.last_scheduled_time if subject.binding else None
        return last is None or asked > last


def identity_of(reference: ObjectReference) -> Identity:
    """Return the workload that a reference names; the version of its API does not count."""
    return Identity.of(reference.api_version, reference.kind, reference.namespace, reference.name)


def unknown(
    rebalancers: Iterable[Located[WorkloadRebalancer]], subjects: Sequence[Subject]
) -> Iterator[Statement]:
    """Say which workloads are to be rebalanced and are not in the input."""
    known = {subject.identity for subject in subjects}
    for rebalancer in rebalancers:
        for position, reference in enumerate(rebalancer.model.spec.workloads):
            if identity_of(reference) in known:
                continue
            named = "/".join(filter(None, (reference.namespace, reference.name)))
            meta = rebalancer.model.metadata
            text = f"{meta.name} rebalances {reference.kind} {named}, which is not in the input"
            yield Statement(KIND, text, rebalancer.source("spec", "workloads", position))
