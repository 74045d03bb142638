"""Workloads that KubeAdmiral places: which they are, what they ask for and what runs where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fairlead.manifests.api.meta import Object
from fairlead.manifests.api.workloads import Workload as Template
from fairlead.manifests.join import Subject, being_deleted
from fairlead.manifests.karmada.facts import named
from fairlead.manifests.karmada.remarks import other_replicas, tiny_memory
from fairlead.manifests.karmada.requests import pod_requests, units
from fairlead.manifests.kubeadmiral.annotations import (
    CLUSTER_POLICY,
    NO_SCHEDULING,
    POLICY,
    Mark,
    Marks,
    marks,
    misspelt,
    overridden,
    read_reports,
)
from fairlead.manifests.kubeadmiral.federated import current, replicas_path, written
from fairlead.manifests.kubeadmiral.interpret import PolicyInterpreter, PolicyReading
from fairlead.manifests.kubeadmiral.policies import RESCHEDULING, AppliedPolicy, LocatedPolicy, applied_policy
from fairlead.manifests.kubeadmiral.stated import numbers
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster
from fairlead.models.errors import InternalError
from fairlead.models.source import FederatedUnit, Source
from fairlead.models.statement import SUSPENDED, Statement
from fairlead.models.validity import uncounted
from fairlead.models.workload import Workload

LEFT_OUT = "left-out"


class NamedPolicy(NamedTuple):
    """The policy that a label names: its namespace (empty for a cluster policy) and name, and the label."""

    policy: tuple[str, str]
    label: Mark


class PlacedSubject(NamedTuple):
    """Workload made of a subject, with warnings."""

    workload: Workload | None
    """Workload with its rules; None where it is left out."""
    warnings: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Federation:
    """KubeAdmiral's part of the input."""

    policies: Mapping[tuple[str, str], AppliedPolicy]
    """Policies by namespace (empty for a cluster policy) and name."""
    interpreter: PolicyInterpreter

    @classmethod
    def of(cls, policies: Sequence[LocatedPolicy], clusters: Sequence[Cluster]) -> "Federation":
        """Return KubeAdmiral's part of the input."""
        found = {one.model.place: applied_policy(one, named(one.model.place)) for one in policies}
        return cls(found, PolicyInterpreter.of(clusters))

    def places(self, subject: Subject) -> bool:
        """Tell whether KubeAdmiral places a subject.

        It does where there is a federated object, or where a label names a policy of the input. A label that
        names an unknown policy counts where Karmada does not place the subject either.
        """
        if subject.federated is not None:
            return True
        chosen = named_policy(subject)
        if chosen is None:
            return False
        return chosen.policy in self.policies or (subject.policy is None and subject.binding is None)

    def place(self, subject: Subject, key: str) -> PlacedSubject:
        """Return the workload of a subject with its rules, or why it is left out."""
        warnings: list[Statement] = []
        if subject.policy is not None:
            other = named(subject.policy.model.place)
            text = f"Karmada's {other} selects {key} too, but KubeAdmiral places it"
            warnings.append(Statement("policy", text, subject.policy.source(), key))
        stated = self._policy(subject, key)
        if isinstance(stated, Statement):
            return PlacedSubject(None, (*warnings, stated))
        annotations = marks("annotations", objects_of(subject))
        policy, remarked = overridden(stated, annotations, key)
        workload = _workload(subject, key, policy.name)
        warnings += [*remarked, *misspelt(annotations, key), *tiny_memory(workload)]
        if subject.federated is not None:
            warnings += other_replicas(subject, workload, "federated object")
        if policy.sticky and workload.current and not workload.replicas:
            text = f"{key} is left out: it is scaled to 0, but {policy.name} disables rescheduling"
            return PlacedSubject(
                None, (*warnings, Statement(LEFT_OUT, text, policy.sources[RESCHEDULING], key))
            )
        feedback = read_reports(annotations, key)
        reading = PolicyReading(policy, feedback, _replicas_source(subject))
        interpreted = self.interpreter.interpret(workload, policy, feedback, reading.replicas)
        placed = replace(
            workload,
            rules=interpreted.rules,
            without=uncounted(interpreted.rules),
            declared=_unit(subject, stated, policy, annotations),
            reading=reading,
        )
        return PlacedSubject(placed, (*warnings, *interpreted.warnings))

    def _policy(self, subject: Subject, key: str) -> AppliedPolicy | Statement:
        """Return the policy of a subject, or why it is left out."""
        skipped = marks("annotations", objects_of(subject)).get(NO_SCHEDULING)
        if skipped is not None and skipped.value:
            text = f"{key} is left out: annotation {NO_SCHEDULING} is set, so it keeps the placement it has"
            return Statement(SUSPENDED, text, skipped.source, key)
        deleted = next(filter(None, (being_deleted(each, key) for each in objects_of(subject))), None)
        if deleted is not None:
            return deleted
        chosen = named_policy(subject)
        if chosen is None:
            text = f"{key} is left out: no label {POLICY} or {CLUSTER_POLICY} names its policy"
            return Statement(LEFT_OUT, text, _source(subject), key)
        policy = self.policies.get(chosen.policy)
        if policy is None:
            text = f"{key} is left out: its label names {named(chosen.policy)}, which is not in the input"
            return Statement(LEFT_OUT, text, chosen.label.source, key)
        return policy


