"""How full clusters are, by resource: what workloads use of what is there."""

from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.data import ProblemData
from fairlead.models.placement import Placement
from fairlead.models.rules.capacity import needs
from fairlead.models.usage import charged, usage


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Use of one resource of one cluster by the workloads of a problem."""

    cluster: str
    resource: str
    """Cluster and resource."""
    used: int
    """Amount that their replicas request there: millicores of cpu, whole units of anything else."""
    offered: int | None
    """Amount that they may use there together: what is free plus what they hold now (`Problem.limits`). None
    where the capacity is unknown, which is no limit."""
    allocatable: int | None = None
    """Allocatable capacity of the cluster, for everybody. None where it does not say."""

    @property
    def share(self) -> Fraction | None:
        """The used part, 1 where all is used; None where the capacity is unknown or nothing is offered."""
        return Fraction(self.used, self.offered) if self.offered else None

    @property
    def others(self) -> int:
        """Amount used there by others: what is allocatable and not offered; 0 where that is not known."""
        return max(0, self.allocatable - self.offered) if self.allocatable and self.offered is not None else 0

    @property
    def fullness(self) -> Fraction | None:
        """The part that is used with what others use; `share` where the cluster does not say what it has."""
        if self.offered is None or not self.allocatable:
            return self.share
        return Fraction(self.others + self.used, self.others + self.offered)


def utilisation(problem: ProblemData, placement: Placement) -> tuple[Utilisation, ...]:
    """Return how full every cluster is by resource.

    By cluster and resource, in name order: resources that some workload requests, and pods where the cluster
    tells how many it can run.

    `placement`: replicas by workload and cluster; replicas on clusters that the problem does not have count
    nowhere.
    """
    asked = {resource for workload in problem.workloads for resource in needs(workload)}
    counted = charged(problem.all_clusters, unlimited=True)
    used = usage(problem.workloads, placement, problem, unlimited=True)
    return tuple(
        Utilisation(
            cluster.name,
            resource,
            used.get((cluster.name, resource), 0),
            None if cluster.free is None else problem.limits.get((cluster.name, resource), 0),
            (cluster.allocatable or {}).get(resource),
        )
        for cluster in problem.all_clusters
        for resource in sorted(asked)
        if cluster.name in counted.of(resource)
    )
