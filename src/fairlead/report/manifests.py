"""An outcome as patches: fields to be written so that the placement becomes what runs.

A patch carries what an apply needs and what belongs to whoever places, nothing else: not the number of
replicas and not the workload, which are the detector's. So a scale that was made in between is never undone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from fairlead.manifests.karmada.scheduled import APPLIED, binding_head, compact, scope, targets
from fairlead.manifests.kubeadmiral.annotations import PLACEMENTS
from fairlead.manifests.kubeadmiral.interpret import PolicyReading
from fairlead.manifests.yaml.scalars import commented, to_yaml
from fairlead.models.answer import Answer
from fairlead.models.errors import UsageError
from fairlead.models.outcome import Outcome
from fairlead.models.rules import Duplicated
from fairlead.models.source import FederatedUnit, KarmadaBinding
from fairlead.models.words import counted, listed
from fairlead.models.workload import Workload, running
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.waves import WavePlan

JsonObject = dict[str, Any]
Placed = Mapping[str, int]
Subresource = Literal["status"]

_UNVERSIONED = "no resourceVersion in the input: whatever was written in between is overwritten"


@dataclass(frozen=True, slots=True)
class Patch:
    """One object, as far as it is to be changed."""

    workload: str
    """Key of the workload."""
    document: JsonObject
    """The fields to be written, fit for a server-side apply and for a merge patch."""
    notes: tuple[str, ...] = ()
    """Notes for whoever applies it, a sentence each."""


def to_manifests(outcome: Outcome, subresource: Subresource | None = None) -> tuple[JsonObject, ...]:
    """Return the patches of an outcome as documents; see `patches` and `status_patches`.

    `subresource`: ``status`` for what belongs into that subresource; None for the objects themselves.

    Raises `UsageError` where the outcome has no placement, or KubeAdmiral would not follow it.
    """
    found = patches(outcome) if subresource is None else status_patches(outcome)
    return tuple(patch.document for patch in found)


def patches(outcome: Outcome) -> tuple[Patch, ...]:
    """Return a patch for every workload that stands elsewhere than it runs.

    For a workload that Karmada places, its ``ResourceBinding`` (``ClusterResourceBinding`` where
    cluster-scoped) with ``spec.clusters`` and the annotation that says by which placement, as Karmada's
    scheduler writes them. For one that KubeAdmiral places, the workload itself with the annotation
    ``kubeadmiral.io/placements``. In the order of the problem; what has no replicas is left alone.

    Raises `UsageError` where the outcome has no placement, or KubeAdmiral would not follow it; names the
    workloads.
    """
    wanted = outcome.require_placement()
    differing = (
        (workload, wanted.of(workload.key), True)
        for workload in outcome.problem.workloads
        if not workload.without_replicas and _differs(workload, wanted.of(workload.key))
    )
    return written(differing)


def _differs(workload: Workload, placed: Placed) -> bool:
    """Tell whether what runs is not what is placed; a set that was scaled runs with other pods."""
    unit = workload.declared
    rescaled = unit.rescaled if isinstance(unit, KarmadaBinding) else frozenset[str]()
    return dict(placed) != running(workload) or not rescaled.isdisjoint(placed)


def written(asked: Iterator[tuple[Workload, Placed, bool]]) -> tuple[Patch, ...]:
    """Return the patches of some workloads.

    `asked`: workloads, with the replicas that they are to hold by cluster, and whether the object is still
    the one that was read.

    Raises `UsageError` where KubeAdmiral would not follow; names the workloads and why.
    """
    found: list[Patch] = []
    refused: dict[str, list[str]] = {}
    for workload, placed, unchanged in asked:
        unit = workload.declared
        if not isinstance(unit, FederatedUnit):
            found.append(_binding(workload, placed, unchanged=unchanged))
        elif reason := _refusal(workload, placed, unchanged=unchanged):
            refused.setdefault(reason, []).append(workload.key)
        else:
            found.append(_annotated(workload, unit, placed, unchanged=unchanged))
    if refused:
        told = (f"{listed(keys, 'workload')}: {reason}" for reason, keys in refused.items())
        raise UsageError("KubeAdmiral would not follow a patch of " + "\n".join(told))
    return tuple(found)


def status_patches(outcome: Outcome) -> tuple[Patch, ...]:
    """Return the affinity groups that are chosen and not observed yet, a patch of the status for each.

    The API server takes a status in its subresource only, as a second request: after the first one the
    version of the object is another one, so none is named.

    Raises `UsageError` where the outcome has no placement.
    """
    outcome.require_placement()
    return tuple(
        Patch(
            workload.key, {**_bound(workload), "status": {"schedulerObservingAffinityName": workload.group}}
        )
        for workload in outcome.problem.workloads
        if not isinstance(workload.declared, FederatedUnit)
        and workload.group not in (None, workload.observed)
    )


def _bound(workload: Workload) -> JsonObject:
    """Return the binding of a workload with what names it: as in the input, else as Karmada names it."""
    known = workload.declared
    return binding_head(workload, known.name if isinstance(known, KarmadaBinding) else "")


def _binding(workload: Workload, placed: Placed, *, unchanged: bool) -> Patch:
    """Return the patch of a binding, as Karmada's scheduler would write it."""
    known = workload.declared if isinstance(workload.declared, KarmadaBinding) else None
    version = known.resource_version if known and unchanged else ""
    document = _bound(workload)
    document["metadata"] |= {"resourceVersion": version} if version else {}
    if known and known.applied is not None:
        document["metadata"]["annotations"] = {APPLIED: compact(known.applied)}
    document["spec"] = {"clusters": targets(placed, known.components if known else ())}
    return Patch(workload.key, document, tuple(_notes(workload, known, placed, version, unchanged)))