def named_policy(subject: Subject) -> NamedPolicy | None:
    """Return the policy that the labels of a subject name; one of its namespace comes first."""
    labels = marks("labels", objects_of(subject))
    for key, where in ((POLICY, subject.identity.namespace), (CLUSTER_POLICY, "")):
        if key in labels and labels[key].value:
            return NamedPolicy((where, labels[key].value), labels[key])
    return None


def objects_of(subject: Subject) -> Iterator[Located[Object]]:
    """Yield the objects of a subject, the decisive one last: the federated object's own metadata."""
    if subject.federated is not None:
        yield subject.federated.template
    if subject.template is not None:
        yield subject.template
    if subject.federated is not None:
        yield subject.federated.located


def _template(subject: Subject) -> Located[Template]:
    """Return the workload itself: what the federated object holds counts before the plain manifest."""
    found = subject.federated.template if subject.federated else subject.template
    if found is None:
        raise InternalError(f"{subject.identity.name}: neither a template nor a federated object")
    return found


def _source(subject: Subject) -> Source:
    if subject.template is None and subject.federated is not None:
        return subject.federated.located.source()
    return (subject.template or _template(subject)).source()


def _replicas_source(subject: Subject) -> Source:
    template = _template(subject)
    return template.source("spec", template.model.spec.stated_in)


def _workload(subject: Subject, key: str, policy: str) -> Workload:
    model = _template(subject).model
    replicas = model.spec.replicas
    return Workload(
        key=key,
        name=subject.identity.name,
        replicas=replicas,
        namespace=subject.identity.namespace,
        api_version=subject.api_version,
        kind=subject.identity.kind,
        requests=units(pod_requests(model.spec.template.spec)),
        current=current(subject.federated, replicas) if subject.federated else {},
        labels=dict(subject.labels),
        policy=policy,
        source=_source(subject),
        replicas_source=_replicas_source(subject),
    )


def _unit(
    subject: Subject, stated: AppliedPolicy, applied: AppliedPolicy, annotations: Marks
) -> FederatedUnit:
    """Return a subject as KubeAdmiral's own scheduler sees it: its policy, and annotations over that."""
    template = _template(subject)
    return FederatedUnit(
        policy=stated.written,
        read=stated,
        template=template.document.data,
        replicas_path=replicas_path(template.model).removeprefix("/").replace("/", "."),
        current=written(subject.federated) if subject.federated else {},
        annotations={name: mark.value for name, mark in annotations.items()},
        labels={name: mark.value for name, mark in marks("labels", objects_of(subject)).items()},
        federated=subject.federated is not None,
        resource_version=(subject.template and subject.template.model.metadata.resource_version) or "",
        sources=applied.sources,
        sticky=applied.sticky,
        least_copy=max([1, *numbers(applied.placement.minimum).values()]),
    )
