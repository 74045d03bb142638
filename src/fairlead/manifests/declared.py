"""Keeps the manifests of a workload as Karmada's own scheduler reads them."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fairlead.manifests.api.bindings import ResourceBindingSpec
from fairlead.manifests.components import in_sets, requested, running
from fairlead.manifests.facts import Declared
from fairlead.manifests.join import Subject
from fairlead.manifests.requests import pod_requests
from fairlead.models.declared import KarmadaBinding


def as_binding(subject: Subject, declared: Declared) -> KarmadaBinding:
    """Return what Karmada's scheduler sees of a subject.

    Without a binding it is the binding that Karmada would make of the template: never scheduled before, with
    ``replicaRequirements`` only where a container requests something.
    """
    binding = subject.binding
    spec = binding.model.spec if binding else None
    return KarmadaBinding(
        placement=_at(declared.document.data, declared.path),
        defaulting=subject.policy is not None,
        previous=_previous(spec) if spec else (),
        evicting=frozenset(one.from_cluster for one in spec.graceful_eviction_tasks) if spec else frozenset(),
        requests=_requests(subject),
        uid=_uid(subject),
        source=declared.source(),
        name=binding.model.metadata.name if binding else "",
        components=tuple((one.name, one.replicas) for one in spec.components) if spec else (),
    )


def _previous(spec: ResourceBindingSpec) -> tuple[tuple[str, int], ...]:
    """Return the targets in their order, with the replicas (or sets) on each."""
    return tuple((one.name, 1 if in_sets(spec) else running(one)) for one in spec.clusters)


def _at(data: Any, path: tuple[str | int, ...]) -> Mapping[str, Any]:
    """Return the mapping at a path; empty where there is none."""
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _requests(subject: Subject) -> Mapping[str, Fraction] | None:
    """Return the exact request per replica; the binding counts before the template."""
    stated = requested(subject.binding.model.spec) if subject.binding else None
    if stated is not None:
        return stated
    if subject.template is None:
        return None
    return pod_requests(subject.template.model.spec.template.spec) or None


def _uid(subject: Subject) -> str:
    """Return the UID of the workload; empty where no manifest tells it."""
    stated = subject.binding.model.spec.resource.uid if subject.binding else None
    template = subject.template.model.metadata.uid if subject.template else None
    return stated or template or ""