def _notes(
    workload: Workload, known: KarmadaBinding | None, placed: Placed, version: str, unchanged: bool
) -> Iterator[str]:
    """Say the facts to know before a binding is patched."""
    if known is None or not known.name:
        yield "not in the input: the name is the one that Karmada gives"
    elif not version and unchanged:
        yield _UNVERSIONED
    if known and known.ahead:
        yield f"made for {workload.policy} as it is in the input: apply that first, then make the patch again"
    if workload.fresh:
        yield "a reschedule is asked for: Karmada's scheduler divides it once more where it serves it"
    total = sum(placed.values())
    if workload.rule(Duplicated) is None and total != workload.replicas:
        wanted = counted(workload.replicas, "replica")
        yield f"{total} of {wanted}: Karmada's scheduler divides it again when it looks"


def _refusal(workload: Workload, placed: Placed, *, unchanged: bool) -> str:
    """Say why KubeAdmiral would not bring a placement about; empty where it would.

    `unchanged`: whether what runs is still what was read.
    """
    if workload.rule(Duplicated) is not None:
        other = any(count != workload.replicas for count in placed.values())
        return (
            "under Duplicate every cluster gets the template's number, whatever is annotated" if other else ""
        )
    read = workload.reading
    if isinstance(read, PolicyReading) and read.policy.avoid_disruption and running(workload):
        if unchanged and _goes_one_way(workload, placed, read):
            return ""
        return (
            f"{workload.policy} avoids disruption, so it starts or stops only as many replicas as the total"
            " asks for, whatever is annotated;"
            " set reschedulePolicy.replicaRescheduling.avoidDisruption to false first (left out it is true)"
        )
    return ""


def _goes_one_way(workload: Workload, placed: Placed, read: PolicyReading) -> bool:
    """Tell whether all replicas are placed, and the clusters that get any only gain or only lose some.

    Where KubeAdmiral avoids disruption it starts or stops as many replicas as the total asks for, no more.
    Clusters that the annotation does not list do not count; of the others it keeps what runs, at most what it
    has reported. Under Binpack it may keep more than that.
    """
    if read.policy.binpack or sum(placed.values()) != workload.replicas:
        return False
    runs = running(workload)
    change = []
    for name, count in placed.items():
        reported = read.feedback.at_most(name, auto_migration=read.policy.auto_migration)
        change.append(count - min([runs.get(name, 0), *(one.replicas for one in reported)]))
    return min(change, default=0) >= 0 or max(change) <= 0


