"""An input of one system as an input of the other, checked by reading it again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fairlead.manifests.api.meta import Object
from fairlead.manifests.convert.account import Account, JsonObject, differences, over_labels
from fairlead.manifests.convert.clusters import (
    Label,
    binding,
    federated_cluster,
    federated_object,
    is_template,
    karmada_cluster,
    labelled,
    template_of,
)
from fairlead.manifests.convert.to_karmada import to_karmada
from fairlead.manifests.convert.to_kubeadmiral import label_of, to_kubeadmiral
from fairlead.manifests.extensions import Extension, Extensions
from fairlead.manifests.gathering import Gathered, gather
from fairlead.manifests.join import Subject, keys
from fairlead.manifests.karmada.requests import in_sets
from fairlead.manifests.kubeadmiral.annotations import marks
from fairlead.manifests.kubeadmiral.reading import APPLIED_MIGRATION, AUTO_MIGRATION, OVERRIDING, PREFIX
from fairlead.manifests.kubeadmiral.scheduling import NamedPolicy, named_policy, objects_of
from fairlead.manifests.loading import Input, load, problem_of
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.reader import NamedDocument
from fairlead.models.errors import ManifestError, Mistake
from fairlead.models.problem import Problem
from fairlead.models.statement import Statement
from fairlead.models.workload import Workload

System = Literal["karmada", "kubeadmiral"]

SYSTEMS: Mapping[System, str] = {"karmada": "Karmada", "kubeadmiral": "KubeAdmiral"}
"""Systems by the names that options have for them."""

_PER_WORKLOAD = {*(f"{PREFIX}{name}" for name in OVERRIDING), APPLIED_MIGRATION, AUTO_MIGRATION}
"""Annotations by which KubeAdmiral places one workload otherwise than its policy says."""

WRITTEN = "<converted>"
"""Name in messages for the manifests that would be written."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """Result of converting an input."""

    documents: tuple[JsonObject, ...]
    """The whole input, in its order: what is of the other system rewritten, all else as it was."""
    losses: tuple[Mistake, ...]
    """Fields that the system that is written for cannot express."""
    differing: tuple[str, ...]
    """Differences in meaning once it is read again, a sentence each; empty where nothing is lost."""
    notes: tuple[Statement, ...]
    """Fields written in another way, or left out because they have no influence on a placement."""
    warnings: tuple[Statement, ...]
    """Oddities of the input, as `fairlead.load` warns of them."""


def convert(
    *sources: Input | Iterable[Input],
    to: System,
    recursive: bool = False,
    extensions: Iterable[Extension] = (),
) -> Conversion:
    """Rewrite policies, clusters and workloads of one system as those of the other.

    Parameters
    ----------
    sources
        As those of `fairlead.load`.
    to
        The system that is written for; what is of that system already stays as it is.

    Returns
    -------
    Conversion
        Manifests that were written, and the losses.

    Raises
    ------
    ManifestError
        Where the input is wrong, as `fairlead.load` does.
    """
    known = Extensions(tuple(extensions))
    gathered = gather(sources, known, recursive=recursive)
    given = problem_of(gathered.manifests, gathered.subjects, extensions=known)
    account = Account(SYSTEMS[to])
    writer = _Writer(gathered, given, account)
    replaced = writer.for_kubeadmiral() if to == "kubeadmiral" else writer.for_karmada()
    documents = tuple(
        each for document in gathered.documents for each in replaced.get(id(document), [document.data])
    )
    found = tuple(_compared(given, documents, extensions))
    losses = tuple(sorted(set(account.losses)))
    return Conversion(documents, losses, found, account.notes, given.warnings)


def _compared(
    given: Problem, documents: Sequence[JsonObject], extensions: Iterable[Extension]
) -> Iterator[str]:
    """Read what would be written, and say what differs from the input."""
    try:
        found = load(*(NamedDocument(WRITTEN, each) for each in documents), extensions=extensions)
    except ManifestError as error:
        yield from (f"cannot be read: {one.sentence}" for one in error.mistakes)
        return
    yield from differences(given, found)


Replaced = dict[int, list[JsonObject]]


class _Writer:
    """Writes the documents of one input for the other system, by the identity of what they replace."""

    def __init__(self, gathered: Gathered, problem: Problem, account: Account) -> None:
        self.manifests, self.account = gathered.manifests, account
        self.clusters = problem.cluster_by_name
        self.workloads: list[tuple[Subject, Workload | None]] = [
            (subject, problem.workload_by_key.get(key))
            for subject, key in zip(gathered.subjects, keys(gathered.subjects), strict=True)
        ]

    def for_kubeadmiral(self) -> Replaced:
        """Write what is Karmada's for KubeAdmiral."""
        manifests, account = self.manifests, self.account
        found: Replaced = {id(one.document): [federated_cluster(one, account)] for one in manifests.clusters}
        for own in manifests.own:
            found[id(own.document)] = [over_labels(own.document.data)]
        for policy in manifests.policies:
            found[id(policy.document)] = to_kubeadmiral(policy, self.clusters, account)
            key, name = label_of(policy)
            told = f"new workloads need the label {key}={name}"
            account.note(policy.document, ("spec", "resourceSelectors"), told)
        theirs = {policy.model.place for policy in manifests.federation_policies}
        for subject, workload in self.workloads:
            chosen = named_policy(subject)
            if subject.federated is None and (chosen is None or chosen.policy not in theirs):
                self._federated(subject, workload, found)
        told = "is left as it is, for fairlead: KubeAdmiral does not have it"
        self._as_they_are((*manifests.quotas, *manifests.overrides, *manifests.rebalancers), told)
        return found

    def _federated(self, subject: Subject, workload: Workload | None, found: Replaced) -> None:
        """Write a workload of Karmada as one that names its policy, and where it runs."""
        held, policy = subject.binding, subject.policy
        if policy is None:
            if held is not None and held.model.spec.placement is not None:
                message = "is a copy of a policy that is not in the input; add it: kubectl get pp,cpp -A"
                self.account.lost(held.document, ("spec", "placement"), message)
            return
        label = label_of(policy)
        if subject.template is not None:
            found[id(subject.template.document)] = [labelled(subject.template.document.data, label)]
        if held is None:
            return
        if (
            workload is None
            or in_sets(held.model.spec)
            or not is_template(subject.api_version, subject.identity.kind)
        ):
            message = "has no equivalent: KubeAdmiral places Deployments, StatefulSets, ReplicaSets, Jobs"
            if workload is None:
                message = "is not placed, and KubeAdmiral would place it"
            self.account.lost(held.document, ("spec", "resource"), message)
            return
        for path in (("spec", "gracefulEvictionTasks"), ("spec", "suspension")):
            if held.document.value(path):
                self.account.lost(held.document, path, "has no equivalent in KubeAdmiral")
        template = labelled(template_of(subject, workload), label)
        found[id(held.document)] = [federated_object(workload, template, label)]

    def for_karmada(self) -> Replaced:
        """Write what is KubeAdmiral's for Karmada."""
        manifests, account = self.manifests, self.account
        found: Replaced = {
            id(one.document): [karmada_cluster(one, account)] for one in manifests.federated_clusters
        }
        kinds: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for subject, workload in self.workloads:
            chosen = named_policy(subject)
            if chosen is not None:
                kinds.setdefault(chosen.policy, set()).add((subject.api_version, subject.identity.kind))
                self._bound(subject, workload, chosen, found)
        for policy in manifests.federation_policies:
            of_it = kinds.get(policy.model.place, ())
            found[id(policy.document)] = [to_karmada(policy, of_it, self.clusters, account)]
        told = "is left as it is, for fairlead: Karmada does not have it"
        self._as_they_are(manifests.federated_overrides, told)
        return found

    def _bound(
        self, subject: Subject, workload: Workload | None, chosen: NamedPolicy, found: Replaced
    ) -> None:
        """Write a workload of KubeAdmiral with a binding for where it runs."""
        for name, mark in marks("annotations", objects_of(subject)).items():
            if name in _PER_WORKLOAD:
                message = "counts for one workload beside its policy, which Karmada cannot say"
                self.account.losses.append(Mistake(mark.source, f"metadata.annotations[{name}]", "", message))
        held = subject.federated
        label: Label = (str(chosen.label.source.path[-1]), chosen.policy[1])
        if workload is None:
            if held is not None:
                self.account.lost(held.located.document, (), "is not placed, and Karmada would place it")
            return
        template = labelled(template_of(subject, workload), label)
        if subject.template is not None:
            found[id(subject.template.document)] = [template]
        if held is not None:
            made = [template] if subject.template is None else []
            found[id(held.located.document)] = [*made, binding(workload)]

    def _as_they_are(self, located: Iterable[Located[Object]], told: str) -> None:
        for one in located:
            self.account.note(one.document, (), told)
