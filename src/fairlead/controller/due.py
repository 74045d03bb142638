"""Bindings that a controller serves: which are due, or only to be noted, and what can be decided."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Any

from fairlead.controller.world import ObjectVersion, World
from fairlead.manifests.clusters import read_clusters
from fairlead.manifests.karmada.facts import declared_for, read_workload
from fairlead.manifests.karmada.groups import group_with, groups_of
from fairlead.manifests.karmada.scheduled import is_at_rest


class Reason(StrEnum):
    """Reason why a binding is not placed, in Karmada's words."""

    UNSCHEDULABLE = "Unschedulable"
    NO_CLUSTER_FIT = "NoClusterFit"
    SCHEDULER_ERROR = "SchedulerError"
    QUOTA_EXCEEDED = "QuotaExceeded"


@dataclass(frozen=True, slots=True)
class Placed:
    """Placement that a binding is to have."""

    targets: tuple[Mapping[str, Any], ...]
    """``spec.clusters``: names, with replicas where the binding has any; clusters without replicas are left
    out."""
    group: str | None = None
    """The affinity group that was chosen; None where there is none to choose."""
    fresh: bool = False
    """Whether somebody asked to place it anew."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Reason why a binding stays as it is."""

    reason: Reason
    """Reason in Karmada's words."""
    message: str
    """Reason in our words, with details."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A binding that stands where it is to stand; only its status does not say so."""

    group: str | None = None
    """The affinity group of its clusters; None where there is none."""


Decision = Placed | Unplaced | Kept


DEFAULT_SCHEDULER = "default-scheduler"
"""The scheduler of bindings that name none."""


@dataclass(frozen=True, slots=True)
class ControllerSettings:
    """Settings of a controller."""

    scheduler_name: str = "fairlead"
    """Bindings of this ``spec.schedulerName`` are served; all others are occupied room."""
    namespaces: frozenset[str] = frozenset()
    """Namespaces that are served; empty serves all, and what is cluster-scoped."""
    dry_run: bool = False
    """Whether nothing is written, but only told."""
    window: float = 0.05
    """Seconds for which changes are gathered before they are placed together."""
    time_limit: float | None = 10.0
    """Seconds for placing one batch; None means no limit."""
    workers: int | None = None
    """Threads of the solver; None means one for every core."""


CLAIMS = (
    "propagationpolicy.karmada.io/permanent-id",
    "clusterpropagationpolicy.karmada.io/permanent-id",
    "binding.karmada.io/managed-by",
)
"""Labels without all of which Karmada's scheduler leaves a binding alone."""

SCHEDULED = "Scheduled"
"""Type of the condition that schedulers write."""


class BindingState(Enum):
    """State of a binding, by what there is to do for it."""

    FOREIGN = auto()
    """The binding is not served."""
    SETTLED = auto()
    """There is nothing to do."""
    UNFINISHED = auto()
    """The binding is placed, but its status does not say so."""
    DUE = auto()
    """The binding is to be placed."""


def is_served(entry: ObjectVersion, settings: ControllerSettings) -> bool:
    """Tell whether a binding is the controller's to place.

    Left alone are those of other schedulers and namespaces, those that are being deleted or suspended, those
    that only follow others (``requiredBy``, without a placement), and those that no policy claims.
    """
    spec, meta = entry.spec, entry.metadata
    labels = meta.get("labels") or {}
    return (
        (spec.get("schedulerName") or DEFAULT_SCHEDULER) == settings.scheduler_name
        and (not settings.namespaces or entry.place.namespace in settings.namespaces)
        and not meta.get("deletionTimestamp")
        and not (spec.get("suspension") or {}).get("scheduling")
        and isinstance(spec.get("placement"), Mapping)
        and any(label in labels for label in CLAIMS)
    )


def standing_of(entry: ObjectVersion, world: World, settings: ControllerSettings) -> BindingState:
    """Tell what there is to do for a binding, by what Karmada's scheduler would do.

    Due is one whose placement is not the one that was applied, whose replicas do not add up, which somebody
    asked to reschedule, which is duplicated or has no replicas, or which stands on a cluster that is gone or
    being removed. One that cannot be understood is due as well: it is told so.
    """
    if not is_served(entry, settings):
        return BindingState.FOREIGN
    subject = entry.subject
    declared = declared_for(subject) if subject is not None and not subject.unread else None
    if subject is None or declared is None:
        return BindingState.DUE
    workload = read_workload(subject, str(entry.place))
    asked = workload.fresh or world.is_rebalanced(subject)
    if asked or not is_at_rest(subject, workload, declared):
        return BindingState.DUE
    clusters = map(world.cluster, entry.targets)
    if any(one is None or one.metadata.get("deletionTimestamp") for one in clusters):
        return BindingState.DUE
    return BindingState.SETTLED if is_finished(entry) else BindingState.UNFINISHED


def kept(entry: ObjectVersion, world: World) -> Kept:
    """Return the note on a binding that stands where it is to stand.

    Its group is the first one, from the observed one on, that has all its clusters: it may have been placed
    there by a controller that ended before it could note that.
    """
    declared = declared_for(entry.subject) if entry.subject is not None else None
    if declared is None or not entry.targets:
        return Kept()
    observed = entry.status.get("schedulerObservingAffinityName")
    known = [found for name in entry.targets if (found := world.cluster(name)) is not None]
    clusters = read_clusters([one for entry in known for one in entry.manifests.clusters], [])
    by_name = {one.name: one for one in clusters}
    return Kept(group_with(entry.targets, groups_of(declared.placement), observed, by_name))


def is_finished(entry: ObjectVersion) -> bool:
    """Tell whether the status of a binding says that it is placed as its spec is now."""
    status = entry.status
    return (
        status.get("schedulerObservedGeneration") == entry.generation
        and bool(status.get("lastScheduledTime"))
        and (condition_of(status) or {}).get("status") == "True"
    )


def condition_of(status: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the condition that schedulers write; None where there is none."""
    return next((one for one in status.get("conditions") or () if one.get("type") == SCHEDULED), None)
