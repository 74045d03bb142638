"""Data of workloads and problems as rules read them: protocols and plain values.

Rules are part of both, so both are told here as far as rules read them, below the rules themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeVar

from fairlead.models.cluster import Cluster
from fairlead.models.in_order import Clusters
from fairlead.models.source import NOWHERE, Declared, Source

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class WorkloadData:
    """A workload as its rules see it: all that they read of it, without what they are themselves."""

    key: str
    """Name used everywhere in outcomes: ``namespace/name``, ``name`` where cluster-scoped,
    ``Kind/namespace/name`` where two kinds share a name."""
    name: str
    """Name of the Kubernetes object."""
    replicas: int
    """Replicas wanted in total (under Duplicated: in every selected cluster)."""
    namespace: str = ""
    """Namespace of the workload; empty where it is cluster-scoped."""
    api_version: str = "apps/v1"
    """The ``apiVersion`` of the workload."""
    kind: str = "Deployment"
    """Kind of the workload, such as ``Deployment``."""
    requests: Mapping[str, int] = field(default_factory=dict)
    """Request of one replica by resource: cpu in millicores, everything else in whole units (bytes, devices).
    Empty where nothing is requested."""
    current: Mapping[str, int] = field(default_factory=dict)
    """Replicas that run now by cluster; clusters with none are absent."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of the object."""
    priority: int = 0
    """Scheduling priority; higher goes first."""
    fresh: bool = False
    """True where a reschedule was asked for: what runs now is not kept for its own sake."""
    due: bool = True
    """False where its scheduler would not look at it again: what runs was placed as it is declared now, adds
    up, and breaks none of the workload's own rules. Its moves count as those of workloads that keep what
    runs. See `fairlead.models.check.with_due`."""
    policy: str = ""
    """Policy that declared the rules, in words, such as ``policy default/nginx``; empty where there is
    none."""
    rules: tuple[object, ...] = ()
    """The placement rules; `fairlead.models.workload.Workload` says of which kinds."""
    source: Source = NOWHERE
    """Where the workload was declared."""
    declared: Declared | None = field(default=None, compare=False, repr=False)
    """Manifests of the workload as the real scheduler reads them, for the dispensers that stand in for it;
    None where it did not come from manifests. Left out of comparisons: the same rules may be written in many
    ways."""

    def rule(self, kind: type[R]) -> R | None:
        """Return the workload's rule of a kind; None where it has none."""
        for rule in self.rules:
            if isinstance(rule, kind):
                return rule
        return None

    def rules_of(self, kind: type[R]) -> tuple[R, ...]:
        """Return all of the workload's rules of a kind."""
        return tuple(rule for rule in self.rules if isinstance(rule, kind))


class ProblemData(Protocol):
    """A problem as the rules see it that several workloads share; see `fairlead.models.problem.Problem`."""

    @property
    def workloads(self) -> tuple[WorkloadData, ...]:
        """Workloads in key order."""
        ...

    @property
    def rules(self) -> tuple[object, ...]:
        """Rules that several workloads share."""
        ...

    @property
    def all_clusters(self) -> Clusters:
        """Clusters in name order."""
        ...

    @property
    def cluster_by_name(self) -> Mapping[str, Cluster]:
        """Clusters by name."""
        ...

    @property
    def workload_by_key(self) -> Mapping[str, WorkloadData]:
        """Workloads by key."""
        ...

    @cached_property
    def room(self) -> Mapping[str, Mapping[str, int]]:
        """Capacity for the workloads in the units of `requests`, by resource, then cluster name."""
        ...

    @cached_property
    def limits(self) -> Mapping[tuple[str, str], int]:
        """Capacity for the workloads, as `room`, by cluster name and resource."""
        ...

    def workload(self, key: str) -> WorkloadData:
        """Return a workload by key."""
        ...

    def workloads_in(self, namespace: str) -> tuple[WorkloadData, ...]:
        """Return the workloads of a namespace in key order."""
        ...

    def used_columns(self, placed: Mapping[str, Mapping[str, int]]) -> Mapping[str, Mapping[str, int]]:
        """Return the amounts that all workloads use where they are placed, by resource and cluster."""
        ...
