"""A workload as Karmada's own scheduler sees it: what it reads, how urgent it is, and whether it rests."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from fairlead.manifests.api.propagation import SchedulePrioritySource
from fairlead.manifests.api.workloads import PriorityClass
from fairlead.manifests.join import Subject
from fairlead.manifests.karmada.facts import Declared, evictions, requests_of
from fairlead.manifests.karmada.preferences import is_divided
from fairlead.manifests.karmada.requests import in_sets, rescaled, running
from fairlead.manifests.validation import Located
from fairlead.models.source import KarmadaBinding
from fairlead.models.statement import Statement
from fairlead.models.words import with_nearest
from fairlead.models.workload import Workload


def compact(value: object) -> str:
    """Return JSON without blanks, as annotations hold it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def as_binding(subject: Subject, declared: Declared, workload: Workload) -> KarmadaBinding:
    """Return a subject as Karmada's scheduler sees it.

    Without a binding it is the binding that Karmada would make of the template: never scheduled before, with
    ``replicaRequirements`` only where a container requests something.
    """
    binding = subject.binding
    spec = binding.model.spec if binding else None
    template = subject.template.model if subject.template else None
    own, applied = _placements(subject, workload)
    return KarmadaBinding(
        placement=declared.written,
        read=declared.placement,
        defaulting=subject.policy is not None,
        previous=tuple((one.name, 1 if in_sets(spec) else running(one)) for one in spec.clusters)
        if spec
        else (),
        evicting=frozenset(evictions(subject)),
        requests=requests_of(subject),
        uid=(spec and spec.resource.uid) or (template and template.metadata.uid) or "",
        source=declared.source(),
        name=binding.model.metadata.name if binding else "",
        components=tuple((one.name, one.replicas) for one in spec.components) if spec else (),
        rescaled=frozenset(rescaled(spec)) if spec else frozenset(),
        resource_version=(binding and binding.model.metadata.resource_version) or "",
        applied=applied,
        ahead=own is not None and applied is not own,
        up_to_date=_is_up_to_date(subject, declared, workload),
    )


def binding_name(name: str, kind: str) -> str:
    """Return the name that Karmada gives the binding of a workload."""
    return f"{name.replace(':', '.')}-{kind}".lower()


def scope(workload: Workload) -> dict[str, str]:
    """Return the part of an object's metadata that says where a workload is."""
    return {"namespace": workload.namespace} if workload.namespace else {}


def binding_head(workload: Workload, name: str = "") -> dict[str, Any]:
    """Return the identity of a workload's binding; without another name the one that Karmada gives it."""
    named = name or binding_name(workload.name, workload.kind)
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding" if workload.namespace else "ClusterResourceBinding",
        "metadata": {"name": named, **scope(workload)},
    }


