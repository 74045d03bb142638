"""What a running fleet is made of: clusters, policies, workloads and where they run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

CPU, MEMORY, PODS, GPU = "cpu", "memory", "pods", "nvidia.com/gpu"

Amounts = Mapping[str, int]
"""Amounts by resource: millicores of cpu, MiB of memory, whole pods and devices."""


class Division(Enum):
    """How replicas are divided."""

    DYNAMIC = "dynamic"
    STATIC = "static"
    AGGREGATED = "aggregated"
    DUPLICATED = "duplicated"


@dataclass(frozen=True, slots=True)
class Member:
    """One cluster.

    Parameters
    ----------
    name, region, provider
        As in the manifest; its only zone is named after the cluster.
    offered
        What its nodes offer.
    others
        What is used by pods that no workload of the fleet owns.
    taint
        Key of a taint with the effect NoExecute; None without one.
    """

    name: str
    region: str
    provider: str
    offered: Amounts
    others: Amounts
    taint: str | None = None

    @property
    def has_gpus(self) -> bool:
        """True where the nodes have devices."""
        return GPU in self.offered


@dataclass(frozen=True, slots=True)
class Selector:
    """A set of clusters: by name, by region, those with devices, or all.

    Parameters
    ----------
    names, regions
        Empty where that does not matter; at most one of them is given.
    gpus
        True for clusters with devices only.
    """

    names: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    gpus: bool = False

    def matches(self, member: Member) -> bool:
        """Tell whether a cluster belongs to the set."""
        return (
            (not self.names or member.name in self.names)
            and (not self.regions or member.region in self.regions)
            and (member.has_gpus or not self.gpus)
        )


@dataclass(frozen=True, slots=True)
class Group:
    """An affinity group: sets of clusters that are filled one after the other.

    Parameters
    ----------
    name
        Its affinity name; None where the policy has no named groups.
    tiers
        The set itself, then its overflow tiers.
    """

    name: str | None
    tiers: tuple[Selector, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Fewest and most groups of a spread constraint; `most` is None without a limit."""

    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of all workloads of a namespace.

    Parameters
    ----------
    namespace
        The namespace whose Deployments and StatefulSets are selected; the policy is named like it.
    kind
        Of what kind it was drawn, for statistics.
    division
        How replicas are divided.
    groups
        Affinity groups in declared order; at least one.
    weights
        Static weights by set of clusters; empty for any other division.
    maximum
        Most replicas of a workload on a cluster; None without a limit.
    regions, clusters
        Spread constraints; None without one.
    """

    namespace: str
    kind: str
    division: Division
    groups: tuple[Group, ...]
    weights: tuple[tuple[Selector, int], ...] = ()
    maximum: int | None = None
    regions: Limits | None = None
    clusters: Limits | None = None

    @property
    def fewest(self) -> int:
        """Fewest replicas that a workload needs to stand in as many groups as it has to."""
        return max((limits.least for limits in (self.regions, self.clusters) if limits), default=1)


@dataclass(frozen=True, slots=True)
class App:
    """One workload.

    Parameters
    ----------
    policy
        Its rules.
    name, kind
        As in the manifest.
    replicas
        Replicas that are asked for; of every copy, where it is duplicated.
    requests
        What one replica requests, without the pod.
    running
        Replicas by cluster, as they run now; None where it was never scheduled.
    group
        Position of the affinity group in which it was scheduled last.
    """

    policy: Policy
    name: str
    kind: str
    replicas: int
    requests: Amounts
    running: Mapping[str, int] | None = None
    group: int = 0

    @property
    def key(self) -> str:
        """Namespace and name; no two workloads of a fleet share them."""
        return f"{self.policy.namespace}/{self.name}"

    @property
    def needs(self) -> Amounts:
        """What one replica takes, itself as a pod among it."""
        return {**self.requests, PODS: 1}


@dataclass(frozen=True, slots=True)
class Fleet:
    """Clusters and what runs on them.

    Parameters
    ----------
    members, apps
        Clusters and workloads.
    witness
        A placement that keeps every rule and fits, by key and cluster: what runs, with those workloads
        repaired that something happened to. No answer may be worse.
    """

    members: tuple[Member, ...]
    apps: tuple[App, ...]
    witness: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def policies(self) -> tuple[Policy, ...]:
        """All policies, each once, in the order of the workloads."""
        return tuple({app.policy.namespace: app.policy for app in self.apps}.values())

    @property
    def running(self) -> dict[str, dict[str, int]]:
        """What runs, by key and cluster."""
        return {app.key: dict(app.running) for app in self.apps if app.running is not None}
