"""Changes as fragments of manifests, fit for a merge patch: lists stand there as a whole."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from fairlead.models.changes.edits import Edit, edits
from fairlead.models.changes.kinds import Kind
from fairlead.models.changes.quota import entries, number_of, skeleton
from fairlead.models.cluster import Cluster
from fairlead.models.declared import FederatedUnit, KarmadaBinding
from fairlead.models.problem import Problem
from fairlead.models.quantity import format_units
from fairlead.models.source import Source
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.models.yaml_text import to_yaml_stream

Document = dict[str, Any]
Step = str | int

KARMADA, KUBEADMIRAL = "policy.karmada.io/v1alpha1", "core.kubeadmiral.io/v1alpha1"


@dataclass(slots=True)
class _Object:
    """An object that is changed: as it was written, as far as that is known, and where it differs now."""

    header: Document
    data: Document
    touched: list[tuple[Step, ...]] = field(default_factory=list)

    def fragment(self) -> Document:
        """Return the header with all values that changed; lists as a whole."""
        found = deepcopy(self.header)
        for keys in dict.fromkeys(_up_to_list(path) for path in self.touched):
            value: Any = self.data
            for key in keys:
                value = value[key]
            _put(found, keys, deepcopy(value))
        return found


def fragments(changes: Iterable[Change], problem: Problem) -> str:
    """Return what to paste into the manifests, or to merge into them (``kubectl patch --type merge``).

    Parameters
    ----------
    changes
        The changes.
    problem
        The problem as it was before.

    Returns
    -------
    str
        YAML, one document for every object; empty where none of the changes is one of a manifest. What was
        not read from manifests is spelled as Karmada does.
    """
    found = documents(changes, problem)
    if not found:
        return ""
    return to_yaml_stream(found)


def documents(changes: Iterable[Change], problem: Problem) -> tuple[Document, ...]:
    """Return the fragments as `fragments` does, parsed."""
    objects: dict[tuple[str, ...], _Object] = {}
    for change in changes:
        base = _base(change, problem)
        if base is None:
            continue
        header, data = base
        key = (header["apiVersion"], header["kind"], *sorted(map(str, header["metadata"].values())))
        changed = objects.get(key) or _Object(header, deepcopy(dict(data)))
        # Later changes see what earlier ones put there, such as the end of a list.
        for edit in _edits(change, changed.data, problem):
            edit.into(changed.data)
            changed.touched.append(edit.path)
            objects[key] = changed
    return tuple(changed.fragment() for changed in objects.values())


def _base(change: Change, problem: Problem) -> tuple[Document, Mapping[str, Any]] | None:
    """Return the header of the object that a change is made in, and what is known of the object."""
    if change.kind == Kind.CAPACITY:
        return _cluster_header(problem.cluster_by_name[change.cluster or ""]), {}
    if change.kind == Kind.QUOTA:
        rule = number_of(change.detail, change.cluster, problem).rule
        scope = {"namespace": rule.namespace} if rule.namespace else {}
        metadata = {"name": rule.name, **scope}
        return {"apiVersion": KARMADA, "kind": "FederatedResourceQuota", "metadata": metadata}, skeleton(rule)
    if change.kind == Kind.MOVE_BUDGET:
        return None
    workload = problem.workload_by_key[change.workload or ""]
    manifest = change.source.manifest if change.source else None
    if change.kind == Kind.REPLICAS:
        return _counted(change.source, workload), {}
    if manifest is not None:
        return _own_header(manifest), manifest
    return None if change.kind == Kind.COMPANION else _policy(workload)


def _edits(change: Change, data: Mapping[str, Any], problem: Problem) -> Iterable[Edit]:
    """Return what a change puts where."""
    if change.kind == Kind.CAPACITY:
        return _capacity(change, problem.cluster_by_name[change.cluster or ""])
    if change.kind == Kind.QUOTA:
        return [Edit(*entry) for entry in entries(change, data, problem)]
    workload = problem.workload_by_key[change.workload or ""]
    if change.kind == Kind.REPLICAS:
        return [Edit(_replicas_path(change.source, workload), change.after)]
    return edits(change, data, workload, problem)


def _cluster_header(cluster: Cluster) -> Document:
    """Return the header of a cluster."""
    federated = cluster.source.kind == "FederatedCluster"
    return {
        "apiVersion": KUBEADMIRAL if federated else "cluster.karmada.io/v1alpha1",
        "kind": "FederatedCluster" if federated else "Cluster",
        "metadata": {"name": cluster.name},
    }


def _capacity(change: Change, cluster: Cluster) -> Iterable[Edit]:
    """Return what a cluster offers after a change."""
    resource = change.detail
    offered = (cluster.allocatable or {}).get(resource, 0) + change.amount
    if cluster.source.kind != "FederatedCluster":
        yield Edit(("status", "resourceSummary", "allocatable", resource), format_units(resource, offered))
        return
    free = (cluster.free or {}).get(resource, 0) + change.amount
    yield Edit(("status", "resources", "allocatable", resource), format_units(resource, offered))
    yield Edit(("status", "resources", "available", resource), format_units(resource, free))


def _counted(source: Source | None, workload: Workload) -> Document:
    """Return the header of what states the replicas: the workload, or its binding."""
    scope = {"namespace": workload.namespace} if workload.namespace else {}
    if source is not None and source.kind.endswith("ResourceBinding"):
        name = f"{workload.name.replace(':', '.')}-{workload.kind}".lower()
        version, kind = "work.karmada.io/v1alpha2", source.kind
    else:
        name, version, kind = workload.name, workload.api_version, workload.kind
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **scope}}


def _replicas_path(source: Source | None, workload: Workload) -> tuple[Step, ...]:
    """Return where the number of replicas stands."""
    if source is not None and source.kind in (workload.kind, "ResourceBinding", "ClusterResourceBinding"):
        return source.path or ("spec", "replicas")
    return ("spec", "parallelism" if workload.kind == "Job" else "replicas")


def _own_header(manifest: Mapping[str, Any]) -> Document:
    """Return the header of one of our own kinds."""
    meta = manifest.get("metadata") or {}
    named = {name: meta[name] for name in ("name", "namespace") if meta.get(name)}
    return {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"], "metadata": named}


def _policy(workload: Workload) -> tuple[Document, Document]:
    """Return the header of a workload's policy, and what is known of the policy."""
    declared = workload.declared
    federated = isinstance(declared, FederatedUnit)
    what, _, name = workload.policy.rpartition(" ")
    namespace, _, own_name = name.rpartition("/")
    cluster_scoped = what.startswith("cluster")
    scope = {"namespace": namespace} if namespace else {}
    metadata = {"name": own_name or workload.name, **(scope if name else {"namespace": workload.namespace})}
    if what == "binding":
        header = {"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding", "metadata": metadata}
    else:
        kind = "ClusterPropagationPolicy" if cluster_scoped else "PropagationPolicy"
        header = {"apiVersion": KUBEADMIRAL if federated else KARMADA, "kind": kind, "metadata": metadata}
    if isinstance(declared, FederatedUnit):
        return header, {"spec": declared.policy}
    placement = declared.placement if isinstance(declared, KarmadaBinding) else {}
    if isinstance(declared, KarmadaBinding) and not declared.defaulting and what != "binding":
        # The policy itself is not in the input; its copy in the binding counts.
        name = f"{workload.name.replace(':', '.')}-{workload.kind}".lower()
        scope = {"namespace": workload.namespace} if workload.namespace else {}
        kind = "ResourceBinding" if scope else "ClusterResourceBinding"
        header = {"apiVersion": "work.karmada.io/v1alpha2", "kind": kind, "metadata": {"name": name, **scope}}
    return header, {"spec": {"placement": placement}}


def _up_to_list(path: tuple[Step, ...]) -> tuple[str, ...]:
    """Return a path as far as it leads through mappings only."""
    keys: list[str] = []
    for step in path:
        if not isinstance(step, str):
            break
        keys.append(step)
    return tuple(keys)


def _put(document: Document, path: tuple[str, ...], value: Any) -> None:
    """Put a value into nested mappings."""
    inner = document
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = value
