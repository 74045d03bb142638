"""How full clusters are under a placement: what is used of what they offer."""

from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.cluster import PODS, Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import needs


@dataclass(frozen=True, slots=True)
class Utilisation:
    """What the workloads of a problem use of one resource of one cluster.

    Parameters
    ----------
    cluster, resource
        Which.
    used
        What their replicas request there: millicores of cpu, whole units of anything else.
    offered
        What they may use there together: what is free plus what they hold now (`Problem.limits`). None where
        the capacity is unknown, which is no limit.
    """

    cluster: str
    resource: str
    used: int
    offered: int | None

    @property
    def share(self) -> Fraction | None:
        """The used part, 1 where all is used; None where the capacity is unknown or nothing is offered."""
        return Fraction(self.used, self.offered) if self.offered else None


def utilisation(problem: Problem, placement: Placement) -> tuple[Utilisation, ...]:
    """Return how full every cluster is by resource.

    Parameters
    ----------
    problem
        Clusters and workloads.
    placement
        Replicas by workload and cluster; replicas on clusters that the problem does not have count nowhere.

    Returns
    -------
    tuple of Utilisation
        By cluster and resource, in name order: resources that some workload requests, and pods where the
        cluster tells how many it can run.
    """
    used: dict[tuple[str, str], int] = {}
    asked: set[str] = set()
    for workload in problem.workloads:
        needed = needs(workload)
        asked.update(needed)
        for name, replicas in placement.of(workload.key).items():
            for resource, need in needed.items():
                used[name, resource] = used.get((name, resource), 0) + need * replicas
    return tuple(
        Utilisation(
            cluster.name,
            resource,
            used.get((cluster.name, resource), 0),
            None if cluster.free is None else problem.limits.get((cluster.name, resource), 0),
        )
        for cluster in problem.clusters
        for resource in sorted(asked)
        if _counts(cluster, resource)
    )


def _counts(cluster: Cluster, resource: str) -> bool:
    """Tell whether a resource counts on a cluster: pods do where it tells how many it can run."""
    return resource != PODS or cluster.free is None or PODS in cluster.free
