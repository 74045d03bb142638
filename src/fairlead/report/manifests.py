"""An outcome as patches for review: what the schedulers would write where they had found the placement.

Every document is fit for a merge patch (``kubectl patch --type merge``): lists stand there as a whole, and
what other controllers have written into them is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from fairlead.models.declared import FederatedHolder, FederatedUnit, KarmadaBinding
from fairlead.models.errors import UsageError
from fairlead.models.outcome import ClusterDecision, Outcome
from fairlead.models.rules import Duplicated
from fairlead.models.workload import Workload

Document = dict[str, Any]

SCHEDULER = "kubeadmiral.io/global-scheduler"
"""The controller whose entries KubeAdmiral's scheduler writes."""

_FEDERATED_TYPES: Mapping[str, str] = {
    "Deployment": "deployments.apps",
    "StatefulSet": "statefulsets.apps",
    "ReplicaSet": "replicasets.apps",
    "Job": "jobs.batch",
}


def to_manifests(outcome: Outcome) -> tuple[Document, ...]:
    """Return the object that says where a workload runs, per workload, with the placement in it.

    Returns
    -------
    tuple of dict
        For a workload that Karmada places, a ``ResourceBinding`` (``ClusterResourceBinding`` where
        cluster-scoped) of the name in the input, else ``<name>-<kind>`` in lower case, as Karmada names them;
        one of 0 replicas keeps every candidate, with 0 replicas. One of several components has the pods of
        every component where a set stands. For one that KubeAdmiral places, its ``FederatedObject`` (or
        ``ClusterFederatedObject``, as the input has it) with ``spec.placements`` and ``spec.overrides`` of
        the controller ``kubeadmiral.io/global-scheduler``, without the template; entries of other
        controllers stay as they are. Where the input has no federated object, it is called
        ``<name>-<resource>.<group>``, as KubeAdmiral names them.

    Raises
    ------
    UsageError
        Where the outcome has no placement.
    """
    if outcome.placement is None:
        raise UsageError(f"an outcome that is {outcome.status} has no placement to write")
    return tuple(_manifest(outcome, workload) for workload in outcome.problem.workloads)


def _manifest(outcome: Outcome, workload: Workload) -> Document:
    """Return the object of one workload in the spelling of the system that places it."""
    if isinstance(workload.declared, FederatedUnit):
        return _federated(outcome, workload, workload.declared)
    return _binding(outcome, workload)


def _binding(outcome: Outcome, workload: Workload) -> Document:
    """Return the binding of one workload."""
    known = workload.declared if isinstance(workload.declared, KarmadaBinding) else None
    name = known.name if known else ""
    name = name or f"{workload.name.replace(':', '.')}-{workload.kind}".lower()
    scope = {"namespace": workload.namespace} if workload.namespace else {}
    resource = {"apiVersion": workload.api_version, "kind": workload.kind, **scope, "name": workload.name}
    clusters = [
        _target(decision, known.components if known else ())
        for decision in outcome.decisions[workload.key]
        if decision.selected
    ]
    # The number of all replicas is the detector's; of a set, only its components are counted here.
    replicas = {} if known and known.in_sets else {"replicas": workload.replicas}
    binding: Document = {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding" if workload.namespace else "ClusterResourceBinding",
        "metadata": {"name": name, **scope},
        "spec": {"resource": resource, **replicas, "clusters": clusters},
    }
    if workload.group is not None:
        binding["status"] = {"schedulerObservingAffinityName": workload.group}
    return binding


def _target(decision: ClusterDecision, components: Sequence[tuple[str, int]]) -> Document:
    """Return a target of a binding; the pods of every component stand there where the binding names any."""
    if not components:
        return {"name": decision.cluster, "replicas": decision.replicas}
    if len(components) == 1:
        pods = [{"name": components[0][0], "replicas": decision.replicas}]
        return {"name": decision.cluster, "replicas": decision.replicas, "components": pods}
    pods = [{"name": name, "replicas": number * decision.replicas} for name, number in components]
    return {"name": decision.cluster, "components": pods}


def _federated(outcome: Outcome, workload: Workload, unit: FederatedUnit) -> Document:
    """Return the federated object of one workload.

    A divided workload stands where it holds replicas, each cluster with its number; a duplicated one on every
    selected cluster, with a number only where that is not the template's.
    """
    copied = workload.rule(Duplicated) is not None
    usual = _templated(unit) if copied else None
    numbers = {
        decision.cluster: decision.replicas
        for decision in outcome.decisions[workload.key]
        if decision.selected and (copied or decision.replicas)
    }
    holder = unit.holder or _unseen(workload)
    metadata = {"name": holder.name, **({"namespace": holder.namespace} if holder.namespace else {})}
    placement = [{"cluster": name} for name in numbers]
    patched = list(_patched(numbers, usual, unit, holder))
    return {
        "apiVersion": "core.kubeadmiral.io/v1alpha1",
        "kind": holder.kind,
        "metadata": metadata,
        "spec": {
            "placements": _with_entry(holder.placements, "placement", placement),
            "overrides": _with_entry(holder.overrides, "clusters", patched),
        },
    }


def _unseen(workload: Workload) -> FederatedHolder:
    """Return the federated object that KubeAdmiral makes of a workload."""
    group, _, _ = workload.api_version.rpartition("/")
    resource = _FEDERATED_TYPES.get(workload.kind, f"{workload.kind.lower()}s.{group}")
    kind = "FederatedObject" if workload.namespace else "ClusterFederatedObject"
    return FederatedHolder(kind, f"{workload.name}-{resource}", workload.namespace)


def _templated(unit: FederatedUnit) -> int:
    """Return the number of replicas in the template; 1 where it says none, as in Kubernetes."""
    value: Any = unit.template
    for step in unit.replicas_path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return 1 if value is None else int(value)


def _patched(
    numbers: Mapping[str, int], usual: int | None, unit: FederatedUnit, holder: FederatedHolder
) -> Iterator[Document]:
    """Yield the patches of every cluster that holds the workload; those of other fields stay."""
    path = "/" + unit.replicas_path.replace(".", "/")
    written = [entry for entry in holder.overrides if entry.get("controller") == SCHEDULER]
    for name, replicas in numbers.items():
        patches: list[Any] = [
            deepcopy(patch)
            for entry in written
            for one in entry.get("clusters") or ()
            if one.get("cluster") == name
            for patch in one.get("patches") or ()
            if patch.get("path") != path
        ]
        if replicas != usual:
            patches.append({"op": "replace", "path": path, "value": replicas})
        if patches:
            yield {"cluster": name, "patches": patches}


def _with_entry(entries: Sequence[Mapping[str, Any]], name: str, items: list[Any]) -> list[Document]:
    """Return the entries of all controllers with the scheduler's; without one where it has nothing to say."""
    mine: list[Document] = [{"controller": SCHEDULER, name: items}] if items else []
    positions = [at for at, entry in enumerate(entries) if entry.get("controller") == SCHEDULER]
    first = positions[0] if positions else len(entries)
    others = [
        [deepcopy(dict(entry)) for entry in part if entry.get("controller") != SCHEDULER]
        for part in (entries[:first], entries[first:])
    ]
    return [*others[0], *mine, *others[1]]
