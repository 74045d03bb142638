"""When KubeAdmiral schedules a workload again: which changes count under its reschedule policy."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from fairlead.models.cluster import Cluster, Taint

PREFIX = "kubeadmiral.io/"
AUTO_MIGRATION = PREFIX + "auto-migration-info"
SCHEDULING_ANNOTATIONS = frozenset(
    PREFIX + name
    for name in (
        "affinity",
        "applied-migration-configuration",
        "clusterSelector",
        "dry-run",
        "follows-object",
        "maxClusters",
        "no-scheduling",
        "placements",
        "scheduling-mode",
        "sticky-cluster",
        "tolerations",
    )
)
"""Annotations whose change always counts."""

_NO_SEMANTICS = ("autoMigration", "disableFollowerScheduling")


@dataclass(frozen=True, slots=True)
class RescheduleWhen:
    """Which changes count beside those that always do (``reschedulePolicy.rescheduleWhen``).

    Parameters
    ----------
    policy_content_changed
        What the policy says, apart from auto migration.
    cluster_joined
        A new cluster.
    cluster_labels_changed
        Labels of a cluster that was there before.
    cluster_api_resources_changed
        Kinds that a cluster serves that was there before.
    """

    policy_content_changed: bool = True
    cluster_joined: bool = False
    cluster_labels_changed: bool = False
    cluster_api_resources_changed: bool = False


@dataclass(frozen=True, slots=True)
class ReschedulePolicy:
    """How willing a policy is to schedule again (``reschedulePolicy``).

    Parameters
    ----------
    disabled
        True where changes of policy and clusters do not count (``disableRescheduling``).
    when
        Which of them count; None where the policy has a ``reschedulePolicy`` without ``rescheduleWhen``, and
        then none does.
    """

    disabled: bool = False
    when: RescheduleWhen | None = field(default_factory=RescheduleWhen)


@dataclass(frozen=True, slots=True)
class SchedulingState:
    """What a decision of the scheduler was, or would be, based on.

    Parameters
    ----------
    replicas
        Replicas of the template.
    requests
        What one replica requests, by resource.
    annotations
        Annotations of the federated object.
    policy
        Name of the policy.
    content
        What the policy says, see `policy_content`.
    auto_migration
        True where the policy asks for auto migration.
    clusters
        Joined clusters by name.
    """

    replicas: int
    requests: Mapping[str, int] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    policy: str = ""
    content: str = ""
    auto_migration: bool = False
    clusters: Mapping[str, Cluster] = field(default_factory=dict)


def policy_content(spec: Mapping[str, Any]) -> str:
    """Return what of a policy's ``.spec`` decides where replicas go, as text that is equal for equal content.

    Auto migration and the scheduling of followers are left out, as KubeAdmiral leaves them out.
    """
    return json.dumps({key: spec[key] for key in spec if key not in _NO_SEMANTICS}, sort_keys=True)


def read_reschedule_policy(spec: Mapping[str, Any]) -> ReschedulePolicy:
    """Return the reschedule policy of a policy's ``.spec``.

    Without ``reschedulePolicy`` the API server writes one whose only trigger is a changed policy; with one,
    but without ``rescheduleWhen``, it adds nothing, and only what always counts does.
    """
    declared = spec.get("reschedulePolicy")
    if declared is None:
        return ReschedulePolicy()
    when = declared.get("rescheduleWhen")
    disabled = bool(declared.get("disableRescheduling"))
    if when is None:
        return ReschedulePolicy(disabled, None)
    triggers = RescheduleWhen(
        policy_content_changed=bool(when.get("policyContentChanged", True)),
        cluster_joined=bool(when.get("clusterJoined")),
        cluster_labels_changed=bool(when.get("clusterLabelsChanged")),
        cluster_api_resources_changed=bool(when.get("clusterAPIResourcesChanged")),
    )
    return ReschedulePolicy(disabled, triggers)


def reschedule_reasons(
    policy: ReschedulePolicy, before: SchedulingState | None, after: SchedulingState
) -> tuple[str, ...]:
    """Return why KubeAdmiral would schedule again; empty where it would not.

    Parameters
    ----------
    policy
        The reschedule policy as it is now.
    before
        State at the last decision; None where there was none.
    after
        State now.

    Returns
    -------
    tuple of str
        Sentences such as ``replicas changed from 3 to 5``. What clusters have free or offer is never a
        reason.
    """
    if before is None:
        return ("it was never scheduled",)
    reasons = list(_always(before, after))
    if not policy.disabled and policy.when is not None:
        reasons.extend(_of_policy(policy.when, before, after))
        reasons.extend(_of_clusters(policy.when, before, after))
    return tuple(reasons)


def _always(before: SchedulingState, after: SchedulingState) -> Iterator[str]:
    """Yield the changes that count whatever the policy says."""
    if before.replicas != after.replicas:
        yield f"replicas changed from {before.replicas} to {after.replicas}"
    if before.requests != after.requests:
        yield "resource requests changed"
    if before.policy != after.policy:
        yield f"the policy changed from {before.policy or 'none'} to {after.policy or 'none'}"
    for key in sorted(SCHEDULING_ANNOTATIONS):
        if before.annotations.get(key) != after.annotations.get(key):
            yield f"annotation {key} changed"
    reported = before.annotations.get(AUTO_MIGRATION) != after.annotations.get(AUTO_MIGRATION)
    if after.auto_migration and reported:
        yield f"annotation {AUTO_MIGRATION} changed"


def _of_policy(when: RescheduleWhen, before: SchedulingState, after: SchedulingState) -> Iterator[str]:
    """Yield that the same policy says something else."""
    if when.policy_content_changed and before.policy == after.policy and before.content != after.content:
        yield "what the policy says changed"


def _of_clusters(when: RescheduleWhen, before: SchedulingState, after: SchedulingState) -> Iterator[str]:
    """Yield what changed at the clusters; taints and clusters that are gone always count."""
    for name in sorted(before.clusters.keys() - after.clusters.keys()):
        yield f"cluster {name} is gone"
    counts = {
        "taints": True,
        "labels": when.cluster_labels_changed,
        "API resources": when.cluster_api_resources_changed,
    }
    for what, look in _LOOKS.items():
        for name in sorted(before.clusters.keys() & after.clusters.keys()) if counts[what] else ():
            if look(before.clusters[name]) != look(after.clusters[name]):
                yield f"{what} of cluster {name} changed"
    # KubeAdmiral counts new clusters only where all old ones are still there.
    if when.cluster_joined and before.clusters.keys() < after.clusters.keys():
        for name in sorted(after.clusters.keys() - before.clusters.keys()):
            yield f"cluster {name} joined"


def _taints(cluster: Cluster) -> tuple[Taint, ...]:
    """Return the taints; their order does not count."""
    return tuple(sorted(cluster.taints))


def _labels(cluster: Cluster) -> Mapping[str, str]:
    return cluster.labels


def _api_kinds(cluster: Cluster) -> frozenset[tuple[str, str]] | None:
    return cluster.api_kinds


_LOOKS: Mapping[str, Callable[[Cluster], object]] = MappingProxyType(
    {"taints": _taints, "labels": _labels, "API resources": _api_kinds}
)
