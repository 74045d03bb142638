"""Entries of a model: arguments for a cluster or a workload, where they stand, and their manifest."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.manifests.api.meta import EFFECTS
from fairlead.modelling import policy as policies
from fairlead.modelling.policy import Policy, Quantity, count, kinds, quantities, several, text, texts
from fairlead.models.cluster import Taint
from fairlead.models.mistaken import MOST_REPLICAS, Faults
from fairlead.models.source import Source

Kinds = Collection[tuple[str, str]]
"""``apiVersion`` and ``kind`` of everything in a model."""


@dataclass(frozen=True)
class ClusterEntry:
    """Arguments for a cluster; see `Model.add_cluster`."""

    source: Source
    name: str
    provider: str
    region: str
    zones: Sequence[str]
    labels: Mapping[str, str]
    taints: Sequence[Taint]
    allocatable: Mapping[str, Quantity] | None
    allocated: Mapping[str, Quantity]

    @property
    def title(self) -> str:
        """Name of the entry in mistakes."""
        return f"cluster {self.name}"

    @property
    def identity(self) -> tuple[str, ...]:
        """Identity among the clusters: the name."""
        return (str(self.name),)

    def mistakes(self, clusters: Collection[str]) -> Faults:
        """Yield everything that is wrong with it, whatever other clusters there are."""
        del clusters
        yield from _named("name", self.name)
        yield from text("provider", self.provider)
        yield from text("region", self.region)
        zones, wrong = several("zones", self.zones)
        yield from wrong
        for number, zone in enumerate(zones):
            yield from text(f"zones[{number}]", zone)
        yield from texts("labels", self.labels)
        yield from kinds("taints", self.taints, Taint)
        for taint in self.taints if isinstance(self.taints, Sequence) else ():
            if isinstance(taint, Taint) and taint.effect not in EFFECTS:
                yield "taints", taint.effect, f"is not an effect; allowed are {', '.join(EFFECTS)}"
        yield from quantities("allocatable", {} if self.allocatable is None else self.allocatable)
        yield from quantities("allocated", self.allocated)
        if self.allocatable is None and self.allocated:
            yield "allocated", "", "has no effect without allocatable"

    def manifests(self, kinds_served: Kinds) -> Iterator[dict[str, Any]]:
        """Yield the Cluster of Karmada that says the same."""
        summary = {"allocatable": _written(self.allocatable or {}), "allocated": _written(self.allocated)}
        yield {
            "apiVersion": "cluster.karmada.io/v1alpha1",
            "kind": "Cluster",
            "metadata": {"name": self.name, "labels": dict(self.labels)},
            "spec": {
                "provider": self.provider,
                "region": self.region,
                "zones": list(self.zones),
                "taints": [{"key": one.key, "value": one.value, "effect": one.effect} for one in self.taints],
            },
            "status": {
                "apiEnablements": [
                    {"groupVersion": version, "resources": [{"kind": kind}]}
                    for version, kind in sorted(kinds_served)
                ],
                **({} if self.allocatable is None else {"resourceSummary": summary}),
            },
        }


@dataclass(frozen=True)
class WorkloadEntry:
    """Arguments for a workload; see `Model.add_workload`."""

    source: Source
    key: str
    replicas: int
    policy: Policy
    requests: Mapping[str, Quantity]
    running: Mapping[str, int]
    labels: Mapping[str, str]
    priority: int
    fresh: bool
    api_version: str
    kind: str

    @property
    def title(self) -> str:
        """Name of the entry in mistakes."""
        return f"workload {self.key}"

    @property
    def identity(self) -> tuple[str, ...]:
        """Identity among the workloads: kind, namespace and name."""
        return str(self.kind), *self.place

    @property
    def place(self) -> tuple[str, str]:
        """Namespace and name."""
        namespace, slash, name = str(self.key).partition("/")
        return (namespace, name) if slash else ("default", namespace)

    def mistakes(self, clusters: Collection[str]) -> Faults:
        """Yield everything that is wrong with it.

        `clusters`: names of the clusters of the model.
        """
        namespace, name = self.place
        if not isinstance(self.key, str) or not namespace or not name or "/" in name:
            yield "name", self.key, "must be a name, or a namespace, a slash and a name"
        yield from count("replicas", self.replicas)
        yield from quantities("requests", self.requests)
        yield from policies.by_cluster("running", self.running, clusters)
        yield from texts("labels", self.labels)
        if isinstance(self.priority, bool) or not isinstance(self.priority, int):
            yield "priority", self.priority, "must be a whole number"
        elif abs(self.priority) > MOST_REPLICAS:
            yield "priority", self.priority, f"must be between -{MOST_REPLICAS} and {MOST_REPLICAS}"
        yield from _named("kind", self.kind)
        yield from text("api_version", self.api_version)
        wrong = [*kinds("policy", (self.policy,), Policy)]
        yield from wrong
        for field, value, message in () if wrong else policies.mistakes(self.policy, clusters):
            yield f"policy.{field}", value, message

    def manifests(self, _kinds_served: Kinds) -> Iterator[dict[str, Any]]:
        """Yield the binding that says the same, and what asks for a fresh placement."""
        namespace, name = self.place
        identity = {"apiVersion": self.api_version, "kind": self.kind, "namespace": namespace, "name": name}
        claim = {
            "propagationpolicy.karmada.io/namespace": namespace,
            "propagationpolicy.karmada.io/name": name,
        }
        yield {
            "apiVersion": "work.karmada.io/v1alpha2",
            "kind": "ResourceBinding",
            "metadata": {
                "name": f"{name}-{self.kind.lower()}",
                "namespace": namespace,
                "labels": dict(self.labels),
                "annotations": claim,
            },
            "spec": {
                "resource": identity,
                "replicas": self.replicas,
                "replicaRequirements": {"resourceRequest": _written(self.requests)},
                "clusters": [
                    {"name": cluster, "replicas": held} for cluster, held in sorted(self.running.items())
                ],
                "schedulePriority": {"priority": self.priority},
                "placement": policies.placement(self.policy),
            },
        }
        if self.fresh:
            yield {
                "apiVersion": "apps.karmada.io/v1alpha1",
                "kind": "WorkloadRebalancer",
                "metadata": {"name": f"{namespace}.{name}.{self.kind.lower()}"},
                "spec": {"workloads": [identity]},
            }


@dataclass(frozen=True)
class RuleEntry:
    """One of fairlead's own kinds; see `Model.add_rule`."""

    source: Source
    api_version: str
    kind: str
    name: str
    spec: Mapping[str, Any]

    def manifests(self, _kinds_served: Kinds) -> Iterator[dict[str, Any]]:
        """Yield its manifest."""
        metadata = {"name": self.name}
        yield {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, "spec": self.spec}


Entry = ClusterEntry | WorkloadEntry | RuleEntry


def _named(field: str, value: object) -> Faults:
    if not isinstance(value, str) or not value or "/" in value:
        yield field, value, "must be a name"


def _written(amounts: Mapping[str, Quantity]) -> dict[str, str]:
    return {resource: str(amount) for resource, amount in amounts.items()}
