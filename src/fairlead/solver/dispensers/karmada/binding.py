"""What the scheduler sees of a binding and of the member clusters, and what scheduling leads to."""

from collections.abc import Mapping
from dataclasses import dataclass

from fairlead.manifests.api.policies import Placement
from fairlead.models.cluster import Cluster

LARGEST = 2**31 - 1


def wrapped(number: int) -> int:
    """Return what a 32-bit signed integer holds after arithmetic gave a number: it wraps round silently."""
    return (number + 2**31) % 2**32 - 2**31


@dataclass(frozen=True, slots=True)
class BindingInput:
    """A ``ResourceBinding`` that is due to be scheduled, and the clusters there are.

    Parameters
    ----------
    replicas
        ``spec.replicas``.
    clusters
        All member clusters, in any order; one that does not tell its APIs is taken to serve none, and one of
        unknown capacity to have no room.
    placement
        ``spec.placement``.
    previous
        ``spec.clusters``: name and replicas, in its order (which decides ties when an Aggregated workload
        shrinks).
    fresh
        True where a rebalance was asked for after the last schedule; what runs is then disregarded.
    uid
        UID of the workload, which turns the direction of ties; may be empty.
    observed_affinity
        ``status.schedulerObservedAffinityName``; empty where there is none.
    evicting
        Clusters named in ``spec.gracefulEvictionTasks``.
    api
        apiVersion and kind of the workload.
    requests
        Request per replica, in the units of `Cluster.free`, rounded up; None where the binding has no
        ``replicaRequirements``.
    empty_workload_propagation
        The scheduler flag ``--enable-empty-workload-propagation``: selected clusters without replicas stay,
        with 0.
    defaulting
        True where the defaults of the webhook have still to be applied to the placement.
    """

    replicas: int
    clusters: tuple[Cluster, ...]
    placement: Placement
    previous: tuple[tuple[str, int], ...] = ()
    fresh: bool = False
    uid: str = ""
    observed_affinity: str = ""
    evicting: frozenset[str] = frozenset()
    api: tuple[str, str] = ("apps/v1", "Deployment")
    requests: Mapping[str, int] | None = None
    empty_workload_propagation: bool = False
    defaulting: bool = False

    @property
    def is_workload(self) -> bool:
        """Whether it has replicas at all, as a Deployment has and a ConfigMap has not."""
        return self.replicas > 0 or self.requests is not None


UNSCHEDULABLE = "Unschedulable"
NO_CLUSTER_FIT = "NoClusterFit"
SCHEDULER_ERROR = "SchedulerError"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why nothing was scheduled.

    Parameters
    ----------
    reason
        Reason of the condition ``Scheduled``: ``Unschedulable`` (not enough room), ``NoClusterFit`` (no
        cluster passed the filters) or ``SchedulerError`` (everything else, selection errors among them).
    text
        The scheduler's own words. Where several filters refuse one cluster, the real scheduler names a random
        one of them; here it is always the first.
    """

    reason: str
    text: str

    def within(self, step: str) -> "Failure":
        """Return the failure as the step around it reports it."""
        return Failure(self.reason, f"{step}: {self.text}")


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The binding after the scheduler has run.

    Parameters
    ----------
    clusters
        Replicas by cluster, sorted by name. After a failure it is what stays in the binding: the previous
        placement, or nothing where no cluster fits. Clusters with 0 replicas are those that get the manifest
        only.
    affinity_name
        Name of the affinity group in the status: the chosen one, after a failure still the observed one.
        Empty where there is none.
    failure
        None where scheduling succeeded.
    """

    clusters: Mapping[str, int]
    affinity_name: str = ""
    failure: Failure | None = None