def targets(placed: Mapping[str, int], components: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    """Return ``spec.clusters`` as Karmada's scheduler writes it, in the order of names.

    `placed`: what is to stand on each cluster: replicas, or sets of several components; those with 0 are left
    out. `components`: names and pods of the components in one set. Those of a set are told one by one; a
    single component stands as replicas, as if it were not named.
    """
    held = ((name, count) for name, count in sorted(placed.items()) if count)
    if len(components) < 2:
        return [{"name": name, "replicas": count} for name, count in held]
    return [
        {"name": name, "components": [{"name": one, "replicas": pods * count} for one, pods in components]}
        for name, count in held
    ]


def _placements(subject: Subject, workload: Workload) -> tuple[Any, Any]:
    """Return the binding's own copy of the placement, and the placement that counts; None for what is not.

    Where both say the same the copy counts: the webhook has completed it.
    """
    path = ("spec", "placement")
    own = subject.binding.document.value(path) if subject.binding else None
    stated = subject.policy.document.value(path) if subject.policy else None
    if stated is None:
        return own, own
    alike = own is not None and _compared(own, workload) == _compared(stated, workload)
    return own, own if alike and _terms(own) == _terms(stated) else stated


def _terms(placement: Any) -> Any:
    return _bare(placement.get("clusterAffinities")) if isinstance(placement, dict) else None


APPLIED = "policy.karmada.io/applied-placement"
"""Annotation with the placement by which the scheduler placed a binding last, as JSON."""

_COMPARED = ("clusterAffinity", "clusterTolerations", "spreadConstraints", "replicaScheduling")
# Tolerations that Karmada's webhook adds to every policy, whether it asks for them or not.
_ADDED = ("cluster.karmada.io/not-ready", "cluster.karmada.io/unreachable")


def is_at_rest(subject: Subject, workload: Workload, declared: Declared) -> bool:
    """Tell whether Karmada's scheduler would leave a binding as it is, the rules it may break left aside.

    It looks again at a binding whose placement is not the one in its annotation, at one whose replicas do not
    add up, and always at one that is duplicated; at one that somebody asked to reschedule (`Workload.fresh`)
    as well, which is not looked at here.
    """
    return sum(workload.current.values()) == workload.replicas and _is_up_to_date(subject, declared, workload)


def _is_up_to_date(subject: Subject, declared: Declared, workload: Workload) -> bool:
    """Tell whether a binding is divided, and was placed last by the placement that counts now."""
    binding = subject.binding
    if binding is None:
        return False
    if not (is_divided(declared.placement) or declared.totals.even or declared.totals.equal):
        return False
    applied, stated = parsed(binding.model.metadata.annotations.get(APPLIED, "")), declared.document
    try:
        return applied is not None and _compared(applied, workload) == _compared(
            stated.value(declared.path), workload
        )
    except RecursionError:
        return False  # no scheduler writes a placement that is nested so deeply


def parsed(text: str) -> Any:
    """Return the JSON of an annotation; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _compared(placement: Any, workload: Workload) -> Any:
    """Return the part of a placement that is compared: of affinity groups the observed one, else all."""
    if not isinstance(placement, dict):
        return None
    parts = {name: placement.get(name) for name in _COMPARED}
    terms = placement.get("clusterAffinities")
    if isinstance(terms, list) and terms:
        named = (term for term in terms if isinstance(term, dict))
        parts["observed"] = next(
            (term for term in named if term.get("affinityName") == workload.observed), terms
        )
    return _bare(_completed(parts))


def _completed(parts: dict[str, Any]) -> dict[str, Any]:
    """Fill in what Karmada's webhook fills in, so that a policy that did not pass it compares alike."""
    scheduling = parts["replicaScheduling"]
    if isinstance(scheduling, dict) and scheduling.get("replicaSchedulingType") != "Duplicated":
        parts["replicaScheduling"] = {
            **scheduling,
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": scheduling.get("replicaDivisionPreference") or "Weighted",
        }
    spreads, tolerations = parts["spreadConstraints"], parts["clusterTolerations"]
    if isinstance(spreads, list):
        parts["spreadConstraints"] = [_spread(one) for one in spreads]
    if isinstance(tolerations, list):
        parts["clusterTolerations"] = [one for one in tolerations if not _is_added(one)]
    return parts


def _spread(constraint: Any) -> Any:
    """Return a spread constraint with its defaults: over clusters, at least one."""
    if not isinstance(constraint, dict):
        return constraint
    named = constraint.get("spreadByLabel") or constraint.get("spreadByField")
    field = {} if named else {"spreadByField": "cluster"}
    return {**constraint, **field, "minGroups": constraint.get("minGroups") or 1}


def _is_added(toleration: Any) -> bool:
    return (
        isinstance(toleration, dict)
        and toleration.get("key") in _ADDED
        and toleration.get("operator") == "Exists"
        and toleration.get("effect") == "NoExecute"
    )


def _bare(value: Any) -> Any:
    """Return a value without what is empty, as an absent field and an empty one mean the same."""
    if isinstance(value, dict):
        found = {key: _bare(item) for key, item in value.items()}
        return {key: item for key, item in found.items() if item not in (None, "", [], {}, 0, False)}
    return [_bare(item) for item in value] if isinstance(value, list) else value


KIND = "priority"

BUILT_IN: Mapping[str, int] = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
"""Classes that every API server has."""


@dataclass(frozen=True, slots=True)
class Priorities:
    """The priority classes of the input."""

    values: Mapping[str, int]
    default: int
    """Priority of pods that name no class."""

    @classmethod
    def of(cls, classes: Iterable[Located[PriorityClass]]) -> "Priorities":
        """Read priority classes; of several for all pods the lowest counts, as in Kubernetes."""
        known = [one.model for one in classes]
        values = {**BUILT_IN, **{one.metadata.name: one.value for one in known}}
        return cls(values, min((one.value for one in known if one.global_default), default=0))

    def of_workload(self, subject: Subject, key: str) -> tuple[int, tuple[Statement, ...]]:
        """Return the priority of a workload, and what could not be resolved.

        What a policy of the input says counts before the number in the binding, which stands for the policy
        as it was; a class that is not in the input leaves that number, or 0.
        """
        stated = subject.binding.model.spec.schedule_priority if subject.binding else None
        written = stated.priority if stated else None
        policy = subject.policy
        source = policy.model.spec.schedule_priority if policy else None
        if policy is None or source is None:
            return written or 0, ()
        name = _class_name(subject, source)
        if name == "" and source.priority_class_source == "PodPriorityClass":
            return self.default, ()
        if name in self.values:
            return self.values[name], ()
        if written is not None:
            return written, ()
        shown = with_nearest([name], self.values) if name else "none"
        text = f"{key} counts as of priority 0: its priority class is {shown}, not in the input"
        where = policy.source("spec", "schedulePriority")
        return 0, (Statement(KIND, text, where, key),)


def _class_name(subject: Subject, source: SchedulePrioritySource) -> str:
    """Return the class that a policy names, or that the pods name; empty where none is."""
    match source.priority_class_source:
        case "KubePriorityClass" | "FederatedPriorityClass":
            return source.priority_class_name
        case "PodPriorityClass":
            if subject.template is not None:
                return subject.template.model.spec.template.spec.priority_class_name
            needs = subject.binding.model.spec.replica_requirements if subject.binding else None
            return needs.priority_class_name if needs else ""
        case _:
            assert_never(source.priority_class_source)