def _annotated(workload: Workload, unit: FederatedUnit, placed: Placed, *, unchanged: bool) -> Patch:
    """Return the patch of a workload that KubeAdmiral places: its clusters with minimum = maximum.

    It belongs on the workload itself: the federate controller copies it to the federated object, and would
    take it off there again.
    """
    numbers = dict(sorted(placed.items())) or dict.fromkeys(sorted(running(workload)), 0)
    entries: list[JsonObject] = [{"cluster": name} for name in numbers]
    if workload.rule(Duplicated) is None:
        for entry, count in zip(entries, numbers.values(), strict=True):
            entry["preferences"] = {"minReplicas": count, "maxReplicas": count}
    version = unit.resource_version if unchanged else ""
    metadata = {
        "name": workload.name,
        **scope(workload),
        **({"resourceVersion": version} if version else {}),
        "annotations": {PLACEMENTS: compact(entries)},
    }
    document = {"apiVersion": workload.api_version, "kind": workload.kind, "metadata": metadata}
    inside = f" -n {workload.namespace}" if workload.namespace else ""
    removal = f"kubectl annotate{inside} {workload.kind.lower()}/{workload.name} {PLACEMENTS}-"
    notes = [f"holds until the annotation is removed, also when the workload is scaled: {removal}"]
    if not version and unchanged:
        notes.append(_UNVERSIONED)
    return Patch(workload.key, document, tuple(notes))


STATUS = "status.yaml"
"""File with what belongs into the status, beside those of the waves."""

_APPLY = "kubectl apply --server-side --force-conflicts --field-manager=fairlead"


def patch_text(answer: Answer, subresource: Subresource | None = None) -> str:
    """Return the patches of an outcome, or of the target of a plan, as YAML; empty where nothing changes.

    `answer`: an `Outcome` or a `RebalancePlan`. `subresource`: ``status`` for what belongs into that
    subresource; None for the objects themselves.

    Raises `UsageError` where there is no placement, or KubeAdmiral would not follow it.
    """
    outcome = answer.outcome if isinstance(answer, RebalancePlan) else answer
    if not isinstance(outcome, Outcome):
        raise TypeError(f"{type(answer).__name__} has no patches")
    if subresource is not None:
        command = f"{_APPLY} --subresource={subresource} -f -"
        return _text(status_patches(outcome), command, ["after the objects themselves"])
    later = status_patches(outcome)
    notes = [f"{counted(len(later), 'affinity group')} changes: afterwards, -o status-patch"] if later else []
    return _text(patches(outcome), f"{_APPLY} -f -", notes)


def wave_files(plan: RebalancePlan) -> dict[str, str]:
    """Return one file per wave, by name, and one with what belongs into the status where there is any.

    Raises `UsageError` where KubeAdmiral would not follow.
    """
    if plan.waves is None:
        return {}
    count = len(plan.waves.waves)
    width = len(str(count))
    files: dict[str, str] = {}
    for number, wave in enumerate(patches_by_wave(plan.waves), start=1):
        name = f"wave-{number:0{width}}.yaml"
        notes = [f"wave {number} of {count}"]
        if number < count:
            notes.append("go on when every replica of it is ready, and what it stops is gone")
        files[name] = _text(wave, f"{_APPLY} -f {name}", notes)
    status = status_patches(plan.outcome)
    if status:
        command = f"{_APPLY} --subresource=status -f {STATUS}"
        files[STATUS] = _text(status, command, ["after the last wave"])
    return files


def patches_by_wave(waves: WavePlan) -> Iterator[Sequence[Patch]]:
    """Yield the patches of every wave; the version that was read counts for the first patch of an object.

    Raises `UsageError` where KubeAdmiral would not follow.
    """
    patched: set[str] = set()
    for before, after in pairwise(waves.states):
        changing = [one for one in waves.problem.workloads if before.of(one.key) != after.of(one.key)]
        yield written((one, after.of(one.key), one.key not in patched) for one in changing)
        patched.update(one.key for one in changing)


def _text(found: Sequence[Patch], command: str, notes: Sequence[str] = ()) -> str:
    """Return patches as YAML below the command that applies them; empty where there are none."""
    if not found:
        return ""
    head = [f"{counted(len(found), 'object')}; apply with", f"  {command}", *notes]
    documents = [commented(to_yaml(patch.document), patch.notes) for patch in found]
    return commented("".join(f"---\n{document}" for document in documents), head)
