"""Workload affinity: which workloads stand together or apart, by the value of a label."""

from collections.abc import Collection, Container, Iterable, Iterator
from typing import NamedTuple

from fairlead.manifests.api.karmada import ResourceBinding
from fairlead.manifests.join import Subject
from fairlead.manifests.karmada.facts import Declared
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import Identity
from fairlead.models.rules import Companionship
from fairlead.models.source import Source
from fairlead.models.workload import Workload, scheduling_order


class Member(NamedTuple):
    """A workload with everything that the input says of it."""

    workload: Workload
    subject: Subject
    declared: Declared


def subjects_with(subjects: Iterable[Subject], asked: Collection[Identity]) -> Iterator[Identity]:
    """Yield the workloads that are asked about, and those that may stand with or apart from one of them."""
    tied = [subject.identity for subject in subjects if _is_tied(subject)]
    namespaces = {identity.namespace for identity in tied if identity in asked}
    yield from asked
    yield from (identity for identity in tied if identity.namespace in namespaces)


def _is_tied(subject: Subject) -> bool:
    for located in (subject.policy, subject.binding):
        placement = located.model.spec.placement if located else None
        if placement is not None and placement.workload_affinity is not None:
            return True
    return subject.binding is not None and subject.binding.model.spec.workload_affinity_groups is not None


def companionships(members: Iterable[Member], clusters: Container[str]) -> tuple[Companionship, ...]:
    """Return a rule for every group of workloads of one namespace that stand together or apart.

    A group has one name in its namespace, such as ``app=web``, and at least two members; workloads without
    the label are in no group. The order of the members is that in which they bind each other: those that hold
    replicas on some of the clusters first, then by priority and key.
    """
    found: dict[tuple[str, str, str], list[tuple[Workload, Source]]] = {}
    for member in sorted(members, key=lambda each: scheduling_order(each.workload, clusters)):
        for together, group, source in _groups(member):
            side = "affinity" if together else "anti-affinity"
            found.setdefault((side, member.workload.namespace, group), []).append((member.workload, source))
    return tuple(
        Companionship(
            f"{side} {group}",
            tuple(workload.key for workload, _ in grouped),
            together=side == "affinity",
            source=min(source for _, source in grouped),
        )
        for (side, _, group), grouped in sorted(found.items())
        if len(grouped) > 1
    )


def _groups(member: Member) -> Iterator[tuple[bool, str, Source]]:
    """Yield whether a workload stands with others or apart, in which group, and where that was declared."""
    affinity, binding = member.declared.placement.workload_affinity, member.subject.binding
    for together, field in ((True, "affinity"), (False, "antiAffinity")):
        term = (affinity.affinity if together else affinity.anti_affinity) if affinity else None
        if term is not None:
            group = _labelled(member.subject, term.group_by_label_key, _stated(binding, together=together))
            source = member.declared.source(("workloadAffinity", field, "groupByLabelKey"))
        elif binding is not None and member.subject.policy is None:
            group = _stated(binding, together=together)
            source = binding.source("spec", "workloadAffinityGroups", f"{field}Group")
        else:
            continue
        if group:
            yield together, group, source


def _stated(binding: Located[ResourceBinding] | None, *, together: bool) -> str:
    """Return the group that a binding states; empty where it states none."""
    groups = binding.model.spec.workload_affinity_groups if binding else None
    if groups is None:
        return ""
    return groups.affinity_group if together else groups.anti_affinity_group


def _labelled(subject: Subject, key: str, stated: str) -> str:
    """Return the group that a label puts a workload into; empty for a workload without the label.

    A binding need not repeat the labels of its workload. Where the workload itself is not in the input, the
    group that the binding states counts, with or without the key before it.
    """
    value = subject.labels.get(key)
    if not value and subject.template is None:
        value = stated.removeprefix(f"{key}=")
    return f"{key}={value}" if value else ""
