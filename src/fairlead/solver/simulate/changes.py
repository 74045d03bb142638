"""Changes of a problem as data: drains, losses, scaling and the like, and the clusters meant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Literal

from fairlead.models.cluster import FIELDS, groups
from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.words import SHOWN, either, no_such, with_nearest


@dataclass(frozen=True, slots=True)
class _OfCluster:
    """Change of one cluster, which stays in the problem; it is called as its class is."""

    cluster: str
    """Name of the cluster."""

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()} {self.cluster}"


@dataclass(frozen=True, slots=True)
class Drain(_OfCluster):
    """A cluster is closed to every workload; what runs there has to move, and counts as moved."""


@dataclass(frozen=True, slots=True)
class Cordon(_OfCluster):
    """A cluster takes nothing new; what runs there may stay."""


@dataclass(frozen=True, slots=True)
class Restore(_OfCluster):
    """A cluster is open again: taints that keep workloads away, deletion and unreadiness are forgotten.

    Evictions of single workloads that are under way stay.
    """


@dataclass(frozen=True, slots=True)
class Lose:
    """Clusters are gone, and what ran there with them: it is replaced elsewhere, which is no move."""

    name: str
    """Name of the cluster; of the region, zone or provider; value of the label."""
    field: str = "cluster"
    """``cluster``, ``region``, ``zone``, ``provider`` or the key of a label. A cluster that lies in several
    zones is lost with any of them."""

    def __str__(self) -> str:
        return f"lose {self.field} {self.name}" if self.field in FIELDS else f"lose {self.field}={self.name}"


@dataclass(frozen=True, slots=True)
class Scale:
    """A workload wants another number of replicas."""

    workload: str
    """The workload: ``default/nginx``, or its name alone where only one is called so."""
    replicas: int
    """Replicas wanted, at least 0."""

    def __str__(self) -> str:
        return f"scale {self.workload} to {self.replicas}"


@dataclass(frozen=True, slots=True)
class At:
    """Every workload with an autoscaler wants as many replicas as that allows."""

    limit: Literal["min", "max"]
    """``max`` for the most, ``min`` for the fewest."""

    def __str__(self) -> str:
        return f"scale to the {self.limit}imum of every autoscaler"


@dataclass(frozen=True, slots=True)
class Weight:
    """A candidate of a workload that is divided by static weights gets another weight."""

    workload: str
    """The workload: ``default/nginx``, or its name alone where only one is called so."""
    cluster: str
    """Name of a candidate."""
    weight: int
    """Static weight of the cluster; 0 takes the workload off it."""

    def __str__(self) -> str:
        return f"weigh {self.cluster} {self.weight} for {self.workload}"


@dataclass(frozen=True, slots=True)
class Add:
    """Clusters, workloads and policies are added; before all other changes."""

    together: Problem
    """The problem that the present manifests and the added ones describe together:
    ``fairlead.load("now.yaml", "added.yaml")``. A policy that is added may select workloads that are there
    already; a cluster that is there already must not be added again."""

    def __str__(self) -> str:
        return "add manifests"


Change = Drain | Cordon | Restore | Lose | At | Scale | Weight | Add
"""Changes that can be asked for; closed."""

Trial = Drain | Lose | At
"""Changes that a sweep tries, each by itself."""


def clusters_of(problem: Problem, lose: Lose) -> frozenset[str]:
    """Return the clusters that a loss takes.

    Raises `UsageError` where no cluster is meant; names values that are called alike.
    """
    found = groups(problem.clusters, lose.field)
    if lose.name in found:
        return found[lose.name]
    other = next((field for field in FIELDS if lose.name in groups(problem.clusters, field)), None)
    if other is not None:
        raise UsageError(f"no {_called(lose.field)} {lose.name!r}; did you mean {other}={lose.name}?")
    if lose.field == "cluster" and (values := sorted(groups(problem.clusters, lose.name))):
        named = either(f"{lose.name}={value}" for value in values[:SHOWN])
        raise UsageError(f"no cluster {lose.name!r}; name which, such as {named}, or sweep {lose.name}")
    if not found:
        known = {*FIELDS, *(label for cluster in problem.clusters for label in cluster.labels)}
        near = "" if lose.field in FIELDS else with_nearest([lose.field], known).removeprefix(lose.field)
        raise UsageError(f"no cluster has a {_called(lose.field)}{near}")
    raise UsageError(no_such(_called(lose.field), lose.name, found))


def _called(field: str) -> str:
    """Return a field as people call it."""
    return field if field in FIELDS else f"label {field}"


def told_once(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return changes without those that say once more what one of their kind says right before them.

    A cluster that is lost, drained, cordoned or restored twice is so once, whatever of its kind stands in
    between; of scaling the last one counts.
    """
    alike = (tuple(run) for _, run in groupby(changes, type))
    again = (Cordon, Drain, Lose, Restore)
    return tuple(
        chain.from_iterable(
            dict.fromkeys(run) if isinstance(run[0], again) else (one for one, _ in groupby(run))
            for run in alike
        )
    )
