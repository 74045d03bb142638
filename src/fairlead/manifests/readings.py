"""Manifests that rules of workloads were read from, with what those of our own kinds add to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from fairlead.models.cluster import Cluster, Taint
from fairlead.models.workload import Workload

Addition = Callable[[Workload, Mapping[str, Cluster]], Workload]
"""Adds what one manifest of our own kinds says of a workload, over the clusters that there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestReading(ABC):
    """See `fairlead.models.workload.Reading`; a subclass for every system."""

    added: tuple[Addition, ...] = ()
    """Rules that manifests of our own kinds add to those of the placement or policy, in order."""

    def again(self, workload: Workload, clusters: Sequence[Cluster]) -> Workload:
        """Return a workload with the rules that its manifests make of some clusters."""
        found, there = self.stated(workload, clusters), {one.name: one for one in clusters}
        for add in self.added:
            found = add(found, there)
        return found

    def extended(self, addition: Addition) -> Self:
        """Return the same with what one more manifest adds."""
        return replace(self, added=(*self.added, addition))

    @abstractmethod
    def stated(self, workload: Workload, clusters: Sequence[Cluster]) -> Workload:
        """Return a workload with the rules that its placement or policy alone makes of some clusters."""

    @abstractmethod
    def tolerates(self, taint: Taint) -> bool:
        """Tell whether the placement or policy tolerates a taint."""

    @abstractmethod
    def with_weight(self, cluster: str, weight: int) -> Self:
        """Return the same with another static weight of a cluster."""

    @abstractmethod
    def with_maximum(self, cluster: str, most: int) -> Self | None:
        """Return the same with another maximum on a cluster; None where it states none there."""
