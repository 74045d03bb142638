"""Requirements that no placement decides: certain nodes, undivided objects, clusters not there."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fairlead.manifests.api.karmada import ReplicaRequirements
from fairlead.manifests.join import Subject
from fairlead.manifests.karmada.facts import follows, source_of, without_replicas
from fairlead.manifests.yaml.documents import Path, value_at
from fairlead.models.source import Source
from fairlead.models.statement import NODES, PROPAGATED, Statement
from fairlead.models.words import counted, listed
from fairlead.models.workload import Workload


def node_claims(subjects: Iterable[tuple[Subject, str]]) -> Iterator[Statement]:
    """Say which workloads ask for certain nodes, once for those that ask for the same.

    `subjects`: everything that is placed, with its key.

    Clusters report the sum of all their nodes, and grades of nodes by what is free on them; neither tells
    labels. Tolerations let pods on more nodes and ask for none.
    """
    found: dict[str, list[tuple[str, Source]]] = {}
    for subject, key in subjects:
        for words, source in _claims(subject):
            found.setdefault(words, []).append((key, source))
    for words, named in sorted(found.items()):
        keys = list(dict.fromkeys(key for key, _ in named))
        where = listed(keys, "workload")
        asks = "asks" if len(keys) == 1 else "ask"
        text = (
            f"{where} {asks} for nodes with {words}; clusters do not report how much of their capacity is on"
            " such nodes, so all of it counts"
        )
        yield Statement(NODES, text, named[0][1], keys[0] if len(keys) == 1 else None)


def _claims(subject: Subject) -> Iterator[tuple[str, Source]]:
    """Yield the requirements of a subject on nodes, in words; its binding counts before its template."""
    binding = subject.binding
    if binding is not None:
        spec = binding.model.spec
        needs: list[tuple[ReplicaRequirements | None, Path]]
        needs = [(spec.replica_requirements, ("spec", "replicaRequirements", "nodeClaim"))]
        needs += [
            (one.replica_requirements, ("spec", "components", at, "replicaRequirements", "nodeClaim"))
            for at, one in enumerate(spec.components)
        ]
        for requirements, path in needs:
            claim = requirements.node_claim if requirements else None
            if claim is not None:
                for words in _words(claim.node_selector, claim.hard_node_affinity):
                    yield words, binding.source(*path)
        if any(requirements is not None for requirements, _ in needs):
            return
    located = subject.template or (subject.federated and subject.federated.template)
    if located:
        pod = located.model.spec.template.spec
        rule = "requiredDuringSchedulingIgnoredDuringExecution"
        for words in _words(pod.node_selector, value_at(pod.affinity, "nodeAffinity", rule)):
            yield words, located.source("spec", "template", "spec")


def _words(selector: Mapping[str, str], affinity: Any) -> Iterator[str]:
    if selector:
        yield ", ".join(f"{key}={value}" for key, value in sorted(selector.items()))
    if affinity:
        yield f"the node affinity {json.dumps(affinity, sort_keys=True)}"


def whole_objects(subjects: Iterable[tuple[Subject, str]]) -> Iterator[Statement]:
    """Say which workloads are propagated and not divided: without replicas, or where others need them.

    `subjects`: everything that the input says something of, with its key.
    """
    known = [(subject, key) for subject, key in subjects if without_replicas(subject) or follows(subject)]
    if known:
        names = listed([f"{subject.identity.kind} {key}" for subject, key in known])
        text = (
            f"{counted(len(known), 'object')} without replicas of {'its' if len(known) == 1 else 'their'} own"
        )
        where = min(source_of(subject) for subject, _ in known)
        yield Statement(PROPAGATED, f"{text}, propagated and not divided: {names}", where)


def strangers(workloads: Sequence[Workload], present: frozenset[str]) -> Iterator[Statement]:
    """Say which clusters hold replicas and are not in the input."""
    holders: dict[str, list[Workload]] = {}
    for workload in workloads:
        for name in workload.current:
            if name not in present:
                holders.setdefault(name, []).append(workload)
    for name, found in sorted(holders.items()):
        others = f" and {len(found) - 1} more" if len(found) > 1 else ""
        held = f"the replicas that {found[0].key}{others} holds there count as stopped"
        text = f"{name} is not in the input; {held}"
        yield Statement("cluster", text, found[0].source, found[0].key, name)
