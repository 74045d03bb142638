"""Changes as fragments of manifests, fit for a merge patch: lists stand there as a whole."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import chain, takewhile
from typing import Any, assert_never

from fairlead.manifests.yaml.documents import Path, value_at
from fairlead.manifests.yaml.scalars import to_yaml_stream
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.quantity import format_units
from fairlead.models.source import FederatedUnit, KarmadaBinding, ObjectName, Source
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.changes.edits import PLACEMENT, Edit, companions, edits, inside, moved, toleration
from fairlead.solver.changes.kinds import ChangeKind
from fairlead.solver.changes.quota import entries, number_of, skeleton

Document = dict[str, Any]
KARMADA, KUBEADMIRAL = "policy.karmada.io/v1alpha1", "core.kubeadmiral.io/v1alpha1"
BINDING = "work.karmada.io/v1alpha2"
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChangedObject:
    """An object in which something is changed."""

    name: ObjectName
    data: Data
    """Values that were written there, as far as a change needs to know them: lists are repeated as a
    whole."""
    edits: Callable[[Data], Iterable[Edit]]
    """Edits of the object, given its values as earlier changes have left them."""


@dataclass(slots=True)
class _Object:
    """An object that is changed: as it was written, as far as that is known, and where it differs now."""

    name: ObjectName
    data: Document = field(default_factory=dict)
    touched: dict[Path, Any] = field(default_factory=dict)

    def change(self, edit: Edit) -> None:
        """Make an edit; of two numbers for one entry the one that suits everybody counts."""
        if edit.lenient is not None and edit.path in self.touched:
            choose = min if edit.lenient == "least" else max
            chosen = choose(
                (self.touched[edit.path], edit.value), key=lambda value: int(str(value).removesuffix("%"))
            )
            edit = Edit(edit.path, chosen, edit.lenient)
        edit.into(self.data)
        self.touched[edit.path] = edit.value

    def fragment(self) -> Document:
        """Return the identity of the object and all values that changed; lists as a whole."""
        found = _header(self.name)
        for keys in dict.fromkeys(tuple(takewhile(_is_key, path)) for path in self.touched):
            Edit(keys, deepcopy(value_at(self.data, *keys))).into(found)
        return found


def fragments(changes: Iterable[Change], problem: Problem) -> str:
    """Return text to paste into the manifests, or to merge into them (``kubectl patch --type merge``).

    YAML, one document for every object; an object that the input does not have is to be created. Empty where
    none of the changes is one of a manifest. What was not read from manifests is spelled as Karmada does.
    """
    found = documents(changes, problem)
    if not found:
        return ""
    return to_yaml_stream(found)


def documents(changes: Iterable[Change], problem: Problem) -> tuple[Document, ...]:
    """Return the fragments as `fragments` does, parsed."""
    objects: dict[ObjectName, _Object] = {}
    for place in chain.from_iterable(places(change, problem) for change in changes):
        changed = objects.setdefault(place.name, _Object(place.name))
        _fill(changed.data, place.data)
        # Later changes see what earlier ones put there, such as the end of a list.
        for edit in place.edits(changed.data):
            changed.change(edit)
    return tuple(changed.fragment() for changed in objects.values() if changed.touched)


def _header(name: ObjectName) -> Document:
    """Return the fields that identify an object."""
    scope = {"namespace": name.namespace} if name.namespace else {}
    return {"apiVersion": name.api_version, "kind": name.kind, "metadata": {"name": name.name, **scope}}


def _fill(data: Document, more: Mapping[str, Any]) -> None:
    """Add what is missing in a document; what is known already, or was changed, stays."""
    for key, value in more.items():
        if key not in data:
            data[key] = deepcopy(value) if isinstance(value, dict | list) else value
        elif isinstance(data[key], dict) and isinstance(value, Mapping):
            _fill(data[key], value)


def _is_key(step: str | int) -> bool:
    """Tell whether a step leads into a mapping, not into a list."""
    return isinstance(step, str)


def places(change: Change, problem: Problem) -> Iterator[ChangedObject]:
    """Yield where a change is made; nowhere where no manifest says the number."""
    kind = ChangeKind(change.kind)
    match kind:
        case ChangeKind.CAPACITY:
            cluster = problem.cluster_by_name[change.cluster or ""]
            yield ChangedObject(_named_cluster(cluster), {}, lambda _: _capacity(change, cluster))
        case ChangeKind.QUOTA:
            rule = number_of(change.detail, change.cluster, problem).rule
            known = rule.source.holder if rule.source else None
            name = known or ObjectName(KARMADA, "FederatedResourceQuota", rule.name, rule.namespace)
            yield ChangedObject(name, skeleton(rule), lambda data: entries(change, data, problem))
        case ChangeKind.MOVE_BUDGET:
            yield from _own(change, lambda data: moved(change, data, problem))
        case ChangeKind.COMPANION:
            yield from _own(change, lambda data: companions(change, data, problem))
        case ChangeKind.RESCHEDULE:
            yield _rebalancer(problem.workload_by_key[change.workload or ""])
        case ChangeKind.REPLICAS:
            yield from _replicas(change, problem.workload_by_key[change.workload or ""])
        case ChangeKind.TOLERATION:
            yield _toleration(change, problem.workload_by_key[change.workload or ""])
        case (
            ChangeKind.MINIMUM
            | ChangeKind.MAXIMUM
            | ChangeKind.TOTAL
            | ChangeKind.GROUP_MINIMUM
            | ChangeKind.GROUP_MAXIMUM
            | ChangeKind.FEWEST_GROUPS
            | ChangeKind.MOST_GROUPS
            | ChangeKind.SURVIVAL
            | ChangeKind.SKEW
            | ChangeKind.CUSTOM
        ):
            workload = problem.workload_by_key[change.workload or ""]
            yield _of_rule(change, workload, lambda data: edits(change, data, workload, problem))
        case _:
            assert_never(kind)


def _named_cluster(cluster: Cluster) -> ObjectName:
    return cluster.source.holder or ObjectName("cluster.karmada.io/v1alpha1", "Cluster", cluster.name)


def _capacity(change: Change, cluster: Cluster) -> Iterator[Edit]:
    """Yield the edits of a cluster's capacity by a change."""
    resource = change.named
    offered = (cluster.allocatable or {}).get(resource, 0) + change.amount
    if _named_cluster(cluster).kind != "FederatedCluster":
        yield Edit(("status", "resourceSummary", "allocatable", resource), format_units(resource, offered))
        return
    free = (cluster.free or {}).get(resource, 0) + change.amount
    yield Edit(("status", "resources", "allocatable", resource), format_units(resource, offered))
    yield Edit(("status", "resources", "available", resource), format_units(resource, free))


