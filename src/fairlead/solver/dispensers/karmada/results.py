"""What scheduling a binding leads to."""

from collections.abc import Mapping
from dataclasses import dataclass

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