def _own(change: Change, make: Callable[[Data], Iterable[Edit]]) -> Iterator[ChangedObject]:
    """Yield one of our own kinds as the place of a change; nothing where none declared it."""
    source = change.source
    if source is not None and source.manifest is not None and source.holder is not None:
        yield ChangedObject(source.holder, source.manifest, make)


def _rebalancer(workload: Workload) -> ChangedObject:
    """Return an object to be created, which asks for a workload to be placed afresh."""
    scope = {"namespace": workload.namespace} if workload.namespace else {}
    asked = {"apiVersion": workload.api_version, "kind": workload.kind, "name": workload.name, **scope}
    named = "-".join(filter(None, (workload.namespace, workload.name, "afresh")))
    name = ObjectName("apps.karmada.io/v1alpha1", "WorkloadRebalancer", named)
    return ChangedObject(name, {}, lambda _: [Edit(("spec", "workloads"), [asked])])


def _replicas(change: Change, workload: Workload) -> Iterator[ChangedObject]:
    """Yield the objects that state the replicas: the one that counts, and the workload beside its binding."""
    field = "parallelism" if workload.kind == "Job" else "replicas"
    counted, stated = workload.replicas_source, workload.source
    known = counted.holder if counted else None
    name = known or ObjectName(workload.api_version, workload.kind, workload.name, workload.namespace)
    path = counted.path if counted and counted.path else ("spec", field)
    yield ChangedObject(name, {}, lambda _: [Edit(path, change.after)])
    if stated.holder is not None and stated.holder != name and stated.holder.kind == workload.kind:
        yield ChangedObject(stated.holder, {}, lambda _: [Edit(("spec", field), change.after)])


def _toleration(change: Change, workload: Workload) -> ChangedObject:
    """Return the object that lists the tolerations of a workload."""
    declared = workload.declared
    if isinstance(declared, FederatedUnit):
        source = declared.sources.get("tolerations")
        path: Path = ("spec", "tolerations")
        if source is not None and inside(source.path):
            path = source.path
        name = source.holder if source and source.holder else _derived(workload)
        return ChangedObject(name, _known(name, path, workload), lambda data: toleration(change, path, data))
    base = (*PLACEMENT, "clusterTolerations")
    name = _placing(workload)
    return ChangedObject(name, _known(name, base, workload), lambda data: toleration(change, base, data))


def _of_rule(change: Change, workload: Workload, make: Callable[[Data], Iterable[Edit]]) -> ChangedObject:
    """Return the object that declared a rule: where its number stands, else where the placement does."""
    source: Source | None = change.source
    if source is not None and source.manifest is not None and source.holder is not None:
        return ChangedObject(source.holder, source.manifest, make)
    name = source.holder if source is not None and source.holder is not None else _placing(workload)
    path = source.path if source is not None else ()
    return ChangedObject(name, _known(name, path, workload), make)


def _placing(workload: Workload) -> ObjectName:
    """Return the object that holds the placement of a workload: its policy, or its binding."""
    declared = workload.declared
    if isinstance(declared, KarmadaBinding) and declared.source is not None and declared.source.holder:
        return declared.source.holder
    if isinstance(declared, FederatedUnit):
        written = (each.holder for each in declared.sources.values() if not inside(each.path))
        return next((each for each in written if each is not None), _derived(workload))
    return _derived(workload)


def _known(name: ObjectName, path: Path, workload: Workload) -> Data:
    """Return the known values of an object: the placement, the policy, or an annotation."""
    declared = workload.declared
    if inside(path):
        text = declared.annotations.get(str(path[-1])) if isinstance(declared, FederatedUnit) else None
        found: Any = text
        for step in reversed(path):
            found = {step: found}
        return dict(found)
    if isinstance(declared, FederatedUnit):
        return {"spec": declared.policy}
    if isinstance(declared, KarmadaBinding) and name == _placing(workload):
        return {"spec": {"placement": declared.placement}}
    return {}


def _derived(workload: Workload) -> ObjectName:
    """Return the object with the placement of a workload not read from manifests, as its words tell."""
    what, _, name = workload.policy.rpartition(" ")
    namespace, _, own_name = name.rpartition("/")
    scope = namespace if name else workload.namespace
    if what == "binding":
        return ObjectName(BINDING, "ResourceBinding", own_name, scope)
    federated = isinstance(workload.declared, FederatedUnit)
    kind = "ClusterPropagationPolicy" if what.startswith("cluster") else "PropagationPolicy"
    return ObjectName(KUBEADMIRAL if federated else KARMADA, kind, own_name or workload.name, scope)
